"""Balance: how frequent the classes are, as a user says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.errors import BadFit, about_option
from shortlist.labelspace import LabelSpace
from shortlist.wording import some_of

Balance: TypeAlias = Literal["uniform", "learn"] | Mapping[str, float] | Sequence[float] | npt.NDArray[Any]


ROUNDING = 0.005  # of each share, where two decimals are written
MOST_ROUNDING = 0.05  # of all of them together


def shares_of(balance: Balance, space: LabelSpace) -> Floats:
    """(k,): uniform, or shares as given by position or by name, which sum to 1 but for rounding."""
    given = as_given(balance, space)
    with np.errstate(over="ignore"):
        total = float(given.sum())
    shares = scaled(given)
    if abs(total - 1) > min(ROUNDING * len(space), MOST_ROUNDING) + 1e-9:
        meant = some_of([f"{name} {share:.3g}" for name, share in zip(space, shares, strict=True)], most=8)
        message = f"balance: the shares sum to {total:.6g}, not to 1. Divided by their sum, they are {meant}"
        raise BadFit(message, option=("balance",))
    return shares


def as_given(balance: Balance, space: LabelSpace) -> Floats:
    """(k,): positive numbers, whatever they sum to."""
    if isinstance(balance, str):
        if balance != "uniform":
            message = f'balance is "uniform", "learn", or a share for every class; got {balance!r}'
            raise BadFit(message, option=("balance",))
        return np.full(len(space), 1 / len(space))
    with about_option("balance"):
        shares = numbers_of(by_position(balance, space))
        if shares is None or shares.shape != (len(space),) or not np.isfinite(shares).all() or (shares <= 0).any():
            raise BadFit(f"a balance is one positive share for each of {', '.join(space)}; got {balance!r}")
    return shares


def scaled(given: Floats) -> Floats:
    """(k,): the same numbers, with the sum 1."""
    shares = given / given.max()  # so that the sum of any shares is a number
    return np.asarray(shares / shares.sum())


def numbers_of(given: Any) -> Floats | None:
    """What a user gives as an array of numbers; None where it is something else."""
    try:
        return np.array(given, np.float64)
    except (TypeError, ValueError, OverflowError):
        return None


def by_position(balance: Mapping[str, float] | Sequence[float] | npt.NDArray[Any], space: LabelSpace) -> Any:
    """A balance that is given by name, in the order of the classes."""
    if not isinstance(balance, Mapping):
        return balance
    for name in balance:
        space.position(name)
    missing = [name for name in space if name not in balance]
    if missing:
        raise BadFit(f"the balance says nothing about {', '.join(missing)}")
    return [balance[name] for name in space]
