"""What does harm: wrong labelers, copies, rules that say what a row is not though they miss many, unnamed classes."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote

import numpy as np
import polars as pl

from shortlist.analysis.measures import NINETY
from shortlist.arrays import Mask, wilson
from shortlist.reporting.checkup import Advice
from shortlist.reporting.overview import Overview
from shortlist.reporting.trials import FEW, Case
from shortlist.wording import number_of

LABEL_FIRST = f"Label rows first: with {FEW} gold rows, what it brings is measured."


def leave_out(case: Case) -> Iterator[Advice]:
    """Labelers without which the labels are better."""
    if case.trials is None or len(case.votes.names) < 4:
        return
    reasons, accurate = dict(suspects(case)), nearly_always_right(case.overview.plain_labelers)
    for name in list(reasons)[: case.most_tried]:
        trial, why = case.trials.without(name), reasons[name]
        what, command = f"Fix {name}, or leave it out.", f"shortlist show {quote(name)} --wrong"
        if not trial.measured:
            what = f"Look at {name}. Leave it out only if it is wrong too often."
            command = f"shortlist show {quote(name)}"
            changed = f"Without it, {number_of(round(trial.changed), 'row')} would change their label"
            why = f"{why} {changed}. {LABEL_FIRST}"
        if name in accurate and trial.measured:
            continue  # what is nearly always right is not the problem
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
        yield less, f"It and {more} agree more often than their accuracies explain, so their evidence may count twice."


def worse_than_chance(table: pl.DataFrame, one_sided: list[str], k: int) -> Iterator[tuple[str, str]]:
    """Labelers whose shortlists hold the class less often than random shortlists of that size would.

    Without gold rows, one-sided labelers are left out: their accuracy cannot be estimated.
    """
    for line in table.filter(pl.col("votes") > 0).iter_rows(named=True):
        name, chance = line["labeler"], line["size"] / k
        if line.get("gold_votes", 0) >= FEW:
            right, top = line["gold_accuracy"], wilson(line["gold_accuracy"], line["gold_votes"], NINETY)[1]
            where = f"on {right:.0%} of {line['gold_votes']:,} gold rows"
        else:
            right = line["accuracy"]
            top = 1.0 if name in one_sided or right is None else line["accuracy_high"] or right
            where = f"{right or 0:.0%} of the time, as estimated"
        if top < chance:
            yield name, f"It is right {where}; random answers of its size would be right {chance:.0%} of the time."


def nearly_always_right(table: pl.DataFrame, least: float = 0.9) -> set[str]:
    """Labelers that are right on nine of ten gold rows, where these are enough."""
    if "gold_accuracy" not in table.columns:
        return set()
    return set(table.filter((pl.col("gold_votes") >= FEW) & (pl.col("gold_accuracy") >= least))["labeler"])


def wrong(case: Case) -> Iterator[Advice]:
    """Labelers that are wrong on most gold rows, whether or not labels are better without them."""
    table = case.overview.plain_labelers
    if "gold_accuracy" not in table.columns:
        return
    poor = table.filter((pl.col("gold_votes") >= FEW) & (pl.col("gold_accuracy") < 0.5)).sort("gold_accuracy")
    for name, right, rows in poor.select("labeler", "gold_accuracy", "gold_votes").head(3).iter_rows():
        yield Advice(
            "wrong",
            f"Fix {name}, or leave it out: it is wrong most of the time.",
            f"It is wrong on {1 - right:.0%} of {rows:,} gold rows that it votes on.",
            case.snippets.left_out(name),
            command=f"shortlist show {quote(name)} --wrong",
            about=name,
        )


def copied(case: Case) -> Iterator[Advice]:
    """Labelers that say the same as another one wherever both vote."""
    codes = case.votes.codes
    for one, other in sorted(case.overview.near_copies)[:3]:
        i, j = case.votes.names.index(one), case.votes.names.index(other)
        if case.votes.codomains[i].says == case.votes.codomains[j].says and (codes[:, i] == codes[:, j]).all():
            yield Advice(
                "copy",
                f"Leave {other} out: it is a copy of {one}.",
                f"Both give the same answer on all {len(codes):,} rows, so it counts twice.",
                case.snippets.left_out(other),
                about=other,
            )


def one_sided(case: Case, enough: float = 0.8) -> Iterator[Advice]:
    """Labelers that say what a row is not, but miss many rows of their class."""
    for name, rows_of_class, where in two_answers(case):
        said = case.votes.codes[:, case.votes.names.index(name)] == 1
        recall, rows = float(said[rows_of_class].mean()), int(rows_of_class.sum())
        trial = None if case.trials is None else case.trials.one_sided(name)
        if trial is None or recall >= enough or (trial.gain or 0) < 0:
            continue
        yield Advice(
            "one-sided",
            f"Let {name} abstain where nothing matches, instead of saying what a row is not.",
            f"It finds {recall:.0%} of {number_of(rows, 'row')} of its class, {where}. On the others it rules out the "
            "right class.",
            case.snippets.abstains(name),
            **trial.evidence,
            about=name,
        )


def two_answers(case: Case) -> Iterator[tuple[str, Mask, str]]:
    """Labelers with an answer and its contrary, the rows of the classes of the first, and how these are known."""
    space, overview = case.votes.space, case.overview
    measured = overview.known.sum() >= FEW and overview.analysis.gold is not None
    guess = overview.analysis.gold if measured else overview.final and overview.final.beliefs.argmax(axis=1)
    if guess is None:
        return
    for i, (name, codomain) in enumerate(zip(case.votes.names, case.votes.codomains, strict=True)):
        says, given = codomain.says, np.isin([1, 2], case.votes.codes[:, i]).all()
        if given and len(says) == 2 and says[0] | says[1] == frozenset(space) and not says[0] & says[1]:
            rows: Mask = np.isin(guess, [space.index(one) for one in says[0]])
            if len(says[0]) < len(says[1]) and rows.sum() >= FEW:
                yield name, rows, "by gold labels" if measured else "by the labels of votes and text"


def unnamed(case: Case) -> Iterator[Advice]:
    """Classes that labels name and hardly any vote does."""
    for name, (named, labels) in case.unnamed.items():
        yield Advice(
            "unnamed",
            f"Write a labeler that names {name}, or delete that class.",
            f"{number_of(labels, 'row')} labelled {name}, but only {number_of(named, 'vote')} for it (alone, or with "
            "at most half of the classes): these rows are what the labelers leave over.",
            case.snippets.names(name, case.votes.names),
            command=f"shortlist show --class {quote(name)}",
            about=name,
        )


def too_many(case: Case, apart: float = 0.1) -> Iterator[Advice]:
    """Classes that get far more labels than their share."""
    final = case.overview.final
    if final is None:
        return
    labels = np.bincount(final.beliefs.argmax(axis=1), minlength=len(final.shares)) / len(final.beliefs)
    gold = case.overview.analysis.gold
    known = np.flatnonzero(case.overview.known)
    shares, measured = final.shares, gold is not None and len(known) >= 5 * FEW
    if gold is not None and measured:
        shares = np.bincount(gold[known], minlength=len(labels)) / len(known)
    for j in np.flatnonzero((labels > shares + apart) & (labels > 1.5 * shares)).tolist():
        name = case.votes.space[j]
        yield Advice(
            "too many",
            f"Look at rows labelled {name}: there are too many.",
            f"{labels[j]:.0%} of all labels are {name}, where {shares[j]:.0%} are expected"
            f"{' by gold labels' if measured else ''}. Often these are rows that no rule names.",
            case.snippets.any_balance(list(case.votes.space)),
            command=f"shortlist show --class {quote(name)} --unsure",
            about=name,
        )
