"""Exchange: the doors of Votes from and to other tools' formats. Each pair loses nothing on the way and back.

Snorkel, WRENCH and crowd tools know single classes only; giving them Votes with longer shortlists is an error
that names the labeler.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadVotes
from shortlist.labelspace import LabelSpace

if TYPE_CHECKING:
    import polars as pl

    from shortlist.votes.table import Votes

Says = Literal["seen", "all"]


class Exchange:
    """What Votes can be made from and turned into. (`Votes` inherits it; it is not used by itself.)"""

    @classmethod
    def from_snorkel(
        cls,
        L: npt.ArrayLike,
        space: LabelSpace | Iterable[str],
        names: Iterable[str] | None = None,
        *,
        says: Says = "seen",
        ids: Sequence[Any] | None = None,
    ) -> Self:
        """Snorkel's label matrix: (m, n) class positions, −1 where a labeling function abstains.

        `says="seen"` takes the classes a labeler was seen to vote for as its codomain (a rule that only ever
        says SPAM is one-sided); `"all"` takes every class (a crowd worker).
        """
        space = space if isinstance(space, LabelSpace) else LabelSpace(space)
        matrix = np.asarray(L)
        if matrix.ndim != 2 or matrix.dtype.kind not in "iu":
            raise BadVotes(f"a label matrix is a 2-D array of integers; got {matrix.dtype} of shape {matrix.shape}")
        if matrix.size and (matrix.min() < -1 or matrix.max() >= len(space)):
            raise BadVotes(f"labels run from −1 (abstain) to {len(space) - 1}; got {matrix.min()} to {matrix.max()}")
        codes = np.zeros(matrix.shape, np.int64)
        codomains: list[Any] = []
        for i, column in enumerate(matrix.T):
            said = np.unique(column[column >= 0]) if says == "seen" else np.arange(len(space))
            table = np.zeros(len(space) + 1, np.int64)  # the last entry is what −1 finds: abstained
            table[said] = np.arange(1, len(said) + 1)
            codes[:, i] = table[column]
            codomains.append([space[j] for j in said])
        return cls(codes, codomains, space, names, ids=ids)  # type: ignore[call-arg]

    def to_snorkel(self: Votes) -> npt.NDArray[np.int64]:  # type: ignore[misc]
        """Snorkel's label matrix. Votes that shortlist several classes cannot be said there."""
        columns = [table[column] for table, column in zip(_single_classes(self), self.codes.T, strict=True)]
        return np.stack(columns, axis=1).astype(np.int64) if columns else np.zeros(self.shape, np.int64)

    @classmethod
    def from_wrench(
        cls,
        records: Mapping[str, Mapping[str, Any]],
        space: LabelSpace | Iterable[str],
        names: Iterable[str] | None = None,
        *,
        says: Says = "seen",
    ) -> Self:
        """A WRENCH json file once read: id → {"label", "weak_labels", "data"}; the ids become row ids."""
        lengths = {len(record["weak_labels"]) for record in records.values()}
        if len(lengths) > 1:
            raise BadVotes(f"rows have different numbers of weak labels: {sorted(lengths)}")
        L = np.array([r["weak_labels"] for r in records.values()], np.int64).reshape(len(records), *lengths or (0,))
        return cls.from_snorkel(L, space, names, says=says, ids=list(records))

    def to_wrench(
        self: Votes,  # type: ignore[misc]
        gold: Iterable[str | None] | None = None,
        data: Iterable[Mapping[str, Any]] | None = None,
    ) -> dict[str, dict[str, Any]]:
        """The records of a WRENCH json file; gold class names and row data go in beside the votes."""
        m = len(self)
        ids = [str(i) for i in (range(m) if self.ids is None else self.ids)]
        labels = [-1] * m if gold is None else self.space.positions(gold).tolist()
        rows: list[Mapping[str, Any]] = [{}] * m if data is None else list(data)
        if not len(labels) == len(rows) == m:
            raise BadVotes(f"{m} rows need as many gold labels and data; got {len(labels)} and {len(rows)}")
        return {
            key: {"label": label, "weak_labels": votes, "data": dict(row)}
            for key, label, votes, row in zip(ids, labels, self.to_snorkel().tolist(), rows, strict=True)
        }

    @classmethod
    def from_crowd(
        cls,
        answers: Any,
        space: LabelSpace | Iterable[str] | None = None,
        *,
        repeated: Literal["error", "first", "last"] = "error",
    ) -> Self:
        """A long table with columns item, worker, label: one answer a line; every worker may say every class.

        Items become row ids in order of appearance, workers become labelers. A worker who answers an item
        twice is an error unless `repeated` says which answer counts.
        """
        import polars as pl

        table = _crowd_table(answers)
        labels = table["label"].cast(pl.String)
        space = LabelSpace(sorted(set(labels), key=_natural)) if space is None else space
        space = space if isinstance(space, LabelSpace) else LabelSpace(space)
        rows, items = _positions_of(table["item"])
        columns, workers = _positions_of(table["worker"])
        cells = rows * len(workers) + columns
        _, first, counts = np.unique(cells, return_index=True, return_counts=True)
        if repeated == "error" and (counts > 1).any():
            a = int(first[counts > 1][0])
            raise BadVotes(
                f"worker {table['worker'][a]!r} answers item {table['item'][a]!r} more than once; "
                'say which answer counts: repeated="first" or "last"'
            )
        order = slice(None, None, -1) if repeated == "first" else slice(None)  # the one written last stays
        codes = np.zeros((len(items), len(workers)), np.int64)
        codes[rows[order], columns[order]] = space.positions(labels)[order] + 1
        return cls(codes, [list(space)] * len(workers), space, [str(w) for w in workers], ids=items)  # type: ignore[call-arg]

    def to_crowd(self: Votes) -> pl.DataFrame:  # type: ignore[misc]
        """The answers as a long table (item, worker, label), row by row."""
        import polars as pl

        L = self.to_snorkel()
        rows, columns = np.nonzero(L >= 0)
        items = np.arange(len(self)) if self.ids is None else self.ids
        classes = np.array(self.space.names, object)
        workers = np.array(self.names, object)
        return pl.DataFrame({"item": items[rows], "worker": workers[columns], "label": classes[L[rows, columns]]})

    @classmethod
    def from_paper(
        cls,
        votes: npt.ArrayLike,
        label_partition: Mapping[Any, Sequence[Sequence[int]]],
        space: LabelSpace | Iterable[str],
        names: Iterable[str] | None = None,
    ) -> Self:
        """The arrays of the paper's own code: votes (m, n) with 0 = abstain, and for each labeler its label
        groups as 1-based class numbers; vote v of labeler i stands for `label_partition[i][v - 1]`.
        """
        space = space if isinstance(space, LabelSpace) else LabelSpace(space)
        groups = [label_partition[key] for key in sorted(label_partition, key=_natural)]
        codomains = [[[space[int(j) - 1] for j in group] for group in labeler] for labeler in groups]
        return cls(votes, codomains, space, names)  # type: ignore[call-arg]

    def to_paper(self: Votes) -> tuple[npt.NDArray[np.int64], dict[int, list[list[int]]]]:  # type: ignore[misc]
        """(votes, label_partition) as the paper's own code takes them; dummies are groups like any other."""
        partition = {
            i: [[self.space.position(name) + 1 for name in self.space.ordered(s)] for s in codomain.shortlists]
            for i, codomain in enumerate(self.codomains)
        }
        return self.codes.astype(np.int64), partition


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


def _crowd_table(answers: Any) -> pl.DataFrame:
    import polars as pl

    table = answers if isinstance(answers, pl.DataFrame) else pl.DataFrame(answers)
    missing = {"item", "worker", "label"} - set(table.columns)
    if missing:
        raise BadVotes(f"crowd answers need columns item, worker, label; missing: {', '.join(sorted(missing))}")
    if any(table[name].null_count() for name in ("item", "worker", "label")):
        raise BadVotes("crowd answers have empty cells; leave out the lines without an answer")
    return table


def _positions_of(column: pl.Series) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Each value's place among the distinct values, which are in order of appearance."""
    values = column.unique(maintain_order=True)
    places = {value: a for a, value in enumerate(values)}
    return np.fromiter((places[value] for value in column), np.int64, len(column)), values.to_numpy()


def _natural(key: Any) -> tuple[int, float, str]:
    """Sort 2 before 10, numbers before words."""
    text = str(key)
    try:
        return 0, float(text), text
    except ValueError:
        return 1, 0.0, text
