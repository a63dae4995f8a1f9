"""Scores: mean class accuracy on unseen and seen classes, and the harmonic mean of the two."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from shortlist.errors import BadFit


@dataclass(frozen=True)
class Scores:
    """Accuracy averaged over classes (rare ones count as much as frequent ones); NaN where there are no such rows."""

    unseen: float
    seen: float = math.nan

    @property
    def harmonic(self) -> float:
        """2us / (u + s): the score of the generalised setting, high only where both are."""
        total = self.unseen + self.seen
        return 2 * self.unseen * self.seen / total if total else 0.0

    def __str__(self) -> str:
        if math.isnan(self.seen):
            return f"unseen {self.unseen:.1%}"
        return f"unseen {self.unseen:.1%}, seen {self.seen:.1%}, harmonic mean {self.harmonic:.1%}"


def zero_shot_scores(gold: Any, guess: Any, unseen: Iterable[str]) -> Scores:
    """Compare guessed with true classes; `unseen` says which of them no labelled row had.

    >>> print(zero_shot_scores(["cat", "cat", "owl", "yak"], ["cat", "owl", "owl", "cat"], unseen=["owl", "yak"]))
    unseen 50.0%, seen 50.0%, harmonic mean 50.0%
    """
    truth, said = np.asarray(gold, object), np.asarray(guess, object)
    if truth.shape != said.shape or truth.ndim != 1:
        raise BadFit(f"there are gold labels of shape {truth.shape} and guesses of shape {said.shape}")
    new = frozenset(unseen)
    right = {name: float((said[truth == name] == name).mean()) for name in sorted(set(truth.tolist()))}
    sides = [[share for name, share in right.items() if (name in new) == side] for side in (True, False)]
    return Scores(*(float(np.mean(side)) if side else math.nan for side in sides))
