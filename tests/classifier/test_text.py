"""Text features: TF-IDF as scikit-learn computes it, of the n-grams we chose."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from shortlist.classifier import TextFeatures, text
from shortlist.classifier.text import TOKEN, CharacterGrams, DistinctWords, WordGrams, hash_texts
from shortlist.errors import BadRows

TEXTS = ["How old is it ?", "How far is the Moon ?", "Who is it, and who was it ?", ""]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"words": (1, 2), "characters": None}, {"ngram_range": (1, 2), "token_pattern": r"(?u)\b\w+\b|[^\w\s]"}),
        ({"words": None, "characters": (2, 4)}, {"ngram_range": (2, 4), "analyzer": "char_wb"}),
    ],
)
def test_each_half_is_tf_idf(ours, theirs):
    reference = TfidfVectorizer(sublinear_tf=True, **theirs)
    features = TextFeatures(**ours)
    ours, theirs = features.fit_transform(TEXTS).toarray(), reference.fit_transform(TEXTS).toarray()
    same = their_columns(reference, features.get_feature_names_out())
    np.testing.assert_allclose(ours, theirs[:, same], rtol=1e-6)
    new = ["Who is old ?", "zzz"]
    np.testing.assert_allclose(
        features.transform(new).toarray(), reference.transform(new).toarray()[:, same], rtol=1e-6
    )


def test_punctuation_and_single_letters_are_words():
    names = TextFeatures(words=(1, 1), characters=None).fit(["Is A better ?"]).get_feature_names_out()
    assert sorted(names) == ["?", "a", "better", "is"]


def test_characters_of_scripts_without_spaces_are_words():
    names = TextFeatures(words=(1, 1), characters=None).fit(["今天AI芯片大涨 naïve"]).get_feature_names_out()
    assert sorted(names) == sorted(["今", "天", "ai", "芯", "片", "大", "涨", "naïve"])


def test_the_most_frequent_n_grams_are_kept():
    features = TextFeatures(words=(1, 1), characters=None, max_features=2).fit(["a b", "b c", "c b a c b"])
    assert features.get_feature_names_out().tolist() == ["b", "c"]  # by frequency


def test_of_equally_frequent_n_grams_the_short_ones_are_kept_whatever_the_order_of_rows():
    kept = [
        TextFeatures(words=(1, 2), characters=None, max_features=3).fit(texts).get_feature_names_out().tolist()
        for texts in (["a b", "c d"], ["c d", "a b"])
    ]
    assert kept[0] == kept[1]
    assert set(kept[0]) < set("abcd")


def test_both_halves_stand_side_by_side():
    both = TextFeatures().fit_transform(TEXTS)
    assert both.shape[1] == sum(
        TextFeatures(**{half: None}).fit_transform(TEXTS).shape[1] for half in ("words", "characters")
    )
    np.testing.assert_allclose((both.toarray() ** 2).sum(axis=1), [2, 2, 2, 0], rtol=1e-6)


def test_features_of_nothing():
    with pytest.raises(BadRows, match="words, characters or both"):
        TextFeatures(words=None, characters=None).fit(TEXTS)


@pytest.mark.parametrize("texts", [["", " "], []])
def test_texts_without_words(texts):
    with pytest.raises(BadRows, match=f"the {len(texts)} texts hold no words"):
        TextFeatures().fit(texts)


def test_one_string_is_not_a_list_of_texts():
    with pytest.raises(BadRows, match="not one string"):
        TextFeatures().fit("a text")


# -- beside scikit-learn's vectorizers


def their_columns(theirs, names):
    """Which column of theirs each of our names has. All names of theirs are ours, too."""
    assert sorted(names) == theirs.get_feature_names_out().tolist()
    return [theirs.vocabulary_[name] for name in names]


def below(counts):
    """Counts of parts of the texts below each other."""
    return sp.vstack(counts, format="csr")


def assert_same_counts(make, theirs, texts, more):
    """Learned from texts, `make()` counts in all texts as theirs does; so does one restored from its names."""
    ours = make()
    counts = below(ours.fit_count(DistinctWords.of(texts)))
    try:
        expected = theirs.fit_transform(texts)
    except ValueError:  # scikit-learn refuses texts without any n-gram
        assert counts.shape == (len(texts), 0)
        return
    same = their_columns(theirs, ours.names_)
    np.testing.assert_array_equal(counts.toarray(), expected.toarray()[:, same])
    again = make()
    again.set_names(ours.names_)
    for counter in (ours, again):
        counted, new = below(counter.count(DistinctWords.of(more))), theirs.transform(more)
        np.testing.assert_array_equal(counted.toarray(), new.toarray()[:, same])


CHARACTERS = st.lists(st.text("aAbß é\n.𝒳", max_size=12), min_size=1, max_size=6)
WORDS = st.lists(st.text("aB_ é\n\x1f.?Σ株ฝ", max_size=12), min_size=1, max_size=6)


@given(CHARACTERS, CHARACTERS, st.sampled_from([(1, 1), (2, 4), (3, 3), (5, 9)]))
def test_character_counts_are_those_of_scikit_learn(texts, more, lengths):
    theirs = CountVectorizer(analyzer="char_wb", ngram_range=lengths)
    assert_same_counts(lambda: CharacterGrams(lengths, 10**6), theirs, texts, more)


@given(WORDS, WORDS, st.sampled_from([(1, 1), (1, 2), (2, 3)]))
def test_word_counts_are_those_of_scikit_learn(texts, more, lengths):
    theirs = CountVectorizer(token_pattern=TOKEN.pattern, ngram_range=lengths)
    assert_same_counts(lambda: WordGrams(lengths, 10**6), theirs, texts, more)


def test_the_most_frequent_pieces_of_words_are_kept():
    grams = CharacterGrams((2, 2), 2)
    counts = below(grams.fit_count(DistinctWords.of(["aaa aaa", "ab"])))
    assert grams.names_ == ["aa", " a"]
    assert counts.toarray().tolist() == [[4, 2], [0, 1]]


def test_half_characters_are_characters():
    grams = CharacterGrams((2, 2), 9)
    grams.fit_count(DistinctWords.of(["a\ud800"]))
    assert sorted(grams.names_) == [" a", "a\ud800", "\ud800 "]


def test_an_unknown_word_between_two_known_ones_parts_them():
    grams = WordGrams((2, 2), 9)
    grams.fit_count(DistinctWords.of(["red fox"]))
    counts = below(grams.count(DistinctWords.of(["red fox red", "red quick fox"])))
    assert counts.toarray().tolist() == [[1], [0]]


def test_words_are_listed_once():
    words = DistinctWords.of(["The cat, the dog", "", "dog\tDOG"])
    assert words.words == ["the", "cat,", "dog"]
    assert words.numbers.tolist() == [0, 1, 0, 2, 2, 2]
    assert words.lengths.tolist() == [4, 0, 2]


@pytest.mark.parametrize("at_once", [1, 3, 100])
def test_texts_are_read_in_parts_of_any_size(monkeypatch, at_once):
    texts = [*TEXTS, "The cat, the dog", "dog\tDOG " * 5, ""]
    whole = TextFeatures().fit(texts)
    monkeypatch.setattr(text, "AT_ONCE", at_once)
    parts = TextFeatures().fit(texts)
    assert parts.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
    for again in (texts, [], ["new cat"]):
        assert (parts.transform(again) != whole.transform(again)).nnz == 0


def test_hashes_are_the_same_on_every_machine_and_differ():
    texts = [f"{a}{b}" for a in "abcdefgh" for b in range(5000)]
    hashed = hash_texts(texts)
    assert hashed[:2].tolist() == [hash_by_hand("a0"), hash_by_hand("a1")]
    assert len(set(hashed.tolist())) == len(texts)


def hash_by_hand(text):
    value = 0
    for character in text:
        value = (value * 0xC2B2AE3D27D4EB4F + ord(character)) % 2**64
    return value
