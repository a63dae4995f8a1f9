"""attributes(): a class × attribute table becomes one labeler per attribute.

A detector for "stripes" says {tiger, zebra} where it sees stripes and {horse, lion} where it sees none; between
two confidence thresholds it abstains.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from shortlist.arrays import Mask
from shortlist.errors import BadLabeler, UnknownClass, UselessLabeler
from shortlist.labelers.answers import Ballot, Codebook, Said, checked_answer, plain_answer
from shortlist.labelers.features import Columns
from shortlist.labelers.labeler import Labeler, Parts, labeler_kind
from shortlist.labelspace import LabelSpace, Not, Shortlist
from shortlist.rows.reading import as_frame
from shortlist.wording import did_you_mean, first_duplicate


@dataclass(frozen=True)
class Attribute(Labeler):
    """Reads from a column how likely a row has an attribute (0 to 1, or a truth value)."""

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

    def vote(self, columns: Columns, codebook: Codebook) -> Ballot:
        ballot = Ballot(codebook)
        cells = ballot.read(columns.chunk, lambda chunk: chunk.numbers(self.on), raise_errors=columns.raise_errors)
        scores = np.asarray(cells, np.float64)  # NaN where it failed: it abstains
        codes = np.where(scores >= self.yes_from, 1, np.where(scores < self.no_below, 2, 0))
        ballot.codes = codes.astype(codebook.dtype)
        return ballot


@labeler_kind("attribute")
def attribute(
    on: str, yes: Any, no: Any, *, yes_from: float = 0.5, no_below: float = 0.5, name: str | None = None
) -> Attribute:
    """A labeler that reads a column of scores: `yes` from `yes_from` on, `no` below `no_below`, between it abstains."""
    name = name or on
    _check_thresholds(yes_from, no_below)
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
    _check_thresholds(yes_from, no_below)
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


def _check_thresholds(yes_from: Any, no_below: Any) -> None:
    if not all(isinstance(limit, (int, float, np.number)) for limit in (yes_from, no_below)):
        limits = f"yes_from={yes_from!r}, no_below={no_below!r}"
        raise BadLabeler(f"thresholds are numbers; got {limits}", option=("yes_from",))
    if not no_below <= yes_from:
        raise BadLabeler(f"no_below={no_below} must not exceed yes_from={yes_from}", option=("no_below",))


# -- tables of attributes --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class AttributeTable:
    """The names of k classes and of n attributes, and `has` (k, n): whether a class has an attribute.

    >>> table = AttributeTable.of({"stripes": ["tiger", "zebra"], "claws": ["tiger", "lion"]})
    >>> table.rows(["zebra", "lion"]).astype(int).tolist()
    [[1, 0], [0, 1]]
    """

    classes: tuple[str, ...]
    attributes: tuple[str, ...]
    has: Mask

    def __post_init__(self) -> None:
        if self.has.shape != (len(self.classes), len(self.attributes)):
            shape = (len(self.classes), len(self.attributes))
            raise BadLabeler(f"a table of classes × attributes has the shape {shape}; got {self.has.shape}")
        for what, names in (("class", self.classes), ("attribute", self.attributes)):
            odd = next((name for name in names if not isinstance(name, str) or not name), None)
            if odd is not None:
                raise BadLabeler(f"the table calls a {what} {odd!r}: names are non-empty text")
            if twice := first_duplicate(names):
                raise BadLabeler(f"the table has the {what} {twice!r} twice")

    @classmethod
    def of(cls, table: Any, classes: Iterable[str] | None = None) -> AttributeTable:
        """Read a mapping of attribute → the classes that have it, or a DataFrame with one line a class.

        The first column of text of a DataFrame (pandas, polars, pyarrow), or a pandas index, names the classes. Every
        other column is an attribute, 1 or 0. For a mapping give all `classes` where some class has no attribute.
        """
        if isinstance(table, AttributeTable):
            return table
        if isinstance(table, Mapping):
            return _of_mapping(table, classes)
        return _of_frame(table)

    def take(self, attributes: Iterable[str]) -> AttributeTable:
        """The table of some of the attributes, in their order."""
        where = {name: i for i, name in enumerate(self.attributes)}
        names = tuple(attributes)
        return AttributeTable(self.classes, names, self.has[:, [where[name] for name in names]])

    def owners(self) -> dict[str, frozenset[str]]:
        """attribute → the classes that have it."""
        names = np.array(self.classes, object)
        return {attribute: frozenset(names[has]) for attribute, has in zip(self.attributes, self.has.T, strict=True)}

    def rows(self, classes: Iterable[str]) -> Mask:
        """(k, n): which attributes these classes have, in their order."""
        where = {name: j for j, name in enumerate(self.classes)}
        positions = []
        for name in classes:
            if name not in where:
                raise UnknownClass(
                    f"the attribute table does not cover the class {name!r}.{did_you_mean(name, self.classes)} It has "
                    f"{', '.join(self.classes)}. Where no class of a mapping has any attribute, name all of them: "
                    "AttributeTable.of(mapping, classes=[...])"
                )
            positions.append(where[name])
        return self.has[positions]

    def twins(self, classes: Sequence[str], attributes: Iterable[str] | None = None) -> list[tuple[str, str]]:
        """Pairs of classes that have the same attributes, so that no detector can tell them apart."""
        rows = (self if attributes is None else self.take(attributes)).rows(classes)
        return [(classes[a], classes[b]) for a, b in combinations(range(len(rows)), 2) if (rows[a] == rows[b]).all()]


def _of_mapping(table: Mapping[Any, Any], classes: Iterable[str] | None) -> AttributeTable:
    owners = {str(a): {having} if isinstance(having, str) else set(having) for a, having in table.items()}
    named = sorted(set().union(*owners.values())) if classes is None else list(classes)
    for attribute, having in owners.items():
        for name in having - set(named):
            raise BadLabeler(f"attribute {attribute!r}: {name!r} is not a class.{did_you_mean(name, named)}")
    has = np.array([[name in having for having in owners.values()] for name in named], np.bool_)
    return AttributeTable(tuple(named), tuple(owners), has.reshape(len(named), len(owners)))


def _of_frame(table: Any) -> AttributeTable:
    frame = as_frame(table)
    if frame is None:
        raise BadLabeler(f"a table of attributes is a DataFrame or a mapping; got a {type(table).__name__}")
    columns = {str(name): frame[name].to_list() for name in frame.columns}
    text = next((name for name, values in columns.items() if all(isinstance(v, str) for v in values)), None)
    names = list(getattr(table, "index", ())) if text is None else columns.pop(text)
    if not names or not all(isinstance(name, str) for name in names):
        raise BadLabeler("the table does not name its classes: add a column (or a pandas index) with their names")
    flags = [[_flag(value, name) for value in values] for name, values in columns.items()]
    return AttributeTable(tuple(names), tuple(columns), np.array(flags, np.bool_).reshape(len(flags), len(names)).T)


def _flag(value: Any, attribute: str) -> bool:
    if value in (0, 1):
        return bool(value)
    raise BadLabeler(f"attribute {attribute!r} holds {value!r}; a class has an attribute (1, true) or not (0, false)")
