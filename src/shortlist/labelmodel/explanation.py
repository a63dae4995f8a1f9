"""Explanation of a belief: the contribution of each labeler to the log-odds of one class against another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.labelmodel.estimator import Estimate
from shortlist.labelmodel.likelihood import log_joint


@dataclass(frozen=True, repr=False)
class Explanation:
    """log P(of | votes) − log P(against | votes) = balance + Σ moves, exactly."""

    of: str
    against: str
    balance: float  # log-odds before any vote; a balance that was counted is discounted as votes are
    moves: dict[str, float]  # labeler → contribution, of its vote or of abstaining
    said: dict[str, str]  # labeler → its vote, if it voted

    @property
    def log_odds(self) -> float:
        return self.balance + sum(self.moves.values())

    def lines(self) -> list[tuple[str, str, float]]:
        """(labeler, vote, contribution), the largest first. Of those that abstained, three are named."""
        order = sorted(self.moves, key=lambda name: -abs(self.moves[name]))
        silent = [name for name in order if name not in self.said and abs(self.moves[name]) > 1e-12]
        rest = silent[3:] if len(silent) > 4 else []
        named = [name for name in order if name in self.said or (name in silent and name not in rest)]
        lines = [(name, self.said.get(name, "abstained"), self.moves[name]) for name in named]
        if rest:
            lines.append((f"{len(rest)} others", "abstained", sum(self.moves[name] for name in rest)))
        return sorted(lines, key=lambda line: -abs(line[2]))

    def __str__(self) -> str:
        head = f"{self.of} against {self.against}: log-odds {self.log_odds:+.2f}"
        moves = (f"  {move:+6.2f}  {name}: {said}" for name, said, move in self.lines())
        return "\n".join([head, f"  {self.balance:+6.2f}  balance", *moves])

    __repr__ = __str__


def explain(
    codes: npt.NDArray[Any], estimate: Estimate, of: str | None = None, against: str | None = None
) -> Explanation:
    """Explain one row of codes (n,): by default, the most likely class against the second.

    Where beliefs are not made of the table alone, the adjustment is one more move.
    """
    panel, table, layout = estimate.panel, estimate.explained, estimate.layout
    if estimate.adjustment is None:
        log_beliefs = log_joint(codes[None], table, layout)[0]
    else:
        log_beliefs = np.log(estimate.beliefs(codes[None])[0])
    j = int(np.argmax(log_beliefs)) if of is None else panel.space.position(of)
    others = np.where(np.arange(layout.k) == j, -np.inf, log_beliefs)
    other = int(np.argmax(others)) if against is None else panel.space.position(against)
    balance, (votes, abstain) = float(table.balance[j] - table.balance[other]), table.tempered(layout)
    rows = (layout.by_code(i, votes, abstain)[c] for i, c in enumerate(codes))
    moves = {name: float(row[j] - row[other]) for name, row in zip(panel.names, rows, strict=True)}
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
