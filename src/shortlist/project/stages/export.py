"""export: the labels as a table: class, belief, margin, shortlist, source and one belief per class, for every row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.project.parts import listed_files
from shortlist.project.session import Session
from shortlist.project.settings import Settings
from shortlist.project.stages.stage import Facts, Stage
from shortlist.wording import number_of

if TYPE_CHECKING:
    import polars as pl

    from shortlist.beliefs import LabelTable
    from shortlist.project.labels import Counts, Extract, Labels


class Export(Stage):
    name = "export"
    help = "Write the labels: class, belief, shortlist, source and more."
    needs = ("vote", "fit")
    uses = ("train",)
    revision = 2  # goes up when the same beliefs give another table

    def outputs(self, settings: Settings) -> tuple[str, ...]:
        return ("labels.json" if settings.partitioned else f"labels.{settings.output.format}",)

    def key(self, session: Session) -> Any:
        settings = session.settings
        gold = [settings.data.gold, session.gold_digest()] if settings.gold_wins else None
        read = [settings.data.id, gold and gold[0], session.has("train") and settings.data.text]
        data = session.data_digests() if any(read) else None
        return [self.revision, data, settings.data.id, gold, settings.output.format, settings.output.shortlist]

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
    """Write the labels of all rows, or an extract of them; return how many rows got each class, and from where.

    With `partitioned`, workers write a file for each part, and `path` is the list of them.
    """
    from shortlist.beliefs import SOURCES, LabelTable
    from shortlist.project.labels import Extract, LabelJob, WriteJob, add_counts, counts_of, write_one_file, write_parts

    rows, extract, advance = session.rows, extract or Extract(), session.listener.advance
    session.refuse_to_overwrite(path)
    together = session.has("train") and not extract.votes_only
    balance = session.joint.balance_ if together else session.model.class_balance_
    table = LabelTable(session.settings.classes, rows.key(), balance=balance, held=session.settings.output.shortlist)
    job = LabelJob(
        parts=session.parts,
        reader=rows.reader,
        labels=_joint_labels(session, table) if together else _vote_labels(session, table),
        gold=session.gold_reader if session.settings.gold_wins and not extract.votes_only else None,
        table=table,
        id=rows.data.id,
    )
    counts: Counts = {"class": Counter(), "source": Counter()}

    def count(labels: pl.DataFrame) -> None:
        add_counts(counts, counts_of(labels.filter(extract.keeps(labels))))
        advance(len(labels))

    if partitioned:
        writer = WriteJob(job, path.parent.absolute() / "labels", session.settings.output.format)
        counts = write_parts(writer, rows, path, session.engine, advance)
    else:
        write_one_file(job, rows, path, session.engine, extract, count)
    return {
        "labelled": sum(counts["class"].values()),
        "classes": {name: counts["class"][name] for name in session.settings.classes},
        "sources": {name: counts["source"][name] for name in SOURCES if counts["source"][name]},
    }


def _vote_labels(session: Session, table: LabelTable) -> Labels:
    from shortlist.project.labels import labels_by_votes

    return labels_by_votes(session.evidence.without_gold().votes, session.model, table)


def _joint_labels(session: Session, table: LabelTable) -> Labels:
    from shortlist.project.labels import JointLabels
    from shortlist.project.stages.train import ClassifierInputs, training_rows

    inputs = ClassifierInputs.of(session.settings)
    return JointLabels(session.joint, training_rows(session), table, inputs.columns, inputs)
