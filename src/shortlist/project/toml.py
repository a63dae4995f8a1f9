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


def read_text(path: Path, if_missing: str = "") -> str:
    """Text of a file of the project."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise BadProject(f"there is no {path.name} in {path.parent.resolve()}{if_missing}") from None
    except UnicodeDecodeError as error:
        raise BadProject(f"it is not in UTF-8 ({error.reason})", file=path.name) from error
    except OSError as error:
        raise BadProject(f"it cannot be read ({error.strerror})", file=path.name) from error


class TomlFile:
    """Values of a TOML file, and the lines on which they are written."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.text = read_text(path, ": `shortlist init DATA_FILE` writes one")
        try:
            self.values: dict[str, Any] = tomllib.loads(self.text.replace("\r\n", "\n"))
        except tomllib.TOMLDecodeError as error:
            raise self._syntax_error(error) from error
        except RecursionError as error:
            raise BadProject("its lists are nested too deeply", file=self.name) from error

    def wrong(self, message: str, *path: str | int) -> BadProject:
        """Return the error about the value at a path such as ("data", "files")."""
        return BadProject(message, file=self.name, line=self.line(*path))

    def line(self, *path: str | int) -> int | None:
        """Line of a key, or of its table if the key is not written by itself."""
        places = self._places()
        prefixes = (path[:length] for length in range(len(path), 0, -1))
        return next((places[one] for one in prefixes if one in places), None)

    def _syntax_error(self, error: tomllib.TOMLDecodeError) -> BadProject:
        # tomllib before Python 3.14 tells the place in its message only
        place = re.match(r"^(.*?) \(at line (\d+), column (\d+)\)$", str(error), re.DOTALL)
        if not place:
            what = str(error).replace(" (at end of document)", "")
            return BadProject(f"{what}, at the end of the file", file=self.name, line=self.text.count("\n") + 1)
        message, line = place[1].replace("Cannot overwrite a value", "this setting is written twice"), int(place[2])
        hint = self._hint(line) if message == "Invalid value" else ""
        return BadProject(message + hint, file=self.name, line=line, offset=int(place[3]))

    def _hint(self, line: int) -> str:
        python = _PYTHON_NOT.search(self.text.splitlines()[line - 1])
        if python is None:
            return " (texts stand between quotation marks)"
        names = f"[{python[1]}]" if "," in python[1] else python[1]
        return f". In this file, Not({python[1]}) is written {{ not = {names} }}"

    def _places(self) -> dict[Path_, int]:
        """Path → line, for tables and for keys written on a line of their own."""
        table: Path_ = ()
        places: dict[Path_, int] = {}
        count: dict[str, int] = {}
        for number, line in enumerate(self.text.splitlines(), start=1):
            header, key = _TABLE.match(line), _KEY.match(line)
            if header:
                name = table = tuple(part.strip().strip("\"'") for part in header[2].split("."))
                if header[1]:
                    count[header[2]] = count.get(header[2], -1) + 1
                    table = (*name, count[header[2]])
                places.setdefault(table, number)
                places.setdefault(name, number)
            elif key:
                rest = [part.strip() for part in key[4].split(".")[1:]]
                places.setdefault((*table, key[1] or key[2] or key[3], *rest), number)
        return places
