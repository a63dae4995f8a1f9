"""A gold row speaks for all rows with the same votes."""

import numpy as np
import pytest

from shortlist import LabelModel, Votes
from shortlist.labelmodel.estimators.pooled.gold_rows import GoldRows
from shortlist.labelmodel.evidence import Evidence

quiet = pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")


def votes(codes):
    return Votes(codes, [["x", "y"], [{"x", "z"}]], ["x", "y", "z"])


def test_rows_with_the_same_votes_stand_for_each_other_by_hand():
    known = GoldRows.of(Evidence.gather(votes([[1, 1], [1, 1], [2, 0], [0, 0], [2, 1]]), ["x", "z", "y", "y", None]))
    assert sorted(known.counts.tolist()) == [[0, 1, 0], [1, 0, 1]]  # rows without votes, or without a class, are none
    believed = np.array([[0.5, 0.25, 0.25], [0.2, 0.6, 0.2], [0.4, 0.3, 0.3]])
    found = known.beliefs(believed, np.array([[1, 1], [2, 0], [0, 1]], np.uint8), (2, 1), 10.0)
    assert found == pytest.approx(np.array([[6 / 12, 2.5 / 12, 3.5 / 12], [2 / 11, 7 / 11, 2 / 11], [0.4, 0.3, 0.3]]))


def test_without_known_rows_nothing_changes():
    known = GoldRows.of(Evidence.gather(votes([[1, 1]])))
    believed = np.array([[0.5, 0.25, 0.25]])
    assert not known
    assert known.beliefs(believed, np.array([[1, 1]], np.uint8), (2, 1), 10.0) is believed


def dependent(seed=0, m=3000):
    """Two labelers that are wrong together: where both say b and the third says a, it is a. Counting cannot know."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, m)
    wrong = rng.random(m) < 0.3
    first, second = (np.where(wrong ^ (rng.random(m) < 0.05), 1 - truth, truth) for _ in range(2))
    third = np.where(rng.random(m) < 0.05, 1 - truth, truth)
    return Votes(np.column_stack([first, second, third]) + 1, [["a", "b"]] * 3, ["a", "b"]), np.array(["a", "b"])[truth]


@quiet
def test_what_the_model_cannot_say_known_rows_say(tmp_path):
    """Labelers that are wrong together; known rows with the same votes say so, also once the model was saved."""
    seen, truth = dependent()
    rest = np.arange(300, len(seen))
    plain = LabelModel().fit(seen)
    told = LabelModel().fit(seen, dict(enumerate(truth[:300])))
    share = [np.mean(model.predict(seen)[rest] == truth[rest]) for model in (plain, told)]
    assert share[0] < 0.8
    assert share[1] > 0.9
    told.save(tmp_path / "model.npz")
    assert np.array_equal(LabelModel.load(tmp_path / "model.npz").predict_proba(seen), told.predict_proba(seen))


@quiet
def test_an_explanation_still_adds_up():
    seen, truth = dependent()
    model = LabelModel().fit(seen, dict(enumerate(truth[:300])))
    told = model.explain(seen[0])
    beliefs = dict(zip("ab", model.predict_proba(seen[:1])[0], strict=True))
    assert told.log_odds == pytest.approx(np.log(beliefs[told.of] / beliefs[told.against]))
