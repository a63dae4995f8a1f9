"""Character n-grams: the counts of scikit-learn's "char_wb", whatever the texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from shortlist.classifier.character_grams import CharacterGrams

TEXTS = st.lists(st.text("aAbß é\n.", max_size=12), min_size=1, max_size=6)


@given(TEXTS, TEXTS, st.sampled_from([(1, 1), (2, 4), (3, 3), (5, 9)]))
def test_counts_are_those_of_scikit_learn(texts, more, lengths):
    theirs, ours = CountVectorizer(analyzer="char_wb", ngram_range=lengths), CharacterGrams(lengths, 10**6)
    if not any(text.split() for text in texts):
        with pytest.raises(ValueError, match="characters"):
            ours.fit_transform(texts)
        return
    expected = theirs.fit_transform(texts).toarray()
    np.testing.assert_array_equal(ours.fit_transform(texts).toarray(), expected)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    np.testing.assert_array_equal(ours.transform(more).toarray(), theirs.transform(more).toarray())


def test_the_most_frequent_are_kept():
    grams = CharacterGrams((2, 2), 2)
    counts = grams.fit_transform(["aaa aaa", "ab"])
    assert grams.grams == [" a", "aa"]
    assert counts.toarray().tolist() == [[2, 4], [1, 0]]
