"""Ending: the last lines of `shortlist run`: how good the labels are, what changed, and where to look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shortlist.project.kept.history import Figures, History, figures_of
from shortlist.project.stages import Outcome

SCORES = ("label model", "counting votes", "classifier")


def ending(outcomes: Sequence[Outcome], history: History) -> Iterator[str]:
    """What to know after a run that had something to do."""
    facts = {one.stage: one.facts for one in outcomes if one.status != "skipped"}
    figures = figures_of(outcomes)
    scores = [f"{name} {figures[name]:.1%}" for name in SCORES if name in figures]
    if scores:
        yield f"Right on {facts['fit']['gold_rows']:,} gold rows: {', '.join(scores)}."
        yield from behind(figures)
    change = [f"{name} {old:.1%} → {new:.1%}" for name, (old, new) in history.change.items()]
    if change:
        yield f"Since last time: {', '.join(change)}."
    advice = facts.get("check", {}).get("advice")
    if advice:
        more = f" ({len(advice)} suggestions: shortlist check)" if len(advice) > 1 else " (shortlist check)"
        yield f"Do next: {advice[0]['what']}{more}"
    elif advice is not None:
        yield "Nothing to improve was found."
    pages = [one.outputs[0] for one in outcomes if one.stage == "report" and one.outputs]
    if pages:
        yield f"Look at: {pages[0]}"


def behind(figures: Figures) -> Iterator[str]:
    """A warning where the label model does worse than counting votes."""
    if figures["label model"] < figures["counting votes"] - 0.005:
        yield "The label model does worse here than counting votes: follow the advice below before you use its labels."
