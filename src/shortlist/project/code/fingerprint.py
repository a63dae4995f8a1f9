"""Fingerprints of labelers: one word that changes when the answers of a labeler may have changed, and else does not.

A labeler says itself what its answers depend on (`Labeler.fingerprint_parts`): plain data, and objects of Python. What
an object depends on is read off labelers.py. A function depends on its own statement; any other object (a fitted model,
a function that remembers an object) on the statement that made the labeler; both on all that those name.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from shortlist.labelers import Labeler
from shortlist.project.code.load import Code
from shortlist.project.kept.digest import digest

PLAIN = (str, int, float, bool, bytes, type(None))


def fingerprint(labeler: Labeler, code: Code | None, surroundings: str, written: Labeler | None = None) -> str:
    """What the answers of a labeler depend on, in one word.

    surroundings   stands for the files that labelers.py imports and reads: every labeler that is code may use them
    written        the labeler as labelers.py made it, where that is another object
    """
    parts = labeler.fingerprint_parts()
    if not parts.code:
        return digest("data", parts.data)
    used = [_code(thing, written or labeler, code) for thing in parts.code]
    return digest("code", labeler.name, parts.data, used, surroundings)


def _code(thing: Any, labeler: Labeler, code: Code | None) -> Any:
    """All of labelers.py that an object depends on; the whole file where that cannot be told."""
    if code is None:
        return None
    found = None if code.source.dynamic else _function(thing, code) or _made(labeler, code)
    return ["the whole file", code.source.text] if found is None else found


def _function(thing: Any, code: Code) -> list[Any] | None:
    """The statements that a function of the file depends on, with the values that it remembers."""
    if not inspect.isfunction(thing) or thing.__code__.co_filename != str(code.source.path):
        return None
    line = thing.__code__.co_firstlineno
    statement, cells = code.source.statement(line), _cells(thing)
    if statement is None or cells is None:
        return None
    return [thing.__qualname__, line - statement.lineno, code.source.needs([statement], code.namespace), cells]


def _made(labeler: Labeler, code: Code) -> list[Any] | None:
    """The statements that a labeler was made by."""
    pieces = code.source.makers(labeler, code.namespace)
    return None if pieces is None else ["made", code.source.needs(pieces, code.namespace)]


def _cells(function: Any) -> list[Any] | None:
    """What a function made within another one remembers of it, where that is plain data."""
    cells = [] if function.__closure__ is None else [cell.cell_contents for cell in function.__closure__]
    values = [*cells, *(function.__defaults__ or ())]
    plain = [_plain(value) for value in values]
    return None if any(value is _UNKNOWN for value in plain) else plain


_UNKNOWN = object()


def _plain(value: Any) -> Any:
    """A value that can be written down, with its type; _UNKNOWN for any other."""
    if isinstance(value, PLAIN):
        return [type(value).__name__, repr(value)]
    if isinstance(value, re.Pattern):
        return ["pattern", repr(value.pattern), value.flags]
    if isinstance(value, (list, tuple, set, frozenset)):
        inside = [_plain(one) for one in value]
        ordered = inside if isinstance(value, (list, tuple)) else sorted(inside, key=repr)
        return _UNKNOWN if any(one is _UNKNOWN for one in inside) else [type(value).__name__, ordered]
    if isinstance(value, dict):
        return _plain(list(value.items()))
    return _UNKNOWN
