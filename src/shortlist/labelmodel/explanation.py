"""Explanation: how each labeler moved the belief in one class against another, in log-odds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.labelmodel.formulae.likelihood import Emission, log_joint
from shortlist.labelmodel.formulae.panel import Panel


@dataclass(frozen=True)
class Explanation:
    """log P(of | votes) − log P(against | votes) = balance + Σ moves, exactly."""

    of: str
    against: str
    balance: float  # log-odds before any vote
    moves: dict[str, float]  # labeler → what it added; those that abstained are in it
    said: dict[str, str]  # labeler → its vote, for those that voted

    @property
    def log_odds(self) -> float:
        return self.balance + sum(self.moves.values())

    def __str__(self) -> str:
        """The largest moves first."""
        lines = [f"{self.of} against {self.against}: log-odds {self.log_odds:+.2f}", f"  {self.balance:+6.2f}  balance"]
        for name, move in sorted(self.moves.items(), key=lambda item: -abs(item[1])):
            if name in self.said or abs(move) > 1e-12:
                lines.append(f"  {move:+6.2f}  {name}: {self.said.get(name, 'abstained')}")
        return "\n".join(lines)


def explain(
    codes: npt.NDArray[Any],
    table: Emission,
    panel: Panel,
    of: str | None = None,
    against: str | None = None,
    *,
    pooled: npt.NDArray[np.float64] | None = None,
) -> Explanation:
    """One row of codes (n,): the most believed class against the next, unless others are asked for.

    Where the table is not all there is to it, `pooled` (k,) are the beliefs in the end; the rest is one more move.
    """
    layout, space = panel.layout, panel.space
    joint = log_joint(codes[None], table, layout)[0] if pooled is None else np.log(pooled)
    j = int(np.argmax(joint)) if of is None else space.position(of)
    others = np.where(np.arange(layout.k) == j, -np.inf, joint)
    other = int(np.argmax(others)) if against is None else space.position(against)
    votes, abstain = table.tempered(layout)
    moves, said = {}, {}
    for i, name in enumerate(panel.names):
        c = int(codes[i])
        row = votes[layout.starts[i] + c - 1] if c else abstain[i]
        moves[name] = float(row[j] - row[other])
        if c:
            said[name] = space.show(panel.codomains[i].shortlists[c - 1])
    balance = float(table.balance[j] - table.balance[other])
    if pooled is not None:
        rest = "pooling" if "pooling" not in moves else "pooling (of the model)"
        moves[rest] = float(joint[j] - joint[other]) - balance - sum(moves.values())
        said[rest] = "trust and unanimity"
    return Explanation(space[j], space[other], balance, moves, said)
