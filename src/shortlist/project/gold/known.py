"""Known: the classes that are known, by row: from the gold column of the data, and from the gold file over it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from shortlist.errors import UnknownClass
from shortlist.project.gold.file import Entry, GoldFile, Key, Picked
from shortlist.project.rows import Rows
from shortlist.wording import did_you_mean, listed


@dataclass(frozen=True)
class Known:
    """What people know about rows, by the numbers of the rows.

    classes      the class of each row, None where it is not known; None where no row has any
    shortlists   rows about which a person named several classes, of which one is meant
    skipped      rows that a person looked at and skipped
    lost         lines of the gold file about rows that are no longer there
    rows         how many rows there are
    """

    classes: list[str | None] | None
    shortlists: dict[int, tuple[str, ...]] = field(default_factory=dict)
    skipped: frozenset[int] = frozenset()
    lost: int = 0
    rows: int = 0  # how many there are

    def with_said(self, row: int, names: Sequence[str]) -> Known:
        """The same after something was said about one row, as `known` would read it from the gold file."""
        merged = None if self.classes is None else list(self.classes)
        if names and merged is None:
            merged = [None] * self.rows
        if names and merged is not None:
            merged[row] = names[0] if len(names) == 1 else None
        others = {a: said for a, said in self.shortlists.items() if a != row}
        several = {row: tuple(names)} if len(names) > 1 else {}
        skipped = self.skipped - {row} if names else self.skipped | {row}
        known = merged if merged is not None and any(name is not None for name in merged) else None
        return replace(self, classes=known, shortlists=others | several, skipped=skipped)

    @property
    def touched(self) -> set[int]:
        """Rows that need not be asked about again."""
        known = self.classes or ()
        return {*self.shortlists, *self.skipped, *(a for a, name in enumerate(known) if name is not None)}


def known(rows: Rows, file: GoldFile, classes: Sequence[str]) -> Known:
    """The gold column, and over it the gold file."""
    column = rows.gold(classes)
    latest = file.latest()
    if not latest:
        return Known(column, rows=len(rows))
    _check(latest.values(), file, classes)
    where = _found(rows, latest)
    said = {where[key]: entry.classes for key, entry in latest.items() if key in where}
    merged: list[str | None] = [None] * len(rows) if column is None else list(column)
    for row, names in said.items():
        merged[row] = names[0] if len(names) == 1 else None if names else merged[row]
    return Known(
        merged if any(name is not None for name in merged) else None,
        {row: names for row, names in said.items() if len(names) > 1},
        frozenset(row for row, names in said.items() if not names),
        len(latest) - len(where),
        len(rows),
    )


def said_positions(rows: Rows, file: GoldFile, classes: Sequence[str]) -> dict[int, int]:
    """What the gold file says about rows: row → position of its class, −1 where several were named.

    Rows that were skipped are not among them. What is held is as large as the gold file.
    """
    latest = file.latest()
    if not latest:
        return {}
    _check(latest.values(), file, classes)
    where = _found(rows, latest)
    said = {where[key]: entry.classes for key, entry in latest.items() if key in where}
    place = {name: j for j, name in enumerate(classes)}
    return {row: place[names[0]] if len(names) == 1 else -1 for row, names in said.items() if names}


def picked_rows(rows: Rows, file: GoldFile) -> dict[int, Picked]:
    """How the rows of the gold file were chosen for labelling, where that is known."""
    picked, latest = file.picked(), file.latest()
    where = _found(rows, {key: latest[key] for key in picked}) if picked else {}
    return {row: picked[key] for key, row in where.items()}


def lost_labels(rows: Rows, file: GoldFile) -> list[Entry]:
    """Labels of the gold file that belong to no row: no row has that id, or that number and that text."""
    latest = {key: entry for key, entry in file.latest().items() if entry.classes}
    found = {(name, str(value)) for name, value in _found(rows, latest)}
    return [entry for (name, value), entry in latest.items() if (name, str(value)) not in found]


def entry_for(rows: Rows, row: int, classes: Sequence[str], picked: Picked | None = None) -> Entry:
    """The line of the gold file that says this about a row, and how the row was chosen."""
    if rows.data.id is not None:
        name = rows.take([row], [rows.data.id])[rows.data.id][0]
        return Entry(("id", name if isinstance(name, int) else str(name)), tuple(classes), None, picked)
    return Entry(("row", row), tuple(classes), _digests(rows, [row])[0], picked)


def _check(entries: Iterable[Entry], file: GoldFile, classes: Sequence[str]) -> None:
    for entry in entries:
        for word in entry.classes:
            if word not in classes:
                raise UnknownClass(
                    f"{file.path.name}: {word!r}, said about {entry.key[0]} {entry.key[1]!r}, is not a class."
                    f"{did_you_mean(word, classes)} Classes: {listed(classes)}", word=word, file=file.path.name,
                )  # fmt: skip


def _found(rows: Rows, latest: dict[Key, Entry]) -> dict[Key, int]:
    """Key → the number of its row, for rows that are there."""
    by_number = [entry for entry in latest.values() if entry.key[0] == "row" and 0 <= int(entry.key[1]) < len(rows)]
    digests = _digests(rows, [int(entry.key[1]) for entry in by_number])
    same = zip(by_number, digests, strict=True)
    found: dict[Key, int] = {entry.key: int(entry.key[1]) for entry, text in same if entry.text in (None, text)}
    ids = [entry.key[1] for entry in latest.values() if entry.key[0] == "id"]
    return found | _by_id(rows, ids)


def _by_id(rows: Rows, ids: list[str | int]) -> dict[Key, int]:
    if not ids or rows.data.id is None:
        return {}
    wanted = {str(one): one for one in ids}
    names = pl.Series(list(wanted), dtype=pl.String)
    found: dict[Key, int] = {}
    start = 0
    for part in rows.key_parts():
        texts = part.cast(pl.String)
        for a in texts.is_in(names.implode()).arg_true():
            found["id", wanted[texts[a]]] = start + a
        start += len(part)
    return found


def _digests(rows: Rows, numbers: list[int]) -> list[str]:
    """One short word for what each row says."""
    if not numbers:
        return []
    text = rows.data.text
    table = rows.take(numbers, None if text is None else [text])
    return [hashlib.sha256(repr(line).encode("utf-8", "replace")).hexdigest()[:16] for line in table.iter_rows()]
