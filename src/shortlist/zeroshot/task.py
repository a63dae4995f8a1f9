"""Task: features and labels of seen classes, the unseen classes and the attribute table, checked together."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats, Positions
from shortlist.errors import BadFit, Inseparable
from shortlist.labelers.attributes import AttributeTable

Features: TypeAlias = npt.NDArray[np.float32]  # (m, p), one line a row


@dataclass(frozen=True, eq=False)
class Task:
    """Features X (m, p) of rows of seen classes, their classes `truth` (m,) as positions in `seen`, and the table."""

    X: Features
    truth: Positions
    seen: tuple[str, ...]
    unseen: tuple[str, ...]
    table: AttributeTable

    @property
    def signatures(self) -> tuple[Floats, Floats]:
        """(seen, n), (unseen, n): the attributes of each class, scaled to length one."""
        both = [self.table.rows(classes).astype(np.float64) for classes in (self.seen, self.unseen)]
        seen, unseen = (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12) for rows in both)
        return seen, unseen


def centres_of(X: npt.NDArray[np.floating[Any]], groups: Positions) -> Floats:
    """(groups, p): the mean row of each group; `groups` (m,) says which group a row is in."""
    return np.stack([X[groups == j].mean(axis=0) for j in range(int(groups.max()) + 1)]).astype(np.float64)


def make_task(X: Any, y: Any, table: Any, unseen: Iterable[str] | None = None) -> Task:
    """Put a task together, and check it before anything is trained.

    Seen classes are those among the labels. Unseen classes are those given, or all others of the table.
    """
    features = read_features(X)
    labels = _labels(y, len(features))
    seen = tuple(sorted(set(labels)))
    read = AttributeTable.of(table)
    read.rows(seen)
    others = tuple(c for c in read.classes if c not in seen) if unseen is None else tuple(unseen)
    _check_unseen(seen, others, read)
    position = {name: j for j, name in enumerate(seen)}
    return Task(features, np.array([position[name] for name in labels], np.int64), seen, others, read)


def read_features(X: Any, columns: int | None = None) -> Features:
    """(m, p) float32 without NaN. With `columns`, p must be that number."""
    try:
        features = np.asarray(X, np.float32)
    except (TypeError, ValueError) as error:
        raise BadFit(f"features are numbers, one line a row ({error})") from error
    if features.ndim != 2 or not features.shape[1]:
        raise BadFit(f"features have the shape (rows, columns); got {features.shape}")
    if columns is not None and features.shape[1] != columns:
        raise BadFit(f"the detectors were trained on {columns} features a row; these rows have {features.shape[1]}")
    for a, column in np.argwhere(~np.isfinite(features)):
        raise BadFit(f"the features hold a NaN or an infinity in row {a}, column {column}: leave such rows out")
    return features


def warn_of_twins(task: Task, learnable: Iterable[str]) -> None:
    """Warn of unseen classes that cannot be told apart, before any detector is trained."""
    same = task.table.twins(task.unseen)
    lost = [pair for pair in task.table.twins(task.unseen, list(learnable)) if pair not in same]
    alike = [f"{a} and {b} have the same attributes" for a, b in same]
    alike += [f"{a} and {b} differ only in attributes that cannot be learned from the seen classes" for a, b in lost]
    if alike:
        warnings.warn(
            f"{'; '.join(alike)}: they cannot be told apart. Add an attribute that one of them has and the other has "
            "not, or make them one class.",
            Inseparable,
            stacklevel=4,
        )


def _labels(y: Any, m: int) -> list[str]:
    labels = list(np.asarray(y).tolist()) if y is not None else []
    if len(labels) != m:
        raise BadFit(f"there are {m} rows of features but {len(labels)} labels: one seen class for each row is needed")
    for a, label in enumerate(labels):
        if not isinstance(label, str) or not label:
            raise BadFit(f"labels are class names; row {a} has {label!r}. Rows without one go to `unlabelled`")
    return labels


def _check_unseen(seen: tuple[str, ...], unseen: tuple[str, ...], table: AttributeTable) -> None:
    table.rows(unseen)
    if both := [name for name in unseen if name in seen]:
        raise BadFit(f"{', '.join(both)}: called unseen, but among the labels of the seen rows. Leave one of them out")
    if len(set(unseen)) < len(unseen):
        raise BadFit(f"an unseen class is named twice: {', '.join(unseen)}")
    if len(unseen) < 2:
        raise BadFit(
            f"there must be at least two unseen classes to choose from; got {list(unseen)}. They are the classes of "
            "the attribute table that no row is labelled with"
        )
    if len(seen) < 3:
        raise BadFit(
            "detectors are validated on classes they were not trained on, so there must be at least three seen "
            f"classes; got {', '.join(seen)}"
        )


# -- features and scores -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Scaling:
    """Standardises features: (x − shift) / scale, both (p,)."""

    shift: npt.NDArray[np.float32]
    scale: npt.NDArray[np.float32]

    @classmethod
    def of(cls, X: Features) -> Scaling:
        """Scaling to mean zero and deviation one. Columns that hardly vary here may vary in other classes: a floor."""
        deviation = X.std(axis=0, dtype=np.float64)
        typical = float(np.sqrt((deviation**2).mean()))
        scale = np.maximum(deviation, 0.1 * typical) if typical else np.ones(X.shape[1])
        return cls(X.mean(axis=0, dtype=np.float64).astype(np.float32), scale.astype(np.float32))

    def __call__(self, X: Features) -> Features:
        return (X - self.shift) / self.scale


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
    truth, said, new = np.asarray(gold, object), np.asarray(guess, object), frozenset(unseen)
    if truth.shape != said.shape or truth.ndim != 1:
        raise BadFit(f"there are gold labels of shape {truth.shape} and guesses of shape {said.shape}")
    right = {name: float((said[truth == name] == name).mean()) for name in sorted(set(truth.tolist()))}
    sides = [[share for name, share in right.items() if (name in new) == side] for side in (True, False)]
    return Scores(*(float(np.mean(side)) if side else math.nan for side in sides))
