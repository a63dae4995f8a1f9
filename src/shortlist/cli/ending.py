"""Ending: the last lines of `shortlist run`: how good the labels are, what changed, and where to look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from shortlist.project.kept.history import Figures, History, figures_of
from shortlist.project.stages import Outcome
from shortlist.project.stages.stage import Facts

LABELS = ("label model", "counting votes")  # these label rows with a vote; the classifier labels every row


@dataclass(frozen=True)
class Labels:
    """A file of labels: on how many gold rows it is right, and how many that should be at least to be of use."""

    file: str
    right: int
    least: int

    @property
    def useful(self) -> bool:
        return self.right >= self.least


def ending(outcomes: Sequence[Outcome], history: History, old: Sequence[str] = ()) -> Iterator[str]:
    """What to know after a run; what changed, where it had something to do. `old` are files of an earlier one."""
    facts = {one.stage: one.facts for one in outcomes if one.status != "skipped"}
    figures = figures_of(outcomes)
    scored = list(scores(facts, figures))
    yield from scored
    yield from too_low(facts.get("fit", {}), scored=bool(scored))
    advice = facts.get("check", {}).get("advice")
    yield from behind(facts.get("fit", {}), advised=bool(advice))
    yield from which_file(outcomes, facts)
    if old:
        yield f"Old, not brought up to date by this run: {', '.join(old)}."
    worked = any(one.status == "done" for one in outcomes)
    change = [f"{name} {old:.1%} → {new:.1%}" for name, (old, new) in history.change.items() if worked]
    if change:
        gold = f" ({history.other_gold})" if history.other_gold else ""
        yield f"Since last time{gold}: {', '.join(change)}."
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


def too_low(fit: Facts, *, scored: bool) -> Iterator[str]:
    """A warning where gold rows are no fair sample; how good the labels are on those that may be one."""
    hard, others = fit.get("gold_hard", 0), fit.get("others", {})
    if not hard:
        return
    from shortlist.reporting.advising.trials import ENOUGH
    from shortlist.reporting.notices import FAIR_SCORE, hard_ones

    line = f"{hard_ones(hard)}{', so these scores may be too low' if scored else ''}."
    if "accuracy" in fit and "accuracy" in others:
        found = f"label model {others['accuracy']:.1%}, counting votes {others['counting']:.1%}"
        line += f" On the other {others['gold_voted']:,} with a vote: {found}."
    fair = others.get("gold_voted", 0) >= ENOUGH
    yield line if fair else f"{line} {FAIR_SCORE}"


def which_file(outcomes: Sequence[Outcome], facts: Mapping[str, Facts]) -> Iterator[str]:
    """Which of the two files of labels to use: the one that is right on more gold rows, where it is of use at all.

    Where the classifier learned from gold rows, its score is too high to choose by.
    """
    files = {one.stage: str(one.outputs[0]) for one in outcomes if one.outputs}
    if "export" not in files or "fit" not in facts:
        return
    labels, predictions = files["export"], files.get("predict")
    fit, predicted = facts["fit"], facts.get("predict", {})
    scored = fit.get("accuracy") is not None and (predictions is None or predicted.get("accuracy") is not None)
    if scored and not fit.get("gold_used"):
        yield from chosen(list(scored_files(labels, predictions, fit, predicted)), fit)
    elif predictions is not None:
        yield f"Two files of labels: {labels} (rows with a vote) and {predictions} (every row, by the classifier)."


def scored_files(labels: str, predictions: str | None, fit: Facts, predicted: Facts) -> Iterator[Labels]:
    """The files, with what is to be outdone: answering with the most frequent class, and counting votes if better."""
    voted = fit.get("gold_voted", fit["gold_rows"])
    frequent, counted = most_frequent(fit), counting(fit) if fit.get("below_counting") else 0
    yield Labels(labels, round(fit["accuracy"] * voted), max(counted, frequent.get("gold_voted", 0)))
    if predictions is not None:
        right = round(predicted["accuracy"] * predicted["gold_rows"])
        yield Labels(predictions, right, max(counted, frequent.get("gold_rows", 0)))


def counting(fit: Facts) -> int:
    """On how many gold rows a mere count of the votes is right."""
    voted = fit["gold_voted"] if "gold_voted" in fit else fit["gold_rows"]
    return round(float(fit["counting"]) * int(voted))


def chosen(files: list[Labels], fit: Facts) -> Iterator[str]:
    """Which file to use, or why none."""
    useful = sorted((one for one in files if one.useful), key=lambda one: -one.right)
    if not useful:
        yield from no_use(files, fit)
    elif len(useful) == 2 and useful[0].right == useful[1].right:
        yield f"Use {files[0].file} or {files[1].file}: both are right on {files[0].right:,} of {of_gold(fit)}."
    elif len(files) == 2:
        best = useful[0]
        other = next(one for one in files if one is not best)
        less = f"{other.right:,}" if other.right <= best.right else f"worse than {always(fit)}"
        yield f"Use {best.file}: right on {best.right:,} of {of_gold(fit)} ({other.file}: {less})."


def no_use(files: list[Labels], fit: Facts) -> Iterator[str]:
    """That no file is of use, and what is right more often."""
    names, right = " or ".join(one.file for one in files), " and ".join(f"{one.right:,}" for one in files)
    rivals = {always(fit): most_frequent(fit)["gold_rows"]} if most_frequent(fit) else {}
    if fit.get("below_counting"):
        rivals["counting votes"] = counting(fit)
    better = ", ".join(f"{name} on {rows:,}" for name, rows in rivals.items() if rows > max(f.right for f in files))
    it = "they are" if len(files) > 1 else "it is"
    yield f"Do not use {names} yet: {it} right on {right} of {of_gold(fit)}, {better}."


def most_frequent(fit: Facts) -> Facts:
    """The most frequent class of the gold rows; nothing where hard ones are among them, which labels get wrong."""
    return {} if fit.get("gold_hard") else fit.get("frequent", {})


def always(fit: Facts) -> str:
    return f"always answering {fit['frequent']['class']!r}"


def of_gold(fit: Facts) -> str:
    return f"{fit['gold_rows']:,} gold rows"


def behind(fit: Facts, *, advised: bool) -> Iterator[str]:
    """A warning where the label model does worse than counting votes, by more than chance explains."""
    if fit.get("below_counting"):
        voted = fit.get("gold_voted", fit["gold_rows"])
        with_vote = " with a vote" if voted < fit["gold_rows"] else ""
        right = f"it is right on {round(fit['accuracy'] * voted):,} of {voted:,} gold rows{with_vote}"
        follow = " Follow the advice below, then run again." if advised else ""
        yield f"The label model does worse here than counting votes: {right}, counting on {counting(fit):,}.{follow}"
