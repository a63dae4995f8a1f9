"""Text features: TF-IDF as scikit-learn computes it, of the n-grams we chose."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from shortlist.classifier import TextFeatures
from shortlist.errors import BadRows
from tests.classifier.beside_sklearn import their_columns

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
    np.testing.assert_allclose(ours, theirs[:, same])
    new = ["Who is old ?", "zzz"]
    np.testing.assert_allclose(features.transform(new).toarray(), reference.transform(new).toarray()[:, same])


def test_punctuation_and_single_letters_are_words():
    names = TextFeatures(words=(1, 1), characters=None).fit(["Is A better ?"]).get_feature_names_out()
    assert names.tolist() == ["?", "a", "better", "is"]


def test_the_most_frequent_n_grams_are_kept():
    names = TextFeatures(words=(1, 1), characters=None, max_features=2).fit(["a b", "b c", "c b a c"])
    assert names.get_feature_names_out().tolist() == ["b", "c"]


def test_both_halves_stand_side_by_side():
    both = TextFeatures().fit_transform(TEXTS)
    assert both.shape[1] == sum(
        TextFeatures(**{half: None}).fit_transform(TEXTS).shape[1] for half in ("words", "characters")
    )
    np.testing.assert_allclose((both.toarray() ** 2).sum(axis=1), [2, 2, 2, 0])


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
