"""Kinds of language models that can be written in a file: `[models.NAME]` of shortlist.toml."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from shortlist.errors import BadLabeler
from shortlist.models.model import Model, as_model
from shortlist.wording import did_you_mean

Maker = TypeVar("Maker", bound=Callable[..., Any])
_KINDS: dict[str, Callable[..., Any]] = {}


def model_kind(name: str) -> Callable[[Maker], Maker]:
    """Register a class or a function that makes a language model as a kind that files can hold."""

    def register(make: Maker) -> Maker:
        _KINDS[name] = make
        return make

    return register


def model_from_record(record: Mapping[str, Any]) -> Model:
    """The model that plain data stands for. An error tells by `option` which setting is at fault."""
    name = record.get("kind")
    make = _KINDS.get(name) if isinstance(name, str) else None
    if make is None:
        hint = did_you_mean(name, _KINDS) if name else ""
        raise BadLabeler(f"{name!r} is no kind of model.{hint} Kinds: {', '.join(_KINDS)}", option=("kind",))
    given = {key: value for key, value in record.items() if key != "kind"}
    parameters = inspect.signature(make).parameters
    for key in given:
        if key not in parameters:
            hint = f"{did_you_mean(key, parameters)} They have {', '.join(parameters)}"
            raise BadLabeler(f"models of kind {name!r} have no {key!r}.{hint}", option=(key,))
    missing = [key for key, one in parameters.items() if one.default is one.empty and key not in given]
    if missing:
        raise BadLabeler(f"this {name} model does not say {' and '.join(missing)}")
    return as_model(make(**given))
