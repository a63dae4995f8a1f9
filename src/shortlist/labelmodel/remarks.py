"""Warnings about a fit, each with a remedy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shortlist.arrays import Floats, Mask
from shortlist.errors import BalanceCollapsed, FewLabelers, Inseparable, LittleTrust, NotConverged, OneSided
from shortlist.labelmodel.layout import Panel
from shortlist.wording import some_of

JUDGED_BY_OTHERS = (
    "Their accuracy is estimated on rows where other labelers vote, too; gold labels on some of their rows measure it. "
    "Let a labeler also say what a row is not, `Not(...)`, only if it votes on nearly all rows of its class: on each "
    "row it misses, it would rule out the right class."
)
FEWEST = 3  # labelers: with two, it is open which of them is right
SELDOM = 0.05  # of the votes of the most active labeler: who votes less often is no third labeler
DOUBTFUL = 0.4  # trust below this is worth a warning


def few_labelers(panel: Panel, vote_counts: Floats) -> FewLabelers | None:
    """Fewer than three labelers vote, those aside that vote less than a twentieth as often as the most active one."""
    votes = panel.layout.per_labeler(vote_counts)
    voting = int((votes > SELDOM * votes.max(initial=0)).sum())
    if voting >= FEWEST:
        return None
    rows = " on more than a few rows" if (votes > 0).sum() > voting else ""
    return FewLabelers(
        f"{voting} of {len(panel.names)} labelers vote{rows}. "
        "Accuracies are learned from how labelers agree, and that takes three. With fewer, the default counts votes, "
        "and accuracies stay near the prior. Add labelers, or gold labels."
    )


def inseparable(panel: Panel, vote_counts: Floats) -> Inseparable | None:
    """Classes that are in exactly the same votes."""
    groups = list(same_columns(panel.layout.member[vote_counts > 0]))
    if not groups:
        return None
    named = "; ".join(", ".join(panel.space[j] for j in group) for group in groups)
    return Inseparable(
        f"no labeler tells these classes apart: {named}. Every vote holds all of them or none, so their beliefs "
        "differ by the balance and the prior only. Add a labeler that names one without the others."
    )


def same_columns(member: Mask) -> Iterator[list[int]]:
    """Groups of classes that are in exactly the same shortlists."""
    groups: dict[bytes, list[int]] = {}
    for j, column in enumerate(member.T):
        groups.setdefault(column.tobytes(), []).append(j)
    return (group for group in groups.values() if len(group) > 1)


def one_sided(panel: Panel, vote_counts: Floats, consequence: str) -> OneSided | None:
    """Labelers that only ever gave one answer; the consequence depends on the estimator."""
    answers = panel.layout.per_labeler((vote_counts > 0).astype(np.float64))
    names = [name for name, count in zip(panel.names, answers, strict=True) if count == 1]
    if not names:
        return None
    inferred = any(one.inferred for name, one in zip(panel.names, panel.codomains, strict=True) if name in names)
    people = ' If they may name every class, as people do, read their votes with says="all".' if inferred else ""
    return OneSided(
        f"these labelers always give the same answer: {some_of(names)}. So their votes alone do not show how accurate "
        f"they are. {consequence}{people}"
    )


def collapsed(balance: Floats, panel: Panel) -> BalanceCollapsed | None:
    """A learned balance that leaves next to nothing to a class."""
    least = 0.05 / len(balance)  # of an equal share
    lost = [name for name, share in zip(panel.space, balance, strict=True) if share < least]
    if not lost:
        return None
    return BalanceCollapsed(
        f"the learned class balance leaves next to nothing to {some_of(lost)} (less than {least:.2%} each). If they "
        'are not that rare, give a balance, use balance="uniform", or raise balance_rows.'
    )


def not_converged(n_iter: int) -> NotConverged:
    """A fit that stopped before it converged."""
    return NotConverged(
        f"the fit stopped after {n_iter} iterations and has not converged. Raise max_iter, or, with "
        'estimator="likelihood", tol.'
    )


def little_trust(trust: float, accuracy: Floats, panel: Panel) -> LittleTrust:
    """A fit that contradicts its prior of equal accuracies."""
    doubted = [panel.names[i] for i in np.argsort(accuracy, kind="stable")[:3]]
    return LittleTrust(
        "the fit and a count of the votes name different classes on many rows (agreement beyond chance, Cohen's kappa: "
        f"{trust:.2f}). The fit may have found other groups than your classes, so beliefs stay near the count. Look at "
        f"the labelers it finds least accurate first: {some_of(doubted)}."
    )
