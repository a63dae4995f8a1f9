"""Character n-grams: the counts of scikit-learn's "char_wb", whatever the texts."""

from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from shortlist.classifier.grams.character_grams import CharacterGrams
from shortlist.classifier.grams.word_list import list_words
from tests.classifier.beside_sklearn import assert_same_counts

TEXTS = st.lists(st.text("aAbß é\n.𝒳", max_size=12), min_size=1, max_size=6)


@given(TEXTS, TEXTS, st.sampled_from([(1, 1), (2, 4), (3, 3), (5, 9)]))
def test_counts_are_those_of_scikit_learn(texts, more, lengths):
    theirs = CountVectorizer(analyzer="char_wb", ngram_range=lengths)
    assert_same_counts(lambda: CharacterGrams(lengths, 10**6), theirs, texts, more)


def test_the_most_frequent_are_kept():
    grams = CharacterGrams((2, 2), 2)
    counts = grams.fit_count(list_words(["aaa aaa", "ab"]))
    assert grams.names() == [" a", "aa"]
    assert counts.toarray().tolist() == [[2, 4], [1, 0]]


def test_half_characters_are_characters():
    grams = CharacterGrams((2, 2), 9)
    grams.fit_count(list_words(["a\ud800"]))
    assert grams.names() == [" a", "a\ud800", "\ud800 "]
