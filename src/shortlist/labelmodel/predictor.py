"""Predictor, the base of all models of stage 2, and two baselines that estimate nothing."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.beliefs import LabelTable, leading, most_likely, smallest_sets
from shortlist.errors import BadFit, require
from shortlist.labelmodel.evidence import Evidence, Gold, gold_positions
from shortlist.labelmodel.layout import Layout, Panel
from shortlist.labelmodel.model_options import check_names
from shortlist.labelspace import Shortlist
from shortlist.votes import Votes
from shortlist.votes.patterns import Codes, find_patterns

if TYPE_CHECKING:
    import polars as pl

Uncovered = Literal["balance"] | None


class Predictor:
    """Base of models with `_beliefs` about rows of codes, once fitted on a panel of labelers.

    It has what scikit-learn asks of an estimator. It does not inherit from it, since that takes most of a second to
    import, and `shortlist show` needs nothing else of it.
    """

    panel_: Panel
    class_balance_: Floats

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """The options and their defaults."""
        parameters = signature(cls).parameters.values()
        return {one.name: one.default for one in parameters if one.kind is one.KEYWORD_ONLY}

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        """The options, as scikit-learn reads them."""
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **params: Any) -> Self:
        """Set options by name, as scikit-learn does."""
        check_names(params, list(self._defaults()), type(self).__name__)
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """The options that are not the defaults."""
        changed = [f"{name}={getattr(self, name)!r}" for name, usual in self._defaults().items()
                   if repr(getattr(self, name)) != repr(usual)]  # fmt: skip
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False))

    def _beliefs(self, codes: Codes) -> Floats:
        raise NotImplementedError

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """(k,): class names, in the order of the columns of `predict_proba`."""
        return np.array(self._panel().space.names, object)

    def predict_proba(self, votes: Votes) -> Floats:
        """P(class | votes), (m, k), columns in the order of `classes_`."""
        panel = self._panel()
        patterns = find_patterns(panel.codes(votes), panel.layout.sizes)
        return self._beliefs(patterns.codes)[patterns.inverse]

    def predict(self, votes: Votes, *, uncovered: Uncovered = "balance") -> npt.NDArray[Any]:
        """The most likely class of each row.

        Ties go to the class with the larger share in the balance, then to the one that comes first in the label
        space. Rows without a vote follow the balance, or are None when `uncovered` is None.
        """
        if uncovered not in ("balance", None):
            raise BadFit(f'uncovered is "balance" or None, not {uncovered!r}')
        names = self.classes_[most_likely(self.predict_proba(votes), self.class_balance_)]
        if uncovered is None:
            names[~votes.covered] = None
        return names

    def predict_set(self, votes: Votes, *, coverage: float = 0.9) -> list[Shortlist]:
        """The smallest set of classes that holds at least this much belief, for each row."""
        if not 0 < coverage <= 1:
            raise BadFit(f"coverage is a share of belief, above 0 and at most 1; got {coverage}")
        masks = smallest_sets(self.predict_proba(votes), coverage)
        sets: dict[bytes, Shortlist] = {}
        for mask in masks:
            if mask.tobytes() not in sets:
                sets[mask.tobytes()] = self._panel().space.from_mask(mask)
        return [sets[mask.tobytes()] for mask in masks]

    def labels(self, votes: Votes) -> pl.DataFrame:
        """A table like a project's: class (null without a vote), belief, margin, shortlist, votes, belief per class."""
        import polars as pl

        beliefs, voted = self.predict_proba(votes), (votes.codes > 0).sum(axis=1)
        table = LabelTable(list(self.classes_), ("row", pl.Int64()), balance=self.class_balance_)
        return table.frame(beliefs, voted)

    def to_dataset(self, votes: Votes, rows: Any) -> Any:
        """The rows, a Hugging Face `Dataset`, with the columns of `labels` beside theirs."""
        datasets = require("datasets", extra="datasets")
        labels = datasets.Dataset.from_polars(self.labels(votes))
        taken = {name: f"data_{name}" for name in labels.column_names if name in rows.column_names}
        return datasets.concatenate_datasets([rows.rename_columns(taken), labels], axis=1)

    def score(self, votes: Votes, gold: Gold) -> float:
        """Accuracy on rows with a gold label.

        Rows without a vote count, too: they are predicted by the class balance. To leave them out, as `shortlist run`
        does, write `score(votes[votes.covered], gold[votes.covered])`, where gold is an array.
        """
        truth = gold_positions(gold, len(votes), self._panel().space)
        known = truth >= 0
        if not known.any():
            raise BadFit("no row has a known class: there is nothing to score against")
        guess = most_likely(self.predict_proba(votes), self.class_balance_)
        return float((guess[known] == truth[known]).mean())

    def _panel(self) -> Panel:
        if not self.__sklearn_is_fitted__():
            from shortlist.errors import NotFitted  # imports scikit-learn

            raise NotFitted(f"this {type(self).__name__} is not fitted: call fit(votes) first")
        return self.panel_

    def __sklearn_is_fitted__(self) -> bool:
        return "panel_" in vars(self)


# -- baselines -----------------------------------------------------------------------------------------


class _Tally(Predictor):
    """A model whose beliefs are a sum over votes."""

    def fit(self, votes: Votes | Iterable[Votes], gold: Any = None, *, weights: Any = None) -> Self:
        """Remember the labelers. Nothing is estimated: gold labels and weights change nothing."""
        self.panel_ = Panel.of(Evidence.gather(votes, gold, weights).votes)
        k = len(self.panel_.space)
        self.class_balance_ = np.full(k, 1 / k)
        return self


class NearestClass(_Tally):
    """The paper's NC: the class that most votes are compatible with; classes that tie share the belief."""

    def _beliefs(self, codes: Codes) -> Floats:
        points = tally(codes, self.panel_.layout, self.panel_.layout.member.astype(np.float64))
        best = leading(points)
        return np.asarray(best / best.sum(axis=1, keepdims=True))


class MajorityVote(_Tally):
    """Every vote counts one: a shortlist of s classes gives 1/s to each of them."""

    def _beliefs(self, codes: Codes) -> Floats:
        points = tally(codes, self.panel_.layout, shares(self.panel_.layout))
        points[~codes.any(axis=1)] = 1.0  # rows without a vote
        points /= points.sum(axis=1, keepdims=True)
        return points


def shares(layout: Layout) -> Floats:
    """(S, k): one vote for each shortlist, in equal parts for its classes."""
    return np.asarray(layout.member / layout.member.sum(axis=1, keepdims=True))


def tally(codes: npt.NDArray[np.integer], layout: Layout, worth: Floats) -> Floats:
    """(m, k): sum over votes of the `worth` (S, k) of each shortlist."""
    points, each = np.zeros((2, len(codes), layout.k))
    for i, column in enumerate(codes.T):
        points += np.take(layout.by_code(i, worth), column, axis=0, out=each, mode="clip")  # "raise" would copy `each`
    return points


def counting(codes: Codes, layout: Layout) -> Floats:
    """(m, k): a vote gives 1/size to each of its classes, and one more vote is spread over all."""
    points = tally(codes, layout, shares(layout)) + 1 / layout.k
    points /= points.sum(axis=1, keepdims=True)
    return points
