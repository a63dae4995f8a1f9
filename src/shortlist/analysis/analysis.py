"""Analysis: votes, and a model and gold labels if there are any, in tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from shortlist.analysis import labeler_tables, suggestions, tables
from shortlist.analysis.measures import Measures
from shortlist.arrays import Floats, Positions
from shortlist.wording import number_of, text_table


class Analysis(Measures):
    """Tables about labelers, rows and classes, in polars.

    Without a model, tables are about votes alone; with one, also about the beliefs; with gold labels (as
    `LabelModel.fit` takes them), also about how often these are right. What tables have in common is computed once.

    >>> from shortlist import Analysis, Votes
    >>> votes = Votes([[1, 2], [1, 0], [2, 2]], [["cat", "dog"], ["cat", "dog"]], ["cat", "dog"], ["ears", "voice"])
    >>> Analysis(votes).labelers().select("labeler", "votes", "conflict").rows()
    [('ears', 3, 0.3333333333333333), ('voice', 2, 0.3333333333333333)]
    >>> Analysis(votes).bucket({"ears": "cat", "voice": "dog"}).tolist()
    [0]
    """

    def __repr__(self) -> str:
        return f"{self._head()}\n{text_table(*labeler_tables.labeler_lines(self.labelers()))}"

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

    def labelers(self, *, level: float | None = 0.9) -> pl.DataFrame:
        """Per labeler: votes, coverage, overlap, conflict, size, and how often it is right.

        Coverage, overlap (some other labeler votes too) and conflict (with a shortlist that has no class in common)
        are shares of all rows; size is the mean size of its shortlists. `believed` is the mean belief inside its
        votes; `accuracy` is the model's estimate, with an interval that holds it at this level (None for none).
        """
        return labeler_tables.labeler_table(self, level)

    def shortlists(self) -> pl.DataFrame:
        """Per shortlist of each labeler: how often it was voted, and how often it is right."""
        return labeler_tables.shortlist_table(self)

    def accuracies(self, *, level: float | None = 0.9) -> pl.DataFrame:
        """Per labeler and class: the model's α with its interval, and the share of gold rows."""
        return labeler_tables.accuracy_table(self, level)

    def pairs(self) -> pl.DataFrame:
        """Per pair of labelers: overlap, conflict, the same said, and the correlation given the class."""
        return tables.pair_table(self)

    def classes(self) -> pl.DataFrame:
        """Per pair of classes: who tells them apart, on how many rows, and how well the model does."""
        return tables.class_table(self)

    def rows(self) -> pl.DataFrame:
        """Per row: class, belief, margin, entropy, votes, and the labelers that conflict."""
        return tables.row_table(self)

    def buckets(self) -> pl.DataFrame:
        """Per contradiction, "A says sports while B says business": how many rows, the most first."""
        return tables.bucket_table(self)

    def bucket(self, said: Mapping[str, Any]) -> Positions:
        """Rows on which these labelers say these things (None: abstain), `{"A": "sports", "B": "business"}`."""
        return tables.bucket(self, said)

    def suggest(self, n: int = 20) -> pl.DataFrame:
        """The rows to look at or to label next, by expected gain: one for each pattern of votes.

        `gain` is how many more rows are expected to be guessed right once one of them is labelled, when a belief is
        worth as much as one labelled row.
        """
        return suggestions.suggestion_table(self, n)

    def suspects(self, beliefs: Floats | None = None) -> pl.DataFrame:
        """Gold labels that look wrong, the most suspicious first.

        `belief` is that in the known class; `class` is what is believed instead, nineteen times as firmly or more.
        Beliefs (m, k) are those of the model, which has only seen votes; better ones are `JointModel.out_of_fold_`.
        """
        return tables.suspect_table(self, beliefs)

    def worth(self) -> pl.DataFrame:
        """Per labeler: the loss, in held-out likelihood and in accuracy on gold rows, when its votes are left out.

        The model is fitted to one half of the rows and judged on the other, at most 20,000 rows of each.
        """
        return labeler_tables.worth_table(self)
