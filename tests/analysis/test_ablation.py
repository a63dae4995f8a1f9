"""What a labeler is worth: against the definition, and for labelers known to be worth something or nothing."""

from itertools import product

import numpy as np
import pytest

from shortlist import Analysis, Votes, simulate
from shortlist.analysis.ablation import halves, likelihoods
from shortlist.errors import BadFit
from shortlist.labelmodel import Parameters
from shortlist.labelmodel.likelihood import log_joint, log_marginal
from tests.analysis.worked import newspaper, quietly_fitted


@pytest.fixture(scope="module")
def drawn():
    """Three good labelers, a poor one, and one that throws dice."""
    says = [["a", "b"]] * 5
    accuracy = np.repeat([[0.9], [0.9], [0.9], [0.6], [0.5]], 2, axis=1)
    return simulate(Parameters(accuracy, np.full(5, 0.9), np.full(2, 0.5)), says, 4000, space=["a", "b"], seed=0)


def test_dice_are_worth_nothing_and_good_labelers_most(drawn):
    table = Analysis(drawn.votes, quietly_fitted(drawn.votes), gold=drawn.truth).worth()
    likelihood = table["worth"].to_list()
    assert abs(likelihood[4]) < 0.005
    assert min(likelihood[:3]) > 10 * max(likelihood[3:])
    assert abs(table["gold_gain"][4]) < 0.01
    assert min(table["gold_gain"].to_list()[:3]) > 0.005


def test_the_likelihood_by_summing_over_all_other_votes(drawn):
    """log P(G) − log P(G_i) − log P(G_others), each marginal a sum over everything left open."""
    votes = drawn.votes[:200, :3]
    model = quietly_fitted(votes)
    layout, table = model.panel_.layout, model.generator()
    every = np.array(list(product(range(3), repeat=3)), np.uint8)
    p = dict(zip(map(tuple, every.tolist()), np.exp(log_marginal(log_joint(every, table, layout))), strict=True))
    assert sum(p.values()) == pytest.approx(1)
    expected = np.zeros(3)
    for row in map(tuple, votes.codes.tolist()):
        for i in range(3):
            alone = sum(value for key, value in p.items() if key[i] == row[i])
            others = sum(value for key, value in p.items() if key[:i] + key[i + 1 :] == row[:i] + row[i + 1 :])
            expected[i] += np.log(p[row]) - np.log(alone) - np.log(others)
    assert likelihoods(model, votes) == pytest.approx(expected / len(votes))


def test_no_row_is_both_fitted_and_judged(drawn):
    fitted, judged = halves(Analysis(drawn.votes), 20_000, 0)
    assert sorted([*fitted, *judged]) == list(range(len(drawn.votes)))
    fitted, judged = halves(Analysis(drawn.votes), 50, 0)
    assert len(fitted) == len(judged) == 50
    assert not set(fitted) & set(judged)


def test_rows_with_gold_judge(drawn):
    gold = {a: drawn.truth[a] for a in range(100)}
    _, judged = halves(Analysis(drawn.votes, gold=gold), 20_000, 0)
    assert set(range(100)) <= set(judged)


def test_it_needs_a_label_model_and_two_rows():
    with pytest.raises(BadFit, match="LabelModel"):
        Analysis(newspaper()).worth()
    votes = Votes([[1, 1, 1]], [["a", "b"]] * 3, ["a", "b"])
    with pytest.raises(BadFit, match="two rows"):
        Analysis(votes, quietly_fitted(votes)).worth()
