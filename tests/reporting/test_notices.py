"""Findings are said when there is something to say, and not otherwise."""

import numpy as np
import pytest

from shortlist import LabelModel, Votes
from shortlist.labelmodel import Likelihood
from shortlist.reporting.notices import notices
from tests.analysis.worked import quietly_fitted
from tests.reporting.showing import drawn, hostile, overview_of


def said(overview):
    return "\n".join(notice.text for notice in notices(overview))


def test_the_doctor_speaks_first():
    votes = drawn().votes
    overview = overview_of(votes, quietly_fitted(votes))
    assert notices(overview)[0].text == overview.diagnosis.findings[0]


def test_an_honest_model_of_good_labelers_gets_no_warning():
    votes, truth = drawn(3000)
    words = said(overview_of(votes, quietly_fitted(votes, estimator=Likelihood(split="equal")), gold=truth))
    for complaint in ("depend on each other", "at random", "never voted", "confident", "stopped", "failed"):
        assert complaint not in words
    assert "honest" in words


def test_copies_are_named():
    votes = drawn(2000).votes
    copied = votes.codes[:, :1].copy()
    copied[:200] = 0
    exact = Votes.beside([votes, Votes(copied, votes.codomains[:1], votes.space, ["copy"])])
    both = int((exact.codes[:, [0, 4]] > 0).all(axis=1).sum())
    assert f"goal and copy say the same on all {both:,} rows" in said(overview_of(exact, quietly_fitted(exact)))
    assert f"goal and copy say the same on all {both:,} rows" in said(overview_of(exact))
    copied[200:400] = 1
    near = Votes.beside([votes, Votes(copied, votes.codomains[:1], votes.space, ["copy"])])
    assert "goal and copy depend on each other" in said(overview_of(near, quietly_fitted(near)))


def test_labelers_with_one_thing_to_say_are_no_copies():
    votes = Votes([[1, 1], [1, 1], [0, 1]] * 50, [["spam"], ["spam"]], ["ham", "spam"])
    assert "say the same" not in said(overview_of(votes))


def test_silent_failing_and_uncovered():
    votes = drawn().votes
    codes = votes.codes.copy()
    codes[:, 3] = 0
    codes[:60] = 0
    words = said(overview_of(Votes(codes, votes.codomains, votes.space, votes.names)))
    assert "score never voted" in words
    assert "of the rows have no vote" in words
    assert "failed on 3 rows" in said(overview_of(hostile()[0]))


def test_overconfidence_and_estimates_off_gold():
    votes, truth = drawn(2000)
    wrong = np.roll(truth, 1)  # gold labels that have nothing to do with the votes
    words = said(overview_of(votes, quietly_fitted(votes), gold=wrong))
    assert "overconfident" in words
    assert "taken to be more accurate than it is" in words


def test_worse_than_chance():
    votes = drawn(2000).votes
    model = quietly_fitted(votes, estimator=Likelihood(accuracy="labeler"))
    model.accuracy_[0] = 0.05
    del model.evidence_  # what it was fitted on would contradict that
    assert "goal is estimated to be right 5% of the time" in said(overview_of(votes, model))


def test_classes_that_cannot_be_told_apart():
    votes = Votes([[1, 1, 1], [2, 2, 2]] * 50, [["a", {"b", "c"}]] * 3, ["a", "b", "c"])
    words = said(overview_of(votes, quietly_fitted(votes)))
    assert "b and c are hard to tell apart" in words
    assert "No labeler names one without the other" in words


def test_a_fit_that_stopped_early():
    votes = drawn().votes
    assert "stopped before it converged" in said(overview_of(votes, quietly_fitted(votes, max_iter=1)))


def test_a_digest_needs_a_model_for_beliefs():
    votes = drawn().votes
    overview = overview_of(votes)
    assert [tile.name for tile in overview.tiles] == ["rows", "covered", "in conflict"]
    with pytest.raises(ValueError, match="model"):
        _ = overview.belief
    assert not hasattr(LabelModel(), "accuracy_")
