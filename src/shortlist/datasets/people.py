"""People who shortlist: what each person takes for the likeliest class, perhaps a second one, and all it could be.

One csv file, with columns image, person, likeliest, second, possible (names joined by a bar) and gold, is three data
sets, by what is taken for the answer: `x/likeliest`, `x/two` (the likeliest and the second) and `x/possible`.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shortlist.datasets.crowd import last_answers, read_columns
from shortlist.datasets.dataset import Split
from shortlist.datasets.reading import objects
from shortlist.labelspace import LabelSpace, natural
from shortlist.votes import Votes

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
