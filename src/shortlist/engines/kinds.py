"""The engines there are, by name, for shortlist.toml and the command line."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from shortlist.engines.engine import Engine
from shortlist.engines.local import Local
from shortlist.errors import ShortlistError
from shortlist.wording import did_you_mean

KINDS = ("local", "dask", "ray", "spark")


def make_engine(kind: str, address: str | None = None, workers: int | None = None, **options: Any) -> Engine:
    """An engine by its name. Processes of this machine are started where no address is given."""
    if kind not in KINDS:
        raise ShortlistError(f"{kind!r} is no engine.{did_you_mean(kind, KINDS)} Engines: {', '.join(KINDS)}")
    if kind == "local":
        if address is not None:
            raise ShortlistError(f"the engine local works on this machine: leave the address {address!r} out")
        return Local(1 if workers is None else workers)
    made = getattr(import_module(f"shortlist.engines.{kind}"), kind.capitalize())
    engine: Engine = made(address, workers, **options)
    return engine
