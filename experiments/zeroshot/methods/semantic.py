"""SemanticMethod: what the comparison methods share.

They read the same features and the same table as the detectors do, so that you can compare them on your own data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin

from shortlist.arrays import Floats, Positions
from shortlist.errors import BadFit, NotFitted
from shortlist.zeroshot.task import Scaling, Task, make_task, read_features, zero_shot_scores

Scorer = Callable[[Floats], Floats]  # rows (m, p) → scores (m, seen + unseen)
PARTS = 5  # that the seen classes are split into to choose an option


class SemanticMethod(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A zero-shot classifier that scores every class for every row.

    `transductive` methods read the unlabelled rows of unseen classes; others ignore them. With `generalised` the answer
    may be any class, else it is an unseen one.
    """

    transductive = False

    def __init__(self, table: Any, *, generalised: bool = False, seed: int = 0) -> None:
        self.table = table
        self.generalised = generalised
        self.seed = seed

    def _learn(self, task: Task, new: Floats) -> Scorer:
        """Learn from a task with scaled features, and from scaled unlabelled rows."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any, *, unlabelled: Any = None, unseen: Iterable[str] | None = None) -> Self:
        """Learn from features and labels of seen classes and, if transductive, from unlabelled rows of unseen ones."""
        task = make_task(X, y, self.table, unseen)
        if self.transductive and unlabelled is None:
            raise BadFit(f"{type(self).__name__} is transductive: give it the unlabelled rows of unseen classes")
        new = task.X[:0] if unlabelled is None else read_features(unlabelled, task.X.shape[1])
        self.scaling_ = Scaling.of(task.X)
        scaled = Task(self.scaling_(task.X), task.truth, task.seen, task.unseen, task.table)
        self.seen_, self.unseen_ = task.seen, task.unseen
        self.score_ = self._learn(scaled, self.scaling_(new).astype(np.float64))
        self.classes_ = np.array((*task.seen, *task.unseen) if self.generalised else task.unseen, object)
        return self

    def decision_function(self, X: Any) -> Floats:
        """(m, k): the score of each of `classes_`; the highest is the answer."""
        if not hasattr(self, "score_"):
            raise NotFitted(f"this {type(self).__name__} is not fitted: call fit(features, seen_labels) first")
        features = self.scaling_(read_features(X, len(self.scaling_.shift))).astype(np.float64)
        scores = self.score_(features)
        return scores if self.generalised else scores[:, len(self.seen_) :]

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of each row with the highest score."""
        best: Positions = self.decision_function(X).argmax(axis=1)
        answers: npt.NDArray[Any] = self.classes_[best]
        return answers


def best_on_held_out(
    task: Task, options: Sequence[Any], prepare: Callable[[Task], Callable[[Any], Scorer]], seed: int
) -> Any:
    """The option with the best mean class accuracy on seen classes that are held out in turn, as if unseen."""
    k = len(task.seen)
    order = np.random.default_rng(seed).permutation(k)
    parts = [part for part in np.array_split(order, min(PARTS, k // 2)) if len(part) >= 2 and k - len(part) >= 2]
    if not parts:
        return options[0]
    totals = [0.0] * len(options)
    for part in parts:
        inner, X, gold = _as_if_unseen(task, part)
        learn = prepare(inner)
        for number, option in enumerate(options):
            scores = learn(option)(X)[:, len(inner.seen) :]
            guess = np.array(inner.unseen, object)[scores.argmax(axis=1)]
            totals[number] += zero_shot_scores(gold, guess, inner.unseen).unseen
    return options[int(np.argmax(totals))]


def _as_if_unseen(task: Task, part: Positions) -> tuple[Task, Floats, npt.NDArray[Any]]:
    """A task in which some seen classes are unseen, and the rows of those with their classes."""
    names = np.array(task.seen, object)
    held = np.isin(task.truth, part)
    kept = [j for j in range(len(names)) if j not in part]
    position = {j: number for number, j in enumerate(kept)}
    truth = np.array([position[j] for j in task.truth[~held].tolist()], np.int64)
    inner = Task(task.X[~held], truth, tuple(names[kept]), tuple(names[np.sort(part)]), task.table)
    return inner, task.X[held].astype(np.float64), names[task.truth[held]]


def ridge(S: Floats, C: Floats, penalty: float) -> Floats:
    """argmin_M ‖S M − C‖² + penalty ‖M‖²."""
    return np.asarray(np.linalg.solve(S.T @ S + penalty * np.eye(S.shape[1]), S.T @ C), np.float64)


def with_bias(S: Floats) -> Floats:
    """S with a last column of ones."""
    return np.hstack([S, np.ones((len(S), 1))])
