"""Ending: the last lines of `shortlist run`: how good the labels are, what changed, and where to look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from shortlist.project.kept.history import Figures, History, figures_of
from shortlist.project.stages import Outcome
from shortlist.project.stages.stage import Facts

LABELS = ("label model", "counting votes")  # these label rows with a vote; the classifier labels every row


def ending(outcomes: Sequence[Outcome], history: History) -> Iterator[str]:
    """What to know after a run; what changed, where it had something to do."""
    facts = {one.stage: one.facts for one in outcomes if one.status != "skipped"}
    figures = figures_of(outcomes)
    yield from scores(facts, figures)
    yield from too_low(facts.get("fit", {}))
    yield from behind(figures)
    yield from which_file(outcomes, facts)
    worked = any(one.status == "done" for one in outcomes)
    change = [f"{name} {old:.1%} → {new:.1%}" for name, (old, new) in history.change.items() if worked]
    if change:
        gold = f" ({history.other_gold})" if history.other_gold else ""
        yield f"Since last time{gold}: {', '.join(change)}."
    advice = facts.get("check", {}).get("advice")
    if advice:
        more = f" ({len(advice)} suggestions: shortlist check)" if len(advice) > 1 else " (shortlist check)"
        yield f"Do next: {advice[0]['what']}{more}"
    elif advice is not None:
        yield "Nothing to improve was found."
    pages = [one.outputs[0] for one in outcomes if one.stage == "report" and one.outputs]
    if pages:
        yield f"Look at: {pages[0]}"


def scores(facts: Mapping[str, Facts], figures: Figures) -> Iterator[str]:
    """Who is right on which share of the gold rows; rows without a vote are told apart, for they have no label."""
    labels = [f"{name} {figures[name]:.1%}" for name in LABELS if name in figures]
    seen = " (too high: it learned from gold rows)" if facts.get("fit", {}).get("gold_used") else ""
    classifier = [f"classifier {figures['classifier']:.1%}{seen}"] if "classifier" in figures else []
    rows = facts.get("fit", {}).get("gold_rows") or facts.get("predict", {}).get("gold_rows", 0)
    voted = facts.get("fit", {}).get("gold_voted", rows)
    if labels and voted < rows:
        yield f"Right on the {voted:,} gold rows with a vote ({rows - voted:,} have none): {', '.join(labels)}."
        labels = []
    if labels or classifier:
        yield f"Right on {'all ' if voted < rows else ''}{rows:,} gold rows: {', '.join([*labels, *classifier])}."


def too_low(fit: Facts) -> Iterator[str]:
    """A warning where gold rows are no fair sample; how good the labels are on those that may be one."""
    hard, others = fit.get("gold_hard", 0), fit.get("others", {})
    if not hard:
        return
    from shortlist.reporting.notices import FAIR_SCORE, hard_ones
    from shortlist.reporting.trials import ENOUGH

    line = f"{hard_ones(hard)}, so these scores are too low."
    if "accuracy" in others:
        found = f"label model {others['accuracy']:.1%}, counting votes {others['counting']:.1%}"
        line += f" On the other {others['gold_voted']:,} with a vote: {found}."
    fair = others.get("gold_voted", 0) >= ENOUGH
    yield line if fair else f"{line} {FAIR_SCORE}"


def which_file(outcomes: Sequence[Outcome], facts: Mapping[str, Facts]) -> Iterator[str]:
    """Which of the two files of labels to use: the one that is right on more gold rows.

    Where the classifier learned from gold rows, its score is too high to choose by.
    """
    files = {one.stage: one.outputs[0] for one in outcomes if one.outputs}
    if "export" not in files or "predict" not in files:
        return
    labels, predictions = files["export"], files["predict"]
    fit, predicted = facts["fit"], facts["predict"]
    if fit.get("gold_used") or fit.get("accuracy") is None or predicted.get("accuracy") is None:
        yield f"Two files of labels: {labels} (rows with a vote) and {predictions} (every row, by the classifier)."
        return
    labelled, read = (round(one["accuracy"] * one.get("gold_voted", one["gold_rows"])) for one in (fit, predicted))
    if labelled == read:
        yield f"Use {labels} or {predictions}: both are right on {read:,} of {fit['gold_rows']:,} gold rows."
        return
    (most, best), (less, other) = sorted([(labelled, labels), (read, predictions)], reverse=True)
    yield f"Use {best}: right on {most:,} of {fit['gold_rows']:,} gold rows ({other}: {less:,})."


def behind(figures: Figures) -> Iterator[str]:
    """A warning where the label model does worse than counting votes."""
    if figures.get("label model", 1.0) < figures.get("counting votes", 0.0) - 0.005:
        yield "The label model does worse here than counting votes: follow the advice below before you use its labels."
