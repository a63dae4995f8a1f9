"""Word n-grams: the counts of scikit-learn's "word" with our pattern of a token, whatever the texts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from shortlist.classifier.grams.word_grams import TOKEN, WordGrams
from shortlist.classifier.grams.word_list import list_words

TEXTS = st.lists(st.text("aB_ é\n\x1f.?Σ", max_size=12), min_size=1, max_size=6)


@given(TEXTS, TEXTS, st.sampled_from([(1, 1), (1, 2), (2, 3)]))
def test_counts_are_those_of_scikit_learn(texts, more, lengths):
    theirs, ours = CountVectorizer(token_pattern=TOKEN.pattern, ngram_range=lengths), WordGrams(lengths, 10**6)
    counts = ours.fit_count(list_words(texts))
    if not counts.shape[1]:
        return
    expected = theirs.fit_transform(texts)
    assert sorted(ours.names()) == theirs.get_feature_names_out().tolist()
    same = [theirs.vocabulary_[name] for name in ours.names()]  # their column of each of ours
    np.testing.assert_array_equal(counts.toarray(), expected.toarray()[:, same])
    for counter in (ours, WordGrams(lengths, 10**6).restore(ours.names())):
        new = theirs.transform(more).toarray()[:, same]
        np.testing.assert_array_equal(counter.count(list_words(more)).toarray(), new)


def test_an_unknown_word_between_two_known_ones_parts_them():
    grams = WordGrams((2, 2), 9)
    grams.fit_count(list_words(["red fox"]))
    assert grams.count(list_words(["red fox red", "red quick fox"])).toarray().tolist() == [[1], [0]]
