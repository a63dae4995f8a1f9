"""Advice about votes and a model: each rule looks for one kind of thing to do, and says what it would bring.

To add a rule, write a function from `Case` to `Advice` and put it into `RULES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from shlex import quote
from typing import Any

import numpy as np
import polars as pl

from shortlist.analysis import Analysis
from shortlist.analysis.labeler_tables import MOST_ACCURACIES
from shortlist.analysis.measures import wilson
from shortlist.identifiability import Diagnosis, diagnose
from shortlist.labelmodel.evidence import Gold
from shortlist.reporting.checkup import Advice, Checkup
from shortlist.reporting.overview import LABEL_MODEL, Overview
from shortlist.reporting.snippets import Snippets
from shortlist.reporting.trials import ENOUGH, FEW, Average, Trials, mixed_pairs, named_shares, uncovered_gain
from shortlist.votes import Votes
from shortlist.votes.codomain import failed_alike
from shortlist.wording import number_of, some_of

LABEL_FIRST = f"Label rows first: with {FEW} gold rows, what it brings is measured."


def checkup(votes: Votes, model: Any = None, *, gold: Gold | None = None, time_limit: float = 10.0) -> Checkup:
    """List what to do about the labelers, the most gain first, and say if accuracies can be learned from votes alone.

    gold         known classes, by row (None where unknown) or as a mapping from row to class: they measure gains
    time_limit   seconds that the identifiability check may take
    """
    return check(Overview(Analysis(votes, model, gold=gold)), time_limit=time_limit)


def check(
    overview: Overview,
    *,
    diagnosis: Diagnosis | None = None,
    time_limit: float = 10.0,
    snippets: Snippets | None = None,
) -> Checkup:
    """Advice and diagnosis. Without a diagnosis, `diagnose` is run within the time limit (seconds)."""
    diagnosis = diagnosis or diagnose(overview.votes, time_limit=time_limit)
    calibration = overview.analysis.calibration
    right = overview.other_scores.get(LABEL_MODEL, calibration.right if calibration else None)
    advice = tuple(advise(overview, snippets))
    return Checkup(len(overview.votes), advice, diagnosis, right, overview.gold_fits)


def advise(overview: Overview, snippets: Snippets | None = None, most: int = 6) -> list[Advice]:
    """Advice: what is broken, then by gain, then what may do harm. If nothing is measured, labelling goes before."""
    case = Case(overview, snippets or Snippets())
    advice = [one for rule in RULES for one in rule(case)]
    broken = [one for one in advice if one.kind in ("failed", "silent", "unfinished")]
    label = [one for one in advice if one.kind == "label"]
    others = [one for one in advice if one not in broken and one not in label]
    better = sorted((one for one in others if (one.gain or 0) >= 1), key=lambda one: -(one.gain or 0))
    better = [*better, *(one for one in others if one.gain is None)][: max(1, most - len(broken))]
    return [*broken, *label, *better] if overview.known.sum() < FEW else [*broken, *better, *label]


class Case:
    """The input of rules: an overview, and trials and the average labeler, made when a rule asks for them.

    trials    None where the model cannot be fitted again, or not in time
    """

    def __init__(self, overview: Overview, snippets: Snippets) -> None:
        self.overview, self.snippets = overview, snippets
        self.votes, self.model = overview.votes, overview.model

    @cached_property
    def trials(self) -> Trials | None:
        quick = self.overview.estimates and self.model.accuracy_.size <= MOST_ACCURACIES
        return Trials(self.overview.analysis) if quick else None

    @cached_property
    def average(self) -> Average:
        return Average.of(self.overview.plain_labelers)

    @cached_property
    def one_sided(self) -> list[str]:
        """Labelers that vote, and always give the same answer."""
        votes = self.votes
        columns = zip(votes.names, votes.codomains, votes.coverage, strict=True)
        return [name for name, codomain, coverage in columns if codomain.one_sided and coverage]

    @property
    def most_tried(self) -> int:
        """Number of labelers that are tried: a fit takes longer with more labelers and classes."""
        return max(1, min(20, 5_000 // (len(self.votes.names) * len(self.votes.space))))


# -- what is broken ------------------------------------------------------------------------------------


def failed(case: Case) -> Iterator[Advice]:
    """One for all labelers with the same first error: a feature fails for all that ask for it."""
    for names, failure in failed_alike(case.votes.names, case.votes.failures):
        it, they = ("it", "It") if len(names) == 1 else ("they", "They")
        yield Advice(
            "failed",
            f"Fix {some_of(names)}: {it} failed on {number_of(failure.count, 'row')}.",
            f"{they} abstained there. The first error: {failure.last_line}",
            case.snippets.failing(*names),
            about=names[0],
        )


def silent(case: Case) -> Iterator[Advice]:
    """One for all labelers that never vote: in a new project there may be many."""
    failing = dict(zip(case.votes.names, case.votes.failures, strict=True))
    names = case.overview.plain_labelers.filter(pl.col("votes") == 0)["labeler"].to_list()
    names = [name for name in names if not failing[name]]
    if names:
        it, they = ("it", "it") if len(names) == 1 else ("them", "they")
        yield Advice(
            "silent",
            f"Fix {some_of(names)}, or delete {it}: {they} never voted on these rows.",
            case.snippets.silence(names, len(case.votes)),
            case.snippets.left_out(*names),
            about=names[0],
        )


def unfinished(case: Case) -> Iterator[Advice]:
    """A fit that did not converge."""
    if getattr(case.model, "converged_", True) is False:
        yield Advice(
            "unfinished",
            "Let the fit run longer.",
            f"It stopped before it converged, after {number_of(case.model.n_iter_, 'step')}.",
            case.snippets.longer_fit(10 * case.model.max_iter),
        )


# -- labelers that may do harm -------------------------------------------------------------------------


def leave_out(case: Case) -> Iterator[Advice]:
    """Labelers without which the labels are better."""
    if case.trials is None or len(case.votes.names) < 4:
        return
    reasons = dict(suspects(case))
    for name in list(reasons)[: case.most_tried]:
        trial, why = case.trials.without(name), reasons[name]
        what, command = f"Fix {name}, or leave it out.", f"shortlist show {quote(name)} --wrong"
        if not trial.measured:
            what = f"Look at {name}. Leave it out only if it is wrong too often."
            command = f"shortlist show {quote(name)}"
            changed = f"Without it, {number_of(round(trial.changed), 'row')} would change their label"
            why = f"{why} {changed}. {LABEL_FIRST}"
        if trial.better or (not trial.measured and trial.changed >= 1):
            code = case.snippets.left_out(name)
            yield Advice("leave out", what, why, code, **trial.evidence, command=command, about=name)


def suspects(case: Case) -> Iterator[tuple[str, str]]:
    """Labelers that may do harm, and why; with enough known rows all are tried, the most overrated first."""
    table = case.overview.plain_labelers
    reasons = {**dict(copies(case.overview)), **dict(worse_than_chance(table, case.one_sided, len(case.votes.space)))}
    if case.overview.known.sum() < FEW:
        yield from reasons.items()
        return
    order = table.sort(pl.col("gold_accuracy") - pl.col("accuracy"), nulls_last=True)
    for name, right, rows in order.select("labeler", "gold_accuracy", "gold_votes").iter_rows():
        counted = f"It is right on {right:.0%} of {rows:,} gold rows." if rows else "It votes on no gold row."
        yield name, reasons.get(name, counted)


def copies(overview: Overview) -> Iterator[tuple[str, str]]:
    """Near-copies: the one of two labelers that votes less often."""
    votes = dict(overview.plain_labelers.select("labeler", "votes").iter_rows())
    for pair in sorted(overview.near_copies):
        less, more = sorted(pair, key=lambda name: votes[name])
        yield less, f"It depends on {more} beyond what the class explains, so their evidence may count twice."


def worse_than_chance(table: pl.DataFrame, one_sided: list[str], k: int) -> Iterator[tuple[str, str]]:
    """Labelers whose shortlists hold the class less often than random shortlists of that size would.

    Without gold rows, one-sided labelers are left out: their accuracy cannot be estimated.
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


# -- what the model could be told besides votes --------------------------------------------------------


def use_gold(case: Case) -> Iterator[Advice]:
    """Let gold rows take part in the fit, where they contradict the estimated accuracies."""
    overview, names = case.overview, contradicted(case.overview)
    to_score = overview.known.mean() > 0.5  # where most classes are known, they are there to score
    if overview.gold_fits or case.trials is None or not names or to_score or overview.analysis.scored.sum() < ENOUGH:
        return
    trial = case.trials.knowing()
    if trial.likelier is None or not trial.better:
        return
    was, now = trial.likelier
    yield Advice(
        "use gold",
        "Let the gold rows take part in the fit.",
        f"They show that the model misjudges the accuracy of {some_of(names)}. Tried: each half of the gold rows was "
        f"scored by a model that was fitted with the other half. Right on {trial.before:.1%} → {trial.after:.1%} of "
        f"{trial.known:,} gold rows with a vote. The mean belief in the right class goes from {was:.0%} to {now:.0%}; "
        "the classifier learns from beliefs.",
        case.snippets.use_gold(),
        **trial.evidence,
    )


def contradicted(overview: Overview) -> list[str]:
    """Labelers whose accuracy on gold rows differs from the estimate, beyond chance."""
    table = overview.plain_labelers
    if not {"gold_accuracy", "accuracy"} <= set(table.columns):
        return []
    known = table.filter((pl.col("gold_votes") >= FEW) & pl.col("accuracy").is_not_null())
    columns = known.select("labeler", "accuracy", "gold_accuracy", "gold_votes").iter_rows()
    intervals = [(name, value, *wilson(gold, rows)) for name, value, gold, rows in columns]
    return [name for name, value, low, high in intervals if not low <= value <= high]


def no_gold(case: Case) -> Iterator[Advice]:
    """Take gold rows out of the fit, where labels are better without them."""
    if not case.overview.gold_fits or case.trials is None or case.overview.analysis.scored.sum() < ENOUGH:
        return
    trial = case.trials.forgetting()
    if trial.better:
        yield Advice(
            "no gold",
            "Take the gold rows out of the fit.",
            "They make the labels worse. Tried: each half of the gold rows was scored by a model that was fitted with "
            f"the other half, and by one without gold rows. Right on {trial.before:.1%} with them, {trial.after:.1%} "
            f"without, of {trial.known:,} gold rows with a vote.",
            case.snippets.no_gold(),
            **trial.evidence,
        )


def balance(case: Case) -> Iterator[Advice]:
    """Ask for the class balance, where many labels depend on it. Gold rows in the fit say it already."""
    if case.trials is None or case.overview.gold_fits or getattr(case.model, "balance", "learn") is not None:
        return
    shares = named_shares(case.votes)
    yield from balance_of_rules(case, case.trials) if shares is None else balance_of_votes(case, case.trials, shares)


def balance_of_votes(
    case: Case, trials: Trials, shares: dict[str, float], apart: float = 0.05, least: float = 0.02
) -> Iterator[Advice]:
    """A balance of the votes that differs from the model's, and changes at least this share of the labels."""
    often = max(shares, key=shares.__getitem__)
    taken = float(case.model.class_balance_[case.votes.space.index(often)])
    if shares[often] < taken + apart:
        return
    trial = trials.balanced(shares)
    if trial.better if trial.measured else trial.changed >= least * len(case.votes):
        changed = number_of(round(trial.changed), "row")
        yield Advice(
            "balance",
            "Tell the model how frequent the classes are, if you know it roughly.",
            f"Votes alone do not show it well: {often} has {shares[often]:.0%} of the votes of labelers that know all "
            f"classes, and the model takes {taken:.0%} of the rows to be of this class. With the shares of these "
            f"votes, {changed} would change their label. A rough guess is enough.",
            case.snippets.balance(shares),
            **trial.evidence,
        )


def balance_of_rules(case: Case, trials: Trials, least: float = 0.02) -> Iterator[Advice]:
    """No balance shows in the votes. The one that is tried is an example, so there is no gain to state."""
    space = case.votes.space
    often = space[int(np.argmax(case.overview.analysis.mass))]
    trial = trials.balanced({name: (2 if name == often else 1) / (len(space) + 1) for name in space})
    if trial.changed >= least * len(case.votes):
        yield Advice(
            "balance",
            "Tell the model how frequent the classes are, if you know it roughly.",
            f"Rules do not show it, so all classes are taken to be equally frequent. If {often} were twice as frequent "
            f"as the others, {number_of(round(trial.changed), 'row')} would change their label. A rough guess is "
            "enough.",
            case.snippets.any_balance(space),
        )


# -- labelers to extend or to write --------------------------------------------------------------------


def two_sided(case: Case) -> Iterator[Advice]:
    """One-sided labelers that should say the contrary elsewhere: one by one where that is measured."""
    names, votes = list(case.one_sided), case.votes
    if case.trials is None or not names:
        return
    if case.overview.known.sum() < FEW:
        yield _may_say_not(case, names)
        return
    names.sort(key=lambda name: -votes.coverage[votes.names.index(name)])
    for name in names[: case.most_tried]:
        trial = case.trials.two_sided([name])
        if trial.better:
            yield Advice(
                "two-sided",
                f"Let {name} also say what a row is not, where nothing matches.",
                "It always gives the same answer, so votes do not show how accurate it is.",
                _second_answers(case, [name]),
                **trial.evidence,
                about=name,
            )


def _may_say_not(case: Case, names: list[str]) -> Advice:
    """Not measured: it does harm where labelers miss many rows of their class, which votes do not show."""
    gives, they_are, misses = ("It always gives", "it is", "it misses few rows of its class")
    if len(names) > 1:
        gives, they_are, misses = ("They always give", "they are", "they miss few rows of their class")
    return Advice(
        "two-sided",
        f"{some_of(names)} could also say what a row is not, if {misses}.",
        f"{gives} the same answer, so votes do not show how accurate {they_are}. A second answer helps only a "
        "labeler that catches nearly all rows of its class: on each row it misses, it would rule out the right class. "
        f"{LABEL_FIRST}",
        _second_answers(case, names),
        about=names[0],
    )


def _second_answers(case: Case, names: list[str]) -> str:
    votes = case.votes
    says = {name: codomain.says for name, codomain in zip(votes.names, votes.codomains, strict=True)}
    return case.snippets.second_answers({name: votes.space.ordered(says[name][0]) for name in names})


def mixed(case: Case) -> Iterator[Advice]:
    """Two pairs of classes that a new labeler should tell apart."""
    if case.model is None:
        return
    for one, other, error, gain, counted in mixed_pairs(case.overview.analysis, case.average)[:2]:
        where = "On gold rows" if counted else "As estimated"
        yield Advice(
            "mixed",
            f"Write a labeler that tells {one} from {other}.",
            f"{where}, {error:.0%} of the rows of these two classes with a vote are labelled as the other one. "
            + case.average.show(),
            case.snippets.tells_apart(one, other, case.votes.names),
            gain,
            command=f"shortlist show --class {quote(one)} --unsure",
            about=one,
        )


def uncovered(case: Case) -> Iterator[Advice]:
    """Rows without any vote."""
    rows = int((~case.votes.covered).sum())
    if rows and case.model is not None:
        yield Advice(
            "uncovered",
            "Write a labeler for rows that have no vote.",
            f"{rows:,} rows ({rows / len(case.votes):.0%}) have no vote, so only the class balance is known there. "
            + case.average.show(),
            "[row for row, voted in zip(rows, votes.covered) if not voted][:20]    # look at some",
            uncovered_gain(case.overview.analysis, case.average),
            command="shortlist show --uncovered",
        )


def label_more(case: Case) -> Iterator[Advice]:
    """Label rows by hand, until there are enough to measure."""
    known = int(case.overview.known.sum())
    if case.model is not None and known < ENOUGH:
        have = f"{known} rows have" if known > 1 else f"{known or 'No'} row has"
        yield Advice(
            "label",
            f"Label about {ENOUGH} rows by hand, to know how good the labels are.",
            f"{have} a known class. With {ENOUGH}, accuracies and gains are measured; without, they are guesses.",
            f"numpy.random.default_rng(0).permutation(len(votes))[:{ENOUGH}]    # random rows: a fair sample",
            command="shortlist label --random",
        )


RULES: tuple[Callable[[Case], Iterator[Advice]], ...] = (
    failed, silent, unfinished, leave_out, use_gold, no_gold, balance, two_sided, mixed, uncovered, label_more,
)  # fmt: skip
