"""Task: features and labels of seen classes, the classes never seen, and a table of attributes; checked together."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Positions
from shortlist.attribute_table import AttributeTable, Flags
from shortlist.errors import BadFit, Inseparable


@dataclass(frozen=True, eq=False)
class Task:
    """X (m, p) with classes `truth` (m,), positions in `seen`; the table covers seen and unseen classes."""

    X: npt.NDArray[np.float32]
    truth: Positions
    seen: tuple[str, ...]
    unseen: tuple[str, ...]
    table: AttributeTable

    @property
    def seen_has(self) -> Flags:
        """(seen, n): the attributes of the seen classes."""
        return self.table.rows(self.seen)

    @property
    def unseen_has(self) -> Flags:
        """(unseen, n): the attributes of the unseen classes."""
        return self.table.rows(self.unseen)


def make_task(X: Any, y: Any, table: Any, unseen: Iterable[str] | None = None) -> Task:
    """Check all that can be wrong before anything is trained.

    Seen classes are those among the labels. Unseen ones are those given, or all others of the table.
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


def read_features(X: Any, columns: int | None = None) -> npt.NDArray[np.float32]:
    """(m, p) float32 without NaN; with `columns`, as many as the detectors were trained on."""
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
    """Say which unseen classes cannot be told apart, before any detector is trained."""
    names = list(learnable)
    same = task.table.twins(task.unseen)
    lost = [pair for pair in task.table.twins(task.unseen, names) if pair not in same]
    told = [f"{a} and {b} have the same attributes" for a, b in same]
    told += [f"{a} and {b} differ only in attributes that cannot be learned from the seen classes" for a, b in lost]
    if told:
        warnings.warn(
            f"{'; '.join(told)}: they cannot be told apart. Add an attribute that one of them has and the other has "
            "not, or make them one class.",
            Inseparable,
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
            f"detectors are judged on classes they were not trained on, so it takes at least three seen classes; "
            f"got {', '.join(seen)}"
        )
