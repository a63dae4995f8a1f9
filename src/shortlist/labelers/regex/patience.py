"""Patience: what only Python's `re` can search for, with a limit on the time that a row may take.

Python goes back and tries another way wherever a search may go on in several. There can be more ways than atoms. A
pattern that leaves few ways is searched for at once. Any other is searched for in another process, which can be
stopped.
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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.labelers.regex.characters import Inexpressible
from shortlist.labelers.regex.linear import parsed

LATE = -2  # stands for a row on which the search was given up
LIMIT = 5.0  # seconds that one row may take
FEW = 100  # ways to go on from one place, which no text can make take long

_SEARCHER = """
import json, re, sys
pattern, flags, texts = json.loads(sys.stdin.buffer.readline())
search = re.compile(pattern, flags).search
for text in texts:
    sys.stdout.write("1" if search(text) else "0")
    sys.stdout.flush()
"""


def too_slow() -> TimeoutError:
    """The error that a search was given up."""
    return TimeoutError(
        f"the search was given up after {LIMIT:g} s, because there are too many ways to match this text. Write the "
        "pattern without a repetition inside a repetition, as in (a+)+, or without look-around and back-references: "
        "it then runs in linear time"
    )


def patient_search(regex: re.Pattern[str], column: pl.Series, most_late: int) -> npt.NDArray[np.int8]:
    """(rows,): 1 found, 0 not found, −1 no text, LATE given up, as are all rows after `most_late` of those."""
    found = np.full(len(column), -1, np.int8)
    there = column.is_not_null().arg_true().to_numpy()
    texts = column.drop_nulls().to_list()
    if ways(regex) <= FEW:
        found[there] = [regex.search(text) is not None for text in texts]
    elif texts:
        found[there] = _watched(regex, texts, most_late)
    return found


def ways(regex: re.Pattern[str]) -> float:
    """No more ways than this are there to go on from one place of any text; infinite where a repetition has no end."""
    try:
        return _ways(parsed(regex.pattern, regex.flags & ~re.UNICODE))
    except Inexpressible:
        return math.inf


def _ways(tree: Any) -> float:
    return math.prod(_ways_of(str(op), value) for op, value in tree)


def _ways_of(op: str, value: Any) -> float:
    if op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, inner = value
        return math.inf if str(most) == "MAXREPEAT" else (most - least + 1) * _ways(inner) ** min(int(most), FEW)
    if op == "BRANCH":
        return sum(map(_ways, value[1]))
    if op in ("SUBPATTERN", "ASSERT", "ASSERT_NOT"):
        return _ways(value[-1])
    if op == "ATOMIC_GROUP":
        return _ways(value)
    if op == "GROUPREF_EXISTS":
        return sum(_ways(branch) for branch in value[1:] if branch is not None)
    return 1


def _watched(regex: re.Pattern[str], texts: Sequence[str], most_late: int) -> list[int]:
    """The same search in another process. One that takes too long on a row is stopped; the next row follows."""
    found: list[int] = []
    late = 0
    while len(found) < len(texts) and late < most_late:
        with _searching(regex, texts[len(found) :]) as answers:
            found += answers
        if len(found) < len(texts):
            found.append(LATE)
            late += 1
    return found + [LATE] * (len(texts) - len(found))


@contextmanager
def _searching(regex: re.Pattern[str], texts: Sequence[str]) -> Iterator[Iterator[int]]:
    """The answers row by row, as far as they come in time."""
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    process = subprocess.Popen([sys.executable, "-I", "-S", "-c", _SEARCHER], stdin=pipe, stdout=pipe, stderr=nothing)
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
        reader.join()  # before the stream is closed, whose number may then be another's
        process.stdin.close()
        process.stdout.close()


def _in_time(arrived: queue.SimpleQueue[bytes], wanted: int) -> Iterator[int]:
    """What arrives, until it is all there, or nothing comes for as long as one row may take."""
    while wanted:
        try:
            answers = arrived.get(timeout=LIMIT)
        except queue.Empty:
            return
        if not answers:
            raise RuntimeError("the process that searches for the pattern ended: is there enough memory?")
        wanted -= len(answers)
        yield from (answer - ord("0") for answer in answers)


def _read(stream: int, arrived: queue.SimpleQueue[bytes]) -> None:
    """Pass on what is written to a stream, in a thread of its own: reading cannot be given up."""
    while answers := os.read(stream, 1 << 16):
        arrived.put(answers)
    arrived.put(b"")
