"""Failure: what became of a labeler that could not answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Failure:
    """How often a labeler failed while it was applied with `on_error="abstain"`, and how the first time."""

    count: int
    first: str
