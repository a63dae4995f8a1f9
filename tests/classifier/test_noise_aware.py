"""NoiseAwareClassifier: the default, wrapped estimators, every kind of rows, and scikit-learn's own checks."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from shortlist import LabelModel, LabelSpace, NoiseAwareClassifier, apply, labeler
from shortlist.classifier import SoftLogisticRegression, TextFeatures
from shortlist.errors import BadFit, BadRows, NotFitted, UnnamedClasses


@parametrize_with_checks([NoiseAwareClassifier(), NoiseAwareClassifier(LogisticRegression())])
def test_scikit_learn_accepts_it(estimator, check):
    """All of check_estimator; no exceptions. (The array-API check skips itself unless SciPy is told to use that.)"""
    check(estimator)


def first_word(*, person, place, name):
    @labeler(says=["person", "place"], name=name)
    def read(question):
        return "person" if question.startswith(person) else "place" if question.startswith(place) else None

    return read


def test_the_three_lines_of_the_readme():
    questions = ["Who wrote it ?", "Where is Rome ?", "Who sang ?", "Where was he born ?", "What is that ?"] * 4
    labelers = [
        first_word(person="Who", place="Where", name="one"),
        first_word(person="Who", place="Where is", name="two"),
        first_word(person="Who w", place="Where", name="three"),
    ]
    votes = apply(labelers, questions, space=LabelSpace(["person", "place"]))
    beliefs = LabelModel().fit(votes).predict_proba(votes)
    assert np.ptp(beliefs[~votes.covered]) < 1e-9  # the default balance is uniform: uncovered rows show themselves
    reader = NoiseAwareClassifier().fit(questions, beliefs)
    with pytest.warns(UnnamedClasses, match="numbers 0 to 1.*classes=votes.space"):
        assert reader.predict(["Who sang it ?", "Where is it ?"]).tolist() == [0, 1]
    reader = NoiseAwareClassifier().fit(questions, beliefs, classes=votes.space)
    assert reader.predict(["Who sang it ?", "Where is it ?"]).tolist() == ["person", "place"]


def test_the_default_and_the_wrapped_twin_agree(clouds):
    X, beliefs, _ = clouds
    ours = NoiseAwareClassifier(SoftLogisticRegression(tol=1e-9)).fit(X, beliefs)
    twin = NoiseAwareClassifier(LogisticRegression(tol=1e-9, max_iter=5000)).fit(X, beliefs)
    np.testing.assert_allclose(ours.predict_proba(X), twin.predict_proba(X), atol=1e-6)


def test_uncovered_rows_are_left_out_or_kept(clouds):
    X, beliefs, _ = clouds
    some = beliefs.copy()
    some[100:] = 1 / 3
    np.testing.assert_allclose(
        NoiseAwareClassifier().fit(X, some).predict_proba(X),
        NoiseAwareClassifier().fit(X[:100], beliefs[:100]).predict_proba(X),
    )
    kept = NoiseAwareClassifier(uncovered="keep").fit(X, some)
    assert (
        kept.predict_proba(X).max(axis=1).mean()
        < NoiseAwareClassifier().fit(X, some).predict_proba(X).max(axis=1).mean()
    )


def test_a_pipeline_reads_the_strings_itself(texts):
    rows, beliefs = texts
    model = NoiseAwareClassifier(make_pipeline(CountVectorizer(), MultinomialNB())).fit(
        rows, beliefs, classes=["c", "d"]
    )
    assert model.features_ is None
    assert model.predict(["cat", "dog"]).tolist() == ["c", "d"]


@pytest.mark.parametrize("estimator", [None, RandomForestClassifier(20, random_state=0), MultinomialNB()])
def test_text_into_any_estimator(texts, estimator):
    rows, beliefs = texts
    model = NoiseAwareClassifier(estimator).fit(rows, beliefs, classes=["cat", "dog"])
    assert model.score(rows, ["cat"] * 4 + ["dog"] * 4) == 1
    np.testing.assert_allclose(model.predict_proba(rows).sum(axis=1), 1)


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series, pl.Series, iter])
def test_strings_of_every_make(texts, kind):
    rows, beliefs = texts
    expected = NoiseAwareClassifier().fit(rows, beliefs).predict_proba(rows)
    np.testing.assert_array_equal(NoiseAwareClassifier().fit(kind(rows), beliefs).predict_proba(kind(rows)), expected)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, lambda table: pl.DataFrame(table).to_dicts()])
def test_a_column_of_a_table(texts, kind):
    rows, beliefs = texts
    table = kind({"id": [str(a) for a in range(8)], "text": rows})
    expected = NoiseAwareClassifier().fit(rows, beliefs).predict_proba(rows)
    np.testing.assert_array_equal(NoiseAwareClassifier(on="text").fit(table, beliefs).predict_proba(table), expected)


def test_features_may_be_sparse(clouds):
    X, beliefs, _ = clouds
    dense = NoiseAwareClassifier().fit(X, beliefs).predict_proba(X)
    np.testing.assert_allclose(NoiseAwareClassifier().fit(sp.csr_array(X), beliefs).predict_proba(X), dense, atol=1e-4)


def test_an_estimator_without_probabilities_still_predicts(clouds):
    X, beliefs, labels = clouds
    model = NoiseAwareClassifier(LinearSVC()).fit(X, beliefs, classes=["cat", "dog", "owl"])
    assert model.score(X, labels) > 0.7
    with pytest.raises(BadFit, match="LinearSVC gives classes but no probabilities"):
        model.predict_proba(X)


def test_a_class_nobody_believes_in_has_no_chance(clouds):
    X, beliefs, _ = clouds
    four = np.hstack([beliefs, np.zeros((len(X), 1))])
    wrapped = NoiseAwareClassifier(LogisticRegression()).fit(X, four)
    assert wrapped.predict_proba(X).shape == (len(X), 4)
    assert wrapped.predict_proba(X)[:, 3].max() == 0
    assert NoiseAwareClassifier().fit(X, four).predict_proba(X)[:, 3].max() < 0.01


def test_it_lives_inside_scikit_learn(clouds):
    X, _, labels = clouds
    search = GridSearchCV(NoiseAwareClassifier(SoftLogisticRegression()), {"estimator__C": [1e-4, 1.0]}, cv=3)
    assert search.fit(X, labels).best_params_ == {"estimator__C": 1.0}
    assert clone(NoiseAwareClassifier(on="text", features=TextFeatures(words=None))).features.words is None


def test_calibration_finds_the_temperature(clouds):
    X, beliefs, labels = clouds
    model = NoiseAwareClassifier().fit(X, beliefs, classes=["cat", "dog", "owl"])
    before = model.predict(X)

    def loss():
        return -np.log(model.predict_proba(X)[np.arange(len(X)), np.searchsorted(model.classes_, labels)]).mean()

    lukewarm = loss()
    assert model.calibrate(X, labels).temperature_ < 1  # beliefs .6 sure of the truth make an underconfident model
    assert loss() < lukewarm
    best, model.temperature_ = loss(), model.temperature_ * 1.05
    assert loss() > best
    assert (model.predict(X) == before).all()


def test_unknown_labels_are_not_scored(texts):
    rows, beliefs = texts
    model = NoiseAwareClassifier().fit(rows, beliefs, classes=["cat", "dog"])
    assert model.score(rows, ["cat"] * 3 + ["dog"] + [None] * 4) == 0.75
    with pytest.raises(BadFit, match="0 known"):
        model.score(rows, [None] * 8)
    with pytest.raises(BadFit, match="0 known"):
        model.calibrate(rows, [None] * 8)


def test_rows_of_the_wrong_kind(texts, clouds):
    rows, beliefs = texts
    reader = NoiseAwareClassifier().fit(rows, beliefs)
    with pytest.raises(BadRows, match="fitted on text, and is now given features"):
        reader.predict(clouds[0])
    with pytest.raises(BadRows, match="fitted on features, and is now given text"):
        NoiseAwareClassifier().fit(*clouds[:2]).predict(rows)
    with pytest.raises(BadRows, match="single string"):
        reader.predict("the cat")
    with pytest.raises(BadRows, match="row 1 holds int, not text"):
        reader.predict(["the cat", 7])
    with pytest.raises(BadRows, match=r"say which column.*a, b"):
        reader.predict(pl.DataFrame({"a": ["x"], "b": ["y"]}))
    with pytest.raises(BadRows, match=r"'txt'.*Did you mean 'text'"):
        NoiseAwareClassifier(on="txt").fit(pl.DataFrame({"text": rows}), beliefs)
    with pytest.raises(BadRows, match="no words"):
        NoiseAwareClassifier().fit(["", " "], [[1, 0], [0, 1]])


def test_nothing_is_known_before_the_fit():
    for ask in (lambda m: m.predict(["x"]), lambda m: m.predict_proba(["x"]), lambda m: m.save("nowhere")):
        with pytest.raises(NotFitted, match="call fit"):
            ask(NoiseAwareClassifier())


def test_missing_text_is_empty_text(texts):
    rows, beliefs = texts
    model = NoiseAwareClassifier().fit(rows, beliefs)
    np.testing.assert_array_equal(model.predict_proba([None, "cat"]), model.predict_proba(["", "cat"]))


def test_inputs_come_back_unchanged(clouds):
    X, beliefs, _ = clouds
    before = X.copy(), beliefs.copy()
    NoiseAwareClassifier().fit(X, beliefs).predict_proba(X)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(beliefs, before[1])


@pytest.mark.parametrize("estimator", [None, LogisticRegression(), LinearSVC()], ids=lambda e: type(e).__name__)
def test_no_text_has_no_class(estimator):
    model = NoiseAwareClassifier(estimator).fit(["a cat", "a dog"], ["cat", "dog"])
    assert model.predict([]).tolist() == []
    if estimator is None or hasattr(estimator, "predict_proba"):
        assert model.predict_proba([]).shape == (0, 2)


TEXTS = ["a cat purrs", "the dog barks", "cats purr", "dogs bark loudly"]


def test_progress_is_told_in_lines():
    beliefs, told = [[0.9, 0.1], [0.2, 0.8], [0.8, 0.2], [0.1, 0.9]], []
    NoiseAwareClassifier(progress=told.append).fit(TEXTS, beliefs)
    assert told[0] == "reading 4 texts"
    assert told[1].startswith("learning from 4 rows, ")
    assert [line.split(": ")[1].split(",")[0] for line in told[1:]] == [f"step {n}" for n in range(len(told) - 1)]
    NoiseAwareClassifier(MultinomialNB(), progress=told.append).fit(TEXTS, beliefs)
    assert told[-1] == "MultinomialNB learns from 4 rows"


def test_nothing_is_shown_where_nobody_watches(capsys):
    NoiseAwareClassifier().fit(TEXTS, [0, 1, 0, 1])
    assert capsys.readouterr() == ("", "")
