"""Tables of labelers and their shortlists: by hand, and against going through the rows one by one."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist import Analysis, LabelModel, MajorityVote, Votes, simulate
from shortlist.analysis.labeler_tables import LABELER_COLUMNS, accuracy_estimate, halves, labeler_lines, likelihoods
from shortlist.errors import BadFit
from shortlist.labelmodel import Likelihood, Parameters
from shortlist.labelmodel.likelihood import log_joint, log_marginal
from tests.analysis.worked import GOLD, NAMES, brute_labelers, newspaper, oracle, quietly_fitted
from tests.labelmodel.reference import likelihood
from tests.votes.drawing import votes as any_votes


def test_the_newspaper():
    table = Analysis(newspaper(), oracle(), gold=GOLD).labelers()
    assert table["labeler"].to_list() == NAMES
    assert table["votes"].to_list() == [3, 4, 2]
    assert table["coverage"].to_list() == [3 / 6, 4 / 6, 2 / 6]
    assert table["overlap"].to_list() == [3 / 6, 3 / 6, 1 / 6]
    assert table["conflict"].to_list() == [2 / 6, 2 / 6, 1 / 6]
    assert table["size"].to_list() == [1, 7 / 4, 1]
    # belief inside the votes: goal 1, .6, .5; abroad 1, .4, .5, 1; money .5, .8
    assert table["believed"].to_list() == pytest.approx([2.1 / 3, 2.9 / 4, 1.3 / 2])
    assert table["gold_votes"].to_list() == [3, 4, 2]
    assert table["gold_accuracy"].to_list() == pytest.approx([1, 3 / 4, 1 / 2])


def test_without_a_model_it_tells_what_votes_tell():
    assert Analysis(newspaper()).labelers().columns == [
        "labeler", "votes", "coverage", "overlap", "conflict", "size",
    ]  # fmt: skip


@given(any_votes(max_rows=20))
def test_as_if_row_by_row(votes):
    if not len(votes) or not votes.names:
        return
    table = Analysis(votes).labelers()
    m = len(votes)
    for line, (voted, overlap, conflict, named) in zip(table.iter_rows(named=True), brute_labelers(votes), strict=True):
        assert line["votes"] == voted
        assert line["overlap"] == overlap / m
        assert line["conflict"] == conflict / m
        assert line["size"] == (named / voted if voted else None)


@given(any_votes(max_rows=20), st.data())
def test_gold_rows_as_if_row_by_row(votes, data):
    if not len(votes) or not votes.names:
        return
    gold = data.draw(st.lists(st.sampled_from([None, *votes.space]), min_size=len(votes), max_size=len(votes)))
    if not any(gold):
        return
    table = Analysis(votes, gold=gold).shortlists()
    for (i, c), line in zip(_shortlists(votes), table.iter_rows(named=True), strict=True):
        classes = [name for name, code in zip(gold, votes.codes[:, i], strict=True) if name and code == c]
        right = sum(name in votes.codomains[i].shortlists[c - 1] for name in classes)
        assert line["gold_votes"] == len(classes)
        assert line["gold_accuracy"] == (right / len(classes) if classes else None)


def _shortlists(votes):
    return [(i, c) for i, size in enumerate(votes.sizes) for c in range(1, size + 1)]


@pytest.fixture(scope="module")
def drawn():
    says = [["a", "b", "c"], ["a", {"b", "c"}], [{"a", "b"}, "c"], ["b", {"a", "c"}]]
    accuracy = np.repeat([[0.9], [0.8], [0.7], [0.6]], 3, axis=1)
    return simulate(
        Parameters(accuracy, np.array([0.9, 0.8, 0.7, 0.6]), np.full(3, 1 / 3)),
        says,
        3000,
        space=["a", "b", "c"],
        seed=0,
    )


def test_row_order_does_not_matter(drawn):
    votes, model = drawn.votes, quietly_fitted(drawn.votes)
    shuffled = np.random.default_rng(0).permutation(len(votes))
    one, other = (Analysis(v, model).labelers() for v in (votes, votes[shuffled]))
    assert one.drop("labeler").to_numpy() == pytest.approx(other.drop("labeler").to_numpy(), abs=1e-6)


def test_labeler_order_does_not_matter(drawn):
    votes, model = drawn.votes, quietly_fitted(drawn.votes)
    order = [2, 0, 3, 1]
    one, other = Analysis(votes, model).labelers(), Analysis(votes[:, order], model).labelers()
    assert [one["labeler"][i] for i in order] == other["labeler"].to_list()
    assert one.drop("labeler").to_numpy()[order] == pytest.approx(other.drop("labeler").to_numpy(), abs=1e-6)


def test_the_interval_holds_the_truth_and_narrows_with_level(drawn):
    analysis = Analysis(drawn.votes, quietly_fitted(drawn.votes, estimator=Likelihood(split="equal")))
    wide, narrow = analysis.labelers(level=0.99), analysis.labelers(level=0.5)
    truth = np.array([0.9, 0.8, 0.7, 0.6])
    assert (wide["accuracy_low"].to_numpy() < truth).all()
    assert (truth < wide["accuracy_high"].to_numpy()).all()
    assert (wide["accuracy_low"] < narrow["accuracy_low"]).all()
    assert (narrow["accuracy_low"] < narrow["accuracy"]).all()
    assert (narrow["accuracy"] < narrow["accuracy_high"]).all()


def test_no_interval_where_none_is_asked_for(drawn):
    table = Analysis(drawn.votes, quietly_fitted(drawn.votes)).labelers(level=None)
    assert table["accuracy_low"].null_count() == len(table)
    assert table["accuracy"].null_count() == 0


def test_a_model_that_estimates_nothing_has_no_accuracies():
    votes = newspaper()
    table = Analysis(votes, MajorityVote().fit(votes)).labelers()
    assert "accuracy" not in table.columns
    assert "believed" in table.columns


def test_a_level_is_a_share(drawn):
    with pytest.raises(BadFit, match=r"1\.5"):
        Analysis(drawn.votes, quietly_fitted(drawn.votes)).labelers(level=1.5)


def test_shortlists_of_the_newspaper():
    table = Analysis(newspaper(), oracle(), gold=GOLD).shortlists()
    assert table["says"].to_list()[:4] == ["sports", "{business, world}", "{sports, world}", "business"]
    assert table["size"].to_list() == [1, 2, 2, 1, 1, 2]
    assert table["votes"].to_list() == [3, 0, 3, 1, 2, 0]
    assert table["believed"].to_list() == pytest.approx([2.1 / 3, None, 2.5 / 3, 0.4, 1.3 / 2, None])
    assert table["gold_accuracy"].to_list() == [1, None, 1, 0, 0.5, None]


def test_dummies_are_marked():
    votes = Votes([[1], [2]], [["a"]], ["a", "b"])
    assert Analysis(votes).shortlists()["dummy"].to_list() == [False, True]


def test_accuracies_by_class(drawn):
    table = Analysis(drawn.votes, quietly_fitted(drawn.votes), gold=drawn.truth).accuracies(level=0.9)
    assert table.height == 12
    assert table["class"].to_list()[:3] == ["a", "b", "c"]
    assert ((table["accuracy_low"] <= table["accuracy"]) & (table["accuracy"] <= table["accuracy_high"])).all()
    known = drawn.truth == "a"
    voted = drawn.votes.codes[known, 1] > 0
    right = drawn.votes.codes[known, 1] == 1
    assert table.filter(labeler=drawn.votes.names[1], **{"class": "a"})["gold_accuracy"].item() == pytest.approx(
        right.sum() / voted.sum()
    )


def test_accuracies_need_a_model_that_has_them():
    with pytest.raises(BadFit, match="LabelModel"):
        Analysis(newspaper()).accuracies()


def two_classes(m, seed):
    says = [["a", "b"], ["a", "b"], ["a", "b"], ["b", "a"]]
    truth = Parameters(np.array([[0.9, 0.7], [0.8, 0.8], [0.6, 0.9], [0.7, 0.7]]), np.full(4, 0.8), np.full(2, 0.5))
    return simulate(truth, says, m, space=["a", "b"], seed=seed).votes


def test_the_mean_of_accuracies_by_hand():
    model = likelihood().fit(two_classes(500, 0))
    votes = np.array([[3.0, 1.0], [0.0, 2.0], [5.0, 5.0], [0.0, 0.0]])
    value = accuracy_estimate(model, model.panel_.names, votes, None)[0]
    a = model.accuracy_
    assert value[:3] == pytest.approx([0.75 * a[0, 0] + 0.25 * a[0, 1], a[1, 1], a[2].mean()])
    assert np.isnan(value[3])


def test_the_default_says_how_often_labelers_are_right_itself():
    model = LabelModel().fit(two_classes(500, 0))
    names = model.panel_.names[::-1]
    value, *ends = accuracy_estimate(model, names, np.ones((4, 2)), 0.8)
    low, high = model.estimate_.labeler_interval(0.8)
    assert np.array_equal(value, model.estimate_.labeler_accuracy[::-1])
    assert np.array_equal(ends, [low[::-1], high[::-1]])
    assert np.isnan(accuracy_estimate(model, names, np.ones((4, 2)), None)[1]).all()


def test_every_view_shows_the_columns_of_one_list():
    """Terminal and notebook, summary, report and studio had a list each."""
    votes = two_classes(300, 0)
    table = Analysis(votes, LabelModel().fit(votes)).labelers()
    headers, lines = labeler_lines(table)
    assert headers == ["labeler", "coverage", "overlap", "conflict", "size", "accuracy"]
    assert lines[0][1] == f"{table['coverage'][0]:.1%}"
    assert [column.text({"worth": -0.001, "gold_gain": 0.0123}) for column in LABELER_COLUMNS[-2:]] == ["0.00", "+1.2"]
    assert LABELER_COLUMNS[5].text({}) == "not known"


# -- worth ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def five():
    """Three good labelers, a poor one, and one that throws dice."""
    says = [["a", "b"]] * 5
    accuracy = np.repeat([[0.9], [0.9], [0.9], [0.6], [0.5]], 2, axis=1)
    return simulate(Parameters(accuracy, np.full(5, 0.9), np.full(2, 0.5)), says, 4000, space=["a", "b"], seed=0)


def test_dice_are_worth_nothing_and_good_labelers_most(five):
    table = Analysis(five.votes, quietly_fitted(five.votes), gold=five.truth).worth()
    likelihood = table["worth"].to_list()
    assert abs(likelihood[4]) < 0.005
    assert min(likelihood[:3]) > 10 * max(likelihood[3:])
    assert abs(table["gold_gain"][4]) < 0.01
    assert min(table["gold_gain"].to_list()[:3]) > 0.005


def test_the_likelihood_by_summing_over_all_other_votes(five):
    """log P(G) − log P(G_i) − log P(G_others), each marginal a sum over everything left open."""
    votes = five.votes[:200, :3]
    model = quietly_fitted(votes)
    layout, table = model.panel_.layout, model.estimate_.generator()
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


def test_no_row_is_both_fitted_and_judged(five):
    fitted, judged = halves(Analysis(five.votes))
    assert sorted([*fitted, *judged]) == list(range(len(five.votes)))
    fitted, judged = halves(Analysis(five.votes), 50)
    assert len(fitted) == len(judged) == 50
    assert not set(fitted) & set(judged)


def test_rows_with_gold_judge(five):
    gold = {a: five.truth[a] for a in range(100)}
    _, judged = halves(Analysis(five.votes, gold=gold))
    assert set(range(100)) <= set(judged)


def test_it_needs_a_label_model_and_two_rows():
    with pytest.raises(BadFit, match="LabelModel"):
        Analysis(newspaper()).worth()
    votes = Votes([[1, 1, 1]], [["a", "b"]] * 3, ["a", "b"])
    with pytest.raises(BadFit, match="two rows"):
        Analysis(votes, quietly_fitted(votes)).worth()
