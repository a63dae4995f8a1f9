"""Own copies: each labeler gets lists, dicts and sets of its own, so that none sees what another one did to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from shortlist.rows.chunk import Chunk, Row

CHANGEABLE = (list, dict, set, Row)


def can_be_shared(values: Sequence[Any]) -> bool:
    """Whether there is no list, dict or set among the values, nor inside a row."""
    kinds = {value.__class__ for value in values}
    if Row in kinds:
        return not any(_changeable_inside(row) for row in values if row.__class__ is Row) and kinds == {Row}
    return kinds.isdisjoint(CHANGEABLE)


def rows_can_be_shared(chunk: Chunk) -> bool:
    """The same of the rows of a chunk. Of a table, the kinds of its columns tell."""
    if chunk.frame is None:
        return can_be_shared(chunk.rows)
    return not any(kind.is_nested() or kind == pl.Object for kind in chunk.frame.schema.values())


def own_copy(value: Any) -> Any:
    """A list, a dict, a set or a row with all that can be changed inside it, copied; anything else as it is."""
    kind = value.__class__
    if kind is list:
        return [own_copy(one) for one in value]
    if kind is set:
        return set(value)
    if kind is dict:
        return {key: own_copy(one) for key, one in value.items()}
    if kind is Row:
        return Row({key: own_copy(one) for key, one in value.items()}) if _changeable_inside(value) else value
    return value


def _changeable_inside(row: Row) -> bool:
    return any(one.__class__ in CHANGEABLE for one in row.values())
