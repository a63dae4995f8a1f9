"""Searches with Python's `re`, for patterns that the linear-time engine cannot express, with a limit on their time.

Python's engine backtracks: on some texts, a pattern takes longer than anybody can wait. A pattern that leaves few ways
to match is searched for at once. Any other is searched for in another process, which can be stopped.
"""

from __future__ import annotations

import json
import math
import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.labelers.regex import Inexpressible, parse_regex

TIMED_OUT = -2  # stands for a row on which the search was stopped
TIME_LIMIT = 5.0  # seconds for one row
still_wanted: ContextVar[Callable[[], None]] = ContextVar("still_wanted", default=lambda: None)  # raises to stop
FEW_WAYS = 100  # to continue from one place of a text: so few take no time on any text

_SEARCHER = """
import json, re, sys
pattern, flags, texts = json.loads(sys.stdin.buffer.readline())
search = re.compile(pattern, flags).search
for text in texts:
    sys.stdout.write("1" if search(text) else "0")
    sys.stdout.flush()
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
    result = np.full(len(texts), -1, np.int8)
    present = texts.is_not_null().arg_true().to_numpy()
    listed = texts.drop_nulls().to_list()
    if count_ways(regex) <= FEW_WAYS:
        result[present] = [regex.search(text) is not None for text in listed]
    elif listed:
        result[present] = _search_elsewhere(regex, listed, max_timeouts)
    return result


def count_ways(regex: re.Pattern[str]) -> float:
    """Upper bound of the ways to continue from one place of any text; infinite for a repetition without end."""
    try:
        return _ways(parse_regex(regex.pattern, regex.flags & ~re.UNICODE))
    except Inexpressible:
        return math.inf


def _ways(tree: Any) -> float:
    return math.prod(_ways_of(str(op), value) for op, value in tree)


def _ways_of(op: str, value: Any) -> float:
    if op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, inner = value
        return math.inf if str(most) == "MAXREPEAT" else (most - least + 1) * _ways(inner) ** min(int(most), FEW_WAYS)
    if op == "BRANCH":
        return sum(map(_ways, value[1]))
    if op in ("SUBPATTERN", "ASSERT", "ASSERT_NOT"):
        return _ways(value[-1])
    if op == "ATOMIC_GROUP":
        return _ways(value)
    if op == "GROUPREF_EXISTS":
        return sum(_ways(branch) for branch in value[1:] if branch is not None)
    return 1


def _search_elsewhere(regex: re.Pattern[str], texts: Sequence[str], max_timeouts: int) -> list[int]:
    """Search in another process. It is stopped where a row takes too long, and another one continues after it."""
    result: list[int] = []
    timeouts = 0
    while len(result) < len(texts) and timeouts < max_timeouts:
        with _searching(regex, texts[len(result) :]) as answers:
            result += answers
        if len(result) < len(texts):
            result.append(TIMED_OUT)
            timeouts += 1
    return result + [TIMED_OUT] * (len(texts) - len(result))


@contextmanager
def _searching(regex: re.Pattern[str], texts: Sequence[str]) -> Iterator[Iterator[int]]:
    """The answers row by row, as far as they come in time."""
    command, pipe = [sys.executable, "-I", "-S", "-c", _SEARCHER], subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
    assert process.stdin is not None
    assert process.stdout is not None
    arrived: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    reader = threading.Thread(target=_read, args=(process.stdout.fileno(), arrived), daemon=True)
    reader.start()
    try:
        process.stdin.write(json.dumps([regex.pattern, regex.flags, list(texts)]).encode() + b"\n")
        process.stdin.flush()
        yield _in_time(arrived, len(texts))
    finally:
        process.kill()
        process.wait()
        reader.join()  # before the stream is closed: its number may then be another file's
        process.stdin.close()
        process.stdout.close()


def _in_time(arrived: queue.SimpleQueue[bytes], wanted: int) -> Iterator[int]:
    """Yield answers until all are there, or none comes for as long as one row may take."""
    last = time.monotonic()
    while wanted:
        still_wanted.get()()
        try:
            answers = arrived.get(timeout=0.1)
        except queue.Empty:
            if time.monotonic() - last > TIME_LIMIT:
                return
            continue
        last = time.monotonic()
        if not answers:
            raise RuntimeError("the process that searches for the pattern ended: is there enough memory?")
        wanted -= len(answers)
        yield from (answer - ord("0") for answer in answers)


def _read(stream: int, arrived: queue.SimpleQueue[bytes]) -> None:
    """Pass on what is written to a stream, in a thread of its own: a read cannot be stopped."""
    while answers := os.read(stream, 1 << 16):
        arrived.put(answers)
    arrived.put(b"")
