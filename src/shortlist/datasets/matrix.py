"""A label matrix: votes and gold in one npz file, classes by number, −1 where a labeler abstains."""

from __future__ import annotations

from pathlib import Path
from zipfile import BadZipFile, ZipFile

from shortlist.datasets.dataset import Split
from shortlist.datasets.reading import gold_of_positions, read_npz
from shortlist.labelspace import LabelSpace
from shortlist.votes import Votes


def is_matrix(file: Path) -> bool:
    """Whether an npz file holds votes and gold. Only its table of contents is read."""
    try:
        with ZipFile(file) as archive:
            return {"votes.npy", "gold.npy"} <= set(archive.namelist())
    except (BadZipFile, OSError):
        return False


def read_matrix(stem: Path) -> tuple[LabelSpace, dict[str, Split]]:
    """Classes are called 0, 1, …: the file has no names for them. What labelers say is inferred."""
    arrays = read_npz(stem.with_name(stem.name + ".npz"), "votes", "gold")
    votes, gold = arrays["votes"], arrays["gold"]
    space = LabelSpace(str(j) for j in range(1 + max(int(votes.max(initial=1)), int(gold.max(initial=1)))))
    table = Votes.from_snorkel(votes, space)
    return space, {"all": Split(None, table, gold_of_positions(gold, space, len(table)))}
