"""File: Votes as one file, an npz archive or a parquet table, with what the codes mean in a versioned JSON header."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar

import numpy.typing as npt

from shortlist.archive import read_archive, write_archive
from shortlist.errors import BadFile
from shortlist.labelspace import LabelSpace
from shortlist.votes.codomain import Codomain
from shortlist.votes.failure import Failure

if TYPE_CHECKING:
    from shortlist.votes.votes import Votes

FORMAT = 1
KIND = "votes"
Made = TypeVar("Made", bound="Votes")


def save_votes(votes: Votes, path: str | os.PathLike[str]) -> None:
    """A parquet file where the name says so, else an npz archive."""
    if is_parquet(path):
        from shortlist.votes.parquet import write_parquet

        write_parquet(votes, path, {**header_of(votes), "kind": KIND})
        return
    arrays = {"codes": votes.codes} if votes.ids is None else {"codes": votes.codes, "ids": votes.ids}
    write_archive(path, kind=KIND, version=FORMAT, header=header_of(votes), arrays=arrays)


def load_votes(cls: type[Made], path: str | os.PathLike[str]) -> Made:
    """Votes as they were saved."""
    if is_parquet(path):
        from shortlist.votes.parquet import read_parquet

        header, arrays = read_parquet(path, kind=KIND)
    else:
        header, arrays = read_archive(path, kind=KIND, version=FORMAT)
    try:
        return votes_from(cls, header, arrays["codes"], arrays.get("ids"))
    except BadFile:
        raise
    except Exception as error:  # what does not fit together can trip any of these
        raise BadFile(f"{path} does not hold Votes as shortlist writes them: {error}") from error


def is_parquet(path: str | os.PathLike[str]) -> bool:
    return os.fspath(path).endswith(".parquet")


def header_of(votes: Votes) -> dict[str, Any]:
    """All but the codes and ids, as plain data."""
    return {
        "classes": list(votes.space),
        "labelers": [
            {"name": name, **codomain.to_json(votes.space), "failure": [int(f.count), f.first] if f else None}
            for name, codomain, f in zip(votes.names, votes.codomains, votes.failures, strict=True)
        ],
    }


def votes_from(cls: type[Made], header: dict[str, Any], codes: npt.ArrayLike, ids: Any = None) -> Made:
    """From what `header_of` gave, and codes."""
    labelers = header["labelers"]
    return cls(
        codes,
        [Codomain.from_json(record) for record in labelers],
        LabelSpace(header["classes"]),
        [record["name"] for record in labelers],
        ids=ids,
        failures=[Failure(*record["failure"]) if record["failure"] else None for record in labelers],
    )
