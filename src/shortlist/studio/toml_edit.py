"""Edit shortlist.toml and keep its comments, order and layout.

The text is split into statements: a header, or a key with its value, on one line or several. An edit replaces some of
them. The new text is parsed and compared with what was meant before it is accepted. A file that another program is
writing at the same moment may be empty, or cut: it is never taken for the project.
"""

from __future__ import annotations

import json
import os
import re
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from shortlist.archive import atomic
from shortlist.errors import ShortlistError
from shortlist.project.cache import HIDDEN
from shortlist.project.settings import NAME, Settings
from shortlist.project.toml import BadProject
from shortlist.wording import did_you_mean

Record = Mapping[str, Any]
BEFORE = f"{NAME}.before"  # in .shortlist: the file as it was before the last edit


@contextmanager
def edited_project(folder: Path, seen: str) -> Iterator[TomlEdit]:
    """Edit the shortlist.toml of a project. `seen` is its text when the project was last loaded, which is kept.

    A text that is another by now must be that of a whole project, and nobody may be writing it.
    """
    edit = TomlEdit(folder / NAME)
    if edit.source.decode().removeprefix("\ufeff") != seen:
        time.sleep(0.1)  # editors empty a file before they write it
        edit.check_unchanged()
        try:
            Settings.read(folder)
        except BadProject as error:
            raise BadProject(f"{error} (nothing was saved: it was changed elsewhere)") from error
    yield edit
    (folder / HIDDEN).mkdir(exist_ok=True)
    with atomic(folder / HIDDEN / BEFORE) as file:
        file.write(seen.encode())
    edit.write()


class TomlEdit:
    """The lines of the file, to be changed and then written back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.source = path.read_bytes()
        try:
            text = self.source.decode("utf-8")
            self._mark = "\ufeff" if text.startswith("\ufeff") else ""  # some editors write a byte order mark
            self._newline = "\r\n" if "\r\n" in text else "\n"
            self.lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
            self.labelers()
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise BadProject(f"fix it in an editor first: {error}", file=path.name) from error

    @property
    def text(self) -> str:
        return self._newline.join(self.lines)

    @property
    def values(self) -> dict[str, Any]:
        return tomllib.loads("\n".join(self.lines))

    def labelers(self) -> list[dict[str, Any]]:
        """The records of all [[labeler]] tables."""
        records: list[dict[str, Any]] = self.values.get("labeler", [])
        return records

    def write(self) -> None:
        with atomic(self.path) as file:
            file.write((self._mark + self.text).encode())
            file.flush()
            os.fsync(file.fileno())
            self.check_unchanged()  # at the last moment

    def check_unchanged(self) -> None:
        """Raise if the file is no longer as it was read."""
        if self.path.read_bytes() != self.source:
            raise BadProject("another program is writing it: nothing was saved, try again", file=self.path.name)

    def put(self, record: Record, replaces: str | None = None) -> None:
        """Write a labeler in place of the one of that name, or at the end of the file."""
        records = self.labelers()
        if replaces is None:
            written = [line for key, value in record.items() for line in pair(key, value)]
            lines = ["\n".join(self.lines).rstrip(), "", "[[labeler]]", *written, ""]
            self._accept("\n".join(lines).split("\n"), "labeler", [*records, dict(record)])
        else:
            number = self._number(replaces)
            lines = _rewritten(self.lines, ("labeler", number), records[number], record)
            self._accept(lines, "labeler", [*records[:number], dict(record), *records[number + 1 :]])

    def remove(self, name: str) -> None:
        """Remove a labeler, from its header to its last setting. Comments stay."""
        records, number = self.labelers(), self._number(name)
        own = [one for one in _statements(self.lines) if one.table == ("labeler", number)]
        rest = records[:number] + records[number + 1 :]
        self._accept([*self.lines[: own[0].start], *self.lines[own[-1].end :]], "labeler", rest)

    def set(self, table: str, key: str, value: Any) -> None:
        """Write one setting of a table, which is added if missing. None removes the setting."""
        before = self.values.get(table, {})
        after = {name: one for name, one in {**before, key: value}.items() if one is not None}
        if before != after:
            lines = self.lines
            if not any(one.table == (table, 0) for one in _statements(lines)):
                lines = _with_table(lines, table)
            self._accept(_rewritten(lines, (table, 0), before, after), table, after)

    def _number(self, name: str) -> int:
        names = [str(record.get("name")) for record in self.labelers()]
        if name not in names:
            raise ShortlistError(f"{self.path.name} has no labeler {name!r}.{did_you_mean(name, names)}", labeler=name)
        return names.index(name)

    def _accept(self, lines: list[str], key: str, value: Any) -> None:
        """Take the new lines, if they differ from the old ones in the value of one top-level key and nothing else."""
        meant = {**self.values, key: value}
        if value == []:
            del meant[key]
        try:
            if tomllib.loads("\n".join(lines)) == meant:
                self.lines = lines
                return
        except tomllib.TOMLDecodeError:
            pass
        raise BadProject(
            "its layout cannot be edited here (only [tables] and [[labeler]] tables can): change it in an editor",
            file=self.path.name,
        )


class Statement(NamedTuple):
    """Lines [start, end), the table they belong to (name and number), and the key they set, None for a header."""

    start: int
    end: int
    table: tuple[str, int]
    key: str | None


def _statements(lines: list[str]) -> Iterator[Statement]:
    """Split the text."""
    place, table, counts = 0, ("", 0), dict[str, int]()
    while place < len(lines):
        line, start = lines[place].strip(), place
        place += 1
        if not line or line.startswith("#"):
            continue
        key = None
        if header := re.fullmatch(r"(\[\[?)\s*([A-Za-z0-9_-]+)\s*\]\]?\s*(#.*)?", line):
            name, many = header[2], len(header[1]) == 2
            counts[name] = counts.get(name, -1) + 1 if many else 0
            table = (name, counts[name])
        elif line.startswith("["):
            table = (line, 0)
        else:
            place, key = _pair_end(lines, start)
        yield Statement(start, place, table, key)


def _pair_end(lines: list[str], start: int) -> tuple[int, str | None]:
    """The line after a key and its value, and the key."""
    for end in range(start + 1, len(lines) + 1):
        try:
            return end, next(iter(tomllib.loads("\n".join(lines[start:end]))))
        except tomllib.TOMLDecodeError:
            continue
    return start + 1, None


def _rewritten(lines: list[str], table: tuple[str, int], before: Record, after: Record) -> list[str]:
    """Change the settings of a table that differ."""
    lines = list(lines)
    own = [one for one in _statements(lines) if one.table == table]
    end = own[-1].end if own else len(lines)
    lines[end:end] = [line for key in after if key not in before for line in pair(key, after[key])]
    for start, end, _, key in reversed(own):
        if key is not None and key not in after:
            del lines[start:end]
        elif key is not None and after[key] != before[key]:
            comment = _comment(lines[start]) if end == start + 1 else ""
            *first, last = pair(key, after[key])
            lines[start:end] = [*first, last + comment]
    return lines


def _with_table(lines: list[str], name: str) -> list[str]:
    """Add a header before the first labeler and the comment above it, or at the end."""
    at = next((one.start for one in _statements(lines) if one.table[0] == "labeler"), len(lines))
    while 0 < at < len(lines) and lines[at - 1].lstrip().startswith("#"):
        at -= 1
    gap = [""] if at and lines[at - 1].strip() else []
    return [*lines[:at], *gap, f"[{name}]", "", *lines[at:]]


def pair(key: str, value: Any) -> list[str]:
    """The lines that set a key to a value; long lists take several."""
    written = f"{_key(key)} = {_value(value)}"
    if not isinstance(value, list) or len(written) <= 110:
        return [written]
    return [f"{_key(key)} = [", *(f"    {_value(one)}," for one in value), "]"]


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(name)} = {_value(one)}" for name, one in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str) and "\\" in value and not re.search(r"['\x00-\x1f\x7f]", value):
        return f"'{value}'"  # a regular expression is easier to read without doubled backslashes
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # otherwise, strings are written as in JSON


def _comment(line: str) -> str:
    """The comment at the end of a line that sets a value, with the space before it."""
    value, comment = tomllib.loads(line), ""
    for mark in reversed(list(re.finditer(r"\s*#", line))):  # from the right, until the value would be cut
        try:
            if tomllib.loads(line[: mark.start()]) != value:
                break
        except tomllib.TOMLDecodeError:
            break
        comment = line[mark.start() :]
    return comment
