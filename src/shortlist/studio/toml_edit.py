"""Edit shortlist.toml and keep its comments, order and layout.

The text is split into statements: a header, or a key with its value, on one line or several. An edit replaces some of
them. The new text is parsed and compared with what was meant before it is written.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shortlist.archive import atomic
from shortlist.errors import ShortlistError
from shortlist.project.toml import BadProject
from shortlist.wording import did_you_mean


@dataclass(frozen=True)
class Statement:
    """Lines [start, end) of the file, the table they belong to (name and number), and the key they set."""

    start: int
    end: int
    table: tuple[str, int]
    key: str | None  # None: the header of the table


class TomlEdit:
    """The text of the file, to be changed and then written back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        text = path.read_bytes().decode("utf-8")
        self.text = text.removeprefix("\ufeff")
        self._mark = text[: len(text) - len(self.text)]  # some editors write a byte order mark
        try:
            self.labelers()
        except tomllib.TOMLDecodeError as error:
            raise BadProject(f"fix it in an editor first: {error}", file=path.name) from error

    def write(self) -> None:
        with atomic(self.path) as file:
            file.write((self._mark + self.text).encode())

    @property
    def values(self) -> dict[str, Any]:
        return tomllib.loads("\n".join(self._lines()))

    def labelers(self) -> list[dict[str, Any]]:
        """The records of all [[labeler]] tables."""
        records: list[dict[str, Any]] = self.values.get("labeler", [])
        return records

    # -- labelers --------------------------------------------------------------------------------------

    def put(self, record: Mapping[str, Any], replaces: str | None = None) -> None:
        """Write a labeler in place of the one of that name, or at the end of the file."""
        if replaces is None:
            lines = self._lines()
            while lines and not lines[-1].strip():
                lines.pop()
            written = ["", "[[labeler]]", *(line for key, value in record.items() for line in pair(key, value))]
            wanted = [*self.labelers(), dict(record)]
            self._replace([*lines, *written, ""], wanted)
            return
        number = self._number(replaces)
        wanted = self.labelers()
        self._rewrite(("labeler", number), wanted[number], record)
        wanted[number] = dict(record)
        self._check(wanted)

    def remove(self, name: str) -> None:
        """Remove a labeler, from its header to its last setting. Comments stay."""
        number = self._number(name)
        wanted = [record for place, record in enumerate(self.labelers()) if place != number]
        own = [one for one in self._statements() if one.table == ("labeler", number)]
        lines = self._lines()
        self._replace([*lines[: own[0].start], *lines[own[-1].end :]], wanted)

    def _number(self, name: str) -> int:
        names = [str(record.get("name")) for record in self.labelers()]
        if name not in names:
            hint = did_you_mean(name, names)
            raise ShortlistError(f"{self.path.name} has no labeler {name!r}.{hint}", labeler=name)
        return names.index(name)

    def _rewrite(self, table: tuple[str, int], before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """Change the settings of a table that differ."""
        lines = self._lines()
        own = [one for one in self._statements() if one.table == table]
        end = own[-1].end if own else len(lines)
        lines[end:end] = [line for key in after if key not in before for line in pair(key, after[key])]
        for one in reversed(own):
            key = one.key
            if key is not None and key not in after:
                del lines[one.start : one.end]
            elif key is not None and after[key] != before[key]:
                comment = _comment(lines[one.start]) if one.end == one.start + 1 else ""
                written = pair(key, after[key])
                lines[one.start : one.end] = [*written[:-1], written[-1] + comment]
        self.text = self._joined(lines)

    # -- settings --------------------------------------------------------------------------------------

    def set(self, table: str, key: str, value: Any) -> None:
        """Write one setting of a table, which is added if missing. None removes the setting."""
        before, wanted = self.values.get(table, {}), self.labelers()
        after = {name: one for name, one in {**before, key: value}.items() if one is not None}
        if before == after:
            return
        if not any(one.table == (table, 0) for one in self._statements()):
            self._new_table(table)
        self._rewrite((table, 0), before, after)
        self._check(wanted, {table: after})

    def _new_table(self, name: str) -> None:
        """Add a header before the first labeler and the comment above it, or at the end."""
        lines = self._lines()
        at = next((one.start for one in self._statements() if one.table[0] == "labeler"), len(lines))
        while 0 < at < len(lines) and lines[at - 1].lstrip().startswith("#"):
            at -= 1
        gap = [""] if at and lines[at - 1].strip() else []
        lines[at:at] = [*gap, f"[{name}]", ""]
        self.text = self._joined(lines)

    # -- text ------------------------------------------------------------------------------------------

    def _lines(self) -> list[str]:
        return self.text.replace("\r\n", "\n").split("\n")

    def _joined(self, lines: list[str]) -> str:
        return ("\r\n" if "\r\n" in self.text else "\n").join(lines)

    def _replace(self, lines: list[str], wanted: list[dict[str, Any]]) -> None:
        self.text = self._joined(lines)
        self._check(wanted)

    def _statements(self) -> list[Statement]:
        """Split the text."""
        lines, statements, place = self._lines(), [], 0
        table, seen = ("", 0), {"labeler": -1}
        while place < len(lines):
            line = lines[place]
            if header := re.match(r"\s*(\[\[?)\s*([A-Za-z0-9_-]+)\s*\]\]?\s*(#.*)?$", line):
                many = len(header[1]) == 2
                seen[header[2]] = seen.get(header[2], -1) + 1 if many else 0
                table, end, key = (header[2], seen[header[2]]), place + 1, None
            elif not line.strip() or line.lstrip().startswith("#"):
                place += 1
                continue
            elif line.lstrip().startswith("["):
                table, end, key = (line.strip(), 0), place + 1, None
            else:
                end, key = _pair_end(lines, place)
            statements.append(Statement(place, end, table, key))
            place = end
        return statements

    def _check(self, labelers: list[dict[str, Any]], settings: Mapping[str, Any] | None = None) -> None:
        """Raise if the new text does not parse to what was meant."""
        try:
            now = self.values
        except tomllib.TOMLDecodeError:
            now = {}
        same = all(now.get(table, {}) == values for table, values in (settings or {}).items())
        if now.get("labeler", []) != labelers or not same:
            raise BadProject(
                "its layout cannot be edited here (only [tables] and [[labeler]] tables can): change it in an editor",
                file=self.path.name,
            )  # fmt: skip


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


def _pair_end(lines: list[str], start: int) -> tuple[int, str | None]:
    """The line after a key and its value, and the key."""
    for end in range(start + 1, len(lines) + 1):
        try:
            return end, next(iter(tomllib.loads("\n".join(lines[start:end]))))
        except tomllib.TOMLDecodeError:
            continue
    return start + 1, None


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
