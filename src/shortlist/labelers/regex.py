r"""Regular expressions: searched for by the linear-time engine of polars, or by Python's `re` with a time limit.

Patterns are written as in Python. The few signs that mean something else to the other engine are rewritten; what is a
letter, a blank or the same letter in another case is decided by Unicode, so `\w` holds combining accents, too. What
that engine refuses (look-around, back-references) is searched for by `re`, in another process, which can be stopped.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.progress import still_wanted

TIMED_OUT = 2  # stands for a row on which the search was stopped
TIME_LIMIT = 5.0  # seconds for one row


class Inexpressible(Exception):  # noqa: N818
    """The linear-time engine cannot search for this pattern."""


# -- the linear-time engine ------------------------------------------------------------------------------

_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$|\{,(?=\d+\})|[*+?}]\+", re.DOTALL)
_REWRITTEN = {r"\Z": r"\z", r"\<": "<", r"\>": ">", "{,": "{0,"}


def linear(regex: str, ignore_case: bool = False) -> str:
    """A pattern of Python, written for the linear-time engine; raises Inexpressible."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Python, about sets in sets
        flags = re.compile(regex).flags
    if flags & re.VERBOSE:
        raise Inexpressible("it is verbose")  # blanks in sets mean something else
    end = "$" if re.search(r"\(\?[a-z]*m", regex) else r"(?:\n?\z)"  # Python's $ allows a newline after it
    written = _TOKEN.sub(lambda token: end if token[0] == "$" else _rewritten(token[0]), regex)
    return accepted(f"(?i){written}" if ignore_case else written)


def _rewritten(token: str) -> str:
    """One escape, set or sign of a pattern. The other engine has sets in sets, and operations on them."""
    if token[0] == "[":
        if "--" in token:
            raise Inexpressible("-- in a set")
        return "[" + re.sub(r"\\.|[\[&~]", lambda sign: sign[0] if len(sign[0]) == 2 else "\\" + sign[0], token[1:])
    if token[0] != "\\" and token[-1] == "+":
        raise Inexpressible("a possessive repetition")
    return _REWRITTEN.get(token, token)


@lru_cache(maxsize=4096)
def accepted(pattern: str) -> str:
    """The pattern, if the linear-time engine takes it; raises Inexpressible."""
    try:
        pattern.encode()
        pl.Series([""]).str.contains(pattern)
    except UnicodeEncodeError as error:
        raise Inexpressible("it holds half a character") from error
    except pl.exceptions.PolarsError as error:
        reason = re.search(r"\nerror: ([^,\n]*)", str(error))
        raise Inexpressible(reason[1] if reason else "it is too large") from error
    return pattern


# -- Python's re -----------------------------------------------------------------------------------------

_SEARCHER = """
import faulthandler, json, os, re, sys, time
regex, flags, texts, limit = json.load(sys.stdin)
search, armed = re.compile(regex, flags).search, 0.0
for text in texts:
    if not armed or time.monotonic() - armed > 1.0:
        faulthandler.dump_traceback_later(limit + 1.0, exit=True)
        armed = time.monotonic()
    os.write(1, b"1" if search(text) else b"0")
"""


def timeout_error() -> TimeoutError:
    """The error of a row on which the search was stopped."""
    return TimeoutError(
        f"the search was given up after {TIME_LIMIT:g} s, because there are too many ways to match this text. Write "
        "the pattern without a repetition inside a repetition, as in (a+)+, or without look-around and "
        "back-references: it then runs in linear time"
    )


def slow_search(regex: re.Pattern[str], texts: pl.Series, max_timeouts: int) -> npt.NDArray[np.int8]:
    """(rows,): 1 match, 0 no match, −1 no text, or TIMED_OUT, as are all rows after `max_timeouts` of those."""
    listed = texts.drop_nulls().to_list()
    found, timeouts = b"", 0
    while len(found) < len(listed) and timeouts < max_timeouts:
        found += _search_elsewhere(regex, listed[len(found) :])
        if len(found) < len(listed):  # the next row took too long
            found += b"%d" % TIMED_OUT
            timeouts += 1
    result = np.full(len(texts), -1, np.int8)
    result[texts.is_not_null().to_numpy()] = np.frombuffer(found.ljust(len(listed), b"%d" % TIMED_OUT), np.int8) - 48
    return result


def _search_elsewhere(regex: re.Pattern[str], texts: Sequence[str]) -> bytes:
    """A digit for each text, by a process that ends itself on a row that takes too long."""
    request: Any = json.dumps([regex.pattern, regex.flags, texts, TIME_LIMIT]).encode()
    command, pipe = [sys.executable, "-I", "-S", "-c", _SEARCHER], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            while process.returncode is None:
                try:
                    found, errors = process.communicate(request, timeout=0.1)
                except subprocess.TimeoutExpired:
                    request = None  # it was sent
                    still_wanted.get()()
        finally:
            process.kill()
    if len(found) < len(texts) and not errors.startswith(b"Timeout"):
        raise RuntimeError("the process that searches for the pattern ended: is there enough memory?")
    return found
