"""predict: what the classifier says about rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.errors import ShortlistError
from shortlist.project.stages.score import right_on_gold
from shortlist.project.stages.stage import Facts, Stage
from shortlist.project.stages.train import no_classifier
from shortlist.wording import number_of

if TYPE_CHECKING:
    import polars as pl

    from shortlist.beliefs import LabelTable
    from shortlist.project.rows import Rows
    from shortlist.project.session import Session
    from shortlist.project.settings import Settings


class Predict(Stage):
    name = "predict"
    help = "Let the classifier read rows."
    needs = ("train",)

    def outputs(self, settings: Settings) -> tuple[str, ...]:
        return (f"predictions.{settings.output.format}",)

    def key(self, session: Session) -> Any:
        data, output = session.settings.data, session.settings.output
        return [session.data_digests(), session.gold_digest(), asdict(data), output.format, output.shortlist]

    def refusal(self, settings: Settings) -> ShortlistError | None:
        return no_classifier(settings)

    def size(self, session: Session) -> int:
        return len(session.rows)

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        return predict_rows(session, session.rows, paths[0], session.said)

    def tell(self, facts: Facts) -> str:
        return f"{number_of(facts['rows'], 'row')}{right_on_gold(facts)}"


def predict_rows(session: Session, rows: Rows, path: Path, said: Mapping[int, int] | None = None) -> Facts:
    """Stream rows through the classifier into a file; scored where their classes are known.

    `said` are classes that people said, by row and position; they count before those of the gold column.
    """
    from shortlist.beliefs import LabelTable
    from shortlist.rows import write_table

    for read in (session.rows, rows):
        read.refuse_to_overwrite(path)
    classes = [str(name) for name in session.classifier.classes_]
    table = LabelTable(classes, rows.key(), held=session.settings.output.shortlist, voted=False)
    score = Score(rows, session.settings.classes, said or {})
    write_table(path, _frames(session, rows, table, score), table.schema)
    return {"rows": len(rows)} | score.facts()


def _frames(session: Session, rows: Rows, table: LabelTable, score: Score) -> Iterator[pl.DataFrame]:
    """The predictions, segment by segment; `score` counts meanwhile."""
    from shortlist.project.stages.classifiers import classifier_inputs, read_columns

    settings, keys = session.settings, rows.key_parts()
    for segment in rows.segments(read_columns(settings)):
        beliefs = session.classifier.predict_proba(classifier_inputs(settings, segment.frame))
        frame = table.frame(next(keys), beliefs)
        score.count(frame["class"].to_list())
        session.listener.advance(len(frame))
        yield frame


class Score:
    """How often the classifier is right on rows whose class is known, counted as the rows go by."""

    def __init__(self, rows: Rows, classes: tuple[str, ...], said: Mapping[int, int]) -> None:
        self.known = rows.gold_parts(classes)
        self.said = {row: None if j < 0 else classes[j] for row, j in said.items()}
        self.start = self.right = self.rows = 0

    def count(self, found: Sequence[str]) -> None:
        """`found` are the classes of the next rows."""
        known, m = next(self.known), len(found)
        names = [None] * m if known is None else known.to_list()
        for row, name in self.said.items():
            if self.start <= row < self.start + m:
                names[row - self.start] = name
        self.right += sum(one == name for one, name in zip(found, names, strict=True) if name is not None)
        self.rows += sum(name is not None for name in names)
        self.start += m

    def facts(self) -> Facts:
        return {"accuracy": self.right / self.rows, "gold_rows": self.rows} if self.rows else {}
