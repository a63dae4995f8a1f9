"""export: the labels as a table: class, belief, margin, shortlist and one belief per class, for every row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.project.stages.stage import Facts, Stage
from shortlist.wording import number_of

if TYPE_CHECKING:
    from shortlist.project.parts.extract import Extract
    from shortlist.project.parts.labels import LabelJob
    from shortlist.project.session import Session
    from shortlist.project.settings import Settings


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
        write = write_label_parts if session.settings.partitioned else write_labels
        return write(session, paths[0])

    def complete(self, paths: Sequence[Path]) -> bool:
        """Whether the files of all parts are there."""
        return all(path.is_file() for path in label_files(paths[0]))

    def tell(self, facts: Facts) -> str:
        return f"{number_of(facts['labelled'], 'row')} labelled"


def label_files(path: Path) -> list[Path]:
    """The files that hold the labels: the file itself, or those that a list of parts names."""
    from shortlist.project.files import listed_files

    return listed_files(path) if path.suffix == ".json" else [path]


def write_labels(session: Session, path: Path, extract: Extract | None = None) -> Facts:
    """Write the labels of all rows, or what is asked for of them. How many rows got each class comes back."""
    from shortlist.project.parts.extract import Extract
    from shortlist.project.parts.labels import write_one_file

    session.rows.refuse_to_overwrite(path)
    session.gold_file.refuse_to_overwrite(path)
    asked = extract or Extract()
    counts = write_one_file(label_job(session, path), session.rows, path, session.listener.advance, asked)
    return label_facts(session, counts)


def write_extract(session: Session, path: Path, extract: Extract) -> Facts:
    """Fit where that is out of date, and write what is asked for. What cannot be had is told before the work."""
    from shortlist.project.stages.running import run_stages
    from shortlist.rows import table_format

    table_format(path)
    extract.check(session.rows)
    run_stages(session, ["fit"], force=False)
    return write_labels(session, path, extract)


def write_label_parts(session: Session, path: Path) -> Facts:
    """The same in a file for each part, wherever the engine works. `path` is the list of them."""
    from shortlist.project.parts.labels import write_parts

    counts = write_parts(label_job(session, path), session.rows, path, session.engine, session.listener.advance)
    return label_facts(session, counts)


def label_job(session: Session, path: Path) -> LabelJob:
    """What is done with each part."""
    from shortlist.beliefs import LabelTable
    from shortlist.project.parts.labels import LabelJob, labels_by_votes
    from shortlist.project.parts.part import PartReader

    rows, model, votes = session.rows, session.model, session.tally.without_gold().votes
    table = LabelTable(votes.space, rows.key(), balance=model.class_balance_, held=session.settings.output.shortlist)
    return LabelJob(
        parts=session.parts,
        reader=PartReader.of(rows),
        labels=labels_by_votes(votes, model, table),
        table=table,
        id=rows.data.id,
        target=path.parent.absolute() / "labels",
        suffix=session.settings.output.format,
    )


def label_facts(session: Session, counts: Counter[str]) -> Facts:
    return {"labelled": counts.total(), "classes": {name: counts[name] for name in session.settings.classes}}
