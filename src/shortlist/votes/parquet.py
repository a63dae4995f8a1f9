"""Votes in parquet: one column of codes a labeler, with what the codes mean in the metadata of the file.

Quick to write and to read, so the parts of large data are kept in it. Other tools read it as a table. The codes of a
labeler that knows one answer are false and true: a bit a row, which is written five times faster than a number is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import polars.selectors as cs

from shortlist.archive import Arrays, atomic
from shortlist.errors import BadFile

if TYPE_CHECKING:
    from shortlist.votes.votes import Votes

FORMAT = 2  # in files of format 1, all codes are numbers
KEY = "shortlist"  # of the metadata
IDS = "row id"  # the column of ids, where no labeler is called so


def write_parquet(votes: Votes, path: str | os.PathLike[str], header: Mapping[str, Any]) -> None:
    """Write one file; it replaces an older one in one step."""
    table = pl.from_numpy(votes.codes, schema=list(votes.names), orient="row")
    table = table.cast(dict.fromkeys(_one_answer(votes), pl.Boolean))
    ids = None if votes.ids is None else _free_name(votes.names)
    if ids is not None:
        table.insert_column(0, pl.Series(ids, votes.ids))
    text = json.dumps({**header, "version": FORMAT, "rows": len(votes), "ids": ids}, allow_nan=False)
    with atomic(path) as file:
        table.write_parquet(file, compression="lz4", statistics=False, metadata={KEY: text})


def _one_answer(votes: Votes) -> list[str]:
    """The labelers that know one answer. (Its complement is in their codomain, too, and is never said.)"""
    highest = votes.codes.max(axis=0, initial=0)  # (n,)
    answers = [len(codomain) - len(codomain.dummies) for codomain in votes.codomains]
    return [name for name, known, code in zip(votes.names, answers, highest, strict=True) if known <= 1 and code <= 1]


def _free_name(names: tuple[str, ...]) -> str:
    name = IDS
    while name in names:
        name += "_"
    return name


def read_parquet(path: str | os.PathLike[str], *, kind: str) -> tuple[dict[str, Any], Arrays]:
    """(header, arrays), as `read_archive` gives them."""
    with _readable(path):
        header = json.loads(pl.read_parquet_metadata(os.fspath(path)).get(KEY, "{}"))
        if header.get("kind") != kind:
            raise BadFile(f"{path} was not written by shortlist, or holds something else than {kind}")
        if header["version"] > FORMAT:
            raise BadFile(
                f"{path} was written by a newer shortlist (format {header['version']}; this one reads up to {FORMAT})"
                ": upgrade shortlist to read it"
            )
        return header, _arrays(pl.read_parquet(os.fspath(path), glob=False), header)


def _arrays(frame: pl.DataFrame, header: dict[str, Any]) -> Arrays:
    names = [record["name"] for record in header["labelers"]]
    numbers = frame.select(names).cast({cs.boolean(): pl.UInt8})
    codes = numbers.to_numpy(order="fortran") if names else np.zeros((header["rows"], 0), np.uint8)
    if header["ids"] is None:
        return {"codes": codes}
    ids = frame[header["ids"]]
    return {"codes": codes, "ids": np.array(ids.to_list(), np.str_) if ids.dtype == pl.String else ids.to_numpy()}


@contextmanager
def _readable(path: str | os.PathLike[str]) -> Iterator[None]:
    """The errors of a file that is missing, damaged or foreign as ours."""
    try:
        yield
    except BadFile:
        raise
    except FileNotFoundError:
        raise BadFile(f"{path} does not exist") from None
    except (pl.exceptions.PolarsError, OSError, ValueError, LookupError, TypeError) as error:
        what = " ".join(str(error).split())[:200]
        raise BadFile(f"{path} is truncated or not a shortlist file ({what})") from error
