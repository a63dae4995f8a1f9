"""Options: the checks that several classifiers share, each with an error that names the option."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shortlist.errors import BadFit


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """The option is one of some words."""
    if value not in choices:
        *first, last = (f'"{choice}"' for choice in choices)
        raise BadFit(f"{name} is {', '.join(first)} or {last}, not {value!r}")


def check_least(name: str, value: Any, least: int) -> None:
    """The option is a number, and not below `least`."""
    if not value >= least:
        raise BadFit(f"{name} is {least} or more, not {value!r}")
