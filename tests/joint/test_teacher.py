"""The choice of the teacher."""

import numpy as np
import pytest

from shortlist import JointModel, Votes
from shortlist.joint.teacher import Teacher, decide, mixed, scores_of

from .conftest import CLASSES, make_world


def test_a_t_test_decides():
    clear = np.array([[-1.0, -1.5], [-1.0, -1.4], [-1.0, -1.6]])  # gaps .5, .4, .6: t = .5 / (.1 / √3) = 8.7 > 4.3
    chosen = decide("labelers", clear)
    assert (chosen.name, chosen.judges) == ("counting", 3)
    assert chosen.difference == pytest.approx(0.5)
    assert chosen.error == pytest.approx(0.1 / np.sqrt(3))
    assert decide("gold", clear[:, ::-1]).name == "label-model"
    assert decide("labelers", np.array([[-1.0, -1.5], [-1.0, -0.6], [-1.0, -1.1]])).name == "mean"
    assert decide("labelers", clear[:2]) == Teacher("mean")


def test_score_of_a_shortlist_is_the_log_of_its_probability():
    votes = Votes([[1]] * 10 + [[2]] * 10 + [[0]] * 5, [["a", {"b", "c"}]], CLASSES)
    predicted = np.tile([0.5, 0.2, 0.3], (25, 1))
    (scores,) = scores_of(votes, [predicted, predicted[:, ::-1]])
    assert scores == pytest.approx([np.log(0.501), (np.log(0.301) + np.log(0.701)) / 2], abs=1e-3)


def test_a_labeler_with_few_votes_does_not_judge():
    votes = Votes([[1]] * 9 + [[0]] * 20, [CLASSES], CLASSES)
    assert list(scores_of(votes, [np.full((29, 3), 1 / 3)] * 2)) == []


def test_mixture_is_the_mean():
    counting, model = np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])
    assert mixed(counting, model, "mean").tolist() == [[0.75, 0.25]]
    assert mixed(counting, model, "label-model") is model


def test_gold_rows_judge_where_there_are_enough():
    world = make_world()
    gold = np.where(np.arange(600) % 10 == 0, world.names, None)
    assert JointModel().fit(world.votes, world.rows, gold).teacher_.judge == "gold"
    few = JointModel().fit(world.votes, world.rows, {0: world.names[0]})
    assert few.teacher_.judge == "labelers"
    assert few.teacher_.judges == 5


def test_gold_rows_see_that_copies_fool_the_label_model():
    """Four copies of a poor labeler agree so well that the label model trusts them more than counting does."""
    draw, world = np.random.default_rng(3), make_world(labelers=3, accuracy=0.9, votes_on=1.0)
    bad = np.where(draw.random(600) < 0.4, world.truth, (world.truth + 1) % 3) + 1
    votes = Votes(np.column_stack([world.votes.codes, *[bad] * 4]), [CLASSES] * 7, CLASSES)
    gold = np.where(np.arange(600) % 6 == 0, world.names, None)
    assert JointModel().fit(votes, world.rows, gold).teacher_.name == "counting"
