"""Votes as one file: an npz archive, or a parquet table of one column of codes a labeler.

The meaning of the codes is in a versioned JSON header. In parquet, which is quick to write and to read, the codes of a
labeler that knows one answer are booleans: a bit a row, written five times faster than a number.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from shortlist.archive import Archive, Arrays, atomic, check_header, damage_as_bad_file, read_archive, write_archive
from shortlist.errors import BadFile
from shortlist.labelspace import LabelSpace
from shortlist.votes.codomain import Codomain, Failure

if TYPE_CHECKING:
    import polars as pl

    from shortlist.votes.votes import Votes

Made = TypeVar("Made", bound="Votes")


def save_votes(votes: Votes, path: str | os.PathLike[str]) -> None:
    """Write a parquet file where the name says so, else an npz archive."""
    if os.fspath(path).endswith(".parquet"):
        _write_parquet(votes, path)
        return
    arrays = {"codes": votes.codes} if votes.ids is None else {"codes": votes.codes, "ids": votes.ids}
    write_archive(path, kind="votes", header=header_of(votes), arrays=arrays)


def load_votes(cls: type[Made], path: str | os.PathLike[str]) -> Made:
    """Read what `save_votes` wrote."""
    read = _read_parquet if os.fspath(path).endswith(".parquet") else read_archive
    header, arrays = read(path, kind="votes")
    try:
        if isinstance(arrays, Archive):  # before they are unpacked: a small file may hold large arrays
            m, n = shape = arrays.shape("codes")
            if n != len(header["labelers"]) or ("ids" in arrays and arrays.shape("ids") != (m,)):
                raise ValueError(f"codes of shape {shape} need {n} labelers and {m} ids")
        return votes_from(cls, header, arrays["codes"], arrays.get("ids"))
    except BadFile:
        raise
    except Exception as error:  # what does not fit together can trip any of these
        raise BadFile(f"{path} does not hold Votes as shortlist writes them: {error}") from error


def header_of(votes: Votes) -> dict[str, Any]:
    """Everything but the codes and ids, as plain data."""
    return {
        "classes": list(votes.space),
        "labelers": [
            {"name": name, **codomain.to_json(votes.space), "failure": [int(f.count), f.first] if f else None}
            for name, codomain, f in zip(votes.names, votes.codomains, votes.failures, strict=True)
        ],
    }


def votes_from(cls: type[Made], header: dict[str, Any], codes: npt.ArrayLike, ids: Any = None) -> Made:
    """Make Votes of a header that `header_of` gave, and codes."""
    labelers = header["labelers"]
    return cls(
        codes,
        [Codomain.from_json(record) for record in labelers],
        LabelSpace(header["classes"]),
        [record["name"] for record in labelers],
        ids=ids,
        failures=[Failure(*record["failure"]) if record["failure"] else None for record in labelers],
    )


def _write_parquet(votes: Votes, path: str | os.PathLike[str]) -> None:
    import polars as pl

    table = pl.from_numpy(votes.codes, schema=list(votes.names), orient="row")
    table = table.cast(dict.fromkeys(_one_answer(votes), pl.Boolean))
    ids = None
    if votes.ids is not None:
        ids = "row id"
        while ids in votes.names:
            ids += "_"
        table.insert_column(0, pl.Series(ids, votes.ids))
    header = {**header_of(votes), "kind": "votes", "version": 1, "rows": len(votes), "ids": ids}
    text = json.dumps(header, allow_nan=False)
    with atomic(path) as file:
        table.write_parquet(file, compression="lz4", statistics=False, metadata={"shortlist": text})


def _one_answer(votes: Votes) -> list[str]:
    """Labelers that know one answer. (Its complement, the dummy, is in their codomain too, and is never said.)"""
    highest = votes.codes.max(axis=0, initial=0)  # (n,)
    each = zip(votes.names, votes.codomains, highest, strict=True)
    return [name for name, codomain, code in each if len(codomain.says) <= 1 and code <= 1]


def _read_parquet(path: str | os.PathLike[str], *, kind: str) -> tuple[dict[str, Any], Arrays]:
    """(header, arrays), as `read_archive` gives them."""
    import polars as pl

    with damage_as_bad_file(path):
        header = json.loads(pl.read_parquet_metadata(os.fspath(path)).get("shortlist", "{}"))
        check_header(path, header, kind)
        return header, _arrays(pl.read_parquet(os.fspath(path), glob=False), header)


def _arrays(frame: pl.DataFrame, header: dict[str, Any]) -> Arrays:
    import polars as pl
    import polars.selectors as cs

    names = [record["name"] for record in header["labelers"]]
    numbers = frame.select(names).cast({cs.boolean(): pl.UInt8})
    codes = numbers.to_numpy(order="fortran") if names else np.zeros((header["rows"], 0), np.uint8)
    if header["ids"] is None:
        return {"codes": codes}
    ids = frame[header["ids"]]
    return {"codes": codes, "ids": np.array(ids.to_list(), np.str_) if ids.dtype == pl.String else ids.to_numpy()}
