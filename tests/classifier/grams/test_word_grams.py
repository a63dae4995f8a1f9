"""Word n-grams: the counts of scikit-learn's "word" with our pattern of a token, whatever the texts."""

from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from shortlist.classifier.grams.word_grams import TOKEN, WordGrams
from shortlist.classifier.grams.word_list import list_words
from tests.classifier.beside_sklearn import assert_same_counts

TEXTS = st.lists(st.text("aB_ é\n\x1f.?Σ", max_size=12), min_size=1, max_size=6)


@given(TEXTS, TEXTS, st.sampled_from([(1, 1), (1, 2), (2, 3)]))
def test_counts_are_those_of_scikit_learn(texts, more, lengths):
    theirs = CountVectorizer(token_pattern=TOKEN.pattern, ngram_range=lengths)
    assert_same_counts(lambda: WordGrams(lengths, 10**6), theirs, texts, more)


def test_an_unknown_word_between_two_known_ones_parts_them():
    grams = WordGrams((2, 2), 9)
    grams.fit_count(list_words(["red fox"]))
    assert grams.count(list_words(["red fox red", "red quick fox"])).toarray().tolist() == [[1], [0]]
