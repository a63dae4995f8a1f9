"""Options: the checks that models share. An option that cannot be is a BadFit that names it, also as `error.option`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shortlist.errors import BadFit

Number = (int, float, np.integer, np.floating)


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """One of some words."""
    if not isinstance(value, str) or value not in choices:
        *first, last = (f'"{choice}"' for choice in choices)
        raise BadFit(f"{name} is {', '.join(first)} or {last}, not {value!r}", option=(name,))


def check_probability(name: str, value: Any) -> None:
    """Inside (0, 1)."""
    if not is_number(value) or not 0 < value < 1:
        raise BadFit(f"{name} is a probability between 0 and 1, not {value!r}", option=(name,))


def check_amount(name: str, value: Any, meaning: str, *, least: float = 0.0, above: bool = False) -> None:
    """A finite number from `least`, or above it."""
    if not is_number(value) or not least <= value < np.inf or (above and value == least):
        limit = f"above {least:g}" if above else f"{least:g} or more"
        raise BadFit(f"{name} is {meaning}, {limit}, not {value!r}", option=(name,))


def check_whole(name: str, value: Any, *, least: int = 1, otherwise: str = "") -> None:
    """A whole number from `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise BadFit(f"{name} is a whole number from {least}{otherwise}, not {value!r}", option=(name,))


def is_number(value: Any) -> bool:
    return isinstance(value, Number) and not isinstance(value, bool)
