"""Targets: the rows that a classifier learns from, with their beliefs and weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from shortlist.arrays import Floats, Mask, Positions
from shortlist.errors import BadFit
from shortlist.labelspace import LabelSpace, unknown
from shortlist.registry import check_amount, check_choice
from shortlist.votes import Votes

Uncovered: TypeAlias = Literal["drop", "keep"]


@dataclass(frozen=True)
class Targets:
    """The rows to learn from: their positions (m,), beliefs (m, k) and weights (m,); classes are (k,) names.

    named   False where classes are the numbers of the columns of the beliefs
    """

    rows: Positions
    beliefs: Floats
    weights: Floats
    classes: npt.NDArray[Any]
    named: bool = True

    def sharpened(self, power: float) -> Targets:
        """Targets with beliefs raised to a power, and normalised."""
        check_amount("sharpen", power, "the power of beliefs", above=True)
        beliefs = (self.beliefs / self.beliefs.max(axis=1, keepdims=True)) ** power
        return replace(self, beliefs=beliefs / beliefs.sum(axis=1, keepdims=True))


def make_targets(
    y: Any,
    m: int,
    *,
    classes: Sequence[Any] | None = None,
    covered: npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    uncovered: Uncovered = "drop",
) -> Targets:
    """Make targets from beliefs (m, k), or from one label a row."""
    check_choice("uncovered", uncovered, ("drop", "keep"))
    y = y.toarray() if issparse(y) else y
    beliefs, names, known = read_beliefs(y, m, classes)
    kept = known if uncovered == "keep" else known & _covered(beliefs, covered, m)
    weights = _weights(sample_weight, m)
    rows = np.flatnonzero(kept & (weights > 0))
    if not len(rows):
        raise BadFit(
            f"no row is covered: nothing is believed about any of the {m} rows. Give beliefs that are not uniform, "
            'the mask of covered rows (covered=votes.covered), or uncovered="keep"'
        )
    targets = Targets(rows, beliefs[rows], weights[rows], names, classes is not None or _names_classes(y))
    _check_two_classes(targets)
    return targets


def uncovered_rows(targets: Targets, m: int, sample_weight: npt.ArrayLike | None) -> tuple[Positions, Floats]:
    """(rows, weights): those of the m rows that have a weight and are not among the targets."""
    weights = _weights(sample_weight, m)
    rows = np.setdiff1d(np.flatnonzero(weights), targets.rows)
    return rows, weights[rows]


def _names_classes(y: Any) -> bool:
    """Return True if labels, or the columns of a table of beliefs, name the classes."""
    shape = np.asarray(y).shape
    return hasattr(y, "columns") or len(shape) < 2 or shape[1] == 1


def read_beliefs(y: Any, m: int, classes: Sequence[Any] | None) -> tuple[Floats, npt.NDArray[Any], Mask]:
    """(beliefs (m, k), class names (k,), which rows have any (m,)). Labels become one-hot rows."""
    if y is None:
        raise BadFit("fit requires y to be passed, but the target y is None: give beliefs (m, k), or a label a row")
    if isinstance(y, Votes):
        raise BadFit(
            "a classifier learns from beliefs, not from Votes: give LabelModel().fit(votes).predict_proba(votes), with "
            "classes=votes.space and covered=votes.covered"
        )
    if classes is None and hasattr(y, "columns"):
        classes = list(y.columns)
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:  # a column of labels, not beliefs in one class
        array = column_or_1d(array, warn=True)
    if len(array) != m:
        raise BadFit(f"there are {m} rows but {len(array)} beliefs: one for each row is needed")
    if array.ndim == 2:
        beliefs = check_beliefs(array)
        return beliefs, class_names(classes, beliefs.shape[1]), np.ones(m, np.bool_)
    if array.ndim != 1:
        raise BadFit(f"beliefs have the shape (m, k), labels (m,); got {array.shape}")
    return _one_hot(array, classes)


def check_beliefs(array: npt.NDArray[Any]) -> Floats:
    """Beliefs as float64 rows that sum to one, or an error that names the first bad row."""
    try:
        beliefs: Floats = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise BadFit(f"beliefs are numbers, (m, k); these are {array.dtype} ({error})") from error
    for what, bad in (("a NaN or an infinity", ~np.isfinite(beliefs)), ("a negative belief", beliefs < 0)):
        if bad.any():
            raise BadFit(f"row {int(np.flatnonzero(bad.any(axis=1))[0])} of the beliefs holds {what}")
    totals = beliefs.sum(axis=1)
    wrong = np.flatnonzero(np.abs(totals - 1) > 1e-3)  # closer sums are rounding
    if len(wrong):
        a = int(wrong[0])
        raise BadFit(
            f"{len(wrong)} rows of the beliefs do not sum to one; row {a} sums to {totals[a]:.4g}. "
            "If they are scores, divide: beliefs / beliefs.sum(axis=1, keepdims=True)"
        )
    beliefs /= totals[:, None]
    return beliefs


def class_names(classes: Sequence[Any] | None, k: int) -> npt.NDArray[Any]:
    """(k,): the names of the columns; their positions where there are no names."""
    if classes is None:
        return np.arange(k)
    names = _as_names(classes)
    if len(names) != k:
        raise BadFit(f"{len(names)} classes are named, but the beliefs have {k} columns")
    if len(set(names.tolist())) < k:
        raise BadFit(f"a class is named twice: {', '.join(map(str, names))}")
    return names


def is_known(labels: npt.ArrayLike) -> Mask:
    """(m,): which labels are known; None, NaN and empty texts are not."""
    return np.array([not unknown(label) for label in np.asarray(labels).tolist()], np.bool_)


def label_positions(labels: npt.ArrayLike, classes: npt.NDArray[Any]) -> Positions:
    """(m,): the position of each label among the classes; −1 where it is unknown."""
    where = {name: j for j, name in enumerate(classes.tolist())}
    names, known = np.asarray(labels).tolist(), is_known(labels)
    for a in np.flatnonzero(known).tolist():
        if names[a] not in where:
            shown = ", ".join(map(str, where))
            raise BadFit(f"row {a} is labelled {names[a]!r}, which is not a class. Classes: {shown}")
    return np.array([where[name] if has else -1 for name, has in zip(names, known, strict=True)], np.int64)


def _one_hot(labels: npt.NDArray[Any], classes: Sequence[Any] | None) -> tuple[Floats, npt.NDArray[Any], Mask]:
    known = is_known(labels)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        a = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise BadFit(f"Input y contains NaN or infinity (row {a}); leave such rows out")
    if known.any():
        check_classification_targets(labels[known].astype(str) if labels.dtype == object else labels)
    names = np.unique(labels[known]) if classes is None else _as_names(classes)
    where = label_positions(labels, names)
    beliefs = np.full((len(labels), len(names)), 1 / max(len(names), 1))
    beliefs[where >= 0] = np.eye(len(names))[where[where >= 0]]
    return beliefs, names, where >= 0


def _as_names(classes: Sequence[Any]) -> npt.NDArray[Any]:
    names = list(classes)
    return np.array(names, object) if isinstance(classes, LabelSpace) else np.asarray(names)


def _covered(beliefs: Floats, covered: npt.ArrayLike | None, m: int) -> Mask:
    if covered is None:
        return np.ptp(beliefs, axis=1) > 1e-6 if beliefs.shape[1] > 1 else np.ones(m, np.bool_)
    mask = np.asarray(covered)
    if mask.shape != (m,) or mask.dtype != np.bool_:
        raise BadFit(f"covered is a mask, ({m},) of bool, as votes.covered; got {mask.dtype} {mask.shape}")
    return mask


def _weights(sample_weight: npt.ArrayLike | None, m: int) -> Floats:
    if sample_weight is None:
        return np.ones(m)
    weights = np.asarray(sample_weight, np.float64)
    if weights.ndim == 0:
        weights = np.full(m, float(weights))
    if weights.shape != (m,):
        raise BadFit(f"sample_weight has one number a row, ({m},): sample weights must be 1D; got {weights.shape}")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise BadFit("sample_weight holds a NaN, an infinity or a negative number")
    if not weights.any():
        raise BadFit("every sample_weight is zero: no row counts")
    return weights


def _check_two_classes(targets: Targets) -> None:
    held = np.flatnonzero(targets.beliefs.any(axis=0))
    if len(held) < 2:
        only = np.asarray(targets.classes[held[0]]).item()  # np.str_('f') is 'f' to people
        raise BadFit(
            f"there is one class only: every row believes in {only!r} alone. A classifier needs at least two classes"
        )
