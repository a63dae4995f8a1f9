"""export: the labels as a table: class, belief, margin, shortlist and one belief per class, for every row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.project.parts import listed_files
from shortlist.project.session import Session
from shortlist.project.settings import Settings
from shortlist.project.stages.stage import Facts, Stage
from shortlist.wording import number_of

if TYPE_CHECKING:
    from shortlist.project.labels import Extract


class Export(Stage):
    name = "export"
    help = "Write the labels: class, belief, shortlist and more."
    needs = ("vote", "fit")

    def outputs(self, settings: Settings) -> tuple[str, ...]:
        return ("labels.json" if settings.partitioned else f"labels.{settings.output.format}",)

    def key(self, session: Session) -> Any:
        settings = session.settings
        ids = session.data_digests() if settings.data.id is not None else None
        return [ids, settings.data.id, settings.output.format, settings.output.shortlist]

    def size(self, session: Session) -> int:
        return len(session.parts)

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        return write_labels(session, paths[0], partitioned=session.settings.partitioned)

    def complete(self, paths: Sequence[Path]) -> bool:
        return all(path.is_file() for path in label_files(paths[0]))

    def summary(self, facts: Facts) -> str:
        return f"{number_of(facts['labelled'], 'row')} labelled"


def label_files(path: Path) -> list[Path]:
    """The files that hold the labels: the file itself, or those that a list of parts names."""
    return listed_files(path) if path.suffix == ".json" else [path]


def write_labels(session: Session, path: Path, extract: Extract | None = None, *, partitioned: bool = False) -> Facts:
    """Write the labels of all rows, or an extract of them; return how many rows got each class.

    With `partitioned`, workers write a file for each part, and `path` is the list of them.
    """
    from shortlist.beliefs import LabelTable
    from shortlist.project.labels import Extract, LabelJob, labels_by_votes, write_one_file, write_parts

    rows, model, votes = session.rows, session.model, session.evidence.without_gold().votes
    rows.refuse_to_overwrite(path)
    session.gold_file.refuse_to_overwrite(path)
    table = LabelTable(votes.space, rows.key(), balance=model.class_balance_, held=session.settings.output.shortlist)
    job = LabelJob(
        parts=session.parts,
        reader=rows.reader,
        labels=labels_by_votes(votes, model, table),
        table=table,
        id=rows.data.id,
        target=path.parent.absolute() / "labels",
        suffix=session.settings.output.format,
    )
    if partitioned:
        counts = write_parts(job, rows, path, session.engine, session.listener.advance)
    else:
        counts = write_one_file(job, rows, path, session.listener.advance, extract or Extract())
    return {"labelled": counts.total(), "classes": {name: counts[name] for name in session.settings.classes}}
