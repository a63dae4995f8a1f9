"""WRENCH folders: rows, votes and gold of every split as json."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from shortlist.datasets.dataset import Split
from shortlist.datasets.reading import (
    ORDER,
    as_frame,
    gold_of_positions,
    in_order,
    known,
    label_json,
    read_json,
)
from shortlist.labelspace import LabelSpace
from shortlist.votes import Votes
from shortlist.votes.exchange import wrench_matrix


def read_wrench(folder: Path) -> tuple[LabelSpace, dict[str, Split]]:
    """All splits are turned into Votes at once, so that a labeler has the same codomain in each of them."""
    space = LabelSpace(label_json(folder / "label.json"))
    files = in_order(path for split in ORDER if (path := folder / f"{split}.json").is_file())
    records = {path.stem: read_json(path) for path in files}
    matrix = np.concatenate([wrench_matrix(part) for part in records.values() if part])
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


def _data(record: Mapping[str, Any]) -> Mapping[str, Any]:
    data = record.get("data", {})
    return data if isinstance(data, Mapping) else {"data": data}
