"""To do: all advice about votes and a model, in the order in which to follow it; what gains most comes first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

import polars as pl

from shortlist.analysis.accuracy import WIDEST
from shortlist.analysis.calibration import wilson
from shortlist.reporting.advising.advice import Advice
from shortlist.reporting.advising.better_fit import better_fit
from shortlist.reporting.advising.prospects import Average, mixed_pairs, uncovered_gain
from shortlist.reporting.advising.trials import ENOUGH, FEW, Trial, Trials
from shortlist.votes.codomain import failed_alike
from shortlist.wording import number_of, some_of

if TYPE_CHECKING:
    from shortlist.reporting.overview import Overview
    from shortlist.votes import Votes

TRIED = 20  # labelers that are tried at most: those whose gold rows disagree most with the estimate
TRIED_CELLS = 5_000  # labelers × classes × trials: where there are many of the first two, fewer are tried
SHOWN = 6
NOT_MEASURED = f"Label rows first: with {FEW} gold rows, what it brings is measured."


def advise(overview: Overview) -> list[Advice]:
    """What is broken first, then by gain, then what may do harm. Where nothing is measured, labelling goes before."""
    broken = [*failed(overview), *silent(overview), *unfinished(overview)]
    measure = list(more_gold(overview))
    found = list(improvements(overview))
    better = sorted((one for one in found if one.gain is not None and one.gain >= 1), key=lambda one: -(one.gain or 0))
    better = [*better, *(one for one in found if one.gain is None)][: max(1, SHOWN - len(broken))]
    guesses = overview.known.sum() < FEW
    return [*broken, *measure, *better] if guesses else [*broken, *better, *measure]


# -- what is broken ------------------------------------------------------------------------------------


def failed(overview: Overview) -> Iterator[Advice]:
    """One for all labelers with the same first error: a feature fails for all that ask for it."""
    for names, failure in failed_alike(overview.votes.names, overview.votes.failures):
        it, they = ("it", "It") if len(names) == 1 else ("they", "They")
        yield Advice(
            "failed",
            f"Mend {some_of(names)}: {it} failed on {number_of(failure.count, 'row')}.",
            f"{they} abstained there. The first error: {failure.last_line}",
            overview.lines.failing(*names),
            about=names[0],
        )


def silent(overview: Overview) -> Iterator[Advice]:
    """One for all of them: in a new project there may be many. Those that failed are told as such."""
    failing = dict(zip(overview.votes.names, overview.votes.failures, strict=True))
    names = overview.plain_labelers.filter(pl.col("votes") == 0)["labeler"].to_list()
    names = [name for name in names if not failing[name]]
    if names:
        it, they = ("it", "it") if len(names) == 1 else ("them", "they")
        yield Advice(
            "silent",
            f"Mend {some_of(names)}, or delete {it}: {they} never voted on these rows.",
            overview.lines.silence(names, len(overview.votes)),
            overview.lines.left_out(*names),
            about=names[0],
        )


def unfinished(overview: Overview) -> Iterator[Advice]:
    if getattr(overview.model, "converged_", True) is False:
        yield Advice(
            "unfinished",
            "Let the fit run longer.",
            f"It stopped before it converged, after {number_of(overview.model.n_iter_, 'step')}.",
            overview.lines.longer_fit(10 * overview.model.max_iter),
        )


# -- what would set rows right -------------------------------------------------------------------------


def improvements(overview: Overview) -> Iterator[Advice]:
    if overview.model is None:
        return
    table = overview.plain_labelers
    if overview.estimates and overview.model.accuracy_.size <= WIDEST:
        trials = Trials(overview.analysis)
        yield from left_out(overview, trials)
        yield from better_fit(overview, trials)
        yield from two_sided(overview, trials)
    average = Average.of(table)
    yield from mixed(overview, average)
    yield from uncovered(overview, average)


def left_out(overview: Overview, trials: Trials) -> Iterator[Advice]:
    """Labelers without which the labels are better."""
    if len(overview.votes.names) < 4:
        return
    reasons = dict(suspects(overview))
    for name in list(reasons)[: most_tried(overview.votes)]:
        trial = trials.without(name)
        if trial.better or (not trial.measured and trial.changed >= 1):
            yield _leave_out(overview, name, reasons[name], trial)


def _leave_out(overview: Overview, name: str, why: str, trial: Trial) -> Advice:
    what, look = f"Mend {name}, or leave it out.", f"shortlist show {quote(name)} --wrong"
    if not trial.measured:
        what, look = f"Look at {name}. Leave it out only if it is wrong too often.", f"shortlist show {quote(name)}"
        changed = f"Without it, {number_of(round(trial.changed), 'row')} would change their label"
        why = f"{why} {changed}. {NOT_MEASURED}"
    found = Advice("leave out", what, why, overview.lines.left_out(name), trial.gain, trial.measured, trial.known)
    return replace(found, command=look, about=name)


def most_tried(votes: Votes) -> int:
    """How many labelers are tried: each trial is a fit, which takes longer with more labelers and classes."""
    return max(1, min(TRIED, TRIED_CELLS // (len(votes.names) * len(votes.space))))


def suspects(overview: Overview) -> Iterator[tuple[str, str]]:
    """Labelers that may do harm, and why; with enough known rows all are tried, the most overrated first."""
    table, k = overview.plain_labelers, len(overview.votes.space)
    reasons = {**dict(copies(overview)), **dict(worse_than_chance(table, one_sided(overview), k))}
    if overview.known.sum() >= FEW:
        order = table.sort(pl.col("gold_accuracy") - pl.col("accuracy"), nulls_last=True)
        for name, right, rows in order.select("labeler", "gold_accuracy", "gold_votes").iter_rows():
            counted = f"It is right on {right:.0%} of {rows:,} gold rows." if rows else "It votes on no gold row."
            yield name, reasons.get(name, counted)
    else:
        yield from reasons.items()


def one_sided(overview: Overview) -> list[str]:
    """Labelers that vote, and have one thing to say."""
    votes = overview.votes
    told = zip(votes.names, votes.codomains, votes.coverage, strict=True)
    return [name for name, codomain, coverage in told if codomain.one_sided and coverage]


def copies(overview: Overview) -> Iterator[tuple[str, str]]:
    """Of two labelers that depend on each other, the one that votes less often."""
    votes = dict(overview.plain_labelers.select("labeler", "votes").iter_rows())
    for pair in sorted(overview.near_copies):
        less, more = sorted(pair, key=lambda name: votes[name])
        yield less, f"It depends on {more} beyond what the class explains, so their evidence may count twice."


def worse_than_chance(table: pl.DataFrame, one_sided: list[str], k: int) -> Iterator[tuple[str, str]]:
    """Labelers whose shortlists hold the class less often than any shortlist of that size would.

    Where that is estimated, not counted, it is not said of one-sided labelers: their accuracy cannot be estimated.
    """
    for line in table.filter(pl.col("votes") > 0).iter_rows(named=True):
        name, chance = line["labeler"], line["size"] / k
        if line.get("gold_votes", 0) >= FEW:
            right, top = line["gold_accuracy"], wilson(line["gold_accuracy"], line["gold_votes"])[1]
            where = f"on {right:.0%} of {line['gold_votes']:,} gold rows"
        else:
            right = line["accuracy"]
            top = 1.0 if name in one_sided or right is None else line["accuracy_high"] or right
            where = f"{right or 0:.0%} of the time, as estimated"
        if top < chance:
            yield name, f"It is right {where}; random answers of its size would be right {chance:.0%} of the time."


def two_sided(overview: Overview, trials: Trials) -> Iterator[Advice]:
    """Labelers with one answer that had better say the contrary elsewhere: each by itself where that is measured."""
    names = one_sided(overview)
    if names and overview.known.sum() < FEW:
        yield _may_say_not(overview, names)
    elif names:
        names.sort(key=lambda name: -overview.votes.coverage[overview.votes.names.index(name)])
        tried = ((name, trials.two_sided([name])) for name in names[: most_tried(overview.votes)])
        yield from (_say_not(overview, name, trial) for name, trial in tried if trial.better)


def _say_not(overview: Overview, name: str, trial: Trial) -> Advice:
    return Advice(
        "two-sided",
        f"Let {name} also say what a row is not, where nothing matches.",
        "It always gives the same answer, so votes do not show how accurate it is.",
        _second_answers(overview, [name]),
        trial.gain,
        trial.measured,
        trial.known,
        about=name,
    )


def _may_say_not(overview: Overview, names: list[str]) -> Advice:
    """The same, not measured: it does harm where labelers miss many rows of their class, which votes do not show."""
    one = len(names) == 1
    if_few = "if it misses few rows of its class" if one else "if they miss few rows of their class"
    always = f"{'It always gives' if one else 'They always give'} the same answer"
    return Advice(
        "two-sided",
        f"{some_of(names)} could also say what a row is not, {if_few}.",
        f"{always}, so votes do not show how accurate {'it is' if one else 'they are'}. A second answer helps only a "
        "labeler that catches nearly all rows of its class: on each row it misses, it would rule out the right class. "
        f"{NOT_MEASURED}",
        _second_answers(overview, names),
        about=names[0],
    )


def _second_answers(overview: Overview, names: list[str]) -> str:
    votes = overview.votes
    said = {name: codomain.says for name, codomain in zip(votes.names, votes.codomains, strict=True)}
    return overview.lines.second_answers({name: votes.space.ordered(said[name][0]) for name in names})


def mixed(overview: Overview, average: Average) -> Iterator[Advice]:
    for one, other, error, gain, counted in mixed_pairs(overview.analysis, average)[:2]:
        where = "On gold rows" if counted else "As estimated"
        yield Advice(
            "mixed",
            f"Write a labeler that tells {one} from {other}.",
            f"{where}, {error:.0%} of the rows of these two classes with a vote are labelled as the other one. "
            + average.show(),
            overview.lines.tells_apart(one, other, overview.votes.names),
            gain,
            command=f"shortlist show --class {quote(one)} --unsure",
            about=one,
        )


def uncovered(overview: Overview, average: Average) -> Iterator[Advice]:
    rows = int((~overview.votes.covered).sum())
    if rows:
        yield Advice(
            "uncovered",
            "Write a labeler for rows that have no vote.",
            f"{rows:,} rows ({rows / len(overview.votes):.0%}) have no vote, so only the class balance is known there. "
            + average.show(),
            "[row for row, voted in zip(rows, votes.covered) if not voted][:20]    # look at some",
            uncovered_gain(overview.analysis, average),
            command="shortlist show --uncovered",
        )


# -- what would tell more ------------------------------------------------------------------------------


def more_gold(overview: Overview) -> Iterator[Advice]:
    known = int(overview.known.sum())
    if overview.model is not None and known < ENOUGH:
        have = f"{known} rows have" if known > 1 else f"{known or 'No'} row has"
        yield Advice(
            "label",
            f"Label about {ENOUGH} rows by hand, to know how good the labels are.",
            f"{have} a known class. With {ENOUGH}, accuracies and gains are measured; without, they are guesses.",
            f"numpy.random.default_rng(0).permutation(len(votes))[:{ENOUGH}]    # random rows: a fair sample",
            command="shortlist label --random",
        )
