"""Analysis: votes, and a model and gold labels if there are any, ready to be asked."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.analysis import buckets, classes, labelers, pairs, rows, suggestions, suspects, worth
from shortlist.analysis.bits import Bits, count, pack
from shortlist.analysis.distinct import Distinct
from shortlist.analysis.soft import soft_counts
from shortlist.arrays import Floats
from shortlist.beliefs import most_likely
from shortlist.errors import BadFit, BadVotes, FitWarning
from shortlist.labelmodel import LabelModel
from shortlist.labelmodel.evidence import Gold, gold_positions
from shortlist.votes import Patterns, Votes
from shortlist.votes.votes import not_votes
from shortlist.wording import NOT_KNOWN, html_table, number_of, percent, text_table

if TYPE_CHECKING:
    from shortlist.analysis.plots import Plots

_FREE_OF_GOLD = ("bits", "distinct", "beliefs", "mass", "guess", "soft", "patterns")


class Analysis:
    """What labelers do, in polars tables.

    Without a model, it tells what can be seen in the votes alone; with one, also what the model makes of them; with
    gold labels (as `LabelModel.fit` takes them), also how often that is right. What the tables have in common is
    computed once.

    >>> from shortlist import Analysis, Votes
    >>> votes = Votes([[1, 2], [1, 0], [2, 2]], [["cat", "dog"], ["cat", "dog"]], ["cat", "dog"], ["ears", "voice"])
    >>> Analysis(votes).labelers().select("labeler", "votes", "conflict").rows()
    [('ears', 3, 0.3333333333333333), ('voice', 2, 0.3333333333333333)]
    >>> Analysis(votes).bucket({"ears": "cat", "voice": "dog"}).tolist()
    [0]
    """

    def __init__(self, votes: Votes, model: Any = None, *, gold: Gold | None = None) -> None:
        if not isinstance(votes, Votes):
            raise not_votes(votes)
        if not len(votes) or not votes.names:
            raise BadVotes(f"there is nothing to analyse: {len(votes)} rows × {len(votes.names)} labelers")
        if model is not None and not hasattr(model, "predict_proba"):
            raise BadFit(f"expected a fitted model such as LabelModel, got {type(model).__name__}")
        self.votes = votes
        self.model = model
        self.gold = None if gold is None else gold_positions(gold, len(votes), votes.space)
        if self.gold is not None and not (self.gold >= 0).any():
            raise BadFit("no row has a known class: leave gold out")

    def __repr__(self) -> str:
        return f"{self._head()}\n{text_table(*self._lines())}"

    def _repr_html_(self) -> str:
        """What notebooks show: the table of labelers."""
        return f"<div>{escape(self._head())}{html_table(*self._lines())}</div>"

    def _head(self) -> str:
        rows, labelers = number_of(len(self.votes), "row"), number_of(len(self.votes.names), "labeler")
        parts = [rows, labelers, f"{len(self.votes.space)} classes"]
        parts += [type(self.model).__name__] if self.model is not None else []
        parts += [f"{self.known_rows:,} gold rows"] if self.gold is not None else []
        if self.model is not None and self.gold is not None:
            voted = int(self.scored.sum())
            which = "of them" if voted == self.known_rows else f"of the {voted:,} with a vote"
            right = f"right on {self.right_on_gold:.1%} {which} (counting votes: {self.counting_on_gold:.1%})"
            parts += [right] if voted else []
        return f"Analysis: {', '.join(parts)}"

    def _lines(self) -> tuple[list[str], list[list[str]]]:
        table = labelers.only_known(self.labelers())
        shares = [name for name in ("coverage", "overlap", "conflict", "accuracy", "gold_accuracy") if name in table]
        lines = [[line["labeler"], *(_share(line, name) for name in shares)] for line in table.iter_rows(named=True)]
        return ["labeler", *(name.replace("_", " ") for name in shares)], lines

    @property
    def plot(self) -> Plots:
        """Pictures for notebooks (extra `plots`): `analysis.plot.labelers()`, `.overlap()`, `.calibration()`."""
        from shortlist.analysis.plots import Plots

        return Plots(self)

    def without_gold(self) -> Analysis:
        """The same votes and beliefs, as if no class were known."""
        return self.with_gold(None)

    def with_gold(self, gold: Gold | None) -> Analysis:
        """The same votes and beliefs with other known classes. What does not depend on these is not done again."""
        other = Analysis(self.votes, self.model, gold=gold)
        kept = {name: self.__dict__[name] for name in _FREE_OF_GOLD if name in self.__dict__}
        other.__dict__.update(kept)
        return other

    def with_one_more(self, row: int, name: str | None) -> Analysis:
        """The same after the class of one row became known, or (None) is no longer."""
        other = self.with_gold(None)
        gold = np.full(len(self.votes), -1, np.int64) if self.gold is None else self.gold.copy()
        gold[row] = -1 if name is None else self.votes.space.position(name)
        other.gold = gold if (gold >= 0).any() else None
        return other

    # -- tables ----------------------------------------------------------------------------------------

    def labelers(self, *, level: float | None = 0.9) -> pl.DataFrame:
        """Per labeler: votes, coverage, overlap, conflict, size, and how often it is right.

        Coverage, overlap (some other labeler votes too) and conflict (with a shortlist that has no class in common)
        are shares of all rows; size is the mean size of its shortlists. `believed` is the mean belief inside its
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

    def suggest_questions(self, n: int = 5, *, accuracy: float = 0.8, largest: int = 3) -> pl.DataFrame:
        """The questions to ask next, as splits of the classes, by expected information; each given those above it.

        accuracy   how often the answers are assumed to be right
        largest    classes on the yes side, at most: short questions about few classes are answered best

        `gain` is in bits a row; `separates` counts pairs of classes that no labeler tells apart so far and the question
        would; `text` is the labeler to edit: put the question into words that a model understands.
        """
        return suggestions.question_table(self, n, accuracy, largest)

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
        return Bits(self.votes)

    @cached_property
    def distinct(self) -> Distinct:
        """Rows that differ in their votes, what is believed of them, and how many of each there are."""
        if self.model is None:
            raise BadFit("this needs a fitted model: Analysis(votes, model)")
        return Distinct.of(self.votes, self.model)

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
        """Of the rows with a known class and a vote, the share whose most believed class is right.

        A row without any vote has no label, so it is neither right nor wrong.
        """
        if self.gold is None:
            raise BadFit("this needs known classes: Analysis(votes, model, gold=…)")
        return share_of(self.guess[self.scored] == self.gold[self.scored])

    @cached_property
    def scored(self) -> npt.NDArray[np.bool_]:
        """(m,): rows with a known class and a vote."""
        none = np.zeros(len(self.votes), np.bool_)
        return none if self.gold is None else (self.gold >= 0) & self.votes.covered

    @property
    def known_rows(self) -> int:
        """How many rows have a known class."""
        return 0 if self.gold is None else int((self.gold >= 0).sum())

    @cached_property
    def counting_on_gold(self) -> float:
        """`right_on_gold` of a count of the votes, which every model should beat."""
        from shortlist.labelmodel.predictor import MajorityVote

        if self.gold is None:
            raise BadFit("this needs known classes: Analysis(votes, gold=…)")
        scored = np.flatnonzero(self.scored)
        counted = MajorityVote().fit(self.votes)
        guess = most_likely(counted.predict_proba(self.votes[scored]), counted.class_balance_)
        return share_of(guess == self.gold[scored])

    @cached_property
    def soft(self) -> Floats:
        """(S, k): how often each shortlist was voted on rows of each class, as believed."""
        rows = self.distinct
        return soft_counts(rows.votes.codes, rows.beliefs * rows.counts[:, None], self.bits.layout)

    @cached_property
    def gold_counts(self) -> Floats:
        """(S, k): how often each shortlist was voted on rows known to be of each class."""
        assert self.gold is not None
        of_class = pack(self.gold[:, None] + 1, (len(self.votes.space),))
        return np.stack([count(self.bits.rows & rows) for rows in of_class], axis=1).astype(np.float64)

    @cached_property
    def patterns(self) -> Patterns:
        return self.distinct.patterns or self.votes.patterns()

    def need_estimates(self) -> Any:
        """The model, where it is one that estimates accuracies."""
        if not hasattr(self.model, "accuracy_"):
            raise BadFit("this needs a fitted LabelModel: Analysis(votes, model)")
        return self.model


def _share(line: Mapping[str, Any], name: str) -> str:
    """A share of the table of labelers in per cent."""
    return NOT_KNOWN if name == "accuracy" and line[name] is None else percent(line[name])


def share_of(right: npt.NDArray[np.bool_]) -> float:
    """The share that is true; not a number where there is none to count."""
    return float(right.mean()) if right.size else float("nan")


def suggest_questions(
    votes: Votes, model: Any = None, *, n: int = 5, accuracy: float = 0.8, largest: int = 3
) -> pl.DataFrame:
    """The questions to ask next, given the votes so far: `Analysis(votes, model).suggest_questions(n)`.

    Without a model, `LabelModel()` is fitted to the votes.
    """
    if model is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FitWarning)  # what is lacking is what is asked for here
            model = LabelModel().fit(votes)
    return Analysis(votes, model).suggest_questions(n, accuracy=accuracy, largest=largest)
