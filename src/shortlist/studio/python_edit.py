"""PythonEdit: one call of keywords() or pattern() in labelers.py, read as a record and written back.

Nothing is run. A call is read only if it is made of constants, lists, sets and `Not`; an edit replaces the text of this
call, and is refused if anything else in the file would mean something else, or a comment would be lost.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from shortlist.archive import atomic
from shortlist.errors import ShortlistError
from shortlist.labelers.labeler import from_record
from shortlist.project.toml import read_text
from shortlist.wording import listed

POSITIONAL = {"keywords": ("words", "says", "no"), "pattern": ("regex", "yes", "no")}
USUAL = {"whole_words": True}  # options that need not be written; ignore_case depends on the kind


class PythonEdit:
    """The text of labelers.py, and the calls in it that make rules."""

    def __init__(self, path: Path) -> None:
        self.path, self.source = path, read_text(path)
        self.text = self.source
        self.tree = ast.parse(self.text)

    def record(self, name: str) -> dict[str, Any] | None:
        """The record of the rule of this name; None if no single plain call makes it."""
        call = self._call(name)
        return None if call is None else _record(call, name)

    def put(self, record: Mapping[str, Any], name: str) -> None:
        """Write a record in place of the rule of this name."""
        call = self._call(name)
        if call is None:
            raise ShortlistError(f"{name!r} is not made by one plain call: edit {self.path.name} in an editor")
        start, end = _offset(self.text, call.lineno, call.col_offset), _offset(self.text, *_end(call))
        if any(start <= place < end for place in _comments(self.text)):
            raise ShortlistError(f"{name!r} has comments inside its call: edit {self.path.name} in an editor")
        text = self.text[:start] + self._written(record) + self.text[end:]
        after = ast.parse(text)
        same = [ast.dump(a) == ast.dump(b) for a, b in zip(self.tree.body, after.body, strict=True)]
        new = str(record.get("name") or name)
        self.text, self.tree = text, after
        if same.count(False) > 1 or _canonical(self.record(new) or {}) != _canonical({**record, "name": new}):
            raise ShortlistError(f"{name!r} cannot be rewritten safely: edit {self.path.name} in an editor")

    def write(self) -> None:
        with atomic(self.path) as file:
            file.write(self.text.encode())
            if read_text(self.path) != self.source:  # at the last moment
                raise ShortlistError(f"{self.path.name} is being written by another program: nothing was saved")

    def _call(self, name: str) -> ast.Call | None:
        calls = [call for call, own in self._calls() if own == name and _record(call, name) is not None]
        return calls[0] if len(calls) == 1 else None

    def _calls(self) -> Iterator[tuple[ast.Call, str | None]]:
        """Calls of keywords and pattern at the top of the file, and the name each gives."""
        for statement in self.tree.body:
            value = getattr(statement, "value", None)
            items = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
            targets = statement.targets if isinstance(statement, ast.Assign) else []
            bound = targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else None
            for item in items:
                if isinstance(item, ast.Call) and isinstance(item.func, ast.Name) and item.func.id in POSITIONAL:
                    named = [_literal(one.value) for one in item.keywords if one.arg == "name"]
                    yield item, named[0] if named else (bound if item is value else None)

    def _written(self, record: Mapping[str, Any]) -> str:
        """The call that makes a record."""
        kind = str(record["kind"])
        if kind not in POSITIONAL:
            raise ShortlistError(
                f"a rule of {self.path.name} stays one of {listed(POSITIONAL)}: add a new rule instead"
            )
        first, *others = POSITIONAL[kind]
        options = [*others, "on", "whole_words", "ignore_case", "name"]
        given = {key: record[key] for key in options if record.get(key) is not None}
        usual = {**USUAL, "ignore_case": kind == "keywords"}
        rest = [f"{key}={_source(value)}" for key, value in given.items() if usual.get(key) != value]
        return f"{kind}({', '.join([_source(record[first], plain=True), *rest])})"


def _record(call: ast.Call, name: str) -> dict[str, Any] | None:
    """The record of a call; None if it is not made of plain values."""
    kind = call.func.id if isinstance(call.func, ast.Name) else ""
    try:
        values = dict(zip(POSITIONAL[kind], map(_literal, call.args), strict=False))
        values |= {str(one.arg): _literal(one.value) for one in call.keywords if one.arg is not None}
        record: dict[str, Any] = from_record({"kind": kind, **values, "name": name}).record() or {}
    except (ValueError, ShortlistError):
        return None
    usual = {**USUAL, "ignore_case": kind == "keywords"}
    said: dict[str, Any] = {key: _plain(record[key]) for key in ("says", "yes", "no") if key in record}
    return {key: said.get(key, value) for key, value in record.items() if key not in usual or usual[key] != value}


def _plain(answer: Any) -> Any:
    """One class as a name, as the form writes it."""
    if isinstance(answer, Mapping):
        return {"not": _plain(answer["not"])}
    return answer[0] if isinstance(answer, list) and len(answer) == 1 else answer


def _canonical(record: Mapping[str, Any]) -> Any:
    return from_record(dict(record)).record() if record else None


def _literal(node: ast.expr) -> Any:
    """A constant, a list of them, or Not(…) as {"not": …}; a set is a list."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Not" and not node.keywords:
        return {"not": [_literal(one) for one in node.args]}
    if isinstance(node, ast.Set):
        return sorted(map(_literal, node.elts), key=repr)
    return ast.literal_eval(node)


def _source(value: Any, *, plain: bool = False) -> str:
    """Python for a value of a record; a list of classes is a set."""
    if isinstance(value, Mapping):
        names = value["not"]
        return f"Not({', '.join(map(_quoted, [names] if isinstance(names, str) else names))})"
    if isinstance(value, (list, tuple)):
        items = ", ".join(map(_quoted, value))
        return f"[{items}]" if plain else f"{{{items}}}"
    return _quoted(value)


def _quoted(value: Any) -> str:
    if not isinstance(value, str):
        return repr(value)
    if "\\" in value and value.isprintable() and not value.endswith("\\") and '"' not in value:
        return f'r"{value}"'
    quoted = repr(value)
    return f'"{quoted[1:-1]}"' if quoted[0] == "'" and '"' not in value else quoted


def _end(call: ast.Call) -> tuple[int, int]:
    assert call.end_lineno is not None
    assert call.end_col_offset is not None
    return call.end_lineno, call.end_col_offset


def _offset(text: str, line: int, column: int) -> int:
    """Place in the text of a line, counted from 1, and a column in bytes, as `ast` has them."""
    lines = _lines(text)
    return sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode())


def _lines(text: str) -> list[str]:
    """Lines as Python counts them: U+2028 and the like do not end one."""
    return io.StringIO(text, newline="").readlines()


def _comments(text: str) -> Iterator[int]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield sum(map(len, _lines(text)[: token.start[0] - 1])) + token.start[1]
