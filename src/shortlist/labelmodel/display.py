"""Display: a fitted label model, as a terminal and as a notebook show it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from shortlist.wording import html_table, number_of, percent, some_of, text_table

if TYPE_CHECKING:
    from shortlist.arrays import Floats
    from shortlist.labelmodel.model import LabelModel

HEADERS = ["labeler", "votes on", "accuracy: worst class", "best class"]


def as_text(model: LabelModel) -> str:
    return f"{found(model)}\n{text_table(HEADERS, lines(model))}"


def as_html(model: LabelModel) -> str:
    return f"<p>{escape(found(model))}</p>{html_table(HEADERS, lines(model))}"


def found(model: LabelModel) -> str:
    """What was fitted, whether it converged, and the class balance."""
    ended = "converged" if model.converged_ else "stopped before it converged,"
    balance = zip(model.panel_.space, model.class_balance_.tolist(), strict=True)
    shares = some_of([f"{name} {percent(share, 0)}" for name, share in balance], most=8)
    rows, labelers = number_of(round(model.evidence_.total), "row"), number_of(len(model.panel_.names), "labeler")
    return f"Fitted on {rows} and {labelers}; {ended} after {number_of(model.n_iter_, 'step')}. Class balance: {shares}"


def lines(model: LabelModel) -> list[list[str]]:
    """A line for each labeler: how often it votes, and how accurate it is on the classes it knows least and best.

    What is true by construction is not told. A labeler is never right about a class that it cannot name, and one with
    one thing to say is always right about the classes it names.
    """
    panel = model.panel_
    known = zip(panel.names, panel.codomains, model.propensity_, model.accuracy_, strict=True)
    return [
        [name, percent(float(propensity)), *(["–"] * 2 if codomain.one_sided else _ends(accuracy))]
        for name, codomain, propensity, accuracy in known
    ]


def _ends(accuracy: Floats) -> list[str]:
    """The smallest and the largest that are not true by construction, in percent."""
    estimated = accuracy[(accuracy > 0) & (accuracy < 1)]
    return [percent(float(end(estimated)), 0) for end in (np.min, np.max)] if len(estimated) else ["–"] * 2
