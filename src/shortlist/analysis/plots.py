"""Plots: the pictures of the report, in a notebook (extra `plots`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from shortlist.analysis.calibration import Calibration
from shortlist.errors import BadFit, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from shortlist.analysis.core import Analysis

BLUE, ORANGE, VIOLET, GREY = "#2563c9", "#d4511e", "#8a5fc2", "#8b8f99"


class Plots:
    """`analysis.plot`: each method draws into `ax`, or into a new figure, and gives back the axes."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis

    def labelers(self, *, level: float = 0.9, ax: Axes | None = None) -> Axes:
        """How often each labeler is right: estimates with intervals, and gold rows. Without a model, coverage."""
        table = self.analysis.labelers(level=level)
        names, places = table["labeler"].to_list(), np.arange(len(table))
        ax = _axes(ax, height=1 + 0.35 * len(names))
        if "accuracy" in table.columns:
            value, low, high = (_column(table, name) for name in ("accuracy", "accuracy_low", "accuracy_high"))
            reach = np.nan_to_num(np.stack([value - low, high - value]))
            ax.errorbar(value, places, xerr=np.maximum(reach, 0), fmt="o", color=BLUE, capsize=3, label="estimated")
            if "gold_accuracy" in table.columns:
                ax.plot(_column(table, "gold_accuracy"), places, "D", color=VIOLET, label="on gold rows")
            ax.legend(frameon=False)
        else:
            ax.barh(places, _column(table, "coverage"), color=BLUE)
        ax.set(xlim=(0, 1.02), yticks=places, yticklabels=names)
        ax.set_xlabel("accuracy" if "accuracy" in table.columns else "coverage")
        ax.invert_yaxis()
        return ax

    def overlap(self, *, ax: Axes | None = None) -> Axes:
        """Below the diagonal, the share of rows on which two labelers vote; above it, that of conflicts among these."""
        names, bits = self.analysis.votes.names, self.analysis.bits
        both, against = bits.pairs().astype(np.float64), bits.pairs(bits.disjoint)
        rate = np.divide(against, both, out=np.zeros_like(both), where=both > 0)
        shown = np.where(np.tri(len(names), dtype=bool), both / len(self.analysis.votes), -rate)
        ax = _axes(ax, height=1.5 + 0.4 * len(names))
        ax.imshow(shown, cmap="PuOr", vmin=-1, vmax=1)
        for i, j in np.ndindex(shown.shape):
            ax.text(j, i, f"{abs(shown[i, j]):.0%}", ha="center", va="center", fontsize=7)
        places = np.arange(len(names))
        ax.set(xticks=places, yticks=places, yticklabels=names)
        ax.set_xticklabels(names, rotation=60, ha="right")
        ax.set_title("overlap below the diagonal, conflict above", fontsize=9)
        return ax

    def calibration(self, *, ax: Axes | None = None) -> Axes:
        """How often the model is right on gold rows with a vote, by how sure it is; Wilson's intervals (90 %)."""
        analysis = self.analysis
        if analysis.model is None or analysis.gold is None:
            raise BadFit("calibration needs a model and known classes: Analysis(votes, model, gold=…)")
        known = np.flatnonzero(analysis.scored)
        belief = analysis.distinct.at(known).max(axis=1)
        found = Calibration.of(belief, analysis.guess[known] == analysis.gold[known])
        at = np.array([[b.belief, b.right, b.lower, b.upper] for b in found.bins]).T
        ax = _axes(ax, height=4)
        ax.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1)
        ax.errorbar(at[0], at[1], yerr=[at[1] - at[2], at[3] - at[1]], fmt="o-", color=BLUE, capsize=3)
        ax.set(xlim=(0, 1.02), ylim=(0, 1.02), xlabel="belief in the best guess", ylabel="right")
        ax.set_title(f"expected calibration error {found.error:.3f}", fontsize=9)
        return ax


def _column(table: Any, name: str) -> Any:
    return table[name].cast(float).to_numpy()


def _axes(ax: Axes | None, height: float) -> Any:
    """The axes that were given, or those of a new figure."""
    if ax is not None:
        return ax
    plt = require("matplotlib.pyplot", extra="plots")
    return plt.subplots(figsize=(6, height), layout="constrained")[1]
