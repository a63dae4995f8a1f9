"""Labelers that do harm are found, by what they do to the labels that users take home."""

import numpy as np
import pytest

from shortlist import Analysis, JointModel, Votes
from shortlist.reporting.advice import advise
from shortlist.reporting.harm import nearly_always_right
from shortlist.reporting.overview import VOTES_AND_TEXT, Final, Overview
from shortlist.reporting.trials import Trials
from tests.analysis.worked import quietly_fitted

CLASSES = ["autos", "hockey", "space", "medicine"]
M = 800


def world(seed=0):
    """Rows (m, 6) around a centre for each class, their classes, and four rules that name a class each."""
    draw = np.random.default_rng(seed)
    truth = draw.integers(0, 4, M)
    rows = draw.normal(size=(M, 6)) + 1.2 * np.eye(4, 6)[truth]
    finds = draw.random((M, 4)) < np.where(np.arange(4) == truth[:, None], 0.4, 0.03)
    return rows, truth, Votes(finds.astype(np.uint8), [[name] for name in CLASSES], CLASSES, CLASSES)


def overview(votes, rows, truth, known=300):
    gold = [CLASSES[j] if a < known else None for a, j in enumerate(truth)]
    joint = JointModel(by="mean", progress=False).fit(votes, rows)  # who teaches is no matter here
    model = quietly_fitted(votes)
    final = Final(joint.out_of_fold_, lambda numbers: rows[numbers], joint.teacher_, joint.balance_)
    right = float((joint.out_of_fold_[:known].argmax(axis=1) == truth[:known]).mean()) if known else None
    scores = {} if right is None else {VOTES_AND_TEXT: right}
    return Overview(Analysis(votes, model, gold=gold if known else None), scores=scores, final=final)


def advice(votes, rows, truth, known=300):
    return {(one.kind, one.about): one for one in advise(overview(votes, rows, truth, known), most=20)}


def with_one_more(votes, codes, says, name):
    return Votes.beside([votes, Votes(np.asarray(codes)[:, None], [says], votes.space, [name])])


@pytest.mark.parametrize("known", [300, 0])
def test_a_rule_that_says_not_although_it_misses_most_of_its_class(known):
    """`no=Not(...)` cost a newcomer five points, and no screen said so."""
    rows, truth, votes = world()
    rule = np.where((truth == 2) & (np.random.default_rng(1).random(M) < 0.2), 1, 2)  # finds 20 % of space
    votes = with_one_more(votes, rule, ["space", {"autos", "hockey", "medicine"}], "orbit")
    found = advice(votes, rows, truth, known).get(("one-sided", "orbit"))
    assert found is not None
    assert "abstain where nothing matches" in found.what
    assert ("by gold labels" if known else "by the labels of votes and text") in found.why
    if known:
        assert found.measured
        assert found.gain > 0
        assert "It finds 2" in found.why  # 20 % or so


def test_a_rule_that_never_says_not_is_not_told_to_stop():
    """says=[…, Not(…)] was there, but the function abstained where nothing matched."""
    rows, truth, votes = world()
    rule = (truth == 2) & (np.random.default_rng(1).random(M) < 0.2)
    votes = with_one_more(votes, rule.astype(np.uint8), ["space", {"autos", "hockey", "medicine"}], "orbit")
    assert ("one-sided", "orbit") not in advice(votes, rows, truth, 0)


def test_a_rule_that_finds_nearly_all_may_say_not():
    rows, truth, votes = world()
    votes = with_one_more(votes, np.where(truth == 2, 1, 2), ["space", {"autos", "hockey", "medicine"}], "orbit")
    assert ("one-sided", "orbit") not in advice(votes, rows, truth)


def test_a_labeler_that_is_mostly_wrong_and_a_copy_are_named():
    """A rule that always says one class, and a copy, were mentioned nowhere."""
    rows, truth, votes = world()
    votes = with_one_more(votes, np.ones(M, int), ["space"], "always")
    votes = with_one_more(votes, votes.codes[:, 0], ["autos"], "autos2")
    found = advice(votes, rows, truth)
    assert found["leave out", "always"].gain > 100
    assert "right on 2" in found["leave out", "always"].why  # one of four rows
    assert found["copy", "autos2"].what == "Leave autos2 out: it is a copy of autos."
    assert not any(kind == "wrong" and about != "always" for kind, about in found)


def test_what_is_nearly_always_right_is_never_left_out():
    """ "Leave it out. It is right on 98 % of 402 gold rows." """
    rows, truth, votes = world()
    votes = with_one_more(votes, np.where(truth == 1, 1, 0), ["hockey"], "sure")
    shown = overview(votes, rows, truth)
    assert "sure" in nearly_always_right(shown.plain_labelers)
    assert not any(one.kind == "leave out" and one.about == "sure" for one in advise(shown, most=20))


def test_a_class_with_far_more_labels_than_its_share():
    rows, truth, votes = world()
    shown = overview(votes, rows, truth)
    beliefs = shown.final.beliefs.copy()
    beliefs[:500] = [0.1, 0.1, 0.1, 0.7]
    shown.final = shown.final._replace(beliefs=beliefs)
    (found,) = [one for one in advise(shown, most=20) if one.kind == "too many"]
    assert found.about == "medicine"
    assert "of all labels are medicine, where 30% are expected by gold labels" in found.why


def test_poor_labels_are_told_and_counting_is_proposed_where_it_is_better():
    rows, truth, votes = world()
    shown = overview(votes, rows, truth)
    shown.other_scores[VOTES_AND_TEXT] = 0.1
    found = {one.kind: one for one in advise(shown, most=20)}
    assert "10% of 300 gold rows" in found["poor"].why
    assert found["counting"].code == 'JointModel(by="counting")'
    shown.other_scores[VOTES_AND_TEXT] = 0.9
    assert not {"poor", "counting"} & {one.kind for one in advise(shown, most=20)}


def test_gold_rows_teach_trials_but_are_judged_by_the_other_half():
    rows, truth, votes = world()
    gold = [CLASSES[j] if a < 400 else None for a, j in enumerate(truth)]
    analysis = Analysis(votes, quietly_fitted(votes), gold=gold)
    lied = gold.copy()
    lied[10] = CLASSES[(truth[10] + 1) % 4]
    trials = [Trials(Analysis(votes, analysis.model, gold=g), lambda n: rows[n], use_gold=True) for g in (gold, lied)]
    one, other = (each._before for each in trials)
    assert one[10] == other[10]  # its own gold label has no part in its label
    without = Trials(analysis, lambda n: rows[n])._before
    assert (without != one).any()
    assert (without[:400] == truth[:400]).mean() <= (one[:400] == truth[:400]).mean() < 1


@pytest.mark.parametrize("named", [0, 200])
def test_a_class_that_labels_name_and_no_vote_does(named):
    """Where three rules say what a row is not, the class they leave over gets labels that no rule stands for."""
    rows, truth, votes = world()
    codes = np.where(truth[:, None] == np.arange(3), 1, 2) * (np.random.default_rng(2).random((M, 3)) < 0.8)
    says = [[name, [other for other in CLASSES if other != name]] for name in CLASSES[:3]]
    votes = Votes(codes.astype(np.uint8), says, CLASSES, CLASSES[:3])
    if named:
        votes = with_one_more(votes, (truth == 3) & (np.cumsum(truth == 3) <= named), ["medicine"], "pills")
    found = advice(votes, rows, truth, known=0)
    assert (("unnamed", "medicine") in found) == (named == 0)
    if not named:
        one = found["unnamed", "medicine"]
        assert "0 votes for it" in one.why
        assert one.code == 'medicine = keywords(["<a word of medicine>"], says="medicine")'
        assert not any(kind == "mixed" and "medicine" in what.what for (kind, _), what in found.items())
