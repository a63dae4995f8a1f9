"""Evaluation: accuracy, macro F1 and mean class accuracy, with 95 % intervals over seeds, in one table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import t as student
from sklearn.metrics import f1_score, recall_score

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


class Evaluation(dict[str, dict[str, Estimate]]):
    """Result of `evaluate`: for each method, an Estimate of each metric. It prints as a table."""

    def __str__(self) -> str:
        width = max(len("method"), *(len(name) for name in self))
        lines = [f"{'method':<{width}}  " + "  ".join(f"{metric:>19}" for metric in METRICS)]
        for method, estimates in self.items():
            lines.append(f"{method:<{width}}  " + "  ".join(f"{estimates[m]!s:>19}" for m in METRICS))
        return "\n".join(lines)

    __repr__ = __str__


def evaluate(predictions: Any, gold: npt.ArrayLike) -> Evaluation:
    """Compare predicted classes with known ones.

    `predictions` is one array (m,) of classes, a list of such arrays (one a seed), or a mapping from the names of
    methods to either. Rows whose gold label is None are left out. Averages are over the classes among the gold labels.

    >>> print(evaluate({"coin": [["a", "b", "b"], ["a", "a", "b"]]}, ["a", "b", "b"]))
    method             accuracy             macro_f1  mean_class_accuracy
    coin           83.3 ± 211.8         83.3 ± 211.8         87.5 ± 158.8
    """
    methods = predictions if isinstance(predictions, Mapping) else {"method": predictions}
    labels = np.asarray(gold, object)
    known = is_known(labels)
    if not known.any():
        raise BadFit("no row has a known class: there is nothing to compare with")
    names = np.array(sorted(set(labels[known].tolist())), object)
    truth = label_positions(labels[known], names)
    evaluation = Evaluation()
    for method, predicted in methods.items():
        seeds = list(predicted) if np.ndim(predicted) == 2 or np.ndim(predicted[0]) == 1 else [predicted]
        scores = [score(truth, _positions(one, names, known), len(names)) for one in seeds]
        evaluation[method] = {metric: Estimate.of([one[metric] for one in scores]) for metric in METRICS}
    return evaluation


def score(truth: Positions, guess: Positions, k: int) -> dict[str, float]:
    """The three metrics, from positions of classes. A guess outside 0 … k − 1 is wrong."""
    return {
        "accuracy": float(np.mean(truth == guess)),
        "macro_f1": float(f1_score(truth, guess, labels=range(k), average="macro", zero_division=0)),
        "mean_class_accuracy": float(recall_score(truth, guess, labels=np.unique(truth), average="macro")),
    }


def _positions(guesses: npt.ArrayLike, names: npt.NDArray[Any], known: Mask) -> Positions:
    array = np.asarray(guesses, object)
    if array.shape != known.shape:
        raise BadFit(f"there are {len(known)} gold labels but predictions of shape {array.shape}")
    where = {name: j for j, name in enumerate(names.tolist())}
    return np.array([where.get(name, -1) for name in array[known].tolist()], np.int64)
