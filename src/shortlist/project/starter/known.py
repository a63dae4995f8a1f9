"""Known classes: what a column that holds them says about the classes."""

from __future__ import annotations

from collections.abc import Sequence

from shortlist.errors import ShortlistError
from shortlist.project.gold.column import as_classes, classes_in
from shortlist.rows import RowFile
from shortlist.wording import listed, some_of

MANY = 50  # more different values than this are not classes


def known_classes(file: RowFile, gold: str) -> list[str]:
    """The classes that a column of known ones holds, in alphabetical order."""
    file.need(gold)
    found = classes_in(file.read([gold])[gold])
    if len(found) > MANY:
        raise ShortlistError(f"column {gold!r} holds {len(found)} different values: give the classes yourself")
    return found


def fitting(file: RowFile, gold: str | None, classes: Sequence[str]) -> str | None:
    """A column that seems to hold known classes, unless it holds none of those that are given."""
    if gold is None or not classes or set(_values(file, gold, classes)) & set(classes):
        return gold
    return None


def _values(file: RowFile, gold: str, classes: Sequence[str]) -> list[str]:
    """The different values of a column of known classes."""
    values: list[str] = as_classes(file.read([gold])[gold], classes).drop_nulls().unique().sort().to_list()
    return values


def check_gold(file: RowFile, gold: str, classes: Sequence[str]) -> None:
    """Raise where a column of known classes holds none of the classes."""
    found = _values(file, gold, classes)
    if found and not set(found) & set(classes):
        raise ShortlistError(
            f"column {gold!r} should hold known classes, but none of its values is one: {some_of(found)}. "
            f"Classes: {listed(classes)}"
        )


def not_classes(file: RowFile, gold: str, classes: Sequence[str]) -> dict[str, int]:
    """What a column of known classes holds besides the classes, and on how many rows; the most frequent first."""
    counts = as_classes(file.read([gold])[gold], classes).drop_nulls().value_counts(sort=True)
    return {value: rows for value, rows in counts.iter_rows() if value not in classes}
