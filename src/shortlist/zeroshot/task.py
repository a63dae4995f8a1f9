"""Task: features and labels of seen classes, the unseen classes, and a table of attributes; checked together."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats, Mask, Positions
from shortlist.errors import BadFit, FitWarning, Inseparable
from shortlist.labelers.attributes import AttributeTable
from shortlist.wording import some_of

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
    def seen_has(self) -> Mask:
        """(seen, n): the attributes of the seen classes."""
        return self.table.rows(self.seen)

    @property
    def unseen_has(self) -> Mask:
        """(unseen, n): the attributes of the unseen classes."""
        return self.table.rows(self.unseen)

    @property
    def centres(self) -> Floats:
        """(seen, p): the mean features of each seen class."""
        return centres_of(self.X, self.truth)

    @property
    def signatures(self) -> tuple[Floats, Floats]:
        """(seen, n), (unseen, n): the attributes of each class, scaled to length one."""
        both = [self.seen_has.astype(np.float64), self.unseen_has.astype(np.float64)]
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
    given = tuple(c for c in read.classes if c not in seen) if unseen is None else tuple(unseen)
    _check_unseen(seen, given, read)
    position = {name: j for j, name in enumerate(seen)}
    return Task(features, np.array([position[name] for name in labels], np.int64), seen, given, read)


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
    bad = np.argwhere(~np.isfinite(features))
    if len(bad):
        a, column = bad[0]
        rows = len(np.unique(bad[:, 0]))
        raise BadFit(
            f"{rows} rows of the features hold a NaN or an infinity, first row {a}, column {column}. Leave such rows "
            "out, or fill them in"
        )
    return features


def warn_of_twins(task: Task, learnable: Iterable[str]) -> None:
    """Warn of unseen classes that cannot be told apart, before any detector is trained."""
    names = list(learnable)
    same = task.table.twins(task.unseen)
    lost = [pair for pair in task.table.twins(task.unseen, names) if pair not in same]
    alike = [f"{a} and {b} have the same attributes" for a, b in same]
    alike += [f"{a} and {b} differ only in attributes that cannot be learned from the seen classes" for a, b in lost]
    if alike:
        warnings.warn(
            f"{'; '.join(alike)}: they cannot be told apart. Add an attribute that one of them has and the other has "
            "not, or make them one class.",
            Inseparable,
            stacklevel=4,
        )


def warn_of_one_detector(task: Task, learnable: Iterable[str]) -> None:
    """Warn of attributes that are the same, or opposites, on all seen classes, and not on all unseen ones."""
    table = task.table.take(learnable)
    seen, unseen = table.rows(task.seen).T, table.rows(task.unseen).T  # (n, classes)
    pairs = []
    for a, b in combinations(range(len(table.attributes)), 2):
        for what, turned in (("the same", False), ("opposites", True)):
            if (seen[a] == seen[b] ^ turned).all() and (unseen[a] != unseen[b] ^ turned).any():
                pairs.append(f"{table.attributes[a]} and {table.attributes[b]} are {what} on all seen classes")
    if pairs:
        warnings.warn(
            f"{some_of(pairs, joint='; ')}: they get one and the same detector, whose votes about unseen classes "
            "contradict each other. Leave out the attribute that is harder to see, or label rows of a class that sets "
            "the two apart.",
            FitWarning,
            stacklevel=4,
        )


def _labels(y: Any, m: int) -> list[str]:
    labels = list(np.asarray(y).tolist()) if y is not None else []
    if len(labels) != m:
        raise BadFit(f"there are {m} rows of features but {len(labels)} labels: one seen class for each row is needed")
    odd = next(((a, label) for a, label in enumerate(labels) if not isinstance(label, str) or not label), None)
    if odd is not None:
        hint = f"; write {str(odd[1])!r}" if isinstance(odd[1], int) else ""
        raise BadFit(f"labels are class names; row {odd[0]} has {odd[1]!r}{hint}. Rows without one go to `unlabelled`")
    return labels


def _check_unseen(seen: tuple[str, ...], unseen: tuple[str, ...], table: AttributeTable) -> None:
    table.rows(unseen)
    both = [name for name in unseen if name in seen]
    if both:
        raise BadFit(
            f"{', '.join(both)}: called unseen, but among the labels of the seen rows. Leave those rows out, or the "
            "class out of `unseen`"
        )
    if len(set(unseen)) < 2:
        raise BadFit(
            f"there must be at least two unseen classes to choose from; got {list(unseen)}. They are the classes of "
            "the attribute table that no row is labelled with"
        )
    if len(set(unseen)) < len(unseen):
        raise BadFit(f"an unseen class is named twice: {', '.join(unseen)}")
    if len(seen) < 3:
        raise BadFit(
            "detectors are validated on classes they were not trained on, so there must be at least three seen "
            f"classes; got {', '.join(seen)}"
        )
