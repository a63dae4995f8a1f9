"""Diagnosis: what a fit says about itself, once and in words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.errors import BalanceCollapsed, FewLabelers, FitWarning, Inseparable, LittleTrust, NotConverged, OneSided
from shortlist.labelmodel.formulae.assumptions import Assumptions
from shortlist.labelmodel.formulae.panel import Panel
from shortlist.labelmodel.solvers.em import Fit
from shortlist.wording import some_of

COLLAPSED = 0.05  # of an equal share
DOUBTFUL = 0.6  # trust below this is worth a warning


def diagnose(fit: Fit, assumptions: Assumptions, panel: Panel, often: Floats, trust: float = 1.0) -> list[FitWarning]:
    """All there is to say, one warning a kind."""
    found = (
        few_labelers(panel, often),
        inseparable(panel, often),
        None if assumptions.class_propensity else one_sided(panel, often, judged=not assumptions.silence),
        collapsed(fit.parameters.balance, panel) if assumptions.learn_balance else None,
        not_converged(fit),
        little_trust(trust, np.ravel(assumptions.accuracy_mean), panel) if trust < DOUBTFUL else None,
    )
    return [warning for warning in found if warning is not None]


def few_labelers(panel: Panel, often: Floats) -> FewLabelers | None:
    voting = int((panel.layout.per_labeler(often) > 0).sum())
    if voting >= 3:
        return None
    return FewLabelers(
        f"{voting} of {len(panel.names)} labelers vote. Accuracies are learned from how labelers agree, which takes "
        "three; with fewer, they stay near what the prior says. Add labelers, or gold labels."
    )


def inseparable(panel: Panel, often: Floats) -> Inseparable | None:
    groups = list(same_columns(panel.layout.member[often > 0]))
    if not groups:
        return None
    named = "; ".join(", ".join(panel.space[j] for j in group) for group in groups)
    return Inseparable(
        f"no labeler tells these classes apart: {named}. Every vote holds all of them or none, so their beliefs "
        "differ by the balance and the prior only. Add a labeler that names one without the others."
    )


def same_columns(member: npt.NDArray[np.bool_]) -> Iterator[list[int]]:
    """Groups of classes that are in exactly the same shortlists."""
    groups: dict[bytes, list[int]] = {}
    for j, column in enumerate(member.T):
        groups.setdefault(column.tobytes(), []).append(j)
    return (group for group in groups.values() if len(group) > 1)


def one_sided(panel: Panel, often: Floats, *, judged: bool) -> OneSided | None:
    """A labeler that was only ever heard to say one thing; `judged` by the others for whether it votes, or not."""
    heard = panel.layout.per_labeler((often > 0).astype(np.float64))
    names = [name for name, h in zip(panel.names, heard, strict=True) if h == 1]
    if not names:
        return None
    if judged:
        return OneSided(
            f"{some_of(names)} only ever said one thing. What such a labeler knows is in whether it votes. "
            "How much that says is judged by the other labelers, on rows where they vote too, and rests on the prior "
            "(firing_ratio, firing_votes) where they say little. Have it say something else where it does not vote, "
            "if it can."
        )
    return OneSided(
        f"{some_of(names)} only ever said one thing. Given that such a labeler votes, its vote is no news, so its "
        "accuracy rests on the prior (accuracy_mean, accuracy_votes); what it knows is in whether it votes, which "
        'propensity="class" reads.'
    )


def collapsed(balance: Floats, panel: Panel) -> BalanceCollapsed | None:
    lost = [name for name, share in zip(panel.space, balance, strict=True) if share < COLLAPSED / len(balance)]
    if not lost:
        return None
    return BalanceCollapsed(
        f"the learned class balance gave up {some_of(lost)} (less than {COLLAPSED / len(balance):.2%} each). Unless "
        'they are that rare, give a balance, use balance="uniform", or raise balance_rows.'
    )


def not_converged(fit: Fit) -> NotConverged | None:
    if fit.converged:
        return None
    return NotConverged(
        f"the fit stopped after {fit.n_iter} iterations and was still improving. Raise max_iter, or tol if this "
        "is good enough."
    )


def little_trust(trust: float, accuracy: Floats, panel: Panel) -> LittleTrust:
    doubted = [panel.names[i] for i in np.argsort(accuracy, kind="stable")[:3]]
    return LittleTrust(
        f"on {1 - trust:.0%} of the rows with a vote, the fit names another class than the labelers do when they are "
        "taken at their word. It may have found other groups than your classes, so beliefs fall back toward counting "
        f"votes. Look at the labelers it finds least accurate first: {some_of(doubted)}."
    )
