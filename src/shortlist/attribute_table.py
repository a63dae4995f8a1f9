"""AttributeTable: which class has which attribute, from a mapping or from a DataFrame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from shortlist.arrays import Mask
from shortlist.errors import BadLabeler, UnknownClass
from shortlist.wording import did_you_mean, given_twice


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
            if twice := given_twice(names):
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
    columns, index = _columns(table)
    text = next((name for name, values in columns.items() if all(isinstance(v, str) for v in values)), None)
    names = index if text is None else columns.pop(text)
    if names is None or not all(isinstance(name, str) for name in names):
        raise BadLabeler("the table does not name its classes: add a column (or a pandas index) with their names")
    flags = [[_flag(value, name) for value in values] for name, values in columns.items()]
    return AttributeTable(tuple(names), tuple(columns), np.array(flags, np.bool_).reshape(len(flags), len(names)).T)


def _columns(table: Any) -> tuple[dict[str, list[Any]], list[Any] | None]:
    """Columns by name, and the index of a pandas table."""
    if hasattr(table, "to_pydict"):  # pyarrow
        return dict(table.to_pydict()), None
    if hasattr(table, "to_dict") and hasattr(table, "index"):  # pandas
        return {str(name): table[name].tolist() for name in table.columns}, table.index.tolist()
    if hasattr(table, "columns") and hasattr(table, "get_column"):  # polars
        return {name: table.get_column(name).to_list() for name in table.columns}, None
    raise BadLabeler(f"a table of attributes is a DataFrame or a mapping; got a {type(table).__name__}")


def _flag(value: Any, attribute: str) -> bool:
    if value in (0, 1):
        return bool(value)
    raise BadLabeler(f"attribute {attribute!r} holds {value!r}; a class has an attribute (1, true) or not (0, false)")
