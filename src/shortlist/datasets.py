"""Datasets: public data sets, read where they lie, in a folder called the data home.

A data set is named by its path under the data home: `load("trec")`, `load("lad/A0")`, `load("crowd/dog")`. Which
format it has is found out from its files, never from its name:

| files | what is read |
|---|---|
| `train.jsonl`, `dev.jsonl`, … | text: one JSON object a line, its gold class under "label"; one split a file |
| `x.npz` + `x.json` | attribute detectors: votes (m, n), gold y, and the shortlists that each vote stands for |
| `label.json` + `train.json`, `valid.json`, `test.json` | a WRENCH folder: rows, votes and gold |
| `label.csv` + `truth.csv` | crowd answers (item, worker, label) and the true label of items |

The data home is the argument `data_home`, or else the environment variable `SHORTLIST_DATA`.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.errors import BadFile, ShortlistError, ShortlistWarning, UselessLabeler, did_you_mean
from shortlist.labelspace import LabelSpace
from shortlist.votes import Votes
from shortlist.votes.exchange import natural, wrench_matrix

Gold: TypeAlias = npt.NDArray[np.object_]

HOME = "SHORTLIST_DATA"
# Sets whose gold is a number and whose files do not say what the numbers mean.
CLASS_NAMES: dict[str, tuple[str, ...]] = {"agnews": ("World", "Sports", "Business", "Sci/Tech")}
_ORDER = {"train": 0, "dev": 1, "valid": 1, "validation": 1, "test": 2}
_DEPTH = 4  # how many folders deep `available` looks


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
        parts = [f"{len(self):,} rows"]
        if self.rows is not None:
            parts.append(f"columns {', '.join(self.rows.columns)}")
        if self.votes is not None:
            parts.append(f"votes of {len(self.votes.names)} labelers")
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


def load(name: str, data_home: str | os.PathLike[str] | None = None) -> Dataset:
    """Read a data set by its name, which is its path under the data home."""
    home = _home(data_home)
    found = _find(home, name)
    if found is None:
        raise BadFile(_not_found(home, name))
    read, path = found
    try:
        space, splits = read(path)
    except BadFile:
        raise
    except (ShortlistError, pl.exceptions.PolarsError, OSError, LookupError, TypeError, ValueError) as error:
        raise BadFile(f"data set {name!r} in {path} cannot be read: {error}") from error
    return Dataset(Path(name).as_posix(), space, MappingProxyType(splits))


def available(data_home: str | os.PathLike[str] | None = None) -> list[str]:
    """The names of the data sets in the data home, for `load`."""
    home = _home(data_home)
    return sorted(_names_under(home, home, _DEPTH), key=str.casefold)


# -- finding out where a set lies and which format it has ------------------------------------------------

Read: TypeAlias = Callable[[Path], tuple[LabelSpace, dict[str, Split]]]


def _home(data_home: str | os.PathLike[str] | None) -> Path:
    given = data_home if data_home is not None else os.environ.get(HOME)
    if not given:
        raise BadFile(f"where are the data sets? Set the environment variable {HOME}, or pass data_home=...")
    home = Path(given).expanduser()
    if not home.is_dir():
        raise BadFile(f"the data home {home} is not a folder")
    return home


def _find(home: Path, name: str) -> tuple[Read, Path] | None:
    """How to read a set, and from where; None when nothing under the data home has that name."""
    parts = Path(name).parts
    if not parts or Path(name).is_absolute() or ".." in parts:
        return None
    path = home / name
    if path.is_dir():
        return _format(path)
    return (_read_attributes, path) if _is_pair(path) else None


def _format(folder: Path) -> tuple[Read, Path] | None:
    if any(folder.glob("*.jsonl")):
        return _read_text, folder
    if (folder / "label.csv").is_file():
        return _read_crowd, folder
    if (folder / "label.json").is_file() and any((folder / f"{split}.json").is_file() for split in _ORDER):
        return _read_wrench, folder
    pairs = _pairs(folder)
    return (_read_attributes, pairs[0]) if len(pairs) == 1 else None


def _is_pair(path: Path) -> bool:
    return all(path.with_name(path.name + suffix).is_file() for suffix in (".npz", ".json"))


def _pairs(folder: Path) -> list[Path]:
    """The x of every x.npz + x.json in a folder."""
    return [path for file in sorted(folder.glob("*.npz")) if _is_pair(path := file.with_suffix(""))]


def _names_under(folder: Path, home: Path, depth: int) -> Iterator[str]:
    if folder != home and _format(folder):
        yield folder.relative_to(home).as_posix()
        return
    yield from (path.relative_to(home).as_posix() for path in _pairs(folder))
    for inner in folder.iterdir():
        if depth and inner.is_dir() and not inner.name.startswith("."):
            yield from _names_under(inner, home, depth - 1)


def _not_found(home: Path, name: str) -> str:
    names = available(home)
    if not names:
        return f"there is no data set {name!r}: {home} holds no set in a format that shortlist knows"
    inside = [known for known in names if known.startswith(f"{name}/")]
    hint = f" It is a folder of sets: {', '.join(inside)}." if inside else did_you_mean(name, names)
    return f"there is no data set {name!r} in {home}.{hint} Available: {', '.join(names)}"


# -- text ------------------------------------------------------------------------------------------------


def _read_text(folder: Path) -> tuple[LabelSpace, dict[str, Split]]:
    records = {path.stem: _read_jsonl(path) for path in _in_order(folder.glob("*.jsonl"))}
    labels = {split: [_known(record.get("label")) for record in rows] for split, rows in records.items()}
    name_of = _class_names({label for found in labels.values() for label in found if label is not None}, folder)
    splits = {split: Split(_frame(rows), None, _gold(labels[split], name_of)) for split, rows in records.items()}
    return LabelSpace(name_of.values()), splits


def _in_order(files: Iterable[Path]) -> list[Path]:
    """train (and train_something) before dev before test before anything else."""
    return sorted(files, key=lambda path: (_ORDER.get(path.stem.split("_")[0], 3), path.stem))


def _read_jsonl(path: Path) -> list[dict[str, Any]]:
    """The objects of a jsonl file. NaN, which is not JSON but is written by many tools, is read as nothing."""
    records = []
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line, parse_constant=_constant)
            except json.JSONDecodeError as error:
                raise BadFile(f"line {number} of {path} is not JSON: {error}") from None
            if not isinstance(record, dict):
                raise BadFile(f"line {number} of {path} is not a JSON object: {line.strip()[:60]}")
            records.append(record)
    return records


def _constant(word: str) -> float | None:
    return None if word == "NaN" else float(word)


def _frame(records: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """A table with a column for every field that any record has; fields of mixed kinds become text."""
    try:
        return pl.DataFrame(records, infer_schema_length=None, strict=False)
    except pl.exceptions.PolarsError:  # a field that is a list in one row and a number in another has no type
        flat = [
            {key: json.dumps(value) if isinstance(value, (list, dict)) else value for key, value in record.items()}
            for record in records
        ]
        return pl.DataFrame(flat, infer_schema_length=None, strict=False)


def _known(label: Any) -> Any:
    """A gold label, or None where it is missing: null, an empty text, or a negative number."""
    if label is None or label == "" or (isinstance(label, (int, float)) and label < 0):
        return None
    return label


def _class_names(labels: set[Any], folder: Path) -> dict[Any, str]:
    """Gold labels → class names, in the order of the classes.

    Names are sorted. Numbers keep their order, and are named by label.json in the folder, by `CLASS_NAMES`, or
    else by their text.
    """
    if not all(isinstance(label, int) for label in labels):
        return {label: str(label) for label in sorted(labels, key=natural)}
    known = CLASS_NAMES.get("".join(filter(str.isalnum, folder.name.casefold())), ())
    if (folder / "label.json").is_file():
        known = tuple(_label_json(folder / "label.json"))
    if known and max(labels, default=0) < len(known):
        return dict(enumerate(known))
    return {label: str(label) for label in sorted(labels)}


def _gold(labels: Iterable[Any], name_of: Mapping[Any, str]) -> Gold:
    return _objects([None if label is None else name_of[label] for label in labels])


def _objects(values: Sequence[Any]) -> Gold:
    """A read-only array of Python objects."""
    array = np.empty(len(values), object)
    array[:] = values
    array.flags.writeable = False
    return array


# -- attribute detectors ---------------------------------------------------------------------------------


def _read_attributes(stem: Path) -> tuple[LabelSpace, dict[str, Split]]:
    """Vote v of detector i stands for the shortlist `clusters_one_based[i][v]`."""
    about = _read_json(stem.with_name(stem.name + ".json"), "class_names", "clusters_one_based")
    arrays = _read_npz(stem.with_name(stem.name + ".npz"), "votes")
    space, votes, clusters = LabelSpace(about["class_names"]), arrays["votes"], about["clusters_one_based"]
    keys = sorted(clusters, key=natural)
    if votes.ndim != 2 or votes.shape[1] != len(keys) or votes.dtype.kind not in "iub":
        raise BadFile(f"{stem}: {len(keys)} detectors, but votes are {votes.dtype} of shape {votes.shape}")
    useful = [i for i, key in enumerate(keys) if all(0 < len(group) < len(space) for group in clusters[key])]
    if len(useful) < len(keys):
        left_out = [key for i, key in enumerate(keys) if i not in useful]
        warnings.warn(
            f"{stem}: detectors {', '.join(left_out)} do not divide the classes and were left out",
            UselessLabeler,
            stacklevel=4,
        )
    table = Votes.from_paper(
        votes[:, useful].astype(np.int64) + 1,
        {keys[i]: clusters[keys[i]] for i in useful},
        space,
        [f"attribute_{keys[i]}" for i in useful],
        ids=_image_ids(arrays),
    )
    y = arrays.get("y", np.full(len(votes), -1))
    return space, {"all": Split(None, table, _gold_of_positions(y, space, len(votes)))}


def _image_ids(arrays: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[Any] | None:
    """Which image of the original set a row is, where that is known of every row (it is −1 where not)."""
    index = arrays.get("image_index")
    return index if index is not None and (index >= 0).all() else None


def _gold_of_positions(y: npt.ArrayLike, space: LabelSpace, m: int) -> Gold:
    """Class names of class positions; None for −1."""
    positions = np.asarray(y)
    if positions.shape != (m,):
        raise BadFile(f"{m:,} rows need as many gold labels; got an array of shape {positions.shape}")
    if m and positions.max() >= len(space):
        raise BadFile(f"gold runs to class {positions.max()}, but there are only {len(space)} classes, from 0")
    return _objects([None if j < 0 else space[int(j)] for j in positions])


def _read_npz(path: Path, *needed: str) -> dict[str, npt.NDArray[Any]]:
    try:
        with open(path, "rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except Exception as error:  # a foreign or damaged file can trip numpy and zipfile in any way
        raise BadFile(f"{path} is not an npz file of plain arrays ({type(error).__name__})") from error
    return _with_keys(arrays, path, needed)


def _read_json(path: Path, *needed: str) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise BadFile(f"{path} is not JSON: {error}") from None
    if not isinstance(content, dict):
        raise BadFile(f"{path} does not hold a JSON object")
    return _with_keys(content, path, needed)


def _with_keys(content: dict[str, Any], path: Path, needed: Sequence[str]) -> dict[str, Any]:
    missing = [key for key in needed if key not in content]
    if missing:
        raise BadFile(f"{path} lacks {', '.join(missing)}; it has {', '.join(content) or 'nothing'}")
    return content


# -- WRENCH ----------------------------------------------------------------------------------------------


def _read_wrench(folder: Path) -> tuple[LabelSpace, dict[str, Split]]:
    """All splits are turned into Votes at once, so that a labeler has the same codomain in each of them."""
    space = LabelSpace(_label_json(folder / "label.json"))
    files = _in_order(path for split in _ORDER if (path := folder / f"{split}.json").is_file())
    records = {path.stem: _read_json(path) for path in files}
    matrix = np.concatenate([wrench_matrix(part) for part in records.values() if part])
    ids = [key for part in records.values() for key in part]
    votes = Votes.from_snorkel(matrix, space, ids=ids)
    splits, start = {}, 0
    for split, part in records.items():
        rows = _frame([_data(record) for record in part.values()])
        labels = [_known(record.get("label")) for record in part.values()]
        gold = _gold_of_positions([-1 if j is None else j for j in labels], space, len(part))
        splits[split] = Split(rows, votes[start : start + len(part)], gold)
        start += len(part)
    return space, splits


def _data(record: Mapping[str, Any]) -> Mapping[str, Any]:
    data = record.get("data", {})
    return data if isinstance(data, Mapping) else {"data": data}


def _label_json(path: Path) -> list[str]:
    """The class names of {"0": name, "1": name, …}, in order."""
    names = _read_json(path)
    if set(names) != {str(j) for j in range(len(names))}:
        raise BadFile(f"{path} should name the classes 0 to {len(names) - 1}; it names {', '.join(names)}")
    return [str(names[str(j)]) for j in range(len(names))]


# -- crowds ----------------------------------------------------------------------------------------------


def _read_crowd(folder: Path) -> tuple[LabelSpace, dict[str, Split]]:
    """Items that somebody answered are the rows; a true label of an item that nobody answered is left out."""
    answers = _read_csv(folder / "label.csv", "item", "worker", "label").drop_nulls()
    truth_of: dict[str, str] = {}
    if (folder / "truth.csv").is_file():
        truth = _read_csv(folder / "truth.csv", "item", "truth").drop_nulls()
        truth_of = dict(zip(truth["item"], truth["truth"], strict=True))
    space = LabelSpace(sorted({*answers["label"], *truth_of.values()}, key=natural))
    repeated = int(answers.select("item", "worker").is_duplicated().sum())
    if repeated:
        warnings.warn(
            f"{folder}: {repeated} answers repeat an item for the same worker; the last one counts",
            ShortlistWarning,
            stacklevel=4,
        )
    votes = Votes.from_crowd(answers, space, repeated="last")
    assert votes.ids is not None
    return space, {"all": Split(None, votes, _objects([truth_of.get(item) for item in votes.ids]))}


def _read_csv(path: Path, *needed: str) -> pl.DataFrame:
    """These columns of a csv file, as text without blanks around it."""
    try:
        table = pl.read_csv(path, infer_schema=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise BadFile(f"{path} is not a csv file: {error}") from error
    missing = [name for name in needed if name not in table.columns]
    if missing:
        raise BadFile(f"{path} lacks {', '.join(missing)}; it has {', '.join(table.columns) or 'nothing'}")
    return table.select(pl.col(name).str.strip_chars().replace("", None) for name in needed)
