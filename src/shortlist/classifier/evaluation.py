"""Evaluation: accuracy, macro F1 and mean class accuracy, with 95 % intervals over seeds, in one table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import t as student

from shortlist.arrays import Mask, Positions
from shortlist.classifier.targets import is_known, label_positions
from shortlist.errors import BadFit

METRICS = ("accuracy", "macro_f1", "mean_class_accuracy")


@dataclass(frozen=True)
class Estimate:
    """The mean over seeds, and half the width of its 95 % interval (Student's t; NaN for one seed)."""

    mean: float
    margin: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate:
        n = len(values)
        margin = float(student.ppf(0.975, n - 1) * np.std(values, ddof=1) / math.sqrt(n)) if n > 1 else math.nan
        return cls(float(np.mean(values)), margin)

    def __str__(self) -> str:
        percent = f"{100 * self.mean:.1f}"
        return percent if math.isnan(self.margin) else f"{percent} ± {100 * self.margin:.1f}"


@dataclass(frozen=True)
class Evaluation:
    """Result of `evaluate`: for each method, an Estimate of each metric."""

    methods: dict[str, dict[str, Estimate]]
    seeds: dict[str, int]

    def __getitem__(self, method: str) -> dict[str, Estimate]:
        return self.methods[method]

    def records(self) -> list[dict[str, Any]]:
        """One dict a method, with plain numbers, for JSON and for tables."""
        records = []
        for method, estimates in self.methods.items():
            record: dict[str, Any] = {"method": method, "seeds": self.seeds[method]}
            for metric, estimate in estimates.items():
                margin = None if math.isnan(estimate.margin) else estimate.margin
                record |= {metric: estimate.mean, f"{metric}_margin": margin}
            records.append(record)
        return records

    def __str__(self) -> str:
        width = max(len("method"), *(len(name) for name in self.methods))
        lines = [f"{'method':<{width}}  " + "  ".join(f"{metric:>19}" for metric in METRICS)]
        for method, estimates in self.methods.items():
            lines.append(f"{method:<{width}}  " + "  ".join(f"{estimates[m]!s:>19}" for m in METRICS))
        return "\n".join(lines)


def evaluate(predictions: Any, gold: npt.ArrayLike, *, classes: Sequence[Any] | None = None) -> Evaluation:
    """Compare predicted classes with known ones.

    `predictions` is one array (m,) of classes, a list of such arrays (one a seed), or a mapping from the names of
    methods to either. Rows whose gold label is None are left out. `classes` are those that count in the averages over
    classes; by default, those among the gold labels.

    >>> print(evaluate({"coin": [["a", "b", "b"], ["a", "a", "b"]]}, ["a", "b", "b"]))
    method             accuracy             macro_f1  mean_class_accuracy
    coin           83.3 ± 211.8         83.3 ± 211.8         87.5 ± 158.8
    """
    methods = predictions if isinstance(predictions, Mapping) else {"method": predictions}
    labels = np.asarray(gold, object)
    known = is_known(labels)
    if not known.any():
        raise BadFit("no row has a known class: there is nothing to compare with")
    names = np.array(sorted(set(labels[known].tolist())) if classes is None else list(classes), object)
    truth = label_positions(labels[known], names)
    scores = {
        method: [score(truth, _positions(one, names, known), len(names)) for one in _seeds(predicted)]
        for method, predicted in methods.items()
    }
    estimates = {
        method: {metric: Estimate.of([one[metric] for one in many]) for metric in METRICS}
        for method, many in scores.items()
    }
    return Evaluation(estimates, {method: len(many) for method, many in scores.items()})


def score(truth: Positions, guess: Positions, k: int) -> dict[str, float]:
    """The three metrics, from positions of classes. A guess outside 0 … k − 1 is wrong."""
    hits = np.bincount(truth[truth == guess], minlength=k)
    there = np.bincount(truth, minlength=k)
    said = np.bincount(guess[(guess >= 0) & (guess < k)], minlength=k)
    either = there + said
    f1 = 2 * hits / np.maximum(either, 1)
    return {
        "accuracy": float(hits.sum() / len(truth)),
        "macro_f1": float(f1.mean()),
        "mean_class_accuracy": float((hits[there > 0] / there[there > 0]).mean()),
    }


def _positions(guesses: npt.ArrayLike, names: npt.NDArray[Any], known: Mask) -> Positions:
    array = np.asarray(guesses, object)
    if array.shape != known.shape:
        raise BadFit(f"there are {len(known)} gold labels but predictions of shape {array.shape}")
    where = {name: j for j, name in enumerate(names.tolist())}
    return np.array([where.get(name, -1) for name in array[known].tolist()], np.int64)


def _seeds(predicted: Any) -> list[Any]:
    """One array for each seed."""
    return list(predicted) if np.ndim(predicted) == 2 or np.ndim(predicted[0]) == 1 else [predicted]
