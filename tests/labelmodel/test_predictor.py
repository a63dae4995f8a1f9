import numpy as np
import pytest
from hypothesis import given
from sklearn.base import clone

from experiments import datasets
from shortlist import MajorityVote, NearestClass, Votes, apply, keywords
from shortlist.errors import NotFitted
from tests.labelmodel.reference import some_votes

SAYS = [["sports", {"business", "world"}], [{"sports", "world"}, "business"], ["world", "business", "sports"]]
CLASSES = ["business", "sports", "world"]


def test_nearest_class_by_hand():
    votes = Votes([[1, 1, 1], [2, 1, 0], [0, 0, 0], [1, 2, 1]], SAYS, CLASSES)
    beliefs = NearestClass().fit(votes).predict_proba(votes)
    # sports: 2 votes, world: 2, business: 0; then world alone; then nobody; then three different ones
    assert beliefs.tolist() == pytest.approx(np.array([[0, 0.5, 0.5], [0, 0, 1], [1 / 3] * 3, [1 / 3] * 3]))
    assert NearestClass().fit(votes).predict(votes).tolist() == ["sports", "world", "business", "business"]
    assert NearestClass().fit(votes).predict(votes, uncovered=None)[2] is None


def test_a_majority_vote_shares_a_vote_among_its_classes():
    votes = Votes([[1, 1, 1], [2, 1, 0], [0, 0, 0]], SAYS, CLASSES)
    beliefs = MajorityVote().fit(votes).predict_proba(votes)
    assert beliefs == pytest.approx(np.array([[0, 1.5 / 3, 1.5 / 3], [0.25, 0.25, 0.5], [1 / 3] * 3]))


@pytest.mark.parametrize("model", [NearestClass, MajorityVote])
@given(votes=some_votes())
def test_beliefs_are_distributions(model, votes):
    beliefs = model().fit(votes).predict_proba(votes)
    assert (beliefs >= 0).all()
    assert beliefs.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("model", [NearestClass, MajorityVote])
def test_the_verbs_of_the_label_model(model):
    votes = Votes([[1, 1, 1], [2, 1, 0]], SAYS, CLASSES)
    fitted = clone(model()).fit([votes, votes], weights=[1, 1, 2, 2], gold=["sports", None, None, "world"])
    assert fitted.score(votes, ["sports", "world"]) == 1.0
    assert fitted.predict_set(votes[1:], coverage=0.4) == [frozenset({"world"})]
    assert fitted.classes_.tolist() == CLASSES
    with pytest.raises(NotFitted, match=model.__name__):
        model().predict(votes)


def test_nearest_class_on_animals_with_attributes(data_home):
    """51.2 mean class accuracy, as measured before this project began."""
    animals = datasets.load("awa2", data_home)["all"]
    guess = NearestClass().fit(animals.votes).predict(animals.votes)
    by_class = [np.mean(guess[animals.gold == name] == name) for name in animals.votes.space]
    assert 100 * np.mean(by_class) == pytest.approx(51.2, abs=1.0)


def test_labels_as_a_project_exports_them():
    votes = Votes([[1, 1, 1], [2, 1, 0], [0, 0, 0]], SAYS, CLASSES)
    table = MajorityVote().fit(votes).labels(votes)
    assert table["class"].to_list() == ["sports", "world", None]
    assert table["votes"].to_list() == [3, 2, 0]
    assert table["shortlist"].to_list()[0] == ["sports", "world"]
    assert table["belief_world"].to_list() == pytest.approx([0.5, 0.5, 1 / 3])


def test_a_dataset_goes_in_and_comes_out(tmp_path):
    datasets = pytest.importorskip("datasets")
    rows = datasets.Dataset.from_dict({"body": ["goal and match", "a summit", "goal", "rain"], "class": [1, 2, 3, 4]})
    labelers = [
        keywords(["goal"], "sports"),
        keywords(["match"], {"sports", "world"}),
        keywords(["summit"], "world"),
    ]
    votes = apply(labelers, rows, text="body", space=CLASSES)
    labelled = MajorityVote().fit(votes).to_dataset(votes, rows)
    assert labelled.column_names[:4] == ["body", "data_class", "class", "belief"]
    labelled.save_to_disk(tmp_path / "labelled")
    again = datasets.load_from_disk(tmp_path / "labelled")
    assert list(again["class"]) == ["sports", "world", "sports", None]
    assert list(again["body"]) == list(rows["body"])
