"""Analysis: votes, and a model and gold labels if there are any, ready to be asked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.analysis import buckets, classes, labelers, pairs, rows, suggestions, suspects, worth
from shortlist.analysis.bits import Bits
from shortlist.analysis.distinct import Distinct
from shortlist.analysis.soft import certain, soft_counts
from shortlist.arrays import Floats
from shortlist.beliefs import most_likely
from shortlist.errors import BadFit, BadVotes
from shortlist.labelmodel.formulae.evidence import Gold, gold_positions
from shortlist.votes import Patterns, Votes

_FREE_OF_GOLD = ("bits", "distinct", "beliefs", "mass", "guess", "soft", "patterns")


class Analysis:
    """What labelers do, in polars tables.

    Without a model, it tells what can be seen in the votes alone; with one, also what the model makes of them; with
    gold labels (as `LabelModel.fit` takes them), also how often that is right. What the tables have in common is
    computed once. `weights` say how often each row counts, in whole numbers: rows that differ and their counts are
    enough, however many rows there are.

    >>> from shortlist import Analysis, Votes
    >>> votes = Votes([[1, 2], [1, 0], [2, 2]], [["cat", "dog"], ["cat", "dog"]], ["cat", "dog"], ["ears", "voice"])
    >>> Analysis(votes).labelers().select("labeler", "votes", "conflict").rows()
    [('ears', 3, 0.3333333333333333), ('voice', 2, 0.3333333333333333)]
    >>> Analysis(votes, weights=[10, 1, 1]).labelers()["votes"].to_list()      # the first row stands for ten
    [12, 11]
    >>> Analysis(votes).bucket({"ears": "cat", "voice": "dog"}).tolist()
    [0]
    """

    def __init__(
        self, votes: Votes, model: Any = None, *, gold: Gold | None = None, weights: npt.ArrayLike | None = None
    ) -> None:
        if not isinstance(votes, Votes):
            raise BadVotes(f"expected Votes, got {type(votes).__name__}")
        if not len(votes) or not votes.names:
            raise BadVotes(f"there is nothing to analyse: {len(votes)} rows × {len(votes.names)} labelers")
        if model is not None and not hasattr(model, "predict_proba"):
            raise BadFit(f"expected a fitted model such as LabelModel, got {type(model).__name__}")
        self.votes = votes
        self.model = model
        self.weights = None if weights is None else checked_counts(weights, len(votes))
        self.total = len(votes) if self.weights is None else int(self.weights.sum())  # how many rows there are
        self.gold = None if gold is None else gold_positions(gold, len(votes), votes.space)
        if self.gold is not None and not (self.gold >= 0).any():
            raise BadFit("no row has a known class: leave gold out")

    def without_gold(self) -> Analysis:
        """The same votes and beliefs, as if no class were known."""
        return self.with_gold(None)

    def with_gold(self, gold: Gold | None) -> Analysis:
        """The same votes and beliefs with other known classes. What does not depend on these is not done again."""
        other = Analysis(self.votes, self.model, gold=gold, weights=self.weights)
        kept = {name: self.__dict__[name] for name in _FREE_OF_GOLD if name in self.__dict__}
        other.__dict__.update(kept)
        return other

    # -- tables ----------------------------------------------------------------------------------------

    def labelers(self, *, level: float | None = 0.9) -> pl.DataFrame:
        """Per labeler: votes, coverage, overlap, conflict, ambiguity, and how often it is right.

        Coverage, overlap (some other labeler votes too) and conflict (with a shortlist that has no class in common)
        are shares of all rows; ambiguity is the mean size of its shortlists. `believed` is the mean belief inside its
        votes; `accuracy` is the model's estimate, with an interval that holds it at this level (None for none).
        """
        return labelers.labeler_table(self, level)

    def shortlists(self) -> pl.DataFrame:
        """Per shortlist of each labeler: how often it was said, and how often it is right."""
        return labelers.shortlist_table(self)

    def accuracies(self, *, level: float | None = 0.9) -> pl.DataFrame:
        """Per labeler and class: the model's α with its interval, and the share of gold rows."""
        return labelers.accuracy_table(self, level)

    def pairs(self) -> pl.DataFrame:
        """Per pair of labelers: overlap, conflict, the same said, and the correlation given the class."""
        return pairs.pair_table(self)

    def classes(self) -> pl.DataFrame:
        """Per pair of classes: who tells them apart, on how many rows, and how well the model does."""
        return classes.class_table(self)

    def rows(self) -> pl.DataFrame:
        """Per row: class, belief, margin, entropy, votes, and the labelers that conflict."""
        return rows.row_table(self)

    def buckets(self) -> pl.DataFrame:
        """Per contradiction, "A says sports while B says business": how many rows, the most first."""
        return buckets.bucket_table(self)

    def bucket(self, said: Mapping[str, Any]) -> npt.NDArray[np.int64]:
        """The rows on which these labelers say these things (None: abstain), `{"A": "sports", "B": "business"}`."""
        return buckets.bucket(self, said)

    def suggest(self, n: int = 20, *, trust: float = 1.0) -> pl.DataFrame:
        """The rows to look at or to label next, by expected gain: one for each way the labelers vote.

        `gain` is how many more rows are expected to be guessed right once one of them is labelled, when a belief is
        worth as much as `trust` labelled rows.
        """
        return suggestions.suggestion_table(self, n, trust)

    def suspects(self) -> pl.DataFrame:
        """Gold labels that are probably wrong, the most suspicious first.

        `belief` is what the model, which has only seen votes, believes in the known class; `class` is what it
        believes instead, at least as firmly as on rows that are known to be of that class.
        """
        return suspects.suspect_table(self)

    def worth(self, *, refit: bool = False, most: int = 20_000, seed: int = 0) -> pl.DataFrame:
        """Per labeler: what is lost, in held-out likelihood and in accuracy on gold rows, when it is left out.

        The model is fitted to one half of the rows and judged on the other, `most` rows of each. With `refit`, it is
        fitted again without the labeler; else only the labeler's votes are left out.
        """
        return worth.worth_table(self, refit=refit, most=most, seed=seed)

    # -- what tables share -----------------------------------------------------------------------------

    @cached_property
    def bits(self) -> Bits:
        return Bits(self.votes, self.weights)

    @cached_property
    def distinct(self) -> Distinct:
        """Rows that differ in their votes, what is believed of them, and how many of each there are."""
        if self.model is None:
            raise BadFit("this needs a fitted model: Analysis(votes, model)")
        return Distinct.of(self.votes, self.model, self.weights)

    @cached_property
    def beliefs(self) -> Floats:
        """(m, k): P(class | votes)."""
        return self.distinct.spread(self.distinct.beliefs)

    @cached_property
    def mass(self) -> Floats:
        """(k,): how many rows of each class there are, as believed."""
        mass: Floats = self.distinct.counts @ self.distinct.beliefs
        return mass

    @cached_property
    def guess(self) -> npt.NDArray[np.int64]:
        """(m,): the position of the most believed class."""
        return self.distinct.spread(most_likely(self.distinct.beliefs, self.model.class_balance_))

    @property
    def right_on_gold(self) -> float:
        """The share of rows with a known class whose most believed class is right."""
        if self.gold is None:
            raise BadFit("this needs known classes: Analysis(votes, model, gold=…)")
        known = self.gold >= 0
        right = self.guess[known] == self.gold[known]
        return float(np.average(right, weights=None if self.weights is None else self.weights[known]))

    @cached_property
    def soft(self) -> Floats:
        """(S, k): how often each shortlist was voted on rows of each class, as believed."""
        rows = self.distinct
        return soft_counts(rows.votes.codes, rows.beliefs * rows.counts[:, None], self.bits.layout)

    @cached_property
    def gold_counts(self) -> Floats:
        """(S, k): how often each shortlist was voted on rows known to be of each class."""
        assert self.gold is not None
        known = np.flatnonzero(self.gold >= 0)
        certainties = certain(self.gold[known], len(self.votes.space))
        if self.weights is not None:
            certainties *= self.weights[known, None]
        return soft_counts(self.votes.codes[known], certainties, self.bits.layout)

    @cached_property
    def patterns(self) -> Patterns:
        return self.distinct.patterns or self.votes.patterns()

    def need_estimates(self) -> Any:
        """The model, where it is one that estimates accuracies."""
        if not hasattr(self.model, "accuracy_"):
            raise BadFit("this needs a fitted LabelModel: Analysis(votes, model)")
        return self.model


def checked_counts(weights: npt.ArrayLike, m: int) -> npt.NDArray[np.int64]:
    """(m,): how often each row counts."""
    given = np.asarray(weights)
    if given.shape != (m,) or not np.issubdtype(given.dtype, np.number) or (given != np.floor(given)).any():
        raise BadVotes(f"weights are {m:,} whole numbers, one a row; got an array of shape {given.shape}")
    counts = given.astype(np.int64)
    if (counts < 0).any() or not counts.any():
        raise BadVotes("weights are not negative, and not all zero")
    return counts
