"""Held out: how well the other votes on a row foretell what a labeler does. It needs no gold labels."""

from __future__ import annotations

import numpy as np

from shortlist.arrays import Floats, Mask
from shortlist.labelmodel.estep.kernel import BLOCK, BUFFER
from shortlist.labelmodel.estimators.pooled.leaveout import Others
from shortlist.labelmodel.estimators.pooled.propensity import OFTEN
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission, posterior
from shortlist.votes.patterns import Codes

GRID: Floats = np.exp(-0.2 * np.arange(20))  # temperatures: 1 … 0.02
FAINT = 1e-12  # beliefs never fall to nothing, so that a vote can be taken out of them
LEAST = 1e-20
DIGITS = 9  # a gain below this is none: labelers that only say one thing have nothing to foretell
CLEARLY = 2.0  # standard errors
WORTHWHILE = 0.02  # nats a row, for every number that was free


def foretold(codes: Codes, table: Emission, firing: Floats, layout: Layout, parts: Mask) -> Floats:
    """(m,): Σ_i log P(what i does | the other votes), silence included, over labelers i that somebody else votes with.

    The others of a labeler are those that are not its kin.
    """
    others = Others.of(codes, table, layout)
    beliefs, said = posterior(others.joint), np.exp(table.votes)
    voting, sums = np.minimum(firing, OFTEN), np.zeros(len(codes))
    for i, touched, joint, several in others.each(range(layout.n), parts):
        silent = np.where(others.several > 0, np.log1p(-beliefs @ voting[i]), 0.0)
        rest, votes = posterior(joint), codes[touched, i].astype(np.int64)
        voted = np.einsum("ak,ak->a", rest, said[layout.starts[i] + np.maximum(votes, 1) - 1])
        told = np.where(votes > 0, np.log(np.maximum(voted, LEAST)), np.log1p(-rest @ voting[i]))
        silent[touched] = np.where(several > 0, told, 0.0)
        sums += silent
    return sums


def clearly(gain: Floats, weights: Floats, free: int) -> bool:
    """Whether rows gain enough on average for so many free numbers, and not by accident."""
    total = float(weights.sum())
    if not total:
        return False
    mean = float(weights @ gain) / total
    error = float(np.sqrt(weights @ (gain - mean) ** 2)) / total
    return mean > free * WORTHWHILE and mean > CLEARLY * error


def best_temperature(codes: Codes, weights: Floats, table: Emission, layout: Layout) -> float:
    """The g of the grid with the highest mean log P(what i said | it voted, the other votes); 1 if nothing tells.

    Every fourth g is looked at, then those around the best.
    """
    coarse = np.arange(0, len(GRID), 4)
    scores = held_out(codes, weights, table, layout, GRID[coarse])
    best = int(coarse[np.argmax(scores)])
    near = np.arange(max(0, best - 3), min(len(GRID), best + 4))
    return float(GRID[near[int(np.argmax(held_out(codes, weights, table, layout, GRID[near])))]])


def held_out(codes: Codes, weights: Floats, table: Emission, layout: Layout, grid: Floats) -> Floats:
    """(grid,): mean log P(what i said | it voted, the other votes), over votes on rows with several votes."""
    several = (codes > 0).sum(axis=1) > 1
    codes, weights = codes[several], weights[several]
    sums, mass = np.zeros(len(grid)), 0.0
    if not len(codes):
        return sums
    slopes, base = table.votes - table.abstain[layout.owner], table.abstain.sum(axis=0)
    said = np.exp(table.votes)
    content = said / layout.per_labeler(said)[layout.owner]  # (S, k): P(t | voted, j)
    without = -grid[:, None, None] * slopes  # (grid, S, k): a vote is taken out of the beliefs by these
    without = np.exp(without - without.max(axis=2, keepdims=True))
    width = max(256, min(BLOCK, BUFFER // len(slopes)))
    for a in range(0, len(codes), width):
        block, w = codes[a : a + width], weights[a : a + width]
        row, labeler = np.nonzero(block)
        vote = layout.starts[labeler] + block[row, labeler] - 1
        X = np.zeros((len(block), len(slopes)))
        X[row, vote] = 1
        joint = X @ slopes + base
        mass += float(w[row].sum())
        for r, g in enumerate(grid):
            beliefs = g * joint + table.balance
            beliefs = np.exp(beliefs - beliefs.max(axis=1, keepdims=True)) + FAINT
            said_so, in_all = ((beliefs @ each.T)[row, vote] for each in (without[r] * content, without[r]))
            sums[r] += w[row] @ np.log(np.maximum(said_so, LEAST) / np.maximum(in_all, LEAST))
    return np.round(sums / mass, DIGITS)
