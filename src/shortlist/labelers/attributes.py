"""attributes(): a class × attribute table becomes one labeler per attribute.

A detector for "stripes" says {tiger, zebra} where it sees stripes and {horse, lion} where it sees none; between
two confidence thresholds it abstains.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from shortlist.attribute_table import AttributeTable
from shortlist.errors import BadLabeler, BadRows, UselessLabeler
from shortlist.labelers.answers import Codebook, Said, checked_answer, plain_answer
from shortlist.labelers.ballot import Ballot
from shortlist.labelers.core import Labeler, Parts
from shortlist.labelers.features import Columns
from shortlist.labelers.records import labeler_kind
from shortlist.labelspace import LabelSpace, Not, Shortlist
from shortlist.rows import Chunk


@dataclass(frozen=True)
class Attribute(Labeler):
    """Reads how sure a detector is that a row has an attribute (0 to 1, or a truth value) from a column."""

    name: str
    yes: Shortlist | Not
    no: Shortlist | Not
    on: str
    yes_from: float = 0.5
    no_below: float = 0.5

    @property
    def says(self) -> Said:  # type: ignore[override]
        return self.yes, self.no

    def record(self) -> dict[str, Any]:
        answers = {"yes": plain_answer(self.yes), "no": plain_answer(self.no)}
        limits = {"yes_from": self.yes_from, "no_below": self.no_below}
        return {"kind": "attribute", "name": self.name, "on": self.on, **answers, **limits}

    def fingerprint_parts(self) -> Parts:
        return Parts(self.record())

    def __call__(self, row: Any) -> Shortlist | Not | None:
        score = Chunk(0, [row]).numbers(self.on)[0]
        return self.yes if score >= self.yes_from else self.no if score < self.no_below else None

    def vote(self, columns: Columns, codebook: Codebook) -> Ballot:
        ballot = Ballot(codebook)
        try:
            scores = columns.chunk.numbers(self.on)
        except BadRows:
            if columns.raise_errors:
                raise
            found = ballot.row_by_row(columns.chunk, lambda row: row.numbers(self.on)[0])
            scores = np.array(found, np.float64)  # NaN where it failed: it abstains
        codes = np.where(scores >= self.yes_from, 1, np.where(scores < self.no_below, 2, 0))
        ballot.codes = codes.astype(codebook.dtype)
        return ballot


@labeler_kind("attribute")
def attribute(
    on: str, yes: Any, no: Any, *, yes_from: float = 0.5, no_below: float = 0.5, name: str | None = None
) -> Attribute:
    """A labeler that reads a column of scores: `yes` from `yes_from` on, `no` below `no_below`, between it abstains."""
    name = name or on
    ordered_thresholds(yes_from, no_below)
    answers = checked_answer(yes, name, "yes"), checked_answer(no, name, "no")
    return Attribute(name, *answers, on, yes_from, no_below)


def attributes(
    table: Any, *, yes_from: float = 0.5, no_below: float | None = None, classes: Iterable[str] | None = None
) -> list[Attribute]:
    """One labeler per attribute of a class × attribute table.

    The table is one of three things:

    - a mapping of attribute → the classes that have it; give all `classes` as well, unless every class has some
      attribute;
    - a DataFrame with one line for each class. The first column of text (or a pandas index) names the class. Every
      other column is an attribute, true or false;
    - an `AttributeTable`.

    Each labeler reads the column of its attribute's name from the rows: a score from 0 to 1. A row has the attribute
    from `yes_from` on, and does not have it below `no_below` (by default the same). Between the two, and where the
    score is missing, the labeler abstains. An attribute that all classes or none have is left out, with a warning.
    """
    no_below = yes_from if no_below is None else no_below
    ordered_thresholds(yes_from, no_below)
    read = AttributeTable.of(table, classes)
    space = frozenset(LabelSpace(read.classes))
    labelers, useless = [], []
    for attribute, having in read.owners().items():
        if not having or having == space:
            useless.append(attribute)
            continue
        labelers.append(Attribute(attribute, having, space - having, attribute, yes_from, no_below))
    if useless:
        warnings.warn(
            f"left out, since all classes or none have them: {', '.join(useless)}",
            UselessLabeler,
            stacklevel=2,
        )
    return labelers


def ordered_thresholds(yes_from: Any, no_below: Any) -> None:
    if not all(isinstance(limit, (int, float, np.number)) for limit in (yes_from, no_below)):
        limits = f"yes_from={yes_from!r}, no_below={no_below!r}"
        raise BadLabeler(f"thresholds are numbers; got {limits}", option=("yes_from",))
    if not no_below <= yes_from:
        raise BadLabeler(f"no_below={no_below} must not exceed yes_from={yes_from}", option=("no_below",))
