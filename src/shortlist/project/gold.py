"""Gold: classes that people know, in a column of the data and in a file made by hand (docs/look-and-label.md).

    {"id": "doc7", "classes": ["business", "politics"], "picked": "random", "by": "anna"}     [] if it was skipped

Without a column of ids, a row is named by its number and a digest of its text. Of several lines by one person about one
row, the last counts; lines without `by` are those of one more person. If people differ, the class that most of them
named counts (`agreed`); a row with a tie is no gold row. `picked` is how the row was selected: "random", "gain" if its
label was expected to help most, or "differ" if people differed. With `people = "votes"` under [data], the file holds
votes, and no gold labels (`people.py`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, groupby, repeat
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from shortlist.analysis.agreement import Agreement
from shortlist.arrays import Positions
from shortlist.errors import BadFile, ShortlistError, UnknownClass
from shortlist.project.cache import HIDDEN, locked
from shortlist.project.parts import Part, PartReader
from shortlist.project.rows import Rows
from shortlist.wording import did_you_mean, listed, lone_surrogate

Key = tuple[str, str | int]  # ("id", the id) or ("row", the number)
Picked = Literal["differ", "gain", "random"]
HEADER = {"kind": "shortlist gold", "version": 2}
HEADERS = ({**HEADER, "version": 1}, HEADER)  # version 1 has no `by`
NOBODY = "unnamed"  # the person of lines without `by`
INTEGER = re.compile(r"(-?\d+)(\.0)?")
MISSING = {"", "n/a", "na", "nan", "null", "<na>", "#n/a", "-", "?"}  # as pandas and people write an empty cell


@dataclass(frozen=True)
class Entry:
    """Label of a row by a person: one class, several of which one is meant, or none (skipped)."""

    key: Key
    classes: tuple[str, ...]
    text: str | None = None  # the digest of its text, where the key is a number
    picked: Picked | None = None  # how the row was chosen
    by: str = ""  # the person; "" if nobody said

    def to_dict(self) -> dict[str, Any]:
        record = {self.key[0]: self.key[1], "text": self.text, "classes": list(self.classes), "picked": self.picked}
        record |= {"by": self.by or None}
        return {name: value for name, value in record.items() if value is not None}

    @classmethod
    def from_dict(cls, record: Any) -> Entry:
        name = "id" if "id" in record else "row"
        value, classes, picked, by = record[name], record["classes"], record.get("picked"), record.get("by", "")
        text, kinds = record.get("text"), (str, int) if name == "id" else int
        if not isinstance(value, kinds) or not isinstance(classes, list) or not isinstance(by, str):
            raise TypeError
        if picked not in (None, *get_args(Picked)) or not isinstance(text, str | None):
            raise ValueError
        key = (name, str(value) if name == "id" else int(value))
        return cls(key, tuple(map(str, classes)), text, picked, checked_name(by))


def checked_name(name: str, longest: int = 60) -> str:
    """Return the name of a person without blanks around it; raise if it cannot be shown in one line."""
    name = name.strip()
    if not name.isprintable() or len(name) > longest or name == NOBODY:
        raise ShortlistError(
            f"a name has at most {longest} characters, all in one line, and is not {NOBODY!r}; got {name[:80]!r}"
        )
    return name


def agreed(entries: Iterable[Entry]) -> tuple[str, ...]:
    """The class that most people named, or all classes of a tie; nothing if everybody skipped the row."""
    counts = Counter(name for entry in entries for name in dict.fromkeys(entry.classes))
    return tuple(name for name, n in counts.items() if n == max(counts.values()))


class GoldFile:
    """The file, read again before every change, so that nothing that others wrote is lost."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def refuse_to_overwrite(self, path: Path) -> None:
        """Raise if an output would replace labels made by hand."""
        if path.resolve() == self.path.resolve():
            raise BadFile(f"{path} is the file of labels made by hand: write to another file")

    def entries(self) -> list[Entry]:
        """All lines, in the order in which they were written; none without a file."""
        if not self.path.exists():
            return []
        try:
            lines = self.path.read_text("utf-8").split("\n")  # not at other signs that end lines, which ids may hold
        except (OSError, UnicodeDecodeError) as error:
            raise BadFile(f"cannot be read ({error})", file=self.path.name) from error
        try:
            header = json.loads(lines[0])
        except (LookupError, ValueError, RecursionError):
            header = None
        if header not in HEADERS:
            raise BadFile(
                f"is no gold file: its first line is not {json.dumps(HEADER)}. "
                'Name another with gold_file = "…" under [data]', file=self.path.name,
            )  # fmt: skip
        return [self._entry(line, number) for number, line in enumerate(lines[1:], start=2) if line.strip()]

    def by_row(self) -> dict[Key, dict[str, Entry]]:
        """The last entry of each person about each row; the row of the last line comes last."""
        entries: dict[Key, dict[str, Entry]] = {}
        for entry in self.entries():
            entries[entry.key] = entries.pop(entry.key, {}) | {entry.by: entry}
        return entries

    def picked(self) -> dict[Key, Picked]:
        """Selection method of rows, if known: that of the first label, so others and corrections do not change it."""
        first = {entry.key: entry.picked for entry in reversed(self.entries())}
        return {key: picked for key, picked in first.items() if picked is not None}

    def add(self, *entries: Entry) -> None:
        with self._changing() as held:
            held.extend(entries)

    def undo(self, entry: Entry | None = None) -> Entry | None:
        """Remove and return the last entry, or the last one that equals `entry`."""
        with self._changing() as held:
            places = [i for i, one in enumerate(held) if entry is None or one == entry]
            return held.pop(places[-1]) if places else None

    @contextmanager
    def _changing(self) -> Iterator[list[Entry]]:
        """The entries, to be changed; they are written at the end. Other processes wait meanwhile."""
        hidden = self.path.parent / HIDDEN
        hidden.mkdir(exist_ok=True)
        with locked(hidden / "gold.lock", lambda _process: None):
            source = self._bytes()
            held = self.entries()
            before = list(held)
            yield held
            if held != before:
                from shortlist.archive import atomic  # brings numpy in

                lines = [HEADER, *(entry.to_dict() for entry in held)]
                with atomic(self.path) as file:
                    file.writelines(_json_line(line) for line in lines)
                    if self._bytes() != source:  # an editor does not wait for the lock
                        raise BadFile("is being written by another program: nothing was saved", file=self.path.name)

    def _bytes(self) -> bytes | None:
        return self.path.read_bytes() if self.path.is_file() else None

    def _entry(self, line: str, number: int) -> Entry:
        try:
            return Entry.from_dict(json.loads(line))
        except (ValueError, KeyError, TypeError, RecursionError, ShortlistError) as error:
            raise BadFile(
                f"holds something else than a label of a row on line {number}. A label is written like this: "
                '{"id": "doc3", "classes": ["sports"]}', file=self.path.name, line=number,
            ) from error  # fmt: skip


def _json_line(record: dict[str, Any]) -> bytes:
    try:
        return json.dumps(record, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:  # half of a character, as damaged texts have
        return json.dumps(record).encode() + b"\n"


def as_classes(column: pl.Series, classes: Sequence[str]) -> pl.Series:
    """The column as text, null for an empty cell. A value that is no class stays as it is written.

    Unless it is a class itself, a value is read as the class that differs from it by blanks around it or by case only;
    n/a and the like as an empty cell; and 1.0 as 1, as pandas writes it if a value of the column is missing.
    """
    words = column.cast(pl.String).replace({"": None})
    by_key = {name.strip().casefold(): name for name in reversed(classes)}
    unknown = [word for word in words.unique().drop_nulls() if word not in classes]
    meant = {word: by_key[_key(word)] for word in unknown if _key(word) in by_key}
    empty = {word: None for word in unknown if word not in meant and _key(word) in MISSING}
    return words.replace(meant | empty) if meant or empty else words


def classes_in(column: pl.Series) -> list[str]:
    """The classes in a column, in alphabetical order. If all are integers, none is written with .0."""
    counts = column.cast(pl.String).drop_nulls().value_counts(sort=True)
    # of several spellings of a class, the most frequent one is kept
    words = {_key(word): word.strip() for word in reversed(counts[column.name].to_list()) if _key(word) not in MISSING}
    return sorted(words if all(map(INTEGER.fullmatch, words)) else words.values())


def _key(word: str) -> str:
    """A word without blanks around it and in lower case, an integer without its .0: equal ones mean the same class."""
    match = INTEGER.fullmatch(word)
    return match[1] if match else word.strip().casefold()


def class_positions(labels: pl.Series, classes: Sequence[str], start: int) -> Positions:
    """Positions of known classes, −1 for none. Raise UnknownClass for another word; the first label is row `start`."""
    words = as_classes(labels, classes)
    unknown = (words.is_not_null() & ~words.is_in(list(classes))).arg_true()
    if len(unknown):
        row, word = start + unknown[0], words[unknown[0]]
        raise UnknownClass(
            f"column {words.name!r} holds the known classes, but {word!r} on row {row} is not a class."
            f"{did_you_mean(word, classes)} Classes: {listed(classes)}", word=word, row=row, column=words.name,
        )  # fmt: skip
    positions = words.replace_strict(list(classes), range(len(classes)), default=-1, return_dtype=pl.Int64)
    return positions.fill_null(-1).to_numpy().astype(np.int64)


@dataclass(frozen=True)
class GoldReader:
    """Finds the known classes of parts. It is sent to workers; `by_row` are the labels of the gold file."""

    reader: PartReader | Rows
    column: str | None
    classes: tuple[str, ...]
    by_row: Mapping[int, int]

    def positions(self, parts: Sequence[Part]) -> Iterator[Positions | None]:
        """For each part the positions of known classes, −1 if unknown; None if none is known."""
        for f, group in groupby(parts, key=lambda part: part.file):
            here = list(group)
            there = self.column is not None and self.column in self.reader.open(f).schema
            frames = self.reader.frames(here, [str(self.column)]) if there else repeat(None)
            for part, frame in zip(here, frames, strict=False):
                column = None if frame is None else class_positions(frame.to_series(), self.classes, part.start)
                yield _with_file(column, part, self.by_row)


def gold_by_part(rows: Rows, classes: tuple[str, ...], by_row: Mapping[int, int]) -> Iterator[Positions | None]:
    """Known classes of all parts, of rows that may be in memory."""
    with class_errors(rows):
        yield from GoldReader(rows, rows.data.gold, classes, by_row).positions(rows.parts)


@contextmanager
def class_errors(rows: Rows) -> Iterator[None]:
    """Add the line of shortlist.toml, and the id of the row, to an error about the column."""
    try:
        yield
    except UnknownClass as error:
        key, row = rows.data.id, error.row
        of_row = "" if key is None or row is None else f" The id of the row: {rows.take([row], [key])[key][0]}"
        raise rows.toml.wrong(f"{error.message}{of_row}", "data", "gold") from error


def _with_file(column: Positions | None, part: Part, by_row: Mapping[int, int]) -> Positions | None:
    here = {row - part.start: j for row, j in by_row.items() if part.start <= row < part.start + part.rows}
    if not here:
        return column
    merged = np.full(part.rows, -1, np.int64) if column is None else column.copy()
    merged[list(here)] = list(here.values())
    return merged


@dataclass(frozen=True)
class Known:
    """The known classes of all rows, in memory.

    names        the names of the classes
    positions    (m,) the class of each row, −1 if it is not known
    shortlists   rows for which a person named several classes, of which one is meant, or people differ
    skipped      rows that people looked at and skipped
    people       row → person → the last entry; the row that was labelled last comes last
    are_votes    the labels of people are votes, so that only the column counts
    """

    names: tuple[str, ...]
    positions: Positions
    shortlists: dict[int, tuple[str, ...]] = field(default_factory=dict)
    skipped: frozenset[int] = frozenset()
    people: dict[int, dict[str, Entry]] = field(default_factory=dict)
    are_votes: bool = False

    @classmethod
    def read(cls, rows: Rows, file: GoldFile, names: tuple[str, ...]) -> Known:
        """The column, and over it the file."""
        people = file_entries(rows, file, names)
        labels = _labels(rows, people)
        parts = zip(gold_by_part(rows, names, label_positions(labels, names)), rows.parts, strict=True)
        positions = [np.full(part.rows, -1, np.int64) if column is None else column for column, part in parts]
        return cls(
            names,
            np.concatenate(positions) if positions else np.zeros(0, np.int64),
            {row: classes for row, classes in labels.items() if len(classes) > 1},
            frozenset(row for row, classes in labels.items() if not classes),
            people,
            rows.data.people == "votes",
        )

    @property
    def any(self) -> bool:
        """Some row has a known class."""
        return bool((self.positions >= 0).any())

    @cached_property
    def classes(self) -> list[str | None] | None:
        """The class of each row, None if it is not known; None if no row has any."""
        return [self.names[j] if j >= 0 else None for j in self.positions.tolist()] if self.any else None

    def with_label(self, row: int, entry: Entry) -> Known:
        """Copy after a person labelled one row, equal to what `read` would read from the gold file."""
        people = self.people.get(row, {}) | {entry.by: entry}
        others = {a: entries for a, entries in self.people.items() if a != row} | {row: people}
        if self.are_votes:
            return replace(self, people=others)
        positions, classes = self.positions.copy(), agreed(people.values())
        if classes:
            positions[row] = self.names.index(classes[0]) if len(classes) == 1 else -1
        shortlists = {a: names for a, names in self.shortlists.items() if a != row}
        shortlists |= {row: classes} if len(classes) > 1 else {}
        skipped = self.skipped - {row} if classes else self.skipped | {row}
        return replace(self, positions=positions, shortlists=shortlists, skipped=skipped, people=others)

    @property
    def touched(self) -> set[int]:
        """Rows that need not be asked about again."""
        return {*self.people, *np.flatnonzero(self.positions >= 0).tolist()}

    def seen_by(self, person: str) -> set[int]:
        """Rows that this person labelled or skipped, and those of the gold column."""
        column = set(np.flatnonzero(self.positions >= 0).tolist()) - set(self.people)
        return column | {row for row, entries in self.people.items() if person in entries}

    @cached_property
    def differing(self) -> list[int]:
        """Rows on which people differ, by the time of their last label."""
        return differing(self.people)


def differing(people: Mapping[int, Mapping[str, Entry]]) -> list[int]:
    """Rows for which two people named no class in common."""
    said = {row: [set(entry.classes) for entry in entries.values() if entry.classes] for row, entries in people.items()}
    return [row for row, sets in said.items() if any(one.isdisjoint(other) for one, other in combinations(sets, 2))]


def agreement(people: Mapping[int, Mapping[str, Entry]], classes: Sequence[str]) -> Agreement | None:
    """Agreement of people, by rows for which two or more of them named one class each; None without any."""
    place = {name: j for j, name in enumerate(classes)}
    names = sorted({by for entries in people.values() for by in entries})
    labels = np.full((len(people), len(names)), -1, np.int64)
    for a, entries in enumerate(people.values()):
        for i, by in enumerate(names):
            if by in entries and len(entries[by].classes) == 1:
                labels[a, i] = place[entries[by].classes[0]]
    return Agreement.of(labels, [by or NOBODY for by in names]) if len(names) > 1 else None


def file_entries(rows: Rows, file: GoldFile, classes: Sequence[str]) -> dict[int, dict[str, Entry]]:
    """Row → person → the last entry in the gold file."""
    people = file.by_row()
    for entry in (one for entries in people.values() for one in entries.values()):
        for word in entry.classes:
            if word not in classes:
                raise UnknownClass(
                    f"{file.path.name}: {word!r}, said about {entry.key[0]} {entry.key[1]!r}, is not a class."
                    f"{did_you_mean(word, classes)} Classes: {listed(classes)}", word=word, file=file.path.name,
                )  # fmt: skip
    numbers = _row_numbers(rows, people)
    return {numbers[key]: entries for key, entries in people.items() if key in numbers}


def file_labels(rows: Rows, file: GoldFile, classes: Sequence[str]) -> dict[int, tuple[str, ...]]:
    """Row → its classes in the gold file; none if the labels of people are votes."""
    return _labels(rows, file_entries(rows, file, classes))


def _labels(rows: Rows, people: Mapping[int, Mapping[str, Entry]]) -> dict[int, tuple[str, ...]]:
    return {row: agreed(entries.values()) for row, entries in people.items()} if rows.data.people == "gold" else {}


def label_positions(labels: Mapping[int, tuple[str, ...]], classes: Sequence[str]) -> dict[int, int]:
    """Row → position of its class, −1 if several were named. Skipped rows are left out."""
    place = {name: j for j, name in enumerate(classes)}
    return {row: place[names[0]] if len(names) == 1 else -1 for row, names in labels.items() if names}


def picked_rows(rows: Rows, file: GoldFile) -> dict[int, Picked]:
    """Row → how it was selected for labelling, for rows of the gold file of which that is known."""
    picked, people = file.picked() if rows.data.people == "gold" else {}, file.by_row()
    where = _row_numbers(rows, {key: people[key] for key in picked})
    return {row: picked[key] for key, row in where.items()}


def split_mix(rows: Positions) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """SplitMix64 of each row number: rows that are added do not change the order of the others."""
    mixed = (rows.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def lost_labels(rows: Rows, file: GoldFile) -> list[Entry]:
    """Labels of the gold file that belong to no row: no row has that id, or that number and that text."""
    people = file.by_row()
    there = _row_numbers(rows, people)
    lost = [entry for key, entries in people.items() if key not in there for entry in entries.values()]
    return [entry for entry in lost if entry.classes]


def entry_for(rows: Rows, row: int, classes: Sequence[str], picked: Picked | None = None, by: str = "") -> Entry:
    """The line of the gold file for a label of a row."""
    if rows.data.id is not None:
        name = rows.take([row], [rows.data.id])[rows.data.id][0]
        return Entry(("id", str(name)), tuple(classes), None, picked, by)
    return Entry(("row", row), tuple(classes), _text_digests(rows, [row])[0], picked, by)


def _row_numbers(rows: Rows, people: Mapping[Key, Mapping[str, Entry]]) -> dict[Key, int]:
    """Key → the number of its row, for rows that are there."""
    if not people:
        return {}
    by_number = {key: int(key[1]) for key in people if key[0] == "row" and 0 <= int(key[1]) < len(rows)}
    digests = zip(by_number.items(), _text_digests(rows, list(by_number.values())), strict=True)
    texts = {key: {entry.text for entry in people[key].values()} for key in by_number}
    numbers: dict[Key, int] = {key: row for (key, row), text in digests if texts[key] & {None, text}}
    ids = {str(key[1]): key for key in people if key[0] == "id" and lone_surrogate([str(key[1])]) is None}
    if ids and rows.data.id is not None:
        names = pl.Series(list(ids), dtype=pl.String)
        start = 0
        for part in rows.key_parts():
            words = part.cast(pl.String)
            numbers |= {ids[words[a]]: start + a for a in words.is_in(names.implode()).arg_true()}
            start += len(part)
    return numbers


def _text_digests(rows: Rows, numbers: list[int]) -> list[str]:
    if not numbers:
        return []
    text = rows.data.text
    table = rows.take(numbers, None if text is None else [text])
    return [digest_of(line) for line in table.iter_rows()]


def digest_of(line: tuple[Any, ...]) -> str:
    """Hash of the cells of a row."""
    return hashlib.sha256(repr(line).encode("utf-8", "replace")).hexdigest()[:16]
