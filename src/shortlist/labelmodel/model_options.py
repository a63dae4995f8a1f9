"""Options of estimators, solvers and the class balance, as Python objects and as plain data (JSON, toml)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, Literal, Self, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.errors import BadFit, about_option
from shortlist.labelspace import LabelSpace
from shortlist.wording import did_you_mean, some_of

Kind = TypeVar("Kind", bound="Configurable")
Balance: TypeAlias = Literal["uniform", "learn"] | Mapping[str, float] | Sequence[float] | npt.NDArray[Any]


class Configurable:
    """Base of estimators and solvers: subclasses are dataclasses of options with a `kind`."""

    kind: ClassVar[str]

    def to_plain(self) -> dict[str, Any]:
        """The kind and all options, as JSON stores them."""
        own = {field.name: plain(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]
        return {"kind": self.kind, **own}

    @classmethod
    def from_plain(cls, options: Mapping[str, Any]) -> Self:
        """Make one from a table of options without its kind."""
        check_names(options, [field.name for field in fields(cls)], cls.__name__)  # type: ignore[arg-type]
        return cls(**options)


def plain(value: Any) -> Any:
    """An option as JSON stores it."""
    if isinstance(value, Configurable):
        return value.to_plain()
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    return value


def resolve(kinds: Mapping[str, type[Kind]], value: Any, base: type[Any], option: str) -> Kind:
    """Return the object that an option names: an instance of `base` as it is, or a kind with its defaults."""
    if isinstance(value, base):
        instance: Kind = value
        return instance
    if isinstance(value, str) and value in kinds:
        return kinds[value]()
    forms = ", ".join([f'"{kind}"' for kind in kinds] + [f"{made.__name__}(...)" for made in kinds.values()])
    raise BadFit(f"{option} is one of {forms}; got {value!r}", option=(option,))


def from_table(kinds: Mapping[str, type[Kind]], value: Any, option: str) -> Any:
    """Make an object of a table of options; its `kind` is the first one, if left out. Other values stay as they are."""
    if not isinstance(value, Mapping):
        return value
    options = dict(value)
    kind = options.pop("kind") if "kind" in options else next(iter(kinds))
    with about_option(option):
        if kind not in kinds:
            names = [str(name) for name in kinds]
            hint = did_you_mean(str(kind), names)
            raise BadFit(f"there is no {option} {kind!r}.{hint} Kinds: {', '.join(names)}", option=("kind",))
        return kinds[kind].from_plain(options)


def check_names(options: Mapping[str, Any], valid: Collection[str], owner: str, also: Iterable[str] = ()) -> None:
    """Raise for an option that does not exist; `also` are other names that may have been meant."""
    for name in options:
        if name not in valid:
            hint = did_you_mean(name, [*valid, *also])
            raise BadFit(f"{owner} has no option {name!r}.{hint} Options: {', '.join(valid)}", option=(name,))


# -- class balance -------------------------------------------------------------------------------------


def shares_of(balance: Balance, space: LabelSpace) -> Floats:
    """(k,): equal shares, or shares by position or by name, which sum to 1 but for rounding."""
    with about_option("balance"):
        if isinstance(balance, str):
            if balance != "uniform":
                raise BadFit(f'balance is "uniform", "learn", or a share for every class; got {balance!r}')
            return np.full(len(space), 1 / len(space))
        values = as_numbers(_by_position(balance, space))
        if values is None or values.shape != (len(space),) or not np.isfinite(values).all() or (values <= 0).any():
            raise BadFit(f"a balance is one positive share for each of {', '.join(space)}; got {balance!r}")
        with np.errstate(over="ignore"):
            total = float(values.sum())
        shares: Floats = values / values.max()  # so that their sum is finite
        shares /= shares.sum()
        if abs(total - 1) > min(0.005 * len(space), 0.05) + 1e-9:  # shares may be rounded to two decimals
            scaled = some_of([f"{name} {share:.3g}" for name, share in zip(space, shares, strict=True)], most=8)
            raise BadFit(f"balance: the shares sum to {total:.6g}, not to 1. Divided by their sum, they are {scaled}")
        return shares


def _by_position(balance: Mapping[str, float] | Sequence[float] | npt.NDArray[Any], space: LabelSpace) -> Any:
    if not isinstance(balance, Mapping):
        return balance
    for name in balance:
        space.position(name)
    missing = [name for name in space if name not in balance]
    if missing:
        raise BadFit(f"the balance says nothing about {', '.join(missing)}")
    return [balance[name] for name in space]


def as_numbers(value: Any) -> Floats | None:
    """An array of numbers, or None where it is something else."""
    try:
        return np.array(value, np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
