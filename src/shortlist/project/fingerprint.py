"""Fingerprints of labelers: one word that changes when the answers of a labeler may have changed, and else does not."""

from __future__ import annotations

import inspect
import re
from typing import Any

from shortlist.labelers import Labeler
from shortlist.labelers.core import FunctionLabeler
from shortlist.labelers.declared import to_record
from shortlist.labelspace import Not
from shortlist.project.code import Code
from shortlist.project.digest import digest

PLAIN = (str, int, float, bool, bytes, type(None))


def fingerprint(labeler: Labeler, code: Code | None, surroundings: str) -> str:
    """What a labeler answers depends on: itself where it is data, else also the code it uses.

    `surroundings` stands for the files that labelers.py imports and reads: every labeler that is code may use them.
    """
    record = _record(labeler)
    if record is not None and getattr(labeler, "feature", None) is None:
        return digest("data", record)
    feature = getattr(labeler, "feature", None)
    function = labeler.function if isinstance(labeler, FunctionLabeler) else feature and feature.function
    says = None if labeler.says is None else [_answer(answer) for answer in labeler.says]
    return digest("code", labeler.name, record, says, _code(function, code), surroundings)


def _record(labeler: Labeler) -> Any:
    return to_record(labeler) if getattr(labeler, "kind", None) else None


def _answer(answer: Any) -> Any:
    return ["not", sorted(answer.classes)] if isinstance(answer, Not) else sorted(answer)


def _code(function: Any, code: Code | None) -> Any:
    """The statements a function depends on, or the whole file where that cannot be told."""
    if code is None:
        return None
    whole = ["the whole file", code.source.text]
    if not inspect.isfunction(function) or code.source.dynamic:
        return whole
    if function.__code__.co_filename != str(code.source.path):
        return whole
    statement = code.source.statement(function.__code__.co_firstlineno)
    cells = _cells(function)
    if statement is None or cells is None:
        return whole
    return [function.__qualname__, function.__code__.co_firstlineno - statement.lineno,
            code.source.needs(statement, code.namespace), cells]  # fmt: skip


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
