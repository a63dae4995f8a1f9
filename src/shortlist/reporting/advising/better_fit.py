"""Better fit: advice about what the model could be told besides the votes. These stay as they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shortlist.analysis.calibration import wilson
from shortlist.reporting.advising.advice import Advice
from shortlist.reporting.advising.prospects import named_shares, twice_as_frequent
from shortlist.reporting.advising.trials import ENOUGH, FEW, Trials
from shortlist.wording import number_of, some_of

if TYPE_CHECKING:
    from shortlist.reporting.overview import Overview

APART = 0.05  # the share of a class among votes, above what the model takes it to be: the balance may matter
CHANGED = 0.02  # of the rows: it matters to their labels
KNOWN = "Tell the model how frequent the classes are, if you know it roughly."


def better_fit(overview: Overview, trials: Trials) -> Iterator[Advice]:
    """Gold rows and the class balance: what the model is told besides votes."""
    yield from (no_gold if overview.gold_fits else use_gold)(overview, trials)
    yield from balance(overview, trials)


def balance(overview: Overview, trials: Trials) -> Iterator[Advice]:
    """Ask how frequent the classes are, where many labels depend on it. Gold rows in the fit say it already."""
    if overview.gold_fits or getattr(overview.model, "balance", "learn") is not None:
        return
    shares = named_shares(overview.votes)
    yield from balance_of_rules(overview, trials) if shares is None else balance_of_votes(overview, trials, shares)


def balance_of_votes(overview: Overview, trials: Trials, shares: dict[str, float]) -> Iterator[Advice]:
    """Where votes show a balance, and the model takes another one."""
    often = max(shares, key=shares.__getitem__)
    taken = float(overview.model.class_balance_[overview.votes.space.index(often)])
    if shares[often] < taken + APART:
        return
    trial = trials.balanced(shares)
    if trial.better if trial.measured else trial.changed >= CHANGED * len(overview.votes):
        changed = number_of(round(trial.changed), "row")
        yield Advice(
            "balance",
            KNOWN,
            f"Votes alone do not show it well: {often} has {shares[often]:.0%} of the votes of labelers that know all "
            f"classes, and the model takes {taken:.0%} of the rows to be of this class. With the shares of these "
            f"votes, {changed} would change their label. A rough guess is enough.",
            overview.lines.balance(shares),
            trial.gain,
            trial.measured,
            trial.known,
        )


def balance_of_rules(overview: Overview, trials: Trials) -> Iterator[Advice]:
    """Where votes show no balance. What is tried is an example, so it is not told as a gain."""
    believed = overview.analysis.mass
    often = overview.votes.space[int(np.argmax(believed))]
    trial = trials.balanced(twice_as_frequent(often, overview.votes))
    if trial.changed >= CHANGED * len(overview.votes):
        yield Advice(
            "balance",
            KNOWN,
            f"Rules do not show it, so all classes are taken to be equally frequent. If {often} were twice as frequent "
            f"as the others, {number_of(round(trial.changed), 'row')} would change their label. A rough guess is "
            "enough.",
            overview.lines.any_balance(overview.votes.space),
        )


def use_gold(overview: Overview, trials: Trials) -> Iterator[Advice]:
    """Let known classes fit the model, too, where they contradict what it takes labelers to be."""
    names, known = contradicted(overview), overview.known
    if not names or overview.analysis.scored.sum() < ENOUGH or known.mean() > 0.5:
        return  # where most classes are known, they are there to score
    trial = trials.knowing()
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
        overview.lines.use_gold(),
        trial.gain,
        trial.measured,
        trial.known,
    )


def no_gold(overview: Overview, trials: Trials) -> Iterator[Advice]:
    """Let known classes only score, where labels are better without them in the fit."""
    if overview.analysis.scored.sum() < ENOUGH:
        return
    trial = trials.forgetting()
    if trial.better:
        yield Advice(
            "no gold",
            "Take the gold rows out of the fit.",
            "They make the labels worse. Tried: each half of the gold rows was scored by a model that was fitted with "
            f"the other half, and by one without gold rows. Right on {trial.before:.1%} with them, {trial.after:.1%} "
            f"without, of {trial.known:,} gold rows with a vote.",
            overview.lines.no_gold(),
            trial.gain,
            trial.measured,
            trial.known,
        )


def contradicted(overview: Overview) -> list[str]:
    """Labelers that are right more or less often on gold rows than the model takes them to be, beyond chance."""
    table = overview.plain_labelers
    if "gold_accuracy" not in table.columns:
        return []
    found = []
    for line in table.filter(pl.col("gold_votes") >= FEW).iter_rows(named=True):
        low, high = wilson(line["gold_accuracy"], line["gold_votes"])
        if line["accuracy"] is not None and not low <= line["accuracy"] <= high:
            found.append(line["labeler"])
    return found
