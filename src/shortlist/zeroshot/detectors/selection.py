"""Selection: detectors are trained in several ways, and held-out classes choose the best for each attribute."""

from __future__ import annotations

from typing import Protocol, TypeAlias

import numpy as np

from shortlist.arrays import Floats, Positions
from shortlist.zeroshot.detectors.holdout import Holdout
from shortlist.zeroshot.detectors.perceptrons import Perceptrons
from shortlist.zeroshot.detectors.validation import Band, Validation, validate
from shortlist.zeroshot.task import Features

Trained: TypeAlias = tuple[Perceptrons, Positions]  # detectors, and the attribute that each of them detects


class Training(Protocol):
    """A kind of detectors: how many attributes are trained at a time, and the candidates for each."""

    def device(self) -> str:
        """Where detectors are asked."""

    def parts(self, holdout: Holdout, p: int) -> list[list[int]]:
        """The attributes, as many at a time as memory should hold."""

    def candidates(self, X: Features, holdout: Holdout) -> list[Perceptrons]:
        """The detectors of every job of a holdout, trained in several ways."""


def select(
    training: Training, X: Features, holdout: Holdout, band: Band | None
) -> tuple[list[Trained], list[Validation]]:
    """The best detectors of every attribute, and their validations. A band is chosen unless one is given."""
    kept: list[Trained] = []
    validations: list[Validation] = []
    for part in training.parts(holdout, X.shape[1]):
        some = holdout.only(part)
        candidates = training.candidates(X, some)
        found = [_validated(networks.scores(X, training.device()), some, part, band) for networks in candidates]
        best = {i: int(np.argmax([_rank(one[i]) for one in found])) for i in part}
        validations += [found[best[i]][i] for i in part]
        for number, networks in enumerate(candidates):
            jobs = some.final[[best[i] == number for i in some.attribute[some.final].tolist()]]
            if len(jobs):
                kept.append((networks.take(jobs), some.attribute[jobs]))
    return kept, validations


def keep(trained: list[Trained], attributes: list[int]) -> list[Trained]:
    """The detectors of some attributes, which are numbered anew in that order."""
    where = {old: new for new, old in enumerate(attributes)}
    kept = []
    for networks, attribute in trained:
        jobs = np.flatnonzero(np.isin(attribute, attributes))
        if len(jobs):
            kept.append((networks.take(jobs), np.array([where[i] for i in attribute[jobs]], np.int64)))
    return kept


def _validated(scores: Floats, holdout: Holdout, part: list[int], band: Band | None) -> dict[int, Validation]:
    """attribute → its validation, from the scores (m, G) of all jobs."""
    gathered = holdout.gather(scores)
    return {i: validate(gathered[:, i], holdout.truth, holdout.has[:, i], band) for i in part}


def _rank(found: Validation) -> float:
    """The accuracy of the worst held-out class decides, as in the paper; then the mean accuracy."""
    return -1.0 if np.isnan(found.accuracy) else found.worst + 1e-6 * found.accuracy
