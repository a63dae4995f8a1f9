"""Dataset and Split: what a data set is, once read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.errors import BadFile
from shortlist.labelspace import LabelSpace
from shortlist.votes import Votes
from shortlist.wording import did_you_mean, number_of

Gold: TypeAlias = npt.NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class Split:
    """Some rows of a data set: what they hold, what labelers said about them, and their gold class names.

    A set that is only text has no votes, one that is only votes has no rows. Gold is None where unknown.
    """

    rows: pl.DataFrame | None
    votes: Votes | None
    gold: Gold

    def __len__(self) -> int:
        return len(self.gold)

    def __repr__(self) -> str:
        parts = [number_of(len(self), "row")]
        if self.rows is not None:
            parts.append(f"columns {', '.join(self.rows.columns)}")
        if self.votes is not None:
            parts.append(f"votes of {number_of(len(self.votes.names), 'labeler')}")
        unknown = sum(name is None for name in self.gold)
        parts.append(f"gold for {len(self) - unknown:,}" if unknown else "gold for all")
        return f"Split: {'; '.join(parts)}"


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A data set: its classes, and its rows in splits ("train", "test", …; "all" where there is but one)."""

    name: str
    space: LabelSpace
    splits: Mapping[str, Split]

    def __getitem__(self, split: str) -> Split:
        if split not in self.splits:
            raise BadFile(
                f"data set {self.name!r} has no split {split!r}.{did_you_mean(split, self.splits)} "
                f"Splits: {', '.join(self.splits)}"
            )
        return self.splits[split]

    def __repr__(self) -> str:
        classes = ", ".join(self.space[:10]) + (", …" if len(self.space) > 10 else "")
        width = max(len(split) for split in self.splits)
        lines = [f"  {split:<{width}}  {str(part).removeprefix('Split: ')}" for split, part in self.splits.items()]
        return "\n".join([f"Dataset {self.name}: {len(self.space)} classes ({classes})", *lines])


Read: TypeAlias = Callable[[Path], tuple[LabelSpace, dict[str, Split]]]  # how a format is read
