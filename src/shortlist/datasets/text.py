"""Text sets: one jsonl file a split, a JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from shortlist.datasets.dataset import Gold, Split
from shortlist.datasets.reading import (
    as_frame,
    in_order,
    known,
    label_json,
    objects,
)
from shortlist.errors import BadFile
from shortlist.labelspace import LabelSpace, natural

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
