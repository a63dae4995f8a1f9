"""How often each labeler is right, and how far that is known."""

import numpy as np
import pytest

from shortlist import LabelModel, Votes, intervals

quiet = pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")


def world(rng, m=1500):
    """Four labelers that name classes, and four rules of one answer; how often each is right on these rows."""
    truth = rng.integers(0, 3, m)
    columns, says = [], []
    for _ in range(4):
        vote = np.where(rng.random(m) < rng.uniform(0.4, 0.9), truth, rng.integers(0, 3, m)) + 1
        columns.append(np.where(rng.random(m) < 0.7, vote, 0))
        says.append(list("abc"))
    for c in (0, 1, 2, 0):
        columns.append(rng.random(m) < np.where(truth == c, 0.3, rng.uniform(0.02, 0.2)))
        says.append(["abc"[c]])
    votes = Votes(np.column_stack(columns).astype(int), says, list("abc"))
    held = np.array([[truth[a] + 1 == v for a, v in enumerate(c)] for c in columns[:4]])
    right = [h[c > 0].mean() for h, c in zip(held, columns[:4], strict=True)]
    right += [(truth[c.astype(bool)] == j).mean() for c, j in zip(columns[4:], (0, 1, 2, 0), strict=True)]
    return votes, np.array(right), truth


@quiet
def test_intervals_cover_and_say_where_votes_cannot_tell():
    covered, errors = [], []
    for seed in range(25):
        votes, right, _ = world(np.random.default_rng(seed))
        model = LabelModel().fit(votes)
        low, high = model.estimate_.labeler_interval(0.9)
        covered.append((low <= right) & (right <= high))
        errors.append(np.abs(model.estimate_.labeler_accuracy - right)[:4])
        assert (low[4:].tolist(), high[4:].tolist()) == ([0] * 4, [1] * 4)  # one answer: not known
        assert (high - low)[:4].max() < 0.5
    assert np.mean(covered) > 0.9
    assert np.mean([each[:4] for each in covered]) > 0.85
    assert np.mean(errors) < 0.05


@quiet
def test_intervals_by_class_cover():
    covered = []
    for seed in range(15):
        votes, _, truth = world(np.random.default_rng(seed))
        low, high = LabelModel().fit(votes).estimate_.accuracy_interval(0.9)
        for i, j in np.ndindex(4, 3):
            said = votes.codes[(votes.codes[:, i] > 0) & (truth == j), i]
            covered.append(low[i, j] <= (said == j + 1).mean() <= high[i, j])
    assert np.mean(covered) > 0.88


@quiet
def test_by_class_what_is_true_by_construction_has_no_width():
    votes, _, _ = world(np.random.default_rng(0))
    found = intervals(LabelModel().fit(votes))
    assert found.lower[4].tolist() == found.upper[4].tolist() == [1, 0, 0]
    assert (found.upper - found.lower)[:4].min() > 0.01


@quiet
def test_a_labeler_that_votes_on_every_row_does_not_become_the_truth(data_home):
    for name, i, true in (("published/commercial", 1, 0.831), ("published/yelp", 2, 0.719)):
        with np.load(data_home / f"{name}.npz") as file:
            votes = Votes.from_snorkel(file["votes"], ["0", "1"])
        found = LabelModel().fit(votes).estimate_.labeler_accuracy[i]
        assert found == pytest.approx(true, abs=0.1)


@pytest.mark.parametrize("weight", [1.0, 1e30, 1e90])
@pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")
def test_an_accuracy_is_within_its_interval_for_any_weights(weight):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 20)
    said = np.where(rng.random((20, 6)) < 0.85, truth[:, None], 1 - truth[:, None])
    estimate = LabelModel().fit(Votes(1 + said, [["a", "b"]] * 6, ["a", "b"]), weights=[weight] * 20).estimate_
    for here, (lower, upper) in (
        (estimate.accuracy, estimate.accuracy_interval(0.5)),
        (estimate.labeler_accuracy, estimate.labeler_interval(0.5)),
    ):
        assert (lower <= here).all()
        assert (here <= upper).all()
