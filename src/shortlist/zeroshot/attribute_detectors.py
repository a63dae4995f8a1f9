"""AttributeDetectors: from features of seen classes to labelers for unseen ones."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator

from shortlist.arrays import Floats, Mask, Positions
from shortlist.errors import BadFit, NotFitted, UselessLabeler
from shortlist.labelers.attributes import AttributeTable
from shortlist.votes import Votes
from shortlist.zeroshot.task import Features, Scaling, make_task, read_features, warn_of_twins

if TYPE_CHECKING:
    import polars as pl


class AttributeDetectors(BaseEstimator):  # type: ignore[misc]
    """One linear detector an attribute, trained on seen classes and validated on seen classes that were held out.

    A detector is a logistic regression in which rows with the attribute weigh as much as rows without it. All of them
    are fitted together. The seen classes are split into five parts. Detectors that are trained without a part are
    judged on it, since they are for classes that they have not seen. Those that are no better than a coin are dropped;
    the others are trained on all classes.

    Parameters
    ----------
    table : which class has which attribute: a mapping of attribute → classes, a DataFrame, or an `AttributeTable`
    seed : of the parts

    Attributes (once fitted)
    ------------------------
    seen_, unseen_ : the classes
    attributes_ : the names of the attributes that have a detector
    accuracy_ : attribute → its accuracy on held-out classes; those with the attribute count half, those without half
    dropped_ : attribute → why it has no detector
    """

    def __init__(self, table: Any, *, seed: int = 0) -> None:
        self.table, self.seed = table, seed

    def fit(self, X: Any, y: Any, *, unseen: Iterable[str] | None = None) -> Self:
        """Train on features (m, p) and class names (m,) of seen classes.

        `unseen` are the classes that the detectors are for; by default, all classes of the table that no row has.
        """
        task = make_task(X, y, self.table, unseen)
        unlearnable = _alike(task.table, task.seen, "seen")
        alike = _alike(task.table, task.unseen, "unseen") | unlearnable
        dropped = {name: alike[name] for name in task.table.attributes if name in alike}
        names = [name for name in task.table.attributes if name not in dropped]
        warn_of_twins(task, names)
        if not names:
            raise BadFit(f"no attribute can be learned: {_listed(dropped)}")
        scaling, table = Scaling.of(task.X), task.table.take(names)
        rows, has = scaling(task.X), table.rows(task.seen)
        accuracy = dict(zip(names, validated(rows, task.truth, has, self.seed), strict=True))
        useless = {
            name: f"on held-out classes it is right {share:.0%} of the time, no better than a coin"
            for name, share in accuracy.items()
            if share <= 0.5
        }
        if len(useless) == len(names):
            raise BadFit(f"no detector is of use: {_listed(useless)}")
        self.accuracy_ = {name: share for name, share in accuracy.items() if name not in useless}
        self.attributes_, self.dropped_ = tuple(self.accuracy_), dropped | useless
        self.seen_, self.unseen_, self.scaling_ = task.seen, task.unseen, scaling
        kept = table.take(self.attributes_)
        self.unseen_has_: Mask = kept.rows(task.unseen)
        self.weights_ = train(rows, kept.rows(task.seen)[task.truth])
        if missed := unlearnable | useless:  # what all unseen classes share is no loss
            warnings.warn(f"attributes without a detector: {_listed(missed)}", UselessLabeler, stacklevel=2)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """(m, n): P(attribute | row) for each of `attributes_`."""
        self._check_fitted()
        return scores(self.scaling_(read_features(X, len(self.scaling_.shift))), self.weights_)

    def votes(self, X: Any) -> Votes:
        """Votes of the detectors on rows, as shortlists of the unseen classes."""
        codes = np.where(self.predict_proba(X) >= 0.5, 1, 2).astype(np.uint8)
        return Votes(codes, self._shortlists(), self.unseen_, self.attributes_)

    def summary(self) -> pl.DataFrame:
        """One line an attribute of the table: what it says, how right it was on held-out classes, or why it is out."""
        import polars as pl

        self._check_fitted()
        kept = zip(self.accuracy_.items(), self._shortlists(), strict=True)
        lines: list[Any] = [(name, sorted(yes), sorted(no), accuracy, None) for (name, accuracy), (yes, no) in kept]
        lines += [(name, None, None, None, why) for name, why in self.dropped_.items()]
        names = ["attribute", "yes", "no", "accuracy", "dropped"]
        return pl.DataFrame(lines, schema=names, orient="row", infer_schema_length=None)

    def _shortlists(self) -> list[tuple[frozenset[str], frozenset[str]]]:
        """For each attribute, the unseen classes that have it and those that do not."""
        names = np.array(self.unseen_, object)
        return [(frozenset(names[has]), frozenset(names[~has])) for has in self.unseen_has_.T]

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFitted(f"this {type(self).__name__} is not fitted: call fit(features, seen_labels) first")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "weights_")


def _alike(table: AttributeTable, classes: tuple[str, ...], who: str) -> dict[str, str]:
    """The attributes that all of these classes have, or none of them, and which of the two it is."""
    columns = zip(table.attributes, table.rows(classes).T, strict=True)
    every = {name: has.all() for name, has in columns if has.all() or not has.any()}
    return {name: f"{'every' if all_have else 'no'} {who} class has it" for name, all_have in every.items()}


def _listed(dropped: dict[str, str]) -> str:
    return "; ".join(f"{name} ({why})" for name, why in dropped.items())


# -- training ------------------------------------------------------------------------------------------


def train(X: Features, yes: Mask, penalty: float = 0.01) -> Floats:
    """(p + 1, n): logistic regressions of n attributes, the bias last, by which rows (m, n) have them.

    Rows with an attribute weigh one half in all, and so do rows without it. Detectors share no weights, so the minimum
    of the sum of their losses is the minimum of each.
    """
    weights = np.where(yes, 0.5 / yes.sum(axis=0), 0.5 / (~yes).sum(axis=0)).astype(np.float32)
    start = np.zeros((X.shape[1] + 1) * yes.shape[1])
    options = {"maxiter": 100, "ftol": 1e-6}  # a detector need not be fitted to the last digit
    found = minimize(loss, start, (X, yes, weights, penalty), jac=True, method="L-BFGS-B", options=options)
    fitted: Floats = found.x.reshape(-1, yes.shape[1])
    return fitted


def loss(theta: Floats, X: Features, yes: Mask, weights: Features, penalty: float) -> tuple[float, Floats]:
    """Σ_i Σ_a w_ai log(1 + exp(−s_ai z_ai)) + penalty/2 ‖W‖², z = XW + b, s = ±1, and its gradient.

    `theta` is W (p, n) with b as its last row, flat; yes and weights are (m, n).
    """
    table = theta.reshape(-1, yes.shape[1])
    z = X @ table[:-1].astype(np.float32) + table[-1].astype(np.float32)  # (m, n)
    losses = weights * np.logaddexp(0, np.where(yes, -z, z))
    residual = weights * (expit(z) - yes)  # (m, n)
    gradient = np.concatenate([X.T @ residual + penalty * table[:-1], residual.sum(axis=0, keepdims=True)])
    total = float(losses.sum(dtype=np.float64)) + penalty / 2 * float((table[:-1] ** 2).sum())
    return total, gradient.astype(np.float64).ravel()


def scores(X: Features, weights: Floats) -> Floats:
    """(m, n): P(attribute | row)."""
    p: Floats = expit(X @ weights[:-1] + weights[-1])
    return p


def validated(X: Features, truth: Positions, has: Mask, seed: int) -> Floats:
    """(n,): accuracy of detectors on classes that were held out from them.

    `truth` (m,) is the class of each row, and `has` (k, n) says which classes have which attribute. An attribute is
    judged on the classes with it and on those without it, half each, as far as other classes of either side remain.
    """
    right = np.full(has.shape, np.nan)  # (k, n): of the rows of each class
    for held in np.array_split(np.random.default_rng(seed).permutation(len(has)), min(5, len(has))):
        kept = np.setdiff1d(np.arange(len(has)), held)
        varies = np.flatnonzero(has[kept].any(axis=0) & ~has[kept].all(axis=0))
        if not len(varies):
            continue
        rows = np.isin(truth, kept)
        weights = train(X[rows], has[truth[rows]][:, varies])
        for j in held:
            said = scores(X[truth == j], weights) >= 0.5
            right[j, varies] = (said == has[j, varies]).mean(axis=0)
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # a side without classes
        sides = [np.nanmean(np.where(side, right, np.nan), axis=0) for side in (has, ~has)]
        accuracy: Floats = np.nanmean(sides, axis=0)
    return accuracy
