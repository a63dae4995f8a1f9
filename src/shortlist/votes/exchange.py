"""Exchange: Votes from the formats of other tools, and to those that other label models and crowd tools read.

Snorkel knows single classes only; giving it Votes with longer shortlists is an error that names the labeler.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadVotes
from shortlist.labelspace import LabelSpace
from shortlist.votes.codomain import Codomain
from shortlist.votes.crowd import read_answers, to_table

if TYPE_CHECKING:
    import polars as pl

    from shortlist.votes.votes import Votes

SeenOrAll = Literal["seen", "all"]


class Exchange:
    """Conversions of Votes. (`Votes` inherits them; the class is not used by itself.)"""

    @classmethod
    def from_snorkel(
        cls,
        L: npt.ArrayLike,
        space: LabelSpace | Iterable[str],
        names: Iterable[str] | None = None,
        *,
        says: SeenOrAll = "seen",
        ids: Sequence[Any] | None = None,
    ) -> Self:
        """Snorkel's label matrix: (m, n) class positions, −1 where a labeling function abstains.

        A table of pandas or polars is a matrix whose columns have names, which become those of the labelers.

        `says="seen"` takes the classes a labeler was seen to vote for as its codomain, marked as inferred (a
        rule that only ever says SPAM is one-sided); `"all"` takes every class (a crowd worker).
        """
        if says not in ("seen", "all"):
            raise BadVotes(f'says is "seen" or "all"; got {says!r}')
        space = space if isinstance(space, LabelSpace) else LabelSpace(space)
        matrix = _label_matrix(L)
        columns = list(getattr(L, "columns", ()))  # of a table
        names = columns if names is None and columns and all(isinstance(one, str) for one in columns) else names
        wrong = (matrix < -1) | (matrix >= len(space))
        if wrong.any():
            a, i = (int(place) for place in np.argwhere(wrong)[0])
            raise BadVotes(
                f"labels run from −1 (abstain) to {len(space) - 1}, but row {a} has {matrix[a, i]} in column {i}"
            )
        k = len(space)
        codes = np.empty(matrix.shape, np.min_scalar_type(k), order="F")
        codomains: list[Any] = []
        for i in range(matrix.shape[1]):
            column = matrix[:, i].astype(np.int64) + 1  # 0 is abstained, j + 1 is class j
            said = np.flatnonzero(np.bincount(column, minlength=k + 1)[1:]) if says == "seen" else np.arange(k)
            table = np.zeros(k + 1, codes.dtype)
            table[said + 1] = np.arange(1, len(said) + 1)
            codes[:, i] = table[column]
            codomains.append(Codomain.declare([space[int(j)] for j in said], space, inferred=says == "seen"))
        return cls(codes, codomains, space, names, ids=ids)  # type: ignore[call-arg]

    def to_snorkel(self: Votes) -> npt.NDArray[np.int64]:  # type: ignore[misc]
        """Snorkel's label matrix. Votes that shortlist several classes cannot be said there."""
        L = np.empty(self.shape, np.int64, order="F")
        for i, table in enumerate(_single_classes(self)):
            L[:, i] = table[self.codes[:, i]]
        return L

    @classmethod
    def from_crowd(
        cls,
        answers: Any,
        space: LabelSpace | Iterable[str] | None = None,
        *,
        items: Sequence[Any] | npt.NDArray[Any] | None = None,
        workers: Sequence[Any] | None = None,
        repeated: Literal["error", "first", "last"] = "error",
        separator: str | None = None,
    ) -> Self:
        """A long table with columns item, worker, label: one answer a line.

        A label is one class, and every worker may say every class. Or it is a set of classes: a set, a list,
        `Not("X")`, or names joined by a `separator` such as "|". Then a person may say any set; those that were heard
        are the codomain, marked as inferred and open. An answer with all classes, or with none, is an abstain.

        Items become row ids and workers become labelers, in order of appearance, unless `items` and `workers`
        give the order and those without an answer too. A worker who answers an item twice is an error unless
        `repeated` says which answer counts.
        """
        *made, ids = read_answers(answers, space, items, workers, repeated, separator)
        return cls(*made, ids=ids)  # type: ignore[call-arg]

    def to_crowd(self: Votes) -> pl.DataFrame:  # type: ignore[misc]
        """The answers as a long table (item, worker, label), row by row. Who never answered is not in it.

        Labels are lists of names where people may say any set, or where some answer holds several classes.
        """
        return to_table(self)


def _label_matrix(L: npt.ArrayLike) -> npt.NDArray[np.integer[Any]]:
    """The label matrix, which holds integers and nothing else."""
    try:
        matrix = np.asarray(L)
    except ValueError as error:
        raise BadVotes("a label matrix is a 2-D array of integers; got rows of different lengths") from error
    if matrix.ndim != 2 or matrix.dtype.kind not in "iu":
        hint = "; write −1 for what is missing, and .astype(int)" if matrix.dtype.kind == "f" else ""
        raise BadVotes(f"a label matrix is a 2-D array of integers; got {matrix.dtype} of shape {matrix.shape}{hint}")
    return matrix


def _single_classes(votes: Votes) -> list[npt.NDArray[np.int64]]:
    """Per labeler, code → class position (−1 for abstain), or an error where a longer shortlist was voted."""
    tables = []
    for name, codomain, counts in zip(votes.names, votes.codomains, votes.counts(), strict=True):
        table = np.full(len(codomain) + 1, -1)
        for c, shortlist in enumerate(codomain.shortlists, start=1):
            if len(shortlist) == 1:
                table[c] = votes.space.position(next(iter(shortlist)))
            elif counts[c]:
                raise BadVotes(
                    f"labeler {name!r} says {votes.space.show(shortlist)}, which a format of single classes "
                    "cannot hold; votes.only_single() leaves such labelers out"
                )
        tables.append(table)
    return tables
