"""Changes: the effect of an edit on votes and labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.analysis import Analysis
from shortlist.analysis.labeler_tables import only_known


@dataclass(frozen=True)
class Snapshot:
    """A project at one moment: labelers and their fingerprints, figures about them, and the label of each row."""

    fingerprints: dict[str, str]
    classes: tuple[str, ...]
    sources: tuple[str, ...]
    labelers: pl.DataFrame
    totals: dict[str, float]
    labels: npt.NDArray[np.int64]  # (m,): positions, −1 where no labeler votes

    @classmethod
    def of(cls, analysis: Analysis, fingerprints: dict[str, str], sources: tuple[str, ...]) -> Snapshot:
        """The present figures of votes and model."""
        votes = analysis.votes
        totals = {
            "covered": float(votes.covered.mean()),
            "in conflict": analysis.conflicted,
            "mean belief": float(analysis.distinct.counts @ analysis.distinct.beliefs.max(axis=1)) / len(votes),
        }
        if analysis.scored.any():
            totals["gold rows with a vote"] = float(analysis.scored.sum()) / analysis.known_rows
            totals["right on gold rows with a vote"] = analysis.right_on_gold
        labels = np.where(votes.covered, analysis.guess, -1)
        return cls(fingerprints, tuple(votes.space), sources, _labelers(analysis), totals, labels)


@dataclass(frozen=True)
class Change:
    """Two moments of a project, side by side."""

    before: Snapshot
    after: Snapshot

    @property
    def edits(self) -> dict[str, str]:
        """Labeler → "new", "edited" or "gone"."""
        old, new = self.before.fingerprints, self.after.fingerprints
        edits = {name: "edited" if name in old else "new" for name in new if old.get(name) != new[name]}
        return edits | {name: "gone" for name in old if name not in new}

    @property
    def same_rows(self) -> bool:
        """Rows and classes are the same, so that labels can be compared row by row."""
        return self.before.sources == self.after.sources and self.before.classes == self.after.classes

    @property
    def flipped(self) -> npt.NDArray[np.int64]:
        """The rows whose label is another one now."""
        if not self.same_rows:
            return np.zeros(0, np.int64)
        return np.flatnonzero(self.before.labels != self.after.labels)

    def flips(self) -> list[tuple[str, str, int]]:
        """(label before, label now, rows), the most rows first."""
        rows = self.flipped
        names = [*self.after.classes, "no label"]  # position −1 is the last
        pairs = np.stack([self.before.labels[rows], self.after.labels[rows]])
        kinds, counts = np.unique(pairs, axis=1, return_counts=True)
        flips = [(names[old], names[new], int(n)) for old, new, n in zip(*kinds, counts, strict=True)]
        return sorted(flips, key=lambda flip: (-flip[2], flip[0], flip[1]))

    def label(self, snapshot: Snapshot, row: int) -> str:
        position = int(snapshot.labels[row])
        return snapshot.classes[position] if position >= 0 else "no label"

    def figures(self, name: str) -> dict[str, tuple[float | None, float | None]]:
        """Figures of a labeler, before and now."""
        tables = [one.labelers.filter(labeler=name) for one in (self.before, self.after)]
        figures = ("coverage", "conflict", "accuracy", "gold_accuracy")
        there = [figure for figure in figures if any(figure in table.columns for table in tables)]
        return {figure: (_figure(tables[0], figure), _figure(tables[1], figure)) for figure in there}

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "edits": self.edits,
            "totals": {
                name: {"before": self.before.totals.get(name), "after": now} for name, now in self.after.totals.items()
            },
            "labelers": {
                name: {figure: {"before": old, "after": new} for figure, (old, new) in self.figures(name).items()}
                for name in self.edits
            },
            "rows": len(self.after.labels),
            "flipped": len(self.flipped),
            "flips": [{"before": old, "after": new, "rows": rows} for old, new, rows in self.flips()],
        }


def _labelers(analysis: Analysis) -> pl.DataFrame:
    """The table of labelers, without accuracies that cannot be learned from votes.

    Only the default estimator says so at no cost. Other intervals take the curvature of the fit, for which somebody
    who saved a file would wait.
    """
    estimate = getattr(analysis.model, "estimate_", None)
    tells = estimate is not None and estimate.labeler_accuracy is not None
    return only_known(analysis.labelers(level=0.9 if tells else None))


def _figure(table: pl.DataFrame, figure: str) -> float | None:
    cell = table[figure][0] if figure in table.columns and len(table) else None
    return None if cell is None else float(cell)
