"""Readers of the formats in which data sets are published: one function a format."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
import numpy.typing as npt
import polars as pl

from experiments.datasets.dataset import (
    ORDER,
    Gold,
    Split,
    as_frame,
    gold_of_positions,
    in_order,
    known,
    label_json,
    objects,
    read_json,
    read_npz,
)
from shortlist.errors import BadFile, BadVotes, ShortlistWarning, UselessLabeler
from shortlist.labelspace import LabelSpace, natural
from shortlist.votes import Votes

# -- text: one jsonl file a split, a JSON object a line

# Sets whose gold is a number and whose files do not say what the numbers mean.
CLASS_NAMES: dict[str, tuple[str, ...]] = {"agnews": ("World", "Sports", "Business", "Sci/Tech")}


def read_text(folder: Path) -> tuple[LabelSpace, dict[str, Split]]:
    records = {path.stem: _read_jsonl(path) for path in in_order(folder.glob("*.jsonl"))}
    labels = {split: [known(record.get("label")) for record in rows] for split, rows in records.items()}
    name_of = _class_names({label for found in labels.values() for label in found if label is not None}, folder)
    splits = {split: Split(as_frame(rows), None, _gold(labels[split], name_of)) for split, rows in records.items()}
    return LabelSpace(name_of.values()), splits


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


def _class_names(labels: set[Any], folder: Path) -> dict[Any, str]:
    """Gold labels → class names, in the order of the classes.

    Names are sorted. Numbers keep their order, and are named by label.json in the folder, by `CLASS_NAMES`, or
    else by their text.
    """
    if not all(isinstance(label, int) for label in labels):
        return {label: str(label) for label in sorted(labels, key=natural)}
    known = CLASS_NAMES.get("".join(filter(str.isalnum, folder.name.casefold())), ())
    if (folder / "label.json").is_file():
        known = tuple(label_json(folder / "label.json"))
    if known and max(labels, default=0) < len(known):
        return dict(enumerate(known))
    return {label: str(label) for label in sorted(labels)}


def _gold(labels: Iterable[Any], name_of: Mapping[Any, str]) -> Gold:
    return objects([None if label is None else name_of[label] for label in labels])


# -- WRENCH folders: rows, votes and gold of every split as json


def read_wrench(folder: Path) -> tuple[LabelSpace, dict[str, Split]]:
    """All splits are turned into Votes at once, so that a labeler has the same codomain in each of them."""
    space = LabelSpace(label_json(folder / "label.json"))
    files = in_order(path for split in ORDER if (path := folder / f"{split}.json").is_file())
    records = {path.stem: read_json(path) for path in files}
    matrix = np.concatenate([_weak_labels(part) for part in records.values() if part])
    ids = [key for part in records.values() for key in part]
    votes = Votes.from_snorkel(matrix, space, ids=ids)
    splits, start = {}, 0
    for split, part in records.items():
        rows = as_frame([_data(record) for record in part.values()])
        labels = [known(record.get("label")) for record in part.values()]
        gold = gold_of_positions([-1 if j is None else j for j in labels], space, len(part))
        splits[split] = Split(rows, votes[start : start + len(part)], gold)
        start += len(part)
    return space, splits


def _weak_labels(records: Mapping[str, Mapping[str, Any]]) -> npt.NDArray[Any]:
    """The weak labels of a split as Snorkel's label matrix."""
    for key, record in records.items():
        if "weak_labels" not in record:
            raise BadVotes(f"record {key!r} has no weak_labels; it has {', '.join(record) or 'nothing'}")
    return np.array([record["weak_labels"] for record in records.values()])


def _data(record: Mapping[str, Any]) -> Mapping[str, Any]:
    data = record.get("data", {})
    return data if isinstance(data, Mapping) else {"data": data}


# -- crowd answers: label.csv (item, worker, label) and truth.csv (item, truth)


def read_crowd(folder: Path) -> tuple[LabelSpace, dict[str, Split]]:
    """Items that somebody answered are the rows; a true label of an item that nobody answered is left out."""
    answers = read_columns(folder / "label.csv", "item", "worker", "label").drop_nulls()
    truth_of: dict[str, str] = {}
    if (folder / "truth.csv").is_file():
        truth = read_columns(folder / "truth.csv", "item", "truth").drop_nulls()
        truth_of = dict(zip(truth["item"], truth["truth"], strict=True))
    space = LabelSpace(sorted({*answers["label"], *truth_of.values()}, key=natural))
    votes = Votes.from_crowd(last_answers(answers, folder), space)
    assert votes.ids is not None
    return space, {"all": Split(None, votes, objects([truth_of.get(item) for item in votes.ids]))}


def last_answers(answers: pl.DataFrame, source: Path) -> pl.DataFrame:
    """The last answer of each worker about an item, and a warning where there are several."""
    repeated = int(answers.select("item", "worker").is_duplicated().sum())
    if repeated:
        warnings.warn(
            f"{source}: {repeated} answers repeat an item for the same worker; the last one counts",
            ShortlistWarning,
            stacklevel=5,
        )
    return answers.unique(["item", "worker"], keep="last", maintain_order=True)


def read_columns(path: Path, *needed: str) -> pl.DataFrame:
    """These columns of a csv file, as text without blanks around it."""
    try:
        table = pl.read_csv(path, infer_schema=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise BadFile(f"{path} is not a csv file: {error}") from error
    missing = [name for name in needed if name not in table.columns]
    if missing:
        raise BadFile(f"{path} lacks {', '.join(missing)}; it has {', '.join(table.columns) or 'nothing'}")
    return table.select(pl.col(name).str.strip_chars().replace("", None) for name in needed)


# -- people who shortlist: columns image, person, likeliest, second, possible (names joined by a bar), gold
# Three data sets, by which columns are the answer: x/likeliest, x/two (the likeliest and the second), x/possible.


BAR = "|"
COLUMNS = ("image", "person", "likeliest", "second", "possible", "gold")
ANSWERS = {
    "likeliest": pl.col("likeliest"),
    "two": pl.concat_str("likeliest", "second", separator=BAR, ignore_nulls=True),
    "possible": pl.col("possible"),
}


def is_people(file: Path) -> bool:
    """Whether a csv file has these columns."""
    try:
        with file.open(encoding="utf-8-sig") as lines:
            return set(COLUMNS) <= {name.strip() for name in lines.readline().split(",")}
    except (OSError, UnicodeDecodeError):
        return False


def read_people(path: Path) -> tuple[LabelSpace, dict[str, Split]]:
    """The answers of one kind: `path` is that of the file without .csv, and then the kind."""
    file = path.parent.with_name(path.parent.name + ".csv")
    table = read_columns(file, *COLUMNS).drop_nulls(["image", "person", "likeliest"])
    space = _classes(table)
    answers = table.select(pl.col("image").alias("item"), pl.col("person").alias("worker"), label=ANSWERS[path.name])
    answers = last_answers(answers, file)
    votes = Votes.from_crowd(answers, space, separator=None if path.name == "likeliest" else BAR)
    gold = dict(table.select("image", "gold").drop_nulls().iter_rows())
    assert votes.ids is not None
    return space, {"all": Split(None, votes, objects([gold.get(image) for image in votes.ids]))}


def _classes(table: pl.DataFrame) -> LabelSpace:
    """All that is named in any column."""
    names = (table[column].drop_nulls().str.split(BAR).explode() for column in COLUMNS[2:])
    return LabelSpace(sorted({name.strip() for column in names for name in column}, key=natural))


# -- attribute detectors: votes and gold in an npz file, their shortlists in a json file beside it


def read_attributes(stem: Path) -> tuple[LabelSpace, dict[str, Split]]:
    """Vote v of detector i stands for the shortlist `clusters_one_based[i][v]`."""
    about = read_json(stem.with_name(stem.name + ".json"), "class_names", "clusters_one_based")
    arrays = read_npz(stem.with_name(stem.name + ".npz"), "votes")
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
    table = Votes(
        votes[:, useful].astype(np.int64) + 1,
        [[_group(group, space, keys[i]) for group in clusters[keys[i]]] for i in useful],
        space,
        [f"attribute_{keys[i]}" for i in useful],
        ids=_image_ids(arrays),
    )
    y = arrays.get("y", np.full(len(votes), -1))
    return space, {"all": Split(None, table, gold_of_positions(y, space, len(votes)))}


def _group(group: Iterable[int], space: LabelSpace, key: str) -> set[str]:
    """The class names of a group of 1-based class numbers."""
    for j in group:
        if int(j) != j or not 1 <= j <= len(space):
            raise BadVotes(f"classes are numbered 1 to {len(space)}, but a group of labeler {key!r} holds {j!r}")
    return {space[int(j) - 1] for j in group}


def _image_ids(arrays: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[Any] | None:
    """Which image of the original set a row is, where that is known of every row (it is −1 where not)."""
    index = arrays.get("image_index")
    return index if index is not None and (index >= 0).all() else None


# -- label matrices: votes and gold in one npz file, classes by number, −1 where a labeler abstains


def is_matrix(file: Path) -> bool:
    """Whether an npz file holds votes and gold. Only its table of contents is read."""
    try:
        with ZipFile(file) as archive:
            inside = set(archive.namelist())
            return {"votes.npy", "gold.npy"} <= inside or {"codes.npy", "shortlists.npy", "gold.npy"} <= inside
    except (BadZipFile, OSError):
        return False


def read_matrix(stem: Path) -> tuple[LabelSpace, dict[str, Split]]:
    """Classes are called 0, 1, …: the file has no names for them. What labelers say is inferred."""
    file = stem.with_name(stem.name + ".npz")
    with ZipFile(file) as archive:
        if "votes.npy" not in archive.namelist():
            return _read_shortlists(file)
    arrays = read_npz(file, "votes", "gold")
    votes, gold = arrays["votes"], arrays["gold"]
    space = LabelSpace(str(j) for j in range(1 + max(int(votes.max(initial=1)), int(gold.max(initial=1)))))
    table = Votes.from_snorkel(votes, space)
    return space, {"all": Split(None, table, gold_of_positions(gold, space, len(table)))}


def _read_shortlists(file: Path) -> tuple[LabelSpace, dict[str, Split]]:
    """Codes (m, n), 0 for none, and the shortlists of each labeler as lists of class numbers in JSON."""
    arrays = read_npz(file, "codes", "shortlists", "gold")
    said = json.loads(str(arrays["shortlists"]))
    most = max(j for labeler in said for shortlist in labeler for j in shortlist)
    space = LabelSpace(str(j) for j in range(1 + max(most, int(arrays["gold"].max(initial=1)))))
    says = [[{space[j] for j in shortlist} for shortlist in labeler] for labeler in said]
    table = Votes(arrays["codes"], says, space)
    return space, {"all": Split(None, table, gold_of_positions(arrays["gold"], space, len(table)))}
