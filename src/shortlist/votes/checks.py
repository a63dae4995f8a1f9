"""Checks: what Votes are made of, brought into one form or turned away with an error that says where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadVotes, ShortlistError
from shortlist.labelspace import LabelSpace
from shortlist.votes.codomain import Codomain
from shortlist.votes.patterns import Codes
from shortlist.wording import given_twice, half_a_character


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.flags.writeable = False
    return array


class Ours(np.ndarray[Any, np.dtype[Any]]):
    """Codes that were made here and that nobody else holds, `codes.view(Ours)`: they need not be copied."""


def not_votes(given: Any, expected: str = "Votes") -> BadVotes:
    """The error of who gives something else, such as rows, or a label matrix of Snorkel's."""
    return BadVotes(
        f"expected {expected}, got {type(given).__name__}. apply(labelers, rows) makes Votes of rows. "
        "Of a label matrix, Votes.from_snorkel(matrix, classes) makes them; from_crowd and others do of their formats."
    )


def checked_ids(ids: Sequence[Any] | npt.NDArray[Any], m: int) -> npt.NDArray[Any]:
    """One id a row, of a kind that a file can hold without pickling: numbers as they are, else text."""
    given = array_of(ids, "ids")
    if given.shape != (m,):
        raise BadVotes(f"{m} rows need {m} ids; got an array of shape {given.shape}")
    if given.dtype != object:
        return frozen(given.copy())
    numbers = m > 0 and all(type(i) is int for i in given)
    return frozen(np.array(given.tolist()) if numbers else given.astype(np.str_))


def array_of(values: Any, what: str) -> npt.NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError as error:
        raise BadVotes(f"{what} cannot be made into an array: {error}") from None


def same_ids(mine: npt.NDArray[Any] | None, theirs: npt.NDArray[Any] | None) -> bool:
    if mine is None or theirs is None:
        return mine is theirs
    return np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == theirs.dtype.kind == "f")


def checked_names(names: Iterable[str] | None, n: int) -> tuple[str, ...]:
    """One name a labeler, all different."""
    given = [f"labeler_{i + 1}" for i in range(n)] if names is None else list(names)
    if len(given) != n:
        raise BadVotes(f"{n} codomains need {n} names, one a labeler; got {len(given)}")
    for name in given:
        if not isinstance(name, str) or not name:
            raise BadVotes(f"names of labelers are non-empty strings; got {name!r}")
    if (half := half_a_character(given)) is not None:
        raise BadVotes(f"labeler {half!r}: its name holds half a character (a lone surrogate), which no file can hold")
    if twice := given_twice(given):
        raise BadVotes(f"two labelers are called {twice!r}: give each its own name")
    return tuple(str(name) for name in given)


def checked_codomain(given: Codomain | Iterable[Any], name: str, space: LabelSpace) -> Codomain:
    """What a labeler may say, declared or checked; an error names the labeler."""
    try:
        if not isinstance(given, Codomain):
            return Codomain.declare(given, space)
        given.check(space)
        return given
    except ShortlistError as error:
        raise error.about(labeler=name) from None


def checked_codes(codes: npt.ArrayLike, codomains: Sequence[Codomain], names: Sequence[str]) -> Codes:
    """A read-only (m, n) copy in the smallest unsigned type, or an error that says which cell is wrong."""
    given = array_of(codes, "codes")
    if given.shape == (0,):
        given = given.reshape(0, len(codomains))  # no rows at all: []
    if given.ndim != 2 or given.shape[1] != len(codomains):
        raise BadVotes(
            f"codes need one column a labeler: got codes of shape {given.shape} for {len(codomains)} labelers"
        )
    if given.dtype.kind not in "iufb":
        raise BadVotes(f"codes are whole numbers from 0; got an array of {given.dtype}")
    sizes = np.array([len(codomain) for codomain in codomains], np.int64)
    if given.dtype.kind != "u" or (given.max(axis=0, initial=0) > sizes).any():
        _check_columns(given, sizes, names)
    kind = np.min_scalar_type(sizes.max(initial=0))
    return frozen(np.array(given, kind, order="F", copy=None if isinstance(codes, Ours) else True))


def _check_columns(given: npt.NDArray[Any], sizes: npt.NDArray[np.int64], names: Sequence[str]) -> None:
    """Raise at the first cell that holds no code of its labeler."""
    for column, size, name in zip(given.T, sizes.tolist(), names, strict=True):
        wrong = (column < 0) | (column > size)
        if given.dtype.kind == "f":
            wrong |= column != np.floor(column)  # fractions, and NaN, which differs from itself
        if wrong.any():
            a = int(np.argmax(wrong))
            raise BadVotes(f"labeler {name!r} has whole-number codes 0 to {size}, but row {a} holds {column[a]}")
