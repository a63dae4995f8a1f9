"""from_classifier(): a model for another task as a labeler."""

import numpy as np
import polars as pl
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from shortlist import Not, apply, from_classifier
from shortlist.errors import BadLabeler, LabelerFailed

SPACE = ["business", "politics", "sports"]


@pytest.fixture(scope="module")
def coarse():
    model = make_pipeline(CountVectorizer(), LogisticRegression(C=100))
    return model.fit(["a ball game", "match and ball", "the market", "the vote"], ["play", "play", "work", "work"])


def test_outputs_become_shortlists(coarse):
    rule = from_classifier(coarse, {"play": "sports", "work": {"business", "politics"}})
    rows = ["ball", "market vote"]
    assert apply(rule, rows, space=SPACE).codes[:, 0].tolist() == [1, 2]
    assert rule.name == "Pipeline"
    assert rule("ball") == frozenset({"sports"})
    frame = pl.DataFrame({"title": ["x", "x"], "text": rows})
    on = from_classifier(coarse, {"play": "sports", "work": Not("sports")}, on="text")
    assert apply(on, frame, space=SPACE).codes[:, 0].tolist() == [1, 2]


def test_it_abstains_below_the_threshold_and_where_an_output_means_nothing(coarse):
    rule = from_classifier(coarse, {"play": "sports", "work": None}, threshold=0.9, name="rule")
    votes = apply(rule, ["ball ball game", "market the vote", "unheard of"], space=SPACE)
    assert votes.codes[:, 0].tolist() == [1, 0, 0]


def test_numbers_in_columns_and_vectors_as_rows():
    class Sign:
        def predict(self, X):
            return np.where(np.asarray(X).sum(axis=1) > 0, 1, 0)

    rule = from_classifier(Sign(), {1: "sports", 0: "business"}, on=["a", "b"])
    assert apply(rule, pl.DataFrame({"a": [1, -3], "b": [1, 1]}), space=SPACE).codes[:, 0].tolist() == [1, 2]
    vectors = from_classifier(Sign(), {1: "sports", 0: "business"})
    assert apply(vectors, np.array([[1.0, 1], [-3, 1]]), space=SPACE).codes[:, 0].tolist() == [1, 2]


def test_a_function_of_many_rows_will_do():
    rule = from_classifier(lambda rows: [len(row) > 3 for row in rows], {True: "sports", False: None}, name="long")
    assert apply(rule, ["abcd", "ab"], space=SPACE).codes[:, 0].tolist() == [1, 0]


def test_a_failing_model_names_itself_and_the_rows():
    def broken(rows):
        raise ValueError("no")

    rule = from_classifier(broken, {1: "sports"}, name="rule")
    with pytest.raises(LabelerFailed, match="'rule' failed on rows 0 to 1"):
        apply(rule, ["a", "b"], space=SPACE)
    votes = apply(rule, ["a", "b"], space=SPACE, on_error="abstain")
    assert votes.failures[0].count == 2
    unmapped = from_classifier(lambda rows: [2 for _ in rows], {1: "sports"}, name="rule")
    with pytest.raises(LabelerFailed, match="2"):
        apply(unmapped, ["a"], space=SPACE)


def test_bad_maps_are_refused(coarse):
    with pytest.raises(BadLabeler, match="work"):
        from_classifier(coarse, {"play": "sports"})
    with pytest.raises(BadLabeler, match="says nothing"):
        from_classifier(coarse, {"play": None, "work": None})
    with pytest.raises(BadLabeler, match="predict_proba"):
        from_classifier(lambda rows: rows, {1: "sports"}, threshold=0.5)


@pytest.mark.parametrize("answer", [["play"], "play", [["play"]] * 3])
def test_a_model_must_answer_once_a_row(answer):
    rule = from_classifier(lambda rows: answer, {"play": "sports"}, name="odd")
    with pytest.raises(LabelerFailed, match=r"'odd'.*3 rows"):
        apply(rule, ["x", "y", "z"], space=SPACE)


@pytest.mark.parametrize("workers", [1, 2])
def test_only_the_rows_a_model_fails_on_abstain(workers):
    rule = from_classifier(lambda rows: ["play" if 1 / row else "" for row in rows], {"play": "sports"}, name="odd")
    votes = apply(rule, [1, 0, 2, 3], space=SPACE, on_error="abstain", workers=workers)
    assert votes.codes[:, 0].tolist() == [1, 0, 1, 1]
    assert votes.failures[0].count == 1


def test_what_is_no_model_no_map_and_no_probability_is_refused(coarse):
    means = {"play": "sports", "work": None}
    for arguments, fact in ((("bert", means), "no model"), ((coarse, ["sports"]), "maps outputs")):
        with pytest.raises(BadLabeler, match=fact):
            from_classifier(*arguments)
    with pytest.raises(BadLabeler, match="probability"):
        from_classifier(coarse, means, threshold=80)


def test_probabilities_are_one_line_a_row():
    class Short:
        classes_ = ("play", "work")

        def predict_proba(self, rows):
            return [[0.9, 0.1]]

    rule = from_classifier(Short(), {"play": "sports", "work": None}, threshold=0.5)
    with pytest.raises(LabelerFailed, match="3 rows"):
        apply(rule, ["x", "y", "z"], space=SPACE)


def test_a_model_is_given_batches_of_the_size_it_asks_for():
    sizes = []

    def model(rows):
        sizes.append(len(rows))
        return ["ball" in row for row in rows]

    rows = ["ball", "market", "ball"] * 7
    means = {True: "sports", False: {"business", "politics"}}
    in_batches = apply(from_classifier(model, means, batch_size=8, name="model"), rows, space=SPACE)
    assert sizes == [8, 8, 5]
    assert in_batches == apply(from_classifier(model, means, name="model"), rows, space=SPACE)
    assert sizes == [8, 8, 5, 21]


@pytest.mark.parametrize("options", [{"batch_size": 0}, {"batch_size": 2.0}, {"batch_size": True}, {"gpus": -1}])
def test_sizes_and_gpus_that_cannot_be_are_refused(options):
    with pytest.raises(BadLabeler, match=f"labeler 'len': {next(iter(options))} is a"):
        from_classifier(len, {1: "sports"}, **options)
