"""A classifier comes back from its file as it was, and a foreign file builds nothing unasked."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from shortlist import NoiseAwareClassifier
from shortlist.classifier import SoftLogisticRegression, TextFeatures
from shortlist.errors import BadFile


class Stubborn(ClassifierMixin, BaseEstimator):
    """A user's own classifier, of a type nobody else knows."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.full((X.shape[0], len(self.classes_)), 1 / len(self.classes_))

    def predict(self, X):
        return np.zeros(X.shape[0], int)


@pytest.mark.parametrize(
    "model",
    [
        NoiseAwareClassifier(),
        NoiseAwareClassifier(SoftLogisticRegression(C=0.5), features=TextFeatures(words=(1, 3), characters=None)),
        NoiseAwareClassifier(features=CountVectorizer()),
        NoiseAwareClassifier(LogisticRegression()),
        NoiseAwareClassifier(make_pipeline(CountVectorizer(), LogisticRegression())),
    ],
    ids=["default", "options", "features", "wrapped", "pipeline"],
)
def test_text_classifiers_come_back(model, texts, tmp_path):
    rows, beliefs = texts
    rows = [*rows[:-1], "dogs chase cars – naïve\nones too"]
    model.fit(rows, beliefs, classes=["cat", "dog"]).calibrate(rows[2:6], ["cat", "cat", "dog", "cat"])
    model.save(tmp_path / "reader")
    back = NoiseAwareClassifier.load(tmp_path / "reader")
    np.testing.assert_array_equal(back.predict_proba(rows), model.predict_proba(rows))
    assert back.predict(rows).tolist() == model.predict(rows).tolist()
    assert back.temperature_ == model.temperature_ != 1


@pytest.mark.parametrize("on", [None, "text", ["title", "text"]])
def test_the_columns_that_are_read_come_back(on, texts, tmp_path):
    rows, beliefs = texts
    table = [{"title": "on cats", "text": row} for row in rows] if on else rows
    model = NoiseAwareClassifier(on=on).fit(table, beliefs)
    model.save(tmp_path / "reader")
    back = NoiseAwareClassifier.load(tmp_path / "reader")
    assert back.on == on
    np.testing.assert_array_equal(back.predict_proba(table), model.predict_proba(table))


def test_feature_classifiers_come_back(clouds, tmp_path):
    X, beliefs, _ = clouds
    model = NoiseAwareClassifier().fit(X, beliefs)
    model.save(tmp_path / "reader")
    back = NoiseAwareClassifier.load(tmp_path / "reader")
    np.testing.assert_array_equal(back.predict_proba(X), model.predict_proba(X))
    assert back.classes_.dtype == model.classes_.dtype
    with pytest.raises(ValueError, match="4 features"):
        back.predict(X[:, :4])
    assert back.fit(X, beliefs).n_features_in_ == 5  # and can be fitted again


@pytest.mark.parametrize("dtype", [object, "U12", np.int64])
def test_answers_have_the_same_dtype_before_and_after(dtype, clouds, tmp_path):
    """`predict` gave <U1 before, and objects after the model was loaded."""
    X, beliefs, _ = clouds
    y = beliefs.argmax(axis=1).astype(str).astype(dtype)
    model = NoiseAwareClassifier().fit(X, y)
    model.save(tmp_path / "reader")
    back = NoiseAwareClassifier.load(tmp_path / "reader")
    assert back.predict(X).dtype == model.predict(X).dtype == np.dtype(dtype)
    assert back.predict(X).tolist() == model.predict(X).tolist()


def test_a_type_nobody_knows_is_only_built_when_trusted(clouds, tmp_path):
    X, beliefs, _ = clouds
    NoiseAwareClassifier(Stubborn()).fit(X, beliefs).save(tmp_path / "reader")
    with pytest.raises(BadFile, match=r"could run code.*Stubborn.*trusted=") as error:
        NoiseAwareClassifier.load(tmp_path / "reader")
    name = str(error.value).split("trusted=['")[1].split("'")[0]
    assert NoiseAwareClassifier.load(tmp_path / "reader", trusted=[name]).predict(X[:2]).tolist() == [0, 0]


def test_files_that_are_no_classifier(texts, tmp_path):
    path = tmp_path / "reader"
    with pytest.raises(BadFile, match="does not exist"):
        NoiseAwareClassifier.load(path)
    NoiseAwareClassifier().fit(*texts).save(path)
    whole = path.read_bytes()
    for length in (0, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(BadFile, match="truncated"):
            NoiseAwareClassifier.load(path)


def test_a_file_that_cannot_be_written_leaves_the_old_one(texts, tmp_path, monkeypatch):
    path = tmp_path / "reader"
    model = NoiseAwareClassifier().fit(*texts)
    model.save(path)
    before = path.read_bytes()
    monkeypatch.setattr(np, "savez_compressed", lambda file, **arrays: file.write(b"half") and 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["reader"]


@pytest.mark.parametrize(
    "change",
    [
        {"coef": np.zeros(3)},
        {"coef": np.zeros((9, 2))},
        {"intercept": np.array([np.nan])},
        {"features.idf.0": np.zeros((2, 2))},
        {"features.grams.0": np.zeros(4, np.uint8) + 255},
    ],
)
def test_a_whole_file_that_does_not_fit_together_is_a_bad_file(texts, tmp_path, change):
    """Attack F1: AttributeError."""
    rows, beliefs = texts[:2]
    NoiseAwareClassifier().fit(rows, beliefs).save(tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz") as file:
        np.savez(tmp_path / "m2.npz", **{**file, **change})
    with pytest.raises(BadFile, match=r"m2\.npz"):
        NoiseAwareClassifier.load(tmp_path / "m2.npz")
