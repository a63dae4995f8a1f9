"""Findings are said when there is something to say, and not otherwise."""

import numpy as np
import polars as pl
import pytest

from shortlist import Analysis, LabelModel, Votes
from shortlist.analysis.labeler_tables import only_known
from shortlist.labelmodel import Likelihood
from shortlist.reporting.advice import check
from shortlist.reporting.overview import Overview, notices, off_gold, verdict
from tests.analysis.worked import quietly_fitted
from tests.reporting.showing import drawn, overview_of


def said(overview):
    return "\n".join(notice.text for notice in notices(overview))


def test_the_verdict_is_the_doctors():
    votes = drawn().votes
    overview = overview_of(votes, quietly_fitted(votes))
    checkup = check(overview)
    assert verdict(checkup) == ("good", checkup.diagnosis.findings[0])


def test_an_honest_model_of_good_labelers_gets_no_warning():
    votes, truth = drawn(3000)
    words = said(overview_of(votes, quietly_fitted(votes, estimator=Likelihood(split="equal")), gold=truth))
    for complaint in ("depend on each other", "say the same", "confident", "than it is"):
        assert complaint not in words
    assert "well calibrated" in words


def test_labelers_that_never_meet_are_no_copies():
    """Two rules of two classes were said to "say the same on all 0 rows on which both vote"."""
    rng = np.random.default_rng(0)
    first, third = rng.random(600) < 0.5, rng.integers(1, 3, 600)
    codes = np.column_stack([first, ~first, third]).astype(int)
    votes = Votes(codes, [["a"], ["b"], [{"a", "b"}, "c"]], ["a", "b", "c"], ["money", "polls", "power"])
    overview = overview_of(votes, quietly_fitted(votes))
    together = overview.pairs.filter(pl.col("overlap") == 0)
    assert together["correlation"].max() > 0.5  # one votes, so the other does not
    assert overview.near_copies == set()
    assert "say the same" not in said(overview)


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


def test_overconfidence_and_estimates_off_gold():
    votes, truth = drawn(2000)
    wrong = np.roll(truth, 1)  # gold labels that have nothing to do with the votes
    words = said(overview_of(votes, quietly_fitted(votes), gold=wrong))
    assert "overconfident" in words
    assert "The model overestimates the accuracy of goal" in words


def test_a_digest_needs_a_model_for_beliefs():
    votes = drawn().votes
    overview = overview_of(votes)
    assert [tile.name for tile in overview.tiles] == ["rows", "covered", "in conflict"]
    with pytest.raises(ValueError, match="model"):
        _ = overview.analysis.belief
    assert not hasattr(LabelModel(), "accuracy_")


def test_an_accuracy_that_is_not_known_is_not_said_to_be_off():
    """The table said "not known", this list said "estimated 70%", both of one labeler."""
    table = pl.DataFrame(
        {"labeler": ["money", "polls"], "accuracy": [0.7, 0.7], "accuracy_low": [0.0, 0.6], "accuracy_high": [1.0, 0.8],
         "gold_votes": [40, 40], "gold_accuracy": [0.95, 0.95]}
    )  # fmt: skip
    (found,) = off_gold(only_known(table))
    assert found.text.startswith("The model underestimates the accuracy of polls: 70%, where 40 gold rows show 95%")


def test_gold_rows_that_fit_are_told():
    """Only the terminal said that figures on gold rows look better than they are."""
    votes, truth = drawn()
    model = quietly_fitted(votes)
    analysis = Analysis(votes, model, gold=list(truth))
    assert "Gold rows take part in the fit" in said(Overview(analysis, gold_fits=True))
    assert "take part" not in said(Overview(analysis))
    assert "take part" not in said(Overview(Analysis(votes, model), gold_fits=True))  # there are none


def test_each_mean_belief_says_which_rows_it_is_about():
    """The card said 35.5 %, of all rows; the notice said 73 %, of gold rows with a vote."""
    votes, truth = drawn(600)
    codes = votes.codes.copy()
    codes[:400] = 0
    votes = Votes(codes, votes.codomains, votes.space, votes.names)
    overview = overview_of(votes, quietly_fitted(votes), gold=list(truth))
    (tile,) = [tile for tile in overview.tiles if tile.name == "mean belief"]
    assert tile.note == "in the most likely class, over all rows"
    assert "on gold rows with a vote, the mean belief in the best guess is" in said(overview)
