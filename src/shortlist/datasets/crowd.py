"""Crowd answers: label.csv (item, worker, label) and truth.csv (item, truth)."""

from __future__ import annotations

import warnings
from pathlib import Path

import polars as pl

from shortlist.datasets.dataset import Split
from shortlist.datasets.reading import objects
from shortlist.errors import BadFile, ShortlistWarning
from shortlist.labelspace import LabelSpace, natural
from shortlist.votes import Votes


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
