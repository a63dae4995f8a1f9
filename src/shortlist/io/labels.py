"""LabelTable: beliefs as a table people can join to their rows: class, belief, margin, shortlist, belief per class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.errors import BadFile
from shortlist.labelmodel.predictor import most_likely, smallest_sets

OWN = ("class", "belief", "margin", "shortlist", "votes")


class LabelTable:
    """The columns of labels for these classes: one frame at a time, all of one schema.

    key        the column that joins labels to rows, and what it holds
    balance    (k,), which ties go by
    held       the shortlist of a row is the smallest set of classes that holds this much belief
    voted      whether the table counts the votes of each row (a class is then left out where there are none)
    """

    def __init__(
        self,
        classes: Sequence[str],
        key: tuple[str, pl.DataType],
        *,
        balance: npt.NDArray[np.float64] | None = None,
        held: float = 0.9,
        voted: bool = True,
    ) -> None:
        self.classes = list(classes)
        self.key = key
        self.balance = np.full(len(self.classes), 1 / len(self.classes)) if balance is None else balance
        self.held = held
        own = {"class": pl.String(), "belief": pl.Float64(), "margin": pl.Float64(), "shortlist": pl.List(pl.String)}
        counted = {"votes": pl.UInt32()} if voted else {}
        beliefs = {f"belief_{name}": pl.Float64() for name in self.classes}
        if key[0] in {**own, **counted, **beliefs}:
            raise BadFile(f"the id column is called {key[0]!r}, which labels need for themselves: give it another name")
        self.schema: dict[str, Any] = {key[0]: key[1], **own, **counted, **beliefs}

    def frame(
        self, keys: pl.Series, beliefs: npt.NDArray[np.float64], votes: npt.NDArray[Any] | None = None
    ) -> pl.DataFrame:
        """The labels of some rows; `votes` is how many labelers voted on each."""
        best = most_likely(beliefs, self.balance)
        ranked = np.sort(beliefs, axis=1)
        names = pl.Series(self.classes, dtype=pl.String)
        known = names.gather(best)
        columns: dict[str, Any] = {
            self.key[0]: keys,
            "class": known if votes is None else known.set(pl.Series(votes == 0), None),
            "belief": ranked[:, -1],
            "margin": ranked[:, -1] - ranked[:, -2],
            "shortlist": self._shortlists(beliefs),
        }
        if votes is not None:
            columns["votes"] = votes.astype(np.uint32)
        columns |= {f"belief_{name}": beliefs[:, j] for j, name in enumerate(self.classes)}
        return pl.DataFrame(columns, schema_overrides={self.key[0]: self.key[1]})

    def _shortlists(self, beliefs: npt.NDArray[np.float64]) -> pl.Series:
        """The names of the smallest sets, each different one made once."""
        masks = np.packbits(smallest_sets(beliefs, self.held), axis=1)
        kinds, which = np.unique(masks, axis=0, return_inverse=True)
        flags = np.unpackbits(kinds, axis=1, count=len(self.classes)).astype(np.bool_)
        sets = [[self.classes[j] for j in np.flatnonzero(row)] for row in flags]
        return pl.Series(sets, dtype=pl.List(pl.String)).gather(which.ravel())
