"""Suspects: known classes that are probably wrong.

A row is suspected where the model, which has only seen votes, believes in another class than the known one, and at
least as firmly as it does on average on rows that are known to be of that other class (confident learning, Northcutt
et al. 2021). The less is believed in the known class, the more it is suspected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shortlist.analysis.labelers import frame
from shortlist.errors import BadFit

if TYPE_CHECKING:
    from shortlist.analysis.core import Analysis


def suspect_table(analysis: Analysis) -> pl.DataFrame:
    """One line for each suspected row, the most suspicious first."""
    votes, gold = analysis.votes, analysis.gold
    if gold is None:
        raise BadFit("this needs known classes: Analysis(votes, model, gold=…)")
    rows = np.flatnonzero((gold >= 0) & votes.covered)
    beliefs, known = analysis.distinct.at(rows), gold[rows]
    firm = np.array([beliefs[known == j, j].mean() if (known == j).any() else np.inf for j in range(len(votes.space))])
    guess = analysis.guess[rows]
    at = np.arange(len(rows))
    suspected = np.flatnonzero((guess != known) & (beliefs[at, guess] >= firm[guess]))
    order = suspected[np.argsort(beliefs[suspected, known[suspected]], kind="stable")]
    names = pl.Series(list(votes.space), dtype=pl.String)
    columns: dict[str, Any] = {"row": rows[order]}
    if votes.ids is not None:
        columns["id"] = votes.ids[rows[order]]
    columns |= {
        "gold": names.gather(known[order]),
        "belief": beliefs[order, known[order]],
        "class": names.gather(guess[order]),
        "class_belief": beliefs[order, guess[order]],
    }
    return frame(columns)
