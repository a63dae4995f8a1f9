"""The end of `shortlist run`: a table of scores, which file to use and how good it is, what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from shortlist.project.cache import History, Run
from shortlist.project.stages.stage import Facts, Outcome

WAYS = ("counting votes", "label model", "votes and text", "text alone")
CERTAIN = 1.96  # standard errors: intervals hold the truth with 95 %


class ScoreTable(NamedTuple):
    """How often each way of labelling is right on gold rows, or, without any, agrees with held-out labelers."""

    title: str
    headers: tuple[str, ...]
    lines: Sequence[tuple[str, ...]]


def run_scores(facts: Mapping[str, Facts]) -> ScoreTable | None:
    """The table of scores by the facts of the stages; None if there is nothing to score by."""
    right, n = right_rows(facts), gold_rows(facts)
    if n:
        scored = [(name, f"{right[name] / n:.1%}", interval(right[name], n)) for name in WAYS if name in right]
        counted = right.get("counting votes", 0)
        ties = (
            "; where classes tie in a count of votes, they share the row"
            if abs(counted - round(counted)) > 0.01
            else ""
        )
        title = f"Right on {n:,} gold rows{_uncovered(facts, n)}{ties}"
        return ScoreTable(title, ("labels by", "right", "95 % sure"), scored) if scored else None
    agreed = facts.get("train", {}).get("agreement") or {}
    agreed = {name.replace("counting", WAYS[0]): share for name, share in agreed.items()}
    title = (
        "Votes of held-out labelers that agree with labels made without them, beyond chance (there are no gold rows)"
    )
    lines = [(name, f"{agreed[name]:+.1%}") for name in WAYS if name in agreed]
    return ScoreTable(title, ("labels by", "agree"), lines) if lines else None


def run_summary(outcomes: Sequence[Outcome], history: History, old: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines below the table. `old` are output files that this run neither wrote nor found up to date."""
    facts = facts_of(outcomes)
    fit, advice = facts.get("fit", {}), facts.get("check", {}).get("advice")
    if "reason" in facts.get("train", {}):
        yield facts["train"]["reason"]
    if fit.get("gold_hard"):
        from shortlist.reporting.overview import FAIR_SCORE, hard_ones  # slow to import

        too_low = ", so these scores may be too low" if right_rows(facts) else ""
        yield f"{hard_ones(fit['gold_hard'])}{too_low}. {FAIR_SCORE}"
    yield from _which_file(outcomes, facts)
    if old:
        yield f"Left over from an earlier run: {', '.join(old)}."
    worked = any(one.status == "done" for one in outcomes)
    change = [f"{name} {before:.1%} → {now:.1%}" for name, (before, now) in history.change.items() if worked]
    if change:
        gold = f" ({history.other_gold})" if history.other_gold else ""
        yield f"Since last time{gold}: {', '.join(change)}{'' if gold else _by_chance(history)}."
    if advice:
        more = f" ({len(advice)} suggestions: shortlist check)" if len(advice) > 1 else " (shortlist check)"
        yield f"Do next: {advice[0]['what']}{more}"
    elif advice is not None:
        yield "Nothing to improve was found."
    yield from (f"Look at: {one.outputs[0]}" for one in outcomes if one.stage == "report" and one.outputs)


def run_of(facts: Mapping[str, Facts]) -> Run:
    """The figures among the facts of stages."""
    n, covered = gold_rows(facts), facts.get("vote", {}).get("covered")
    figures = {name: float(right) / n for name, right in right_rows(facts).items()}
    figures |= {} if covered is None else {"covered": float(covered)}
    return Run(figures, n, int(facts.get("fit", {}).get("gold_voted", n)))


def _by_chance(history: History) -> str:
    """A note that so few of the gold rows changed sides that a sign test tells nothing, whichever side they left."""
    n = history.runs[-1].gold_rows
    most = max(abs(now - before) * n for before, now in history.change.values())
    return " (within chance: fewer than 6 gold rows)" if n and most < 5.5 else ""


def facts_of(outcomes: Sequence[Outcome]) -> dict[str, Facts]:
    """Facts by stage, of stages that were not skipped."""
    return {one.stage: one.facts for one in outcomes if one.status != "skipped"}


def gold_rows(facts: Mapping[str, Facts]) -> int:
    return int(facts.get("fit", {}).get("gold_rows", 0) or facts.get("train", {}).get("gold_rows", 0))


def right_rows(facts: Mapping[str, Facts]) -> dict[str, float]:
    """Gold rows that each way gets right: by votes, none of those without a vote; classes that tie share a row."""
    fit, voted = facts.get("fit", {}), facts.get("fit", {}).get("gold_voted", 0)
    shares = {"counting votes": fit.get("counting"), "label model": fit.get("accuracy")}
    by_votes = {name: share * voted for name, share in shares.items() if share is not None}
    return {**by_votes, **facts.get("train", {}).get("right", {})}


def interval(right: float, n: int) -> str:
    """Wilson's interval of a share, in percent."""
    share, spread = right / n, CERTAIN**2 / n
    middle = (share + spread / 2) / (1 + spread)
    reach = CERTAIN * (share * (1 - share) / n + spread / (4 * n)) ** 0.5 / (1 + spread)
    return f"{max(middle - reach, 0):.0%} to {min(middle + reach, 1):.0%}"


def _uncovered(facts: Mapping[str, Facts], n: int) -> str:
    none = n - facts.get("fit", {}).get("gold_voted", n)
    return f" ({none:,} have no vote, and count as wrong by votes)" if none else ""


def _which_file(outcomes: Sequence[Outcome], facts: Mapping[str, Facts]) -> Iterator[str]:
    """One sentence: the file to use, and how good its labels are."""
    path = next((str(one.outputs[0]) for one in outcomes if one.stage == "export" and one.outputs), None)
    if path is None:
        return
    if not facts.get("vote", {}).get("covered", 1):
        gold = facts["export"].get("labelled", 0)
        only = f"{gold:,} gold rows only" if gold else "no row"
        yield f"No labeler votes on any row, so {path} labels {only}."
        return
    way = "votes and text" if "train" in facts else "label model"
    right, n, labelled = right_rows(facts), gold_rows(facts), facts["export"].get("labelled", 0)
    if way not in right:
        fair = "label 100 rows that are drawn at random: shortlist label --random"
        yield f"Use {path}: {labelled:,} rows are labelled. To know how many of them are right, {fair}"
        return
    rivals = _rivals(facts, right)
    better = [f"{name} is right on {count:,.0f}" for name, count in rivals.items() if count > right[way]]
    if better:
        score = f"right on {right[way]:,.0f} of {n:,} gold rows"
        yield f"Do not use {path} yet: its labels are {score}; {', '.join(better)}."
    else:
        sure = interval(right[way], n)
        yield f"Use {path}: {labelled:,} rows are labelled, {right[way] / n:.0%} right ({sure}, by {n:,} gold rows)."


def _rivals(facts: Mapping[str, Facts], right: Mapping[str, float]) -> dict[str, float]:
    """Simpler ways that labels have to beat, unless hard rows were picked, which labels seldom get right."""
    fit, way = facts.get("fit", {}), "votes and text" if "train" in facts else "label model"
    if fit.get("gold_hard"):
        return {}
    frequent = fit.get("frequent", {})
    always = {f"always answering {frequent['class']!r}": frequent["gold_rows"]} if frequent else {}
    counted = right.get("counting votes", 0)
    surely = counted - right[way] > 2 * (counted + right[way]) ** 0.5  # beyond two standard errors
    return always | ({"counting votes": counted} if surely else {})
