"""TomlFile: the values of shortlist.toml with their lines, and BadProject, the error that names such a line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from shortlist.errors import ShortlistError

Path_ = tuple[str | int, ...]
_TABLE = re.compile(r"\s*\[(\[)?\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""\s*(?:"([^"]+)"|'([^']+)'|([\w-]+))((?:\s*\.\s*[\w-]+)*)\s*=""")
_PYTHON_NOT = re.compile(r"""\bNot\(\s*((?:"[^"]*"|'[^']*')(?:\s*,\s*(?:"[^"]*"|'[^']*'))*)\s*\)""")
_PLACE = re.compile(r"^(.*?) \(at line (\d+), column (\d+)\)$", re.DOTALL)


class BadProject(ShortlistError, ValueError):  # noqa: N818  as in errors.py
    """A mistake in shortlist.toml or labelers.py.

    The place (`file`, `line`, `offset`) stands before the message.
    """

    def __str__(self) -> str:
        place = {"{}": self.file, "line {}": self.line, "column {}": self.offset}
        where = ", ".join(shown.format(value) for shown, value in place.items() if value)
        return f"{where}: {self.message}" if where else self.message


class NoLabelers(BadProject):
    """A project that has no labelers yet."""


class TomlFile:
    """Values of a TOML file, and the lines on which they are written."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        try:
            self.text = path.read_bytes().decode("utf-8-sig")
        except FileNotFoundError:
            raise BadProject(
                f"there is no {path.name} in {path.parent.resolve()}: `shortlist init DATA_FILE` writes one"
            ) from None
        except UnicodeDecodeError as error:
            raise BadProject(f"it is not in UTF-8 ({error.reason})", file=self.name) from error
        except OSError as error:
            raise BadProject(f"it cannot be read ({error.strerror})", file=self.name) from error
        try:
            self.values: dict[str, Any] = tomllib.loads(self.text.replace("\r\n", "\n"))
        except tomllib.TOMLDecodeError as error:
            raise self._syntax_error(error) from error

    def wrong(self, message: str, *path: str | int) -> BadProject:
        """Return the error about the value at a path such as ("data", "files")."""
        return BadProject(message, file=self.name, line=self.line(*path))

    def line(self, *path: str | int) -> int | None:
        """Line of a key, or of its table if the key is not written by itself."""
        places = self._places()
        for length in range(len(path), 0, -1):
            if path[:length] in places:
                return places[path[:length]]
        return None

    def _syntax_error(self, error: tomllib.TOMLDecodeError) -> BadProject:
        place = _PLACE.match(str(error))  # tomllib before Python 3.14 tells the place in its message only
        if place:
            hint = self._hint(int(place[2])) if place[1] == "Invalid value" else ""
            return BadProject(
                place[1].replace("Cannot overwrite a value", "this setting is written twice") + hint,
                file=self.name,
                line=int(place[2]),
                offset=int(place[3]),
            )
        what = str(error).replace(" (at end of document)", "")
        return BadProject(f"{what}, at the end of the file", file=self.name, line=self.text.count("\n") + 1)

    def _hint(self, line: int) -> str:
        """Hint for an invalid value."""
        python = _PYTHON_NOT.search(self.text.splitlines()[line - 1])
        if python is None:
            return " (texts stand between quotation marks)"
        several = "," in python[1]
        return f". In this file, Not({python[1]}) is written {{ not = {f'[{python[1]}]' if several else python[1]} }}"

    def _places(self) -> dict[Path_, int]:
        """Path → line, for tables and for keys written on a line of their own."""
        table: Path_ = ()
        places: dict[Path_, int] = {}
        count: dict[str, int] = {}
        for number, line in enumerate(self.text.splitlines(), start=1):
            header, key = _TABLE.match(line), _KEY.match(line)
            if header:
                name = tuple(part.strip().strip("\"'") for part in header[2].split("."))
                table = name
                if header[1]:
                    count[header[2]] = count.get(header[2], -1) + 1
                    table = (*name, count[header[2]])
                places.setdefault(table, number)
                places.setdefault(name, number)
            elif key:
                rest = [part.strip() for part in key[4].split(".")[1:]]
                places.setdefault((*table, key[1] or key[2] or key[3], *rest), number)
        return places
