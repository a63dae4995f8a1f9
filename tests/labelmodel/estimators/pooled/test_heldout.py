from dataclasses import replace

import numpy as np
import pytest

from shortlist import LabelModel, Votes
from shortlist.errors import FewLabelers
from shortlist.labelmodel.estimators.pooled.heldout import (
    TEMPERATURES,
    best_temperature,
    clear_gain,
    held_out_scores,
    vote_scores,
)
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission

CLASSES = ["a", "b"]


def test_what_the_others_predict_by_hand():
    """One labeler names a or b, right 8 times of 10, always; a rule says a on 0.4 of a and 0.1 of b."""
    votes = Votes([[1, 1], [1, 0], [2, 1], [0, 0]], [["a", "b"], ["a"]], CLASSES)
    layout = Layout.of(votes.codomains, votes.space)
    table = Emission(
        np.log([[0.8, 0.2], [0.2, 0.8], [0.4, 0.1], [1, 1]]), np.zeros((2, 2)), np.log([0.5, 0.5]), np.ones(2)
    )
    propensity = np.array([[1.0, 1.0], [0.4, 0.1]])
    rule = np.array([0.8 * 0.4 + 0.2 * 0.1, 1 - (0.8 * 0.4 + 0.2 * 0.1), 0.2 * 0.4 + 0.8 * 0.1])
    naming = np.array([0.8 * 0.8 + 0.2 * 0.2, 1, 0.8 * 0.2 + 0.2 * 0.8])  # on the second row nobody else votes
    found = held_out_scores(votes.codes, table, propensity, layout, np.eye(2, dtype=bool))
    assert found == pytest.approx([*(np.log(rule) + np.log(naming)), 0])  # nor does anybody on the last
    # Labelers that depend on one another have nobody left to predict them
    assert held_out_scores(votes.codes, table, propensity, layout, np.ones((2, 2), bool)).tolist() == [0, 0, 0, 0]


def test_a_gain_is_clear_if_it_is_large_and_no_accident():
    assert clear_gain(np.full(4, 0.03), np.ones(4), 1)
    assert not clear_gain(np.full(4, 0.01), np.ones(4), 1)  # not worth it
    assert not clear_gain(np.full(4, 0.03), np.ones(4), 2)  # not for two shares
    scattered = np.array([1.0, -0.9])
    assert not clear_gain(scattered, np.full(2, 100.0), 1)  # 0.05 ± 0.067
    assert clear_gain(scattered, np.full(2, 1000.0), 1)  # 0.05 ± 0.021
    assert not clear_gain(scattered, np.zeros(2), 1)


def test_held_out_labelers_by_hand():
    """Two labelers that name one of two classes: from the vote of one follows what the other will say."""
    votes = Votes([[1, 1], [1, 2], [2, 2]], [["x", "y"]] * 2, ["x", "y"])
    with pytest.warns(FewLabelers):
        table = replace(LabelModel().fit(votes).estimate_.guard.prior, exponent=np.ones(2))
    same = [0.8**g / (0.8**g + 0.2**g) for g in TEMPERATURES]  # P(class of the other's vote), tempered
    says = [np.log([p * 0.8 + (1 - p) * 0.2, p * 0.2 + (1 - p) * 0.8]) for p in same]
    counted = [(2 * agree + 1 * differ) / 3 for agree, differ in says]
    layout = Layout((2, 2), np.array([[1, 0], [0, 1]] * 2, bool))
    # shortlists are voted unequally, but each class has one right and one wrong shortlist
    assert vote_scores(votes.codes, np.ones(3), table, layout, TEMPERATURES) == pytest.approx(counted, abs=1e-9)
    assert best_temperature(votes.codes, np.ones(3), table, layout) == TEMPERATURES[np.argmax(counted)]
