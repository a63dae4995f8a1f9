"""TomlFile: shortlist.toml as values, the line on which each was written, and checks of single values."""

from __future__ import annotations

import codecs
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shortlist.project.mistake import BadProject

Check = Callable[[Any], Any]  # the value as it is used, or Wrong
Path_ = tuple[str | int, ...]
_TABLE = re.compile(r"\s*\[(\[)?\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""\s*(?:"([^"]+)"|'([^']+)'|([\w-]+))((?:\s*\.\s*[\w-]+)*)\s*=""")
_PLACE = re.compile(r"^(.*?) \(at line (\d+), column (\d+)\)$", re.DOTALL)


class TomlFile:
    """What a TOML file says, and where it says it."""

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
        """The error about what is written at a path such as ("data", "files")."""
        return BadProject(message, file=self.name, line=self.line(*path))

    def line(self, *path: str | int) -> int | None:
        """The line of a key (or of its table, where the key is not written by itself)."""
        places = self._places()
        for length in range(len(path), 0, -1):
            if path[:length] in places:
                return places[path[:length]]
        return None

    def _syntax_error(self, error: tomllib.TOMLDecodeError) -> BadProject:
        found = _PLACE.match(str(error))  # tomllib before Python 3.14 tells the place in its message only
        if found:
            hint = " (texts stand between quotation marks)" if found[1] == "Invalid value" else ""
            return BadProject(found[1] + hint, file=self.name, line=int(found[2]), offset=int(found[3]))
        what = str(error).replace(" (at end of document)", "")
        return BadProject(f"{what}, at the end of the file", file=self.name, line=self.text.count("\n") + 1)

    def _places(self) -> dict[Path_, int]:
        """Path → line, for tables and for keys written on a line of their own."""
        table: Path_ = ()
        places: dict[Path_, int] = {}
        seen: dict[str, int] = {}
        for number, line in enumerate(self.text.splitlines(), start=1):
            header, key = _TABLE.match(line), _KEY.match(line)
            if header:
                name = tuple(part.strip().strip("\"'") for part in header[2].split("."))
                table = name
                if header[1]:
                    seen[header[2]] = seen.get(header[2], -1) + 1
                    table = (*name, seen[header[2]])
                places.setdefault(table, number)
                places.setdefault(name, number)
            elif key:
                rest = [part.strip() for part in key[4].split(".")[1:]]
                places.setdefault((*table, key[1] or key[2] or key[3], *rest), number)
        return places


# -- checks of single values --------------------------------------------------------------------------------


class Wrong(Exception):  # noqa: N818
    """What a value should have been."""


def a_text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise Wrong("is a text between quotation marks")
    return value


def texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise Wrong('is a list of texts, such as ["one", "two"]')
    return tuple(value)


def whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise Wrong("is a whole number from 1")
    return value


def such(what: str, holds: Callable[[Any], bool]) -> Check:
    """A check that a value is as it should be."""

    def check(value: Any) -> Any:
        if not holds(value):
            raise Wrong(what)
        return value

    return check


def is_encoding(name: object) -> bool:
    """Whether Python knows an encoding of that name."""
    try:
        return isinstance(name, str) and bool(codecs.lookup(name))
    except LookupError:
        return False
