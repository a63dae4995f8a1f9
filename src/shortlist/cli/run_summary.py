"""The last lines of `shortlist run`: scores, which file to use, what changed, what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from shortlist.project.cache import Figures, History, Run
from shortlist.project.stages.stage import Facts, Outcome


def run_summary(outcomes: Sequence[Outcome], history: History, old: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines. `old` are output files that this run neither wrote nor found up to date."""
    facts = {one.stage: one.facts for one in outcomes if one.status != "skipped"}
    fit, advice = facts.get("fit", {}), facts.get("check", {}).get("advice")
    scores = list(_scores(facts, Run.of(outcomes).figures))
    yield from scores
    if fit.get("gold_hard"):
        yield _hard_rows(fit, scored=bool(scores))
    if fit.get("below_counting"):
        yield _worse_than_counting(fit, advised=bool(advice))
    yield from _which_file(outcomes, facts)
    if old:
        yield f"Left over from an earlier run: {', '.join(old)}."
    worked = any(one.status == "done" for one in outcomes)
    change = [f"{name} {before:.1%} → {now:.1%}" for name, (before, now) in history.change.items() if worked]
    if change:
        gold = f" ({history.other_gold})" if history.other_gold else ""
        yield f"Since last time{gold}: {', '.join(change)}."
    if advice:
        more = f" ({len(advice)} suggestions: shortlist check)" if len(advice) > 1 else " (shortlist check)"
        yield f"Do next: {advice[0]['what']}{more}"
    elif advice is not None:
        yield "Nothing to improve was found."
    yield from (f"Look at: {one.outputs[0]}" for one in outcomes if one.stage == "report" and one.outputs)


def _scores(facts: Mapping[str, Facts], figures: Figures) -> Iterator[str]:
    """Accuracies on gold rows. The label model labels rows with a vote, the classifier every row."""
    fit = facts.get("fit", {})
    labels = [f"{name} {figures[name]:.1%}" for name in ("label model", "counting votes") if name in figures]
    biased = " (too high: it learned from gold rows)" if fit.get("gold_used") else ""
    classifier = [f"classifier {figures['classifier']:.1%}{biased}"] if "classifier" in figures else []
    rows = fit.get("gold_rows") or facts.get("predict", {}).get("gold_rows", 0)
    voted = fit.get("gold_voted", rows)
    if labels and voted < rows:
        yield f"Right on the {voted:,} gold rows with a vote ({rows - voted:,} have none): {', '.join(labels)}."
        labels = []
    if labels or classifier:
        yield f"Right on {'all ' if voted < rows else ''}{rows:,} gold rows: {', '.join([*labels, *classifier])}."


def _hard_rows(fit: Facts, *, scored: bool) -> str:
    """Warn that gold rows are a biased sample, with the scores on the other gold rows."""
    from shortlist.reporting.overview import FAIR_SCORE, hard_ones
    from shortlist.reporting.trials import ENOUGH

    others = fit.get("others", {})
    line = f"{hard_ones(fit['gold_hard'])}{', so these scores may be too low' if scored else ''}."
    if "accuracy" in fit and "accuracy" in others:
        figures = f"label model {others['accuracy']:.1%}, counting votes {others['counting']:.1%}"
        line += f" On the other {others['gold_voted']:,} with a vote: {figures}."
    return line if others.get("gold_voted", 0) >= ENOUGH else f"{line} {FAIR_SCORE}"


def _worse_than_counting(fit: Facts, *, advised: bool) -> str:
    """Warn that the label model does worse than counting votes, by more than chance explains."""
    voted = _voted(fit)
    rows = f"{voted:,} gold rows{' with a vote' if voted < fit['gold_rows'] else ''}"
    right = f"it is right on {round(fit['accuracy'] * voted):,} of {rows}, counting on {_counting(fit):,}"
    follow = " Follow the advice below, then run again." if advised else ""
    return f"The label model does worse here than counting votes: {right}.{follow}"


def _voted(fit: Facts) -> int:
    return int(fit["gold_voted"] if "gold_voted" in fit else fit["gold_rows"])


def _counting(fit: Facts) -> int:
    """Gold rows on which counting votes is right."""
    return round(float(fit["counting"]) * _voted(fit))


# -- which file to use ---------------------------------------------------------------------------------


class LabelFile(NamedTuple):
    """A file of labels: gold rows it gets right, and those that a simpler method gets right."""

    path: str
    right: int
    baseline: int


def _which_file(outcomes: Sequence[Outcome], facts: Mapping[str, Facts]) -> Iterator[str]:
    """Recommend labels or predictions by their gold rows, unless the classifier learned from these."""
    paths = {one.stage: str(one.outputs[0]) for one in outcomes if one.outputs}
    if "export" not in paths or "fit" not in facts:
        return
    fit, predicted = facts["fit"], facts.get("predict", {})
    scored = fit.get("accuracy") is not None and ("predict" not in paths or predicted.get("accuracy") is not None)
    if scored and not fit.get("gold_used"):
        yield from _recommended(list(_label_files(paths, fit, predicted)), fit)
    elif "predict" in paths:
        files = f"{paths['export']} (rows with a vote) and {paths['predict']} (every row, by the classifier)"
        yield f"Two files of labels: {files}."


def _label_files(paths: Mapping[str, str], fit: Facts, predicted: Facts) -> Iterator[LabelFile]:
    """The files, with the better of two baselines: the most frequent class, and counting votes if it beats the fit."""
    frequent, counted = _most_frequent(fit), _counting(fit) if fit.get("below_counting") else 0
    right = round(fit["accuracy"] * _voted(fit))
    yield LabelFile(paths["export"], right, max(counted, frequent.get("gold_voted", 0)))
    if "predict" in paths:
        right = round(predicted["accuracy"] * predicted["gold_rows"])
        yield LabelFile(paths["predict"], right, max(counted, frequent.get("gold_rows", 0)))


def _most_frequent(fit: Facts) -> Facts:
    """The most frequent gold class; nothing if hard rows were picked, which labels seldom get right."""
    return {} if fit.get("gold_hard") else fit.get("frequent", {})


def _recommended(files: list[LabelFile], fit: Facts) -> Iterator[str]:
    useful = sorted((one for one in files if one.right >= one.baseline), key=lambda one: -one.right)
    gold, always = f"{fit['gold_rows']:,} gold rows", f"always answering {fit.get('frequent', {}).get('class')!r}"
    if not useful:
        names, right = " or ".join(one.path for one in files), " and ".join(f"{one.right:,}" for one in files)
        rivals = {always: _most_frequent(fit)["gold_rows"]} if _most_frequent(fit) else {}
        rivals |= {"counting votes": _counting(fit)} if fit.get("below_counting") else {}
        better = ", ".join(f"{name} on {n:,}" for name, n in rivals.items() if n > max(one.right for one in files))
        they = "they are" if len(files) > 1 else "it is"
        yield f"Do not use {names} yet: {they} right on {right} of {gold}, {better}."
    elif len(useful) == 2 and useful[0].right == useful[1].right:
        yield f"Use {files[0].path} or {files[1].path}: both are right on {files[0].right:,} of {gold}."
    elif len(files) == 2:
        best, other = useful[0], next(one for one in files if one is not useful[0])
        less = f"{other.right:,}" if other.right <= best.right else f"worse than {always}"
        yield f"Use {best.path}: right on {best.right:,} of {gold} ({other.path}: {less})."
