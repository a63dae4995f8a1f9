"""Checks of columns with a meaning: ids are all different, known classes are classes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.errors import UnknownClass
from shortlist.project.toml import TomlFile
from shortlist.wording import did_you_mean, listed

BAND = 1 << 23  # ids whose hashes are compared at a time
Hashes = npt.NDArray[np.uint64]


def strange_class(labels: pl.Series, classes: Sequence[str], start: int) -> UnknownClass | None:
    """The error that a word among known classes is not a class. The first label is that of row `start`."""
    strange = [word for word in labels.unique().to_list() if word and word not in classes]
    if not strange:
        return None
    row, word = next((a, word) for a, word in enumerate(labels, start) if word in strange)
    return UnknownClass(
        f"column {labels.name!r} holds the known classes, but {word!r} on row {row} is not a class."
        f"{did_you_mean(word, classes)} Classes: {listed(classes)}",
        word=word, row=row, column=labels.name,
    )  # fmt: skip


def check_different(parts: Callable[[], Iterator[pl.Series]], column: str, toml: TomlFile) -> None:
    """Raise where an id is missing, or on two rows. Ids are compared by their hashes, kept in a file meanwhile."""
    if _ascending(parts()):
        return
    with tempfile.TemporaryFile() as file:
        start = 0
        for part in parts():
            if part.null_count():
                row = start + int(part.is_null().arg_true()[0])
                raise toml.wrong(f"column {column!r} is the id, but row {row} has none", "data", "id")
            part.hash(seed=0).to_numpy().tofile(file)
            start += len(part)
        repeated = [hashes for band in range(-(-start // BAND)) if len(hashes := _repeated(file, band, start))]
    if repeated:
        _check_really(parts(), np.concatenate(repeated), column, toml)


def _ascending(parts: Iterator[pl.Series]) -> bool:
    """Whether ids are whole numbers, each larger than the one before: then all differ."""
    last: Any = None
    for part in parts:
        if not part.dtype.is_integer() or part.null_count():
            return False
        numbers = part.to_numpy()
        if len(numbers) and ((last is not None and numbers[0] <= last) or (numbers[1:] <= numbers[:-1]).any()):
            return False
        last = numbers[-1] if len(numbers) else last
    return True


def _repeated(file: IO[bytes], band: int, m: int) -> Hashes:
    """Hashes that occur several times, of those in one of several bands of about the same size."""
    bands = np.uint64(-(-m // BAND))
    file.seek(0)
    found = []
    while len(block := np.fromfile(file, np.uint64, BAND)):
        found.append(block[block % bands == band])
    hashes = np.sort(np.concatenate(found))
    again: Hashes = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])
    return again


def _check_really(parts: Iterator[pl.Series], repeated: Hashes, column: str, toml: TomlFile) -> None:
    """Raise where rows have the same id, and not only the same hash."""
    seen: dict[Any, int] = {}
    start = 0
    for part in parts:
        places = np.flatnonzero(np.isin(part.hash(seed=0).to_numpy(), repeated))
        for place, one in zip(places.tolist(), part.gather(places).to_list(), strict=True):
            if one in seen:
                raise toml.wrong(
                    f"column {column!r} is the id, but {one!r} is on rows {seen[one]} and {start + place}: "
                    "choose a column that is different on every row, or leave id out", "data", "id",
                )  # fmt: skip
            seen[one] = start + place
        start += len(part)
