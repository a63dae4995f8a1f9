"""Rows that are points around a centre for each class, and labelers that know less than the points do."""

from dataclasses import dataclass

import numpy as np
import pytest

from shortlist import Votes

CLASSES = ["a", "b", "c"]


@dataclass
class World:
    rows: np.ndarray
    votes: Votes
    truth: np.ndarray

    @property
    def names(self):
        return np.array(CLASSES, object)[self.truth]


def make_world(m=600, seed=0, apart=2.0, accuracy=0.65, votes_on=0.6, labelers=5):
    draw = np.random.default_rng(seed)
    truth = draw.integers(0, 3, m)
    rows = draw.normal(size=(m, 4)) + apart * np.eye(3, 4)[truth]
    right = draw.random((m, labelers)) < accuracy
    said = np.where(right, truth[:, None], (truth[:, None] + draw.integers(1, 3, (m, labelers))) % 3)
    codes = np.where(draw.random((m, labelers)) < votes_on, said + 1, 0)
    return World(rows, Votes(codes, [CLASSES] * labelers, CLASSES), truth)


@pytest.fixture(scope="session")
def world():
    return make_world()
