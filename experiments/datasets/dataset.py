"""Dataset and Split, and the helpers that readers of several formats share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.errors import BadFile
from shortlist.labelspace import LabelSpace
from shortlist.votes import Votes
from shortlist.wording import did_you_mean, number_of

Gold: TypeAlias = npt.NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class Split:
    """Some rows of a data set: what they hold, what labelers said about them, and their gold class names.

    A set that is only text has no votes, one that is only votes has no rows. Gold is None where unknown.
    """

    rows: pl.DataFrame | None
    votes: Votes | None
    gold: Gold

    def __len__(self) -> int:
        return len(self.gold)

    def __repr__(self) -> str:
        parts = [number_of(len(self), "row")]
        if self.rows is not None:
            parts.append(f"columns {', '.join(self.rows.columns)}")
        if self.votes is not None:
            parts.append(f"votes of {number_of(len(self.votes.names), 'labeler')}")
        unknown = sum(name is None for name in self.gold)
        parts.append(f"gold for {len(self) - unknown:,}" if unknown else "gold for all")
        return f"Split: {'; '.join(parts)}"


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A data set: its classes, and its rows in splits ("train", "test", …; "all" where there is but one)."""

    name: str
    space: LabelSpace
    splits: Mapping[str, Split]

    def __getitem__(self, split: str) -> Split:
        if split not in self.splits:
            raise BadFile(
                f"data set {self.name!r} has no split {split!r}.{did_you_mean(split, self.splits)} "
                f"Splits: {', '.join(self.splits)}"
            )
        return self.splits[split]

    def __repr__(self) -> str:
        classes = ", ".join(self.space[:10]) + (", …" if len(self.space) > 10 else "")
        width = max(len(split) for split in self.splits)
        lines = [f"  {split:<{width}}  {str(part).removeprefix('Split: ')}" for split, part in self.splits.items()]
        return "\n".join([f"Dataset {self.name}: {len(self.space)} classes ({classes})", *lines])


Read: TypeAlias = Callable[[Path], tuple[LabelSpace, dict[str, Split]]]  # how a format is read


# -- reading what several formats share


ORDER = {"train": 0, "dev": 1, "valid": 1, "validation": 1, "test": 2}


def in_order(files: Iterable[Path]) -> list[Path]:
    """train (and train_something) before dev before test before anything else."""
    return sorted(files, key=lambda path: (ORDER.get(path.stem.split("_")[0], 3), path.stem))


def read_json(path: Path, *needed: str) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise BadFile(f"{path} is not JSON: {error}") from None
    if not isinstance(content, dict):
        raise BadFile(f"{path} does not hold a JSON object")
    return _with_keys(content, path, needed)


def read_npz(path: Path, *needed: str) -> dict[str, npt.NDArray[Any]]:
    try:
        with open(path, "rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except Exception as error:  # a foreign or damaged file can trip numpy and zipfile in any way
        raise BadFile(f"{path} is not an npz file of plain arrays ({type(error).__name__})") from error
    return _with_keys(arrays, path, needed)


def _with_keys(content: dict[str, Any], path: Path, needed: Sequence[str]) -> dict[str, Any]:
    missing = [key for key in needed if key not in content]
    if missing:
        raise BadFile(f"{path} lacks {', '.join(missing)}; it has {', '.join(content) or 'nothing'}")
    return content


def label_json(path: Path) -> list[str]:
    """The class names of {"0": name, "1": name, …}, in order."""
    names = read_json(path)
    if set(names) != {str(j) for j in range(len(names))}:
        raise BadFile(f"{path} should name the classes 0 to {len(names) - 1}; it names {', '.join(names)}")
    return [str(names[str(j)]) for j in range(len(names))]


def as_frame(records: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """A table with a column for every field that any record has; fields of mixed kinds become text."""
    try:
        return pl.DataFrame(records, infer_schema_length=None, strict=False)
    except pl.exceptions.PolarsError:  # a field that is a list in one row and a number in another has no type
        flat = [
            {key: json.dumps(value) if isinstance(value, (list, dict)) else value for key, value in record.items()}
            for record in records
        ]
        return pl.DataFrame(flat, infer_schema_length=None, strict=False)


def known(label: Any) -> Any:
    """A gold label, or None where it is missing: null, an empty text, or a negative number."""
    if label is None or label == "" or (isinstance(label, (int, float)) and label < 0):
        return None
    return label


def objects(values: Sequence[Any]) -> Gold:
    """A read-only array of Python objects."""
    array = np.empty(len(values), object)
    array[:] = values
    array.flags.writeable = False
    return array


def gold_of_positions(y: npt.ArrayLike, space: LabelSpace, m: int) -> Gold:
    """Class names of class positions; None for −1."""
    positions = np.asarray(y)
    if positions.shape != (m,):
        raise BadFile(f"{m:,} rows need as many gold labels; got an array of shape {positions.shape}")
    if m and positions.max() >= len(space):
        raise BadFile(f"gold runs to class {positions.max()}, but there are only {len(space)} classes, from 0")
    return objects([None if j < 0 else space[int(j)] for j in positions])
