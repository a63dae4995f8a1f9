"""Settings: dataclasses of options that are chosen by their `kind`, and their form as plain data (JSON, toml)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from shortlist.errors import BadFit, about_option
from shortlist.wording import did_you_mean

Kind = TypeVar("Kind", bound="Settings")


class Settings:
    """The base of estimators and solvers: subclasses are dataclasses with a `kind`."""

    kind: ClassVar[str]

    def to_plain(self) -> dict[str, Any]:
        """The kind and all settings, as JSON holds them."""
        own = {field.name: plain(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]
        return {"kind": self.kind, **own}

    @classmethod
    def from_plain(cls, settings: Mapping[str, Any]) -> Self:
        """From a table of settings, without its kind."""
        check_names(settings, [field.name for field in fields(cls)], cls.__name__)  # type: ignore[arg-type]
        return cls(**settings)


def plain(value: Any) -> Any:
    """An option as JSON holds it."""
    if isinstance(value, Settings):
        return value.to_plain()
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    return value


def chosen(kinds: Mapping[str, type[Kind]], given: Any, base: type[Any], option: str) -> Kind:
    """What stands in an option: an object of that base, or the short name of a kind for its defaults."""
    if isinstance(given, base):
        found: Kind = given
        return found
    if isinstance(given, str) and given in kinds:
        return kinds[given]()
    forms = ", ".join([f'"{kind}"' for kind in kinds] + [f"{made.__name__}(...)" for made in kinds.values()])
    raise BadFit(f"{option} is one of {forms}; got {given!r}", option=(option,))


def from_table(kinds: Mapping[str, type[Kind]], given: Any, option: str) -> Any:
    """An option from plain data: a table of settings becomes an object. Its `kind` is the first, if left out."""
    if not isinstance(given, Mapping):
        return given
    settings = dict(given)
    kind = settings.pop("kind") if "kind" in settings else next(iter(kinds))
    with about_option(option):
        if kind not in kinds:
            known = [str(name) for name in kinds]
            hint = did_you_mean(str(kind), known)
            raise BadFit(f"there is no {option} {kind!r}.{hint} Kinds: {', '.join(known)}", option=("kind",))
        return kinds[kind].from_plain(settings)


def check_names(options: Mapping[str, Any], known: Collection[str], whose: str, also: Iterable[str] = ()) -> None:
    """Every option is one there is; `also` are names that may have been meant."""
    for name in options:
        if name not in known:
            hint = did_you_mean(name, [*known, *also])
            raise BadFit(f"{whose} has no option {name!r}.{hint} Options: {', '.join(known)}", option=(name,))
