"""Plots of an analysis with matplotlib, for notebooks (extra `plots`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from shortlist.analysis.labeler_tables import labeler_table
from shortlist.analysis.measures import Measures
from shortlist.errors import BadFit, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, VIOLET, GREY = "#2563c9", "#8a5fc2", "#8b8f99"


class Plots:
    """`analysis.plot`: each method draws into `ax`, or into a new figure, and gives back the axes."""

    def __init__(self, data: Measures) -> None:
        self.data = data

    def labelers(self, *, level: float = 0.9, ax: Axes | None = None) -> Axes:
        """Accuracy of each labeler: estimates with intervals, and gold rows. Without a model, coverage."""
        table = labeler_table(self.data, level)
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
        names, bits = self.data.votes.names, self.data.bits
        both, against = bits.pairs().astype(np.float64), bits.pairs(bits.disjoint)
        rate = np.divide(against, both, out=np.zeros_like(both), where=both > 0)
        shown = np.where(np.tri(len(names), dtype=bool), both / len(self.data.votes), -rate)
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
        """Accuracy on gold rows with a vote, by belief, with Wilson's intervals (90 %)."""
        calibration = self.data.calibration
        if calibration is None:
            raise BadFit("calibration needs a model and known classes: Analysis(votes, model, gold=…)")
        at = np.array([[b.belief, b.right, b.lower, b.upper] for b in calibration.bins]).T
        ax = _axes(ax, height=4)
        ax.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1)
        ax.errorbar(at[0], at[1], yerr=[at[1] - at[2], at[3] - at[1]], fmt="o-", color=BLUE, capsize=3)
        ax.set(xlim=(0, 1.02), ylim=(0, 1.02), xlabel="belief in the best guess", ylabel="right")
        ax.set_title(f"expected calibration error {calibration.error:.3f}", fontsize=9)
        return ax


def _column(table: Any, name: str) -> Any:
    return table[name].cast(float).to_numpy()


def _axes(ax: Axes | None, height: float) -> Any:
    """The axes that were given, or those of a new figure."""
    if ax is not None:
        return ax
    plt = require("matplotlib.pyplot", extra="plots")
    return plt.subplots(figsize=(6, height), layout="constrained")[1]
