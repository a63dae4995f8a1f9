"""export: the labels as a table: class, belief, margin, shortlist and one belief per class, for every row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.project.stages.stage import Facts, Stage

if TYPE_CHECKING:
    import polars as pl

    from shortlist.beliefs import LabelTable
    from shortlist.project.session import Session
    from shortlist.project.settings import Settings


class Export(Stage):
    name = "export"
    help = "Write the labels: class, belief, shortlist and more."
    needs = ("vote", "fit")

    def outputs(self, settings: Settings) -> tuple[str, ...]:
        return (f"labels.{settings.output.format}",)

    def key(self, session: Session) -> Any:
        settings = session.settings
        ids = session.data_digests() if settings.data.id is not None else None
        return [ids, settings.data.id, settings.output.format, settings.output.shortlist]

    def size(self, session: Session) -> int:
        return len(session.votes)

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        return write_labels(session, paths[0])

    def tell(self, facts: Facts) -> str:
        return f"{facts['labelled']:,} rows labelled"


def write_labels(session: Session, path: Path) -> Facts:
    """Write the labels of all rows, some rows at a time. How many rows got each class comes back."""
    from shortlist.beliefs import LabelTable
    from shortlist.rows import write_table

    rows, model, space = session.rows, session.model, session.votes.space
    rows.refuse_to_overwrite(path)
    table = LabelTable(space, rows.key(), balance=model.class_balance_, held=session.settings.output.shortlist)
    counts: Counter[str] = Counter()
    write_table(path, _frames(session, table, counts), table.schema)
    return {"labelled": counts.total(), "classes": {name: counts[name] for name in space}}


def _frames(session: Session, table: LabelTable, counts: Counter[str]) -> Iterator[pl.DataFrame]:
    """The labels, segment by segment; `counts` counts classes meanwhile."""
    beliefs, codes, start = session.analysis.distinct, session.votes.codes, 0
    for keys in session.rows.key_parts():
        part = slice(start, start + len(keys))
        frame = table.frame(keys, beliefs.at(part), (codes[part] != 0).sum(axis=1))
        counts.update(dict(frame["class"].drop_nulls().value_counts().iter_rows()))
        session.listener.advance(len(keys))
        start += len(keys)
        yield frame
