"""Baselines: two ways to add votes up that estimate nothing. The same verbs as `LabelModel`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.beliefs import TIE
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.panel import Panel
from shortlist.labelmodel.predictor import Predictor
from shortlist.votes import Votes
from shortlist.votes.patterns import Codes


class _Tally(Predictor):
    """A model whose beliefs are a sum over votes of what each shortlist gives to each class."""

    def fit(self, votes: Votes | Iterable[Votes], gold: Any = None, *, weights: Any = None) -> Self:
        """Remember who votes on what. Nothing is estimated: gold labels and weights change nothing."""
        self.panel_ = Panel.of(Evidence.gather(votes, gold, weights).votes)
        k = len(self.panel_.space)
        self.class_balance_ = np.full(k, 1 / k)
        return self


class NearestClass(_Tally):
    """The paper's NC: the class that most votes are compatible with; classes that tie share the belief."""

    def _beliefs(self, codes: Codes) -> Floats:
        points = tally(codes, self.panel_.layout, self.panel_.layout.member.astype(np.float64))
        best = points >= points.max(axis=1, keepdims=True) - TIE
        beliefs: Floats = best / best.sum(axis=1, keepdims=True)
        return beliefs


class MajorityVote(_Tally):
    """Every vote counts one: a shortlist of s classes gives 1/s to each of them."""

    def _beliefs(self, codes: Codes) -> Floats:
        points = tally(codes, self.panel_.layout, shares(self.panel_.layout))
        points[~codes.any(axis=1)] = 1.0  # rows without a vote: every class alike
        points /= points.sum(axis=1, keepdims=True)
        return points


def shares(layout: Layout) -> Floats:
    """(S, k): a shortlist gives one vote in all, the same to each of its classes."""
    share: Floats = layout.member / layout.member.sum(axis=1, keepdims=True)
    return share


def tally(codes: npt.NDArray[np.integer], layout: Layout, worth: Floats) -> Floats:
    """(m, k): the sum over votes of what each shortlist (S, k) is worth to each class."""
    points, each = np.zeros((2, len(codes), layout.k))
    for i, column in enumerate(codes.T):
        points += np.take(layout.by_code(i, worth), column, axis=0, out=each, mode="clip")  # "raise" would copy `each`
    return points
