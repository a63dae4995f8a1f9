"""Votes: the answers of every labeler about every row."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadVotes, ShortlistError
from shortlist.labelspace import LabelSpace, Shortlist
from shortlist.votes.codomain import Codomain, Failure, check_codomain, infer_codomain, merged_failure
from shortlist.votes.exchange import Exchange
from shortlist.votes.files import load_votes, save_votes
from shortlist.votes.patterns import Codes, Patterns, count_patterns, find_patterns
from shortlist.wording import did_you_mean, first_duplicate, listed, lone_surrogate, number_of

if TYPE_CHECKING:
    import polars as pl


class Votes(Exchange):
    """The answers of every labeler about every row: the one thing that passes from stage 1 to stage 2.

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
        declared = list(codomains)
        n = len(declared)
        self.names: tuple[str, ...] = _checked_names(names, n)
        self.codomains: tuple[Codomain, ...] = tuple(
            _checked_codomain(c, name, self.space) for c, name in zip(declared, self.names, strict=True)
        )
        self.codes: Codes = _checked_codes(codes, self.codomains, self.names)
        self.ids: npt.NDArray[Any] | None = None if ids is None else _checked_ids(ids, len(self))
        self.failures: tuple[Failure | None, ...] = tuple(failures) if failures is not None else (None,) * n
        if len(self.failures) != n:
            raise BadVotes(f"{n} labelers need {n} failure records; got {len(self.failures)}")
        self._made = True

    def __setattr__(self, name: str, value: Any) -> None:
        if "_made" in self.__dict__:
            raise AttributeError(f"Votes never change once made: {name} cannot be set; make new Votes instead")
        super().__setattr__(name, value)

    # -- shape and counts ------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """(m rows, n labelers)."""
        return self.codes.shape

    def __len__(self) -> int:
        return int(self.codes.shape[0])

    @property
    def sizes(self) -> list[int]:
        """Number of shortlists of each labeler."""
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
            np.bincount(column, minlength=size + 1).astype(np.int64)
            for column, size in zip(self.codes.T, self.sizes, strict=True)
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
        if isinstance(rows, str):
            raise BadVotes(f"rows have no names; for a labeler write votes[:, {rows!r}]")
        if isinstance(rows, (int, np.integer)):
            if not -len(self) <= rows < len(self):
                raise IndexError(f"there is no row {rows}: the Votes have {len(self):,} rows")
            rows = [rows]
        codes = self.codes[rows].T[columns].T
        whole = len(codes) == len(self)  # failures were counted over all rows: of some rows they are not known
        return Votes(
            codes.view(Ours),
            [self.codomains[i] for i in columns],
            self.space,
            [self.names[i] for i in columns],
            ids=None if self.ids is None else self.ids[rows],
            failures=[self.failures[i] if whole else None for i in columns],
        )

    def _columns(self, labelers: Any) -> list[int]:
        if labelers is ...:  # scikit-learn takes rows so: votes[rows, ...]
            labelers = slice(None)
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
                hint = f"{did_you_mean(labeler, self.names)} Labelers: {', '.join(self.names)}"
                raise BadVotes(f"no labeler is called {labeler!r}.{hint}")
            return self.names.index(labeler)
        n = len(self.names)
        if not isinstance(labeler, (int, np.integer)) or not -n <= labeler < n:
            raise BadVotes(f"there is no labeler {labeler!r}: the Votes have {n}, numbered from 0")
        return int(labeler) % n

    def only_single(self) -> Votes:
        """The labelers that name one class or abstain: the paper's "LFs only"."""
        single = [i for i, c in enumerate(self.codomains) if c.says and all(len(s) == 1 for s in c.says)]
        return self[:, single]

    @staticmethod
    def concat(parts: Iterable[Votes]) -> Votes:
        """The rows of several Votes of the same labelers, one after another.

        Codomains must be equal, except inferred ones, which are united.
        """
        parts = list(parts)
        first = _same_space(parts)
        if len(parts) == 1:
            return first
        for part in parts:
            if part.names != first.names:
                raise BadVotes(f"labelers differ: {list(first.names)} and {list(part.names)}")
        n = len(first.names)
        codomains = [_united(parts, i) for i in range(n)]
        codes = np.concatenate([_recoded(part, codomains) for part in parts])
        ids = None if any(p.ids is None for p in parts) else np.concatenate([p.ids for p in parts])
        failures = [merged_failure([part.failures[i] for part in parts]) for i in range(n)]
        return type(first)(codes, codomains, first.space, first.names, ids=ids, failures=failures)

    @staticmethod
    def beside(parts: Iterable[Votes]) -> Votes:
        """The labelers of several Votes about the same rows, side by side."""
        parts = list(parts)
        first = _same_space(parts)
        for part in parts:
            if len(part) != len(first):
                raise BadVotes(f"side by side, Votes need the same rows: {len(first):,} and {len(part):,}")
        return type(first)(
            np.concatenate([part.codes.T for part in parts]).T.view(Ours),
            [codomain for part in parts for codomain in part.codomains],
            first.space,
            [name for part in parts for name in part.names],
            ids=_common_ids(parts),
            failures=[failure for part in parts for failure in part.failures],
        )

    # -- what people see -------------------------------------------------------------------------------

    def said(self, a: int) -> dict[str, tuple[str, ...]]:
        """Answers about row a: labeler → class names. Labelers that abstained are not in it."""
        return {
            self.names[i]: self.space.ordered(self.codomains[i].shortlists[self.codes[a, i] - 1])
            for i in np.flatnonzero(self.codes[a])
        }

    def shortlist(self, a: int, labeler: int | str) -> Shortlist | None:
        """The answer of one labeler about row a, or None."""
        i = self._column(labeler)
        code = int(self.codes[a, i])
        return self.codomains[i].shortlists[code - 1] if code else None

    def summary(self) -> pl.DataFrame:
        """One line a labeler: what it may say, how often it votes, whether that was inferred, what failed."""
        import polars as pl

        show = self.space.show
        words, count = pl.List(pl.String), pl.Int64
        columns = [
            pl.Series("labeler", self.names, pl.String),
            pl.Series("says", [[show(s) for s in c.says] for c in self.codomains], words),
            pl.Series("dummy", [[show(s) for s in c.shortlists if s in c.dummies] for c in self.codomains], words),
            pl.Series("inferred", [c.inferred for c in self.codomains], pl.Boolean),
            pl.Series("votes", [int(c[1:].sum()) for c in self.counts()], count),
            pl.Series("coverage", self.coverage, pl.Float64),
            pl.Series("failed", [f.count if f else 0 for f in self.failures], count),
        ]
        return pl.DataFrame(columns)

    def to_frame(self) -> pl.DataFrame:
        """A polars table: one column a labeler, shortlists as text, null where it abstained."""
        import polars as pl

        columns: dict[str, Any] = {}
        if self.ids is not None:
            columns["id" if "id" not in self.names else "row id"] = self.ids
        for name, codomain, column in zip(self.names, self.codomains, self.codes.T, strict=True):
            words = pl.Series(name, [None, *(self.space.show(s) for s in codomain.shortlists)], pl.String)
            columns[name] = words.gather(column)
        return pl.DataFrame(columns)

    def __repr__(self) -> str:
        n, shown = len(self.names), 12
        width = max((len(name) for name in self.names[:shown]), default=0)
        lines = [self._line(i, width) for i in range(min(n, shown))]
        return "\n".join([self._head(), *lines, *([f"  … and {n - shown} more"] if n > shown else [])])

    def _head(self) -> str:
        m, n = self.shape
        classes = listed(self.space[:6]) + (", …" if len(self.space) > 6 else "")
        covered = self.covered.mean() if m else 0
        return (
            f"Votes: {number_of(m, 'row')} × {number_of(n, 'labeler')} over {len(self.space)} classes ({classes}); "
            f"{covered:.1%} of rows covered"
        )

    def _line(self, i: int, width: int) -> str:
        """One labeler; a long codomain loses its middle."""
        says = self._says(i)
        says = says if len(says) <= 100 else f"{says[:59]} … {says[-38:]}"
        failure = self.failures[i]
        failed = f"  [failed on {number_of(failure.count, 'row')}]" if failure else ""
        return f"  {self.names[i]:<{width}}  {self.coverage[i]:6.1%}  {says}{failed}"

    def _says(self, i: int) -> str:
        """The codomain of a labeler; its dummy only where a row has that vote."""
        codomain = self.codomains[i]
        places = [c for c, shortlist in enumerate(codomain.shortlists, start=1) if shortlist in codomain.dummies]
        return codomain.show(self.space, dummies=bool(np.isin(self.codes[:, i], places).any()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Votes):
            return NotImplemented
        mine = (self.space, self.names, self.codomains, self.failures)
        theirs = (other.space, other.names, other.codomains, other.failures)
        return mine == theirs and _same_ids(self.ids, other.ids) and np.array_equal(self.codes, other.codes)

    __hash__ = None  # type: ignore[assignment]

    # -- files -----------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one file with a versioned JSON header; it replaces an older one in one step.

        A name that ends in .parquet makes it a table of codes, which is quick to write and which other tools read.
        Any other name makes it an npz archive.
        """
        save_votes(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Votes:
        """Read what `save` wrote."""
        return load_votes(cls, path)


# -- checks ------------------------------------------------------------------------------------------------


class Ours(np.ndarray[Any, np.dtype[Any]]):
    """Codes that were made here and that nobody else holds, `codes.view(Ours)`: they need not be copied."""


def not_votes(thing: Any, expected: str = "Votes") -> BadVotes:
    """The error of a caller that passes something else, such as rows, or a label matrix of Snorkel's."""
    return BadVotes(
        f"expected {expected}, got {type(thing).__name__}. apply(labelers, rows) makes Votes of rows. "
        "Of a label matrix, Votes.from_snorkel(matrix, classes) makes them; from_crowd and others do of their formats."
    )


def _frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.flags.writeable = False
    return array


def _checked_ids(ids: Sequence[Any] | npt.NDArray[Any], m: int) -> npt.NDArray[Any]:
    """One id a row, of a kind that a file can hold without pickling: numbers as they are, else text."""
    array = _as_array(ids, "ids")
    if array.shape != (m,):
        raise BadVotes(f"{m} rows need {m} ids; got an array of shape {array.shape}")
    if array.dtype != object:
        return _frozen(array.copy())
    numbers = m > 0 and all(type(i) is int for i in array)
    return _frozen(np.array(array.tolist()) if numbers else array.astype(np.str_))


def _as_array(values: Any, what: str) -> npt.NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError as error:
        raise BadVotes(f"{what} cannot be made into an array: {error}") from None


def _same_ids(mine: npt.NDArray[Any] | None, theirs: npt.NDArray[Any] | None) -> bool:
    if mine is None or theirs is None:
        return mine is theirs
    return np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == theirs.dtype.kind == "f")


def _checked_names(names: Iterable[str] | None, n: int) -> tuple[str, ...]:
    """One name a labeler, all different."""
    names = [f"labeler_{i + 1}" for i in range(n)] if names is None else list(names)
    if len(names) != n:
        raise BadVotes(f"{n} codomains need {n} names, one a labeler; got {len(names)}")
    for name in names:
        if not isinstance(name, str) or not name:
            raise BadVotes(f"names of labelers are non-empty strings; got {name!r}")
    if (half := lone_surrogate(names)) is not None:
        raise BadVotes(f"labeler {half!r}: its name holds half a character (a lone surrogate), which no file can hold")
    if twice := first_duplicate(names):
        raise BadVotes(f"two labelers are called {twice!r}: give each its own name")
    return tuple(str(name) for name in names)


def _checked_codomain(codomain: Codomain | Iterable[Any], name: str, space: LabelSpace) -> Codomain:
    """The codomain of a labeler, declared or checked; an error names the labeler."""
    try:
        if not isinstance(codomain, Codomain):
            return Codomain.declare(codomain, space)
        check_codomain(codomain, space)
        return codomain
    except ShortlistError as error:
        raise error.about(labeler=name) from None


def _checked_codes(codes: npt.ArrayLike, codomains: Sequence[Codomain], names: Sequence[str]) -> Codes:
    """A read-only (m, n) copy in the smallest unsigned type, or an error that says which cell is wrong."""
    array = _as_array(codes, "codes")
    if array.shape == (0,):
        array = array.reshape(0, len(codomains))  # no rows at all: []
    if array.ndim != 2 or array.shape[1] != len(codomains):
        raise BadVotes(
            f"codes need one column a labeler: got codes of shape {array.shape} for {len(codomains)} labelers"
        )
    if array.dtype.kind not in "iufb":
        raise BadVotes(f"codes are whole numbers from 0; got an array of {array.dtype}")
    sizes = np.array([len(codomain) for codomain in codomains], np.int64)
    if array.dtype.kind != "u" or (array.max(axis=0, initial=0) > sizes).any():
        _check_columns(array, sizes, names)
    kind = np.min_scalar_type(sizes.max(initial=0))
    return _frozen(np.array(array, kind, order="F", copy=None if isinstance(codes, Ours) else True))


def _check_columns(codes: npt.NDArray[Any], sizes: npt.NDArray[np.int64], names: Sequence[str]) -> None:
    """Raise at the first cell that holds no code of its labeler."""
    for column, size, name in zip(codes.T, sizes.tolist(), names, strict=True):
        wrong = (column < 0) | (column > size)
        if codes.dtype.kind == "f":
            wrong |= column != np.floor(column)  # fractions, and NaN, which differs from itself
        if wrong.any():
            a = int(np.argmax(wrong))
            raise BadVotes(f"labeler {name!r} has whole-number codes 0 to {size}, but row {a} holds {column[a]}")


# -- concatenation -----------------------------------------------------------------------------------------


def _same_space(parts: Sequence[Votes]) -> Votes:
    """The first part; an error where there is none, or where label spaces differ."""
    if not parts:
        raise BadVotes("there is nothing to put together: no Votes were given")
    for part in parts:
        if part.space != parts[0].space:
            raise BadVotes(f"label spaces differ: {list(parts[0].space)} and {list(part.space)}")
    return parts[0]


def _common_ids(parts: Sequence[Votes]) -> npt.NDArray[Any] | None:
    """The ids of the rows, from the parts that have them."""
    all_ids = [part.ids for part in parts if part.ids is not None]
    if not all_ids:
        return None
    first = all_ids[0]
    for ids in all_ids:
        if not np.array_equal(ids, first):
            a = int(np.flatnonzero(ids != first)[0])
            raise BadVotes(
                f"side by side, Votes need the same rows, but row {a} has the ids "
                f"{first[a].item()!r} and {ids[a].item()!r}"
            )
    return first


def _united(parts: Sequence[Votes], i: int) -> Codomain:
    """The codomain of labeler i over several parts. It is open where one of them is."""
    codomains = [part.codomains[i] for part in parts]
    space, name = parts[0].space, parts[0].names[i]
    if all(codomain == codomains[0] for codomain in codomains):
        return codomains[0]
    if not all(codomain.inferred for codomain in codomains):
        raise BadVotes(f"labeler {name!r} has different codomains: {[c.show(space) for c in codomains]}")
    seen = {
        shortlist
        for part, codomain in zip(parts, codomains, strict=True)
        for c, shortlist in enumerate(codomain.shortlists, start=1)
        if shortlist not in codomain.dummies or (part.codes[:, i] == c).any()
    }
    return infer_codomain(seen, space, open=any(codomain.open for codomain in codomains))


def _recoded(part: Votes, codomains: Sequence[Codomain]) -> npt.NDArray[Any]:
    """The codes of a part in the codomains of the whole."""
    if part.codomains == tuple(codomains):
        return part.codes
    columns = [
        column if old == new else _translation(old, new)[column]
        for column, old, new in zip(part.codes.T, part.codomains, codomains, strict=True)
    ]
    return np.stack(columns).T


def _translation(old: Codomain, new: Codomain) -> npt.NDArray[np.int64]:
    """Old code → new code; 0 for a dummy that is no longer needed, and that nobody said."""
    return np.array([0, *(new.code(s) if s in new.shortlists else 0 for s in old.shortlists)], np.int64)
