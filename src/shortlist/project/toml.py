"""TomlFile: shortlist.toml as values, and the line on which each was written."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from shortlist.project.mistake import BadProject

Path_ = tuple[str | int, ...]
_TABLE = re.compile(r"\s*\[(\[)?\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""\s*(?:"([^"]+)"|'([^']+)'|([\w-]+))((?:\s*\.\s*[\w-]+)*)\s*=""")
_PYTHON_NOT = re.compile(r"""\bNot\(\s*((?:"[^"]*"|'[^']*')(?:\s*,\s*(?:"[^"]*"|'[^']*'))*)\s*\)""")
_PLAINER = {"Cannot overwrite a value": "this setting is written twice"}
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
            hint = self._hint(int(found[2])) if found[1] == "Invalid value" else ""
            return BadProject(
                _PLAINER.get(found[1], found[1]) + hint, file=self.name, line=int(found[2]), offset=int(found[3])
            )
        what = str(error).replace(" (at end of document)", "")
        return BadProject(f"{what}, at the end of the file", file=self.name, line=self.text.count("\n") + 1)

    def _hint(self, line: int) -> str:
        """What to write instead of a value that is none."""
        python = _PYTHON_NOT.search(self.text.splitlines()[line - 1])
        if python is None:
            return " (texts stand between quotation marks)"
        several = "," in python[1]
        return f". In this file, Not({python[1]}) is written {{ not = {f'[{python[1]}]' if several else python[1]} }}"

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
