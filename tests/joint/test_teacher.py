"""The choice of the teacher."""

import numpy as np
import pytest

from shortlist import JointModel, LabelModel, Votes
from shortlist.joint.row_evidence import RowEvidence
from shortlist.joint.teacher import (
    CAUTIOUS,
    COUNTING,
    FULL,
    LABEL_MODEL,
    MEAN,
    WAYS,
    Teacher,
    decide,
    judgements,
    mixed,
)

from .conftest import CLASSES, make_world


def hits_of(*gaps):
    """(judges, ways): .5 by every way, and more by those that are named, judge by judge."""
    hits = np.full((len(gaps[0][1]), len(WAYS)), 0.5)
    for way, more in gaps:
        hits[:, WAYS.index(way)] += more
    return hits


def test_the_safest_way_stays_unless_another_is_better_by_two_standard_errors():
    ones = np.ones(4)
    unclear = [0.3, -0.1, 0.2, -0.2]  # mean .05; error √(.17) / 4 = .103
    clear = [0.1, 0.2, 0.1, 0.2]  # mean .15; error √(.01) / 4 = .025
    assert decide("labelers", hits_of(((MEAN, FULL), unclear)), ones) == Teacher(
        MEAN, CAUTIOUS, "labelers", 4, 0.5, 0.5
    )
    chosen = decide("gold", hits_of(((MEAN, FULL), clear)), ones)
    assert (chosen.name, chosen.power, chosen.judge, chosen.judges) == (MEAN, FULL, "gold", 4)
    assert (chosen.score, chosen.safest) == (pytest.approx(0.65), 0.5)


def test_who_teaches_is_chosen_after_how_much_the_rows_count():
    clear = np.array([0.1, 0.2, 0.1, 0.2])
    hits = hits_of(((MEAN, FULL), clear), ((COUNTING, FULL), 2 * clear), ((LABEL_MODEL, CAUTIOUS), 3 * clear))
    chosen = decide("labelers", hits, np.ones(4))
    assert (chosen.name, chosen.power) == (COUNTING, FULL)  # the label model is better with caution only
    assert decide("labelers", hits, np.ones(4), by="mean").name == MEAN
    asked = decide("labelers", hits, np.ones(4), by="label-model")
    assert (asked.name, asked.power, asked.judge) == (LABEL_MODEL, CAUTIOUS, "user")


def test_judges_count_by_their_weights():
    hits = hits_of(((MEAN, FULL), [0.2, 0.2, -0.2, -0.2]))
    assert decide("labelers", hits, np.array([99.0, 99.0, 1.0, 1.0])).power == FULL
    assert decide("labelers", hits, np.ones(4)).power == CAUTIOUS


def test_a_way_must_be_better_beyond_chance_and_no_worse_outright():
    clear = np.array([0.1, 0.2, 0.1, 0.2])
    hits = hits_of(((MEAN, FULL), clear))
    assert decide("labelers", hits, np.ones(4), chance=hits - 0.5).power == CAUTIOUS  # all of it is chance
    assert decide("labelers", hits, np.ones(4), chance=hits / 2).power == FULL
    less = hits_of(((MEAN, FULL), -clear))
    assert decide("labelers", less, np.ones(4), chance=2 * less).power == CAUTIOUS  # better beyond chance, but worse


def test_with_two_judges_nothing_is_decided():
    hits = hits_of(((MEAN, FULL), [0.4, 0.4]))
    assert decide("labelers", hits, np.ones(2)) == Teacher(MEAN, CAUTIOUS, "nobody")
    assert decide("labelers", hits, np.ones(2), by="counting") == Teacher(COUNTING, CAUTIOUS, "user")


def test_a_judge_counts_the_votes_that_allow_the_label_and_weighs_what_they_rule_out():
    """Of ten votes on rows of class a, six allow it. By chance, half would: half of all labels are a."""
    space = ["a", "b", "c"]
    seen = Votes([[1, 1]] * 10 + [[2, 2]] * 10, [["a", "b"], ["a", "b"]], space)
    held_out = Votes([[1]] * 6 + [[2]] * 4 + [[0]] * 10, [["a", {"b", "c"}]], space)
    X = np.repeat(np.eye(2), 10, axis=0) + np.random.default_rng(0).normal(scale=0.1, size=(20, 2))
    ((weight, hits, chance),) = judgements(seen, held_out, LabelModel(), RowEvidence(X))
    assert weight == pytest.approx(6 * 2 / 3 + 4 * 1 / 3)
    assert hits == pytest.approx(0.6)
    assert chance == pytest.approx(0.5)
    few = Votes([[1]] * 9 + [[0]] * 11, [["a", {"b", "c"}]], space)
    assert list(judgements(seen, few, LabelModel(), RowEvidence(X))) == []  # too few votes to judge


def test_a_class_that_is_in_every_shortlist_is_no_agreement():
    """Every rule says its class or c, so labels that are all c agree with every vote."""
    draw, names = np.random.default_rng(0), ["a", "b", "c"]
    truth = draw.integers(2, size=400)
    codes = np.where(draw.random((400, 8)) < 0.4, truth[:, None] + 1, 0)
    votes = Votes(codes, [[{"a", "c"}, {"b", "c"}]] * 8, names)
    X = np.eye(2)[truth] + draw.normal(scale=0.5, size=(400, 2))
    joint = JointModel().fit(votes, X)
    assert max(joint.teacher_.agreement.values()) < 0.6  # all labels c would agree with 100 %, which is chance


def test_mixture_is_the_geometric_mean():
    counting, model = np.array([[0.8, 0.2]]), np.array([[0.5, 0.5]])
    assert mixed(counting, model, MEAN) == pytest.approx(np.array([[2 / 3, 1 / 3]]))  # √.8 : √.2
    assert mixed(counting, model, LABEL_MODEL) is model


def test_gold_rows_judge_where_there_are_enough():
    world = make_world()
    gold = np.where(np.arange(600) % 10 == 0, world.names, None)
    assert JointModel().fit(world.votes, world.rows, gold).teacher_.judge == "gold"
    few = JointModel().fit(world.votes, world.rows, {0: world.names[0]})
    assert few.teacher_.judge == "labelers"
    assert few.teacher_.judges == 5 * 8  # each in every division


def test_gold_rows_see_that_copies_fool_the_label_model():
    """Four copies of a poor labeler agree so well that the label model trusts them more than counting does."""
    draw, world = np.random.default_rng(3), make_world(labelers=3, accuracy=0.9, votes_on=1.0)
    bad = np.where(draw.random(600) < 0.4, world.truth, (world.truth + 1) % 3) + 1
    votes = Votes(np.column_stack([world.votes.codes, *[bad] * 4]), [CLASSES] * 7, CLASSES)
    gold = np.where(np.arange(600) % 6 == 0, world.names, None)
    assert JointModel().fit(votes, world.rows, gold).teacher_.name == "counting"
