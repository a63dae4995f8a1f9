"""attributes(): a class × attribute table becomes one labeler per attribute.

A detector for "stripes" says {tiger, zebra} where it sees stripes and {horse, lion} where it sees none; between
two confidence thresholds it abstains.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

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

    The table is a mapping of attribute → the classes that have it (then give all `classes` as well, unless
    every class has some attribute), or a DataFrame with one line a class: the first column of text (or a pandas
    index) names the class, every other column is an attribute, true or false. Each labeler reads the column of
    its attribute's name from the rows: a score from 0 to 1, where `yes_from` and above means it has the
    attribute, below `no_below` (by default the same) that it has not, and it abstains between, and where the
    score is missing. An attribute that all classes or none have tells nothing; it is left out with a warning.
    """
    no_below = yes_from if no_below is None else no_below
    ordered_thresholds(yes_from, no_below)
    owners, space = _owners(table, classes)
    labelers, useless = [], []
    for attribute, having in owners.items():
        if not having or len(having) == len(space):
            useless.append(attribute)
            continue
        lacking = frozenset(space) - having
        labelers.append(Attribute(attribute, having, lacking, attribute, yes_from, no_below))
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


def _owners(table: Any, classes: Iterable[str] | None) -> tuple[dict[str, Shortlist], LabelSpace]:
    """attribute → the classes that have it, and all classes."""
    if isinstance(table, Mapping):
        named = list(classes) if classes is not None else sorted({c for having in table.values() for c in having})
        space = LabelSpace(named)
        for attribute, having in table.items():
            for name in [having] if isinstance(having, str) else having:
                try:
                    space.position(name)
                except ValueError as error:
                    raise BadLabeler(f"attribute {attribute!r}: {error}") from error
        return {str(a): frozenset([h] if isinstance(h, str) else h) for a, h in table.items()}, space
    names, columns = _table_columns(table)
    space = LabelSpace(names)
    owners = {a: frozenset(n for n, has in zip(names, flags, strict=True) if has) for a, flags in columns.items()}
    return owners, space


def _table_columns(table: Any) -> tuple[list[str], dict[str, list[bool]]]:
    """Class names and, per attribute, which of them have it, from a pandas, polars or pyarrow table."""
    import polars as pl

    if hasattr(table, "index") and hasattr(table, "columns"):  # pandas: the classes may be the index
        columns = {str(name): table[name].tolist() for name in table.columns}
        index = table.index.tolist()
    else:
        if not hasattr(table, "columns"):
            raise BadLabeler(f"a table of attributes is a DataFrame or a mapping; got a {type(table).__name__}")
        frame = table if isinstance(table, pl.DataFrame) else pl.DataFrame(table)
        columns, index = frame.to_dict(as_series=False), [None]
    text = next((name for name, values in columns.items() if all(isinstance(v, str) for v in values)), None)
    if text is not None:
        index = columns.pop(text)
    if not all(isinstance(name, str) for name in index):
        raise BadLabeler("the table does not name its classes: add a column (or a pandas index) with their names")
    return index, {name: [_flag(value, name) for value in values] for name, values in columns.items()}


def _flag(value: Any, attribute: str) -> bool:
    if value in (0, 1):
        return bool(value)
    raise BadLabeler(f"attribute {attribute!r} holds {value!r}; a class has an attribute (1, true) or not (0, false)")
