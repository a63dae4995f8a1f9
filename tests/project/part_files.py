"""A project whose labelers are data, over the same rows cut into files and parts in several ways."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import polars as pl

from shortlist.project import Project
from tests.project.news import head, rows

TOML = f"""{head("rows/*.parquet")}
[engine]
part_rows = {{part_rows}}

[output]
stages = ["vote", "fit", "export"]

[classifier]
kind = "none"
"""
PATTERNS = {"money": ("shares|profit", "business"), "polls": ("election|minister", "politics"),
            "match": ("goal|match|team", "sports")}  # fmt: skip


def make(folder: Path, *, files: int = 1, part_rows: int = 1000, m: int = 300) -> Project:
    """Write the files of the project."""
    (folder / "rows").mkdir(parents=True)
    table = rows(m)
    for number, places in enumerate(np.array_split(np.arange(m), files)):
        table[places].write_parquet(folder / "rows" / f"{number:02}.parquet")
    labelers = "".join(
        f'[[labeler]]\nkind = "pattern"\nname = "{name}"\nregex = "{regex}"\nyes = "{says}"\n'
        for name, (regex, says) in PATTERNS.items()
    )
    (folder / "shortlist.toml").write_text(TOML.format(part_rows=part_rows) + labelers, "utf-8")
    return Project(folder)


def codes(table: pl.DataFrame) -> np.ndarray:
    """What the labelers say, worked out by polars alone."""
    found = [table["body"].str.contains(regex).cast(pl.UInt8).to_numpy() for regex, _says in PATTERNS.values()]
    return np.stack(found, axis=1)


class Elsewhere:
    """Another machine: what comes back is a copy. It notes the pieces that it is given."""

    elsewhere = True

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers
        self.pieces: list[object] = []

    def map(self, function, pieces):
        for number, piece in pieces:
            self.pieces.append(piece)
            yield number, pickle.loads(pickle.dumps(function(piece)))
