"""Votes: what every labeler said about every row."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from shortlist.archive import read_archive, write_archive
from shortlist.errors import BadVotes, did_you_mean
from shortlist.labelspace import LabelSpace, Shortlist
from shortlist.votes.codomain import Codomain
from shortlist.votes.exchange import Exchange
from shortlist.votes.patterns import Codes, Patterns, count_patterns, find_patterns

if TYPE_CHECKING:
    import polars as pl

FORMAT = 1


@dataclass(frozen=True)
class Failure:
    """How often a labeler failed while it was applied with `on_error="abstain"`, and how the first time."""

    count: int
    first: str


class Votes(Exchange):
    """What every labeler said about every row: the one thing that passes from stage 1 to stage 2.

    `codes[a, i]` is 0 where labeler i abstained on row a, and otherwise c, which stands for
    `codomains[i].shortlists[c - 1]`. Votes never change once made.

    >>> votes = Votes([[1, 0], [0, 2]], [["sports"], [{"sports", "world"}, "business"]],
    ...               ["business", "sports", "world"], names=["goal", "abroad"])
    >>> votes.said(0)
    {'goal': ('sports',)}
    >>> votes.coverage.tolist()
    [0.5, 0.5]
    """

    def __init__(
        self,
        codes: npt.ArrayLike,
        codomains: Iterable[Codomain | Iterable[Any]],
        space: LabelSpace | Iterable[str],
        names: Iterable[str] | None = None,
        *,
        ids: Sequence[Any] | npt.NDArray[Any] | None = None,
        failures: Iterable[Failure | None] | None = None,
    ) -> None:
        self.space = space if isinstance(space, LabelSpace) else LabelSpace(space)
        self.codomains: tuple[Codomain, ...] = tuple(
            c if isinstance(c, Codomain) else Codomain.declare(c, self.space) for c in codomains
        )
        n = len(self.codomains)
        self.names: tuple[str, ...] = tuple(names) if names is not None else tuple(f"labeler_{i + 1}" for i in range(n))
        self.codes: Codes = _checked_codes(codes, self.codomains, self.names)
        self.ids: npt.NDArray[Any] | None = None if ids is None else _frozen(np.array(ids))
        self.failures: tuple[Failure | None, ...] = tuple(failures) if failures is not None else (None,) * n
        self._check()

    def _check(self) -> None:
        if len(set(self.names)) < len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise BadVotes(f"two labelers are called {twice!r}: give each its own name")
        for codomain in self.codomains:
            for shortlist in codomain.shortlists:
                self.space.shortlist(shortlist)
        if self.ids is not None and self.ids.shape != (len(self),):
            raise BadVotes(f"{len(self)} rows need {len(self)} ids; got an array of shape {self.ids.shape}")
        if len(self.failures) != len(self.names):
            raise BadVotes(f"{len(self.names)} labelers need as many failure records; got {len(self.failures)}")

    # -- shape and counts ------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """(m rows, n labelers)."""
        return self.codes.shape  # type: ignore[return-value]

    def __len__(self) -> int:
        return int(self.codes.shape[0])

    @property
    def sizes(self) -> list[int]:
        """How many shortlists each labeler has."""
        return [len(codomain) for codomain in self.codomains]

    @cached_property
    def covered(self) -> npt.NDArray[np.bool_]:
        """(m,): rows with at least one vote."""
        return _frozen((self.codes != 0).any(axis=1))

    @cached_property
    def coverage(self) -> npt.NDArray[np.float64]:
        """(n,): the share of rows each labeler votes on."""
        return _frozen((self.codes != 0).mean(axis=0) if len(self) else np.zeros(len(self.names)))

    def counts(self) -> list[npt.NDArray[np.int64]]:
        """Per labeler, how often it abstained and gave each of its shortlists, by code."""
        return [
            np.bincount(column, minlength=len(codomain) + 1).astype(np.int64)
            for column, codomain in zip(self.codes.T, self.codomains, strict=True)
        ]

    def patterns(self) -> Patterns:
        """Unique rows of codes, their counts, and which one each row is."""
        return find_patterns(self.codes, self.sizes)

    def pattern_counts(self) -> tuple[Codes, npt.NDArray[np.int64]]:
        """Unique rows of codes and their counts only; two to three times faster than `patterns()`."""
        return count_patterns(self.codes, self.sizes)

    # -- parts and wholes ------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Votes:
        """`votes[rows]`, `votes[rows, labelers]`; labelers by position or by name."""
        rows, labelers = key if isinstance(key, tuple) else (key, slice(None))
        columns = self._columns(labelers)
        rows = slice(rows, rows + 1 or None) if isinstance(rows, (int, np.integer)) else rows
        codes = self.codes[rows][:, columns]
        return self._with(codes, columns, None if self.ids is None else self.ids[rows])

    def _columns(self, labelers: Any) -> list[int]:
        if isinstance(labelers, slice):
            return list(range(len(self.names)))[labelers]
        if isinstance(labelers, (str, int, np.integer)):
            labelers = [labelers]
        chosen = list(labelers)
        if chosen and all(isinstance(c, (bool, np.bool_)) for c in chosen):
            if len(chosen) != len(self.names):
                raise BadVotes(f"{len(self.names)} labelers need a mask of that length; got {len(chosen)}")
            return [int(i) for i in np.flatnonzero(chosen)]
        return [self._column(c) for c in chosen]

    def _column(self, labeler: Any) -> int:
        if isinstance(labeler, str):
            if labeler not in self.names:
                raise BadVotes(
                    f"no labeler is called {labeler!r}.{did_you_mean(labeler, self.names)} "
                    f"Labelers: {', '.join(self.names)}"
                )
            return self.names.index(labeler)
        return range(len(self.names))[labeler]

    def _with(self, codes: Codes, columns: Sequence[int], ids: npt.NDArray[Any] | None) -> Votes:
        return Votes(
            codes,
            [self.codomains[i] for i in columns],
            self.space,
            [self.names[i] for i in columns],
            ids=ids,
            failures=[self.failures[i] for i in columns],
        )

    def only_single(self) -> Votes:
        """The labelers that name one class or abstain: the paper's "LFs only"."""
        single = [
            i for i, c in enumerate(self.codomains) if c.says and all(len(s) == 1 for s in c.says)
        ]
        return self[:, single]

    @staticmethod
    def concat(parts: Iterable[Votes]) -> Votes:
        """The rows of several Votes of the same labelers, one after another."""
        from shortlist.votes.concat import concat_rows

        return concat_rows(list(parts))

    @staticmethod
    def beside(parts: Iterable[Votes]) -> Votes:
        """The labelers of several Votes about the same rows, side by side."""
        from shortlist.votes.concat import concat_labelers

        return concat_labelers(list(parts))

    # -- what people see -------------------------------------------------------------------------------

    def said(self, a: int) -> dict[str, tuple[str, ...]]:
        """What was said about row a: labeler → class names. Labelers that abstained are not in it."""
        return {
            self.names[i]: self.space.ordered(self.codomains[i].shortlists[self.codes[a, i] - 1])
            for i in np.flatnonzero(self.codes[a])
        }

    def shortlist(self, a: int, labeler: int | str) -> Shortlist | None:
        """What one labeler said about row a, or None."""
        i = self._column(labeler)
        code = int(self.codes[a, i])
        return self.codomains[i].shortlists[code - 1] if code else None

    def summary(self) -> pl.DataFrame:
        """One line a labeler: what it may say, how often it votes, whether that was inferred, what failed."""
        import polars as pl

        votes = [int(c[1:].sum()) for c in self.counts()]
        return pl.DataFrame({
            "labeler": list(self.names),
            "says": [[self.space.show(s) for s in c.says] for c in self.codomains],
            "dummy": [[self.space.show(s) for s in c.shortlists if s in c.dummies] for c in self.codomains],
            "inferred": [c.inferred for c in self.codomains],
            "votes": votes,
            "coverage": self.coverage,
            "failed": [f.count if f else 0 for f in self.failures],
        }, schema_overrides={"says": pl.List(pl.String), "dummy": pl.List(pl.String)})  # fmt: skip

    def to_frame(self) -> pl.DataFrame:
        """A polars table: one column a labeler, shortlists as text, null where it abstained."""
        import polars as pl

        columns: dict[str, Any] = {} if self.ids is None else {"id": self.ids}
        for name, codomain, column in zip(self.names, self.codomains, self.codes.T, strict=True):
            words = pl.Series(name, [None, *(self.space.show(s) for s in codomain.shortlists)], pl.String)
            columns[name] = words.gather(column)
        return pl.DataFrame(columns)

    def __repr__(self) -> str:
        m, n = self.shape
        shown = 12
        head = (
            f"Votes: {m:,} rows × {n} labelers over {len(self.space)} classes "
            f"({', '.join(self.space[:6])}{', …' if len(self.space) > 6 else ''}); {self.covered.mean() if m else 0:.1%} of rows covered"
        )
        width = max((len(name) for name in self.names[:shown]), default=0)
        lines = [
            f"  {name:<{width}}  {share:6.1%}  {codomain.show(self.space)}" + (f"  [failed on {failure.count:,} rows]" if failure else "")
            for name, share, codomain, failure in zip(self.names, self.coverage, self.codomains, self.failures, strict=True)
        ]
        return "\n".join([head, *lines[:shown], *([f"  … and {n - shown} more"] if n > shown else [])])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Votes):
            return NotImplemented
        same_ids = (self.ids is None) == (other.ids is None) and (
            self.ids is None or np.array_equal(self.ids, other.ids)  # type: ignore[arg-type]
        )
        mine = (self.space, self.names, self.codomains, self.failures)
        theirs = (other.space, other.names, other.codomains, other.failures)
        return mine == theirs and same_ids and np.array_equal(self.codes, other.codes)

    __hash__ = None  # type: ignore[assignment]

    # -- files -----------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one npz file with a versioned JSON header; it replaces an older one in one step."""
        header = {
            "classes": list(self.space),
            "labelers": [
                {"name": name, **codomain.to_json(self.space), "failure": [f.count, f.first] if f else None}
                for name, codomain, f in zip(self.names, self.codomains, self.failures, strict=True)
            ],
        }
        arrays = {"codes": self.codes} if self.ids is None else {"codes": self.codes, "ids": _plain(self.ids)}
        write_archive(path, kind="votes", version=FORMAT, header=header, arrays=arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Votes:
        """Read what `save` wrote."""
        header, arrays = read_archive(path, kind="votes", version=FORMAT)
        labelers = header["labelers"]
        return cls(
            arrays["codes"],
            [Codomain.from_json(record) for record in labelers],
            LabelSpace(header["classes"]),
            [record["name"] for record in labelers],
            ids=arrays.get("ids"),
            failures=[Failure(*record["failure"]) if record["failure"] else None for record in labelers],
        )


def _frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.flags.writeable = False
    return array


def _plain(ids: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Ids that a file can hold without pickling: numbers as they are, anything else as text."""
    return ids.astype(np.str_) if ids.dtype == object else ids


def _checked_codes(codes: npt.ArrayLike, codomains: Sequence[Codomain], names: Sequence[str]) -> Codes:
    """A read-only (m, n) copy, column by column, in the smallest unsigned type; or an error that says where."""
    given = np.asarray(codes)
    if given.ndim != 2 or given.shape[1] != len(codomains) or len(names) != len(codomains):
        raise BadVotes(
            f"codes need one column a labeler: got codes of shape {given.shape}, {len(codomains)} codomains "
            f"and {len(names)} names"
        )
    if given.dtype.kind not in "iub":
        if given.dtype.kind != "f" or not np.array_equal(given, np.floor(given)):
            raise BadVotes(f"codes are whole numbers from 0; got {given.dtype} with NaN, fractions or text")
        given = given.astype(np.int64)
    for column, codomain, name in zip(given.T, codomains, names, strict=True):
        if column.size and (column.min() < 0 or column.max() > len(codomain)):
            a = int(np.flatnonzero((column < 0) | (column > len(codomain)))[0])
            raise BadVotes(f"labeler {name!r} has codes 0 to {len(codomain)}, but row {a} holds {column[a]}")
    largest = max((len(codomain) for codomain in codomains), default=0)
    return _frozen(np.array(given, np.min_scalar_type(largest), order="F"))
