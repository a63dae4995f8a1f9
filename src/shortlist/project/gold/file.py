"""GoldFile: what people said about rows, one line of JSON each, the latest last.

    {"kind": "shortlist gold", "version": 1}
    {"id": "doc3", "classes": ["sports"]}
    {"id": "doc7", "classes": ["business", "politics"]}       one of these, the person did not know which
    {"id": "doc8", "classes": []}                             looked at, and skipped
    {"id": "doc9", "classes": ["sports"], "picked": "random"}

`picked` says how the row was chosen for labelling: "random", or "gain" where its label was expected to help most. A
score on rows of the second kind may be too low. Where it is not there, a person chose the row, or nobody knows.

Where no column holds ids, a row is named by its number and by a digest of its text: `{"row": 7, "text": "9f…", …}`. Of
several lines about one row, the last counts, so that undoing is taking the last line away.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from shortlist.errors import BadFile
from shortlist.project.kept.lock import locked

KIND, VERSION = "shortlist gold", 1
Key = tuple[str, str | int]  # ("id", the id) or ("row", the number)
Picked = Literal["gain", "random"]


@dataclass(frozen=True)
class Entry:
    """What somebody said about one row: one class, several of which one is meant, or none (skipped)."""

    key: Key
    classes: tuple[str, ...]
    text: str | None = None  # the digest of its text, where the key is a number
    picked: Picked | None = None  # how the row was chosen

    def to_dict(self) -> dict[str, Any]:
        known = {self.key[0]: self.key[1], "text": self.text, "classes": list(self.classes), "picked": self.picked}
        return {name: value for name, value in known.items() if value is not None}

    @classmethod
    def from_dict(cls, record: Any) -> Entry:
        name = "id" if "id" in record else "row"
        value, classes, picked = record[name], record["classes"], record.get("picked")
        if not isinstance(value, (str, int)) or not isinstance(classes, list):
            raise TypeError
        if picked not in (None, *get_args(Picked)):
            raise ValueError
        return cls((name, value), tuple(map(str, classes)), record.get("text"), picked)


class GoldFile:
    """The file, read again before every change, so that nothing that others wrote is lost."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def refuse_to_overwrite(self, path: Path) -> None:
        """Raise where what is to be written would take the place of labels made by hand."""
        if path.exists() and self.path.exists() and self.path.samefile(path):
            raise BadFile(f"{path} holds labels made by hand, which would be lost: write to another file")

    def entries(self) -> list[Entry]:
        """All lines, in the order in which they were written; none where there is no file."""
        try:
            lines = self.path.read_text("utf-8").splitlines()
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise BadFile(f"cannot be read ({error})", file=self.path.name) from error
        self._check_header(lines[0] if lines else "")
        return [self._entry(line, number) for number, line in enumerate(lines[1:], start=2) if line.strip()]

    def latest(self) -> dict[Key, Entry]:
        """What was said last about each row."""
        return {entry.key: entry for entry in self.entries()}

    def picked(self) -> dict[Key, Picked]:
        """How rows were chosen, where that is known; a later correction does not change it."""
        return {entry.key: entry.picked for entry in self.entries() if entry.picked is not None}

    def add(self, *entries: Entry) -> None:
        """Write down what was said, at once."""
        with self._changing() as held:
            held.extend(entries)

    def undo(self, entry: Entry | None = None) -> Entry | None:
        """Take back the last line, or the last one that says just this. What was taken back is returned."""
        with self._changing() as held:
            found = [i for i, one in enumerate(held) if entry is None or one == entry]
            return held.pop(found[-1]) if found else None

    @contextmanager
    def _changing(self) -> Iterator[list[Entry]]:
        """The entries, to be changed; they are written when that is done. Others wait meanwhile."""
        hidden = self.path.parent / ".shortlist"
        hidden.mkdir(exist_ok=True)
        with locked(hidden / "gold.lock", lambda _process: None):
            held = self.entries()
            before = list(held)
            yield held
            if held != before:
                self._write(held)

    def _write(self, entries: Iterable[Entry]) -> None:
        from shortlist.archive import atomic  # brings numpy in

        lines = [{"kind": KIND, "version": VERSION}, *(entry.to_dict() for entry in entries)]
        with atomic(self.path) as file:
            file.writelines(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)

    def _check_header(self, line: str) -> None:
        try:
            header = json.loads(line)
            kind, version = header["kind"], header["version"]
        except (ValueError, KeyError, TypeError):
            kind = version = None
        if kind != KIND or not isinstance(version, int):
            raise BadFile(
                "is no gold file: its first line is not "
                f'{{"kind": "{KIND}", "version": {VERSION}}}. Name another with gold_file = "…" under [data]',
                file=self.path.name,
            )
        if version > VERSION:
            raise BadFile(
                f"was written by a newer shortlist (version {version}): upgrade shortlist",
                file=self.path.name,
            )

    def _entry(self, line: str, number: int) -> Entry:
        try:
            return Entry.from_dict(json.loads(line))
        except (ValueError, KeyError, TypeError) as error:
            raise BadFile(
                f"holds something else than a label of a row on line {number}. A label is written like this: "
                '{"id": "doc3", "classes": ["sports"]}', file=self.path.name, line=number,
            ) from error  # fmt: skip
