"""Explanation: how each labeler moved the belief in one class against another, in log-odds."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.labelmodel.estimators.estimate import Estimate
from shortlist.labelmodel.formulae.likelihood import log_joint
from shortlist.labelspace import LabelSpace
from shortlist.wording import html_table

ABSTAINED, NAMED = "abstained", 3  # labelers that abstained: so many are named, and the others counted
NOTHING = 1e-12  # a smaller move is none


@dataclass(frozen=True, repr=False)
class Explanation:
    """log P(of | votes) − log P(against | votes) = balance + Σ moves, exactly."""

    of: str
    against: str
    balance: float  # log-odds before any vote; a balance that was counted is discounted as votes are
    moves: dict[str, float]  # labeler → what it added; those that abstained are in it
    said: dict[str, str]  # labeler → its vote, for those that voted

    @property
    def log_odds(self) -> float:
        return self.balance + sum(self.moves.values())

    @property
    def _head(self) -> str:
        return f"{self.of} against {self.against}: log-odds {self.log_odds:+.2f}"

    def lines(self) -> list[tuple[str, str, float]]:
        """(labeler, what it said, move), the largest moves first. Of those that abstained, only some are named."""
        order = sorted(self.moves, key=lambda name: -abs(self.moves[name]))
        silent = [name for name in order if name not in self.said and abs(self.moves[name]) > NOTHING]
        rest = silent[NAMED:] if len(silent) > NAMED + 1 else []
        named = [name for name in order if name in self.said or (name in silent and name not in rest)]
        found = [(name, self.said.get(name, ABSTAINED), self.moves[name]) for name in named]
        if rest:
            found.append((f"{len(rest)} others", ABSTAINED, sum(self.moves[name] for name in rest)))
        return sorted(found, key=lambda line: -abs(line[2]))

    def __str__(self) -> str:
        """The largest moves first."""
        moves = (f"  {move:+6.2f}  {name}: {said}" for name, said, move in self.lines())
        return "\n".join([self._head, f"  {self.balance:+6.2f}  balance", *moves])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """What notebooks show."""
        rows = [[f"{self.balance:+.2f}", "balance", ""]]
        rows += [[f"{move:+.2f}", name, said] for name, said, move in self.lines()]
        return f"<div><b>{escape(self._head)}</b>{html_table(['log-odds', 'labeler', 'says'], rows)}</div>"


def explain(
    codes: npt.NDArray[Any], estimate: Estimate, of: str | None = None, against: str | None = None
) -> Explanation:
    """One row of codes (n,): the most believed class against the next, unless others are asked for.

    Where the table is not all that beliefs are made of, the adjustment is one more move.
    """
    panel, table = estimate.panel, estimate.emission
    adjusted = estimate.adjustment is not None
    log_beliefs = (
        np.log(estimate.beliefs(codes[None])[0]) if adjusted else log_joint(codes[None], table, estimate.layout)[0]
    )
    j, other = compared(log_beliefs, panel.space, of, against)
    balance, moves = float(table.balance[j] - table.balance[other]), moves_of(codes, estimate, j, other)
    said = {
        name: panel.space.show(codomain.shortlists[c - 1])
        for name, codomain, c in zip(panel.names, panel.codomains, codes.tolist(), strict=True)
        if c
    }
    if estimate.adjustment is not None:
        name, words = estimate.adjustment
        name = name if name not in moves else f"{name} (of the model)"
        moves[name] = float(log_beliefs[j] - log_beliefs[other]) - balance - sum(moves.values())
        said[name] = words
    return Explanation(panel.space[j], panel.space[other], balance, moves, said)


def moves_of(codes: npt.NDArray[Any], estimate: Estimate, j: int, other: int) -> dict[str, float]:
    """Labeler → what its vote, or its abstaining, adds to the log-odds."""
    layout = estimate.layout
    votes, abstain = estimate.emission.tempered(layout)
    rows = (layout.by_code(i, votes, abstain)[c] for i, c in enumerate(codes))
    return {name: float(row[j] - row[other]) for name, row in zip(estimate.panel.names, rows, strict=True)}


def compared(log_beliefs: Floats, space: LabelSpace, of: str | None, against: str | None) -> tuple[int, int]:
    """The positions of two classes: those asked for, or the most believed ones."""
    j = int(np.argmax(log_beliefs)) if of is None else space.position(of)
    others = np.where(np.arange(len(space)) == j, -np.inf, log_beliefs)
    return j, int(np.argmax(others)) if against is None else space.position(against)
