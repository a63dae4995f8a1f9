"""Extract: the labels that somebody asks for in a file of their own: some rows, more columns, other names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from shortlist.beliefs import TIE
from shortlist.errors import BadFile, ShortlistError
from shortlist.project.rows import Rows
from shortlist.rows.table import plain_names


@dataclass(frozen=True)
class Extract:
    """What is asked for; all labels as they are, where nothing is.

    columns       of the rows, to stand between the id and the labels
    min_belief    only rows whose class is believed at least so much; rows without any vote have no class
    plain_names   names of columns that a database takes without quotes
    """

    columns: tuple[str, ...] = ()
    min_belief: float | None = None
    plain_names: bool = False

    def check(self, rows: Rows) -> None:
        """Raise where it cannot be had, before any work."""
        least = self.min_belief
        if least is not None and not 0 <= least <= 1:
            hint = f": for {least:g} %, write {least / 100:g}" if 1 < least <= 100 else ""
            raise ShortlistError(
                f"the least belief is {least:g}, but beliefs go from 0 to 1{hint}", option=("min_belief",)
            )
        for file in rows.files:
            file.need(*self.columns)

    def joined(self, rows: Rows) -> dict[str, Any]:
        """The columns that are joined to the labels, with what they hold. The id is there already."""
        names = [name for name in dict.fromkeys(self.columns) if name != rows.data.id]
        return {name: _kind(rows, name) for name in names}

    def names(self, labels: dict[str, Any], joined: dict[str, Any]) -> list[str]:
        """The columns of the file: the id, those of the rows, then the labels.

        A column of the rows whose name the labels need is called data_NAME.
        """
        key, *others = labels
        taken = {*labels, *joined}
        found = [key]
        for name in joined:
            written = name
            while written in labels or (written != name and written in taken):
                written = f"data_{written}"
            taken.add(written)
            found.append(written)
        found += others
        return plain_names(found) if self.plain_names else found

    def kept(self, labels: pl.DataFrame) -> pl.Series:
        """(m,): which rows of some labels are asked for."""
        if self.min_belief is None:
            return pl.repeat(True, len(labels), eager=True)
        return labels["class"].is_not_null() & (labels["belief"] >= self.min_belief - TIE)


class Extractor:
    """Makes the table that was asked for from labels, part by part."""

    def __init__(self, extract: Extract, rows: Rows, labels: dict[str, Any]) -> None:
        self.extract, self.rows = extract, rows
        self.joined = extract.joined(rows)
        key, *others = labels.items()
        names = extract.names(labels, self.joined)
        kinds = [key[1], *self.joined.values(), *(kind for _name, kind in others)]
        self.schema: dict[str, Any] = dict(zip(names, kinds, strict=True))

    def frames(self, labels: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """The table, from the labels of all parts."""
        if not self.joined:
            yield from (self._frame(part, []) for part in labels)
            return
        segments = self.rows.segments(list(self.joined))
        for part, segment in zip(labels, segments, strict=True):
            yield self._frame(part, segment.frame.cast(pl.Schema(self.joined)).get_columns())

    def _frame(self, labels: pl.DataFrame, columns: list[pl.Series]) -> pl.DataFrame:
        key, *others = labels.get_columns()
        found = [key, *columns, *others]
        renamed = [column.alias(name) for column, name in zip(found, self.schema, strict=True)]
        return pl.DataFrame(renamed).filter(self.extract.kept(labels))


def _kind(rows: Rows, name: str) -> Any:
    """What a column holds in all files."""
    empty = [pl.DataFrame(schema={name: file.schema[name]}) for file in rows.files]
    try:
        return pl.concat(empty, how="vertical_relaxed").schema[name]
    except pl.exceptions.PolarsError as error:
        kinds = ", ".join(dict.fromkeys(str(file.schema[name]) for file in rows.files))
        raise BadFile(
            f"column {name!r} holds {kinds} in different files; to have it read alike, write "
            f'{name} = "text" under [data.types]', column=name,
        ) from error  # fmt: skip
