"""NoiseAwareClassifier: the default, wrapped estimators, every kind of rows, and scikit-learn's own checks."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from shortlist import LabelModel, LabelSpace, NoiseAwareClassifier, TransformerClassifier, apply, labeler
from shortlist.classifier import SoftLogisticRegression, TextFeatures
from shortlist.classifier.noise_aware import expand, fit_expanded, weight_argument
from shortlist.errors import BadFile, BadFit, BadRows, NotFitted, UnnamedClasses

ESTIMATORS = [
    NoiseAwareClassifier(),
    NoiseAwareClassifier(LogisticRegression()),
]


@parametrize_with_checks(ESTIMATORS)
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


# -- rows copied for each class believed in


def test_an_expansion_worked_by_hand():
    rows, classes, weights = expand(np.array([[0.7, 0.3], [0.0, 1.0]]), np.array([1.0, 2.0]))
    assert rows.tolist() == [0, 0, 1]
    assert classes.tolist() == [0, 1, 1]
    assert weights == pytest.approx([0.7, 0.3, 2.0])


@given(st.integers(0, 10_000))
def test_every_row_keeps_its_weight(seed):
    rng = np.random.default_rng(seed)
    beliefs = rng.dirichlet(np.full(4, 0.02), 20)  # nearly one-hot: much is negligible
    weights = rng.random(20)
    rows, _, shares = expand(beliefs, weights)
    np.testing.assert_allclose(np.bincount(rows, shares, 20), weights)


def test_what_is_pruned_does_not_matter(clouds):
    """Beliefs with 1e-6 hidden in them train the same model as the pruned ones, to far below any use of it."""
    X, beliefs, _ = clouds
    sharp = 0.9999985 * np.eye(3)[beliefs.argmax(axis=1)] + 0.0000005
    exact = LogisticRegression(tol=1e-10, max_iter=5000)
    pruned = fit_expanded(exact, X, sharp, np.ones(len(X))).predict_proba(X)
    rows, classes = np.nonzero(np.ones_like(sharp))
    whole = exact.fit(X[rows], classes, sample_weight=sharp[rows, classes]).predict_proba(X)
    assert len(expand(sharp, np.ones(len(X)))[0]) == len(X) < len(rows)
    assert np.abs(pruned - whole).max() < 1e-5


def test_the_weights_of_a_pipeline_go_to_its_last_step():
    nested = make_pipeline(make_pipeline(CountVectorizer()), make_pipeline(LogisticRegression()))
    assert weight_argument(nested) == "pipeline-2__logisticregression__sample_weight"


def test_an_estimator_without_weights_is_refused():
    with pytest.raises(BadFit, match="KNeighborsClassifier takes no sample_weight"):
        weight_argument(KNeighborsClassifier())


# -- files


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


# -- on=…: which columns are read


KINDS = [pd.DataFrame, pl.DataFrame, lambda table: pl.DataFrame(table).to_dicts()]
MAKES = ["pandas", "polars", "dicts"]


@pytest.mark.parametrize("kind", KINDS, ids=MAKES)
def test_a_classifier_of_two_columns_is_one_of_the_joined_texts(kind, texts):
    """Neither column tells cats from dogs on all rows."""
    rows, beliefs = texts
    titles = ["on cats" if a % 2 else None for a in range(4)] + ["on dogs" if a % 2 else "" for a in range(4)]
    joined = [f"{title}. {text}" if title else text for title, text in zip(titles, rows, strict=True)]
    table = kind({"text": rows, "title": titles})
    expected = NoiseAwareClassifier().fit(joined, beliefs)
    model = clone(NoiseAwareClassifier(on=["title", "text"])).fit(table, beliefs)
    np.testing.assert_array_equal(model.predict_proba(table), expected.predict_proba(joined))
    np.testing.assert_array_equal(model.predict_proba(joined), expected.predict_proba(joined))  # joined by the user
    assert (model.predict_proba(table) != NoiseAwareClassifier().fit(rows, beliefs).predict_proba(rows)).any()
    assert model.get_params()["on"] == ["title", "text"]


def test_an_encoder_reads_the_joined_texts(texts, tiny_encoder, tmp_path):
    rows, beliefs = texts
    table = pl.DataFrame({"title": ["my cat", None] * 4, "text": rows})
    joined = [f"my cat. {row}" if a % 2 == 0 else row for a, row in enumerate(rows)]
    model = TransformerClassifier(tiny_encoder, frozen=True, steps=3, device="cpu", on=["title", "text"])
    clone(model).fit(table, beliefs).save(tmp_path / "reader")
    back = TransformerClassifier.load(tmp_path / "reader", device="cpu")
    assert back.on == ["title", "text"]
    expected = model.set_params(on=None).fit(joined, beliefs).predict_proba(joined)
    np.testing.assert_array_equal(back.predict_proba(table), expected)


def test_odd_beliefs_texts_and_features(texts, tmp_path):
    """Attack 23."""
    rows, beliefs = texts
    expected = NoiseAwareClassifier().fit(rows, beliefs).predict_proba(rows)
    sparse = NoiseAwareClassifier().fit(rows, sp.csr_array(np.asarray(beliefs)))
    np.testing.assert_array_equal(sparse.predict_proba(rows), expected)
    half = NoiseAwareClassifier().fit([*rows[:-1], "half \ud800 a dog"], beliefs)
    half.save(tmp_path / "half")
    assert np.isfinite(NoiseAwareClassifier.load(tmp_path / "half").predict_proba(["\udfff"])).all()
    large = np.where(np.asarray(beliefs)[:, :2] > 0.5, 1e300, 1.0)
    with pytest.raises(BadFit, match="scale them"), np.errstate(all="ignore"):
        NoiseAwareClassifier().fit(large, beliefs)
