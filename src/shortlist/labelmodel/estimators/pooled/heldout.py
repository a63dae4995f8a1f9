"""Held out: how well the other votes on a row predict what a labeler does. It needs no gold labels."""

from __future__ import annotations

import numpy as np

from shortlist.arrays import Floats, Mask
from shortlist.labelmodel.estep.kernel import BLOCK, BUFFER
from shortlist.labelmodel.estimators.pooled.leaveout import LeaveOut
from shortlist.labelmodel.estimators.pooled.propensity import HIGHEST
from shortlist.labelmodel.formulae.layout import Layout, one_hot
from shortlist.labelmodel.formulae.likelihood import Emission, posterior
from shortlist.votes.patterns import Codes

TEMPERATURES: Floats = np.exp(-0.2 * np.arange(20))  # 1 … 0.02
SMALLEST = 1e-12  # beliefs never fall to nothing, so that a vote can be taken out of them
IMPOSSIBLE = 1e-20  # the probability of what was taken to be impossible, and happened
DIGITS = 9  # a gain below this is none: labelers that only say one thing have nothing to predict
STANDARD_ERRORS = 2.0  # a clear gain is larger than this many
WORTHWHILE = 0.02  # nats a row, for every number that was free


def held_out_scores(codes: Codes, table: Emission, propensity: Floats, layout: Layout, subsets: Mask) -> Floats:
    """(m,): Σ_i log P(what i does | the other votes), abstaining included, over labelers i that others vote with.

    The others of a labeler are those that are no `subsets` (n, n) of it, nor it of them.
    """
    votes = LeaveOut.of(codes, table, layout)
    beliefs, said = posterior(votes.joint), np.exp(table.votes)
    propensity, scores = np.minimum(propensity, HIGHEST), np.zeros(len(codes))
    for i, rows, joint, n_others in votes.each(range(layout.n), subsets):
        score = np.where(votes.n_votes > 0, np.log1p(-beliefs @ propensity[i]), 0.0)
        rest, own = posterior(joint), codes[rows, i].astype(np.int64)
        voted = np.einsum("ak,ak->a", rest, said[layout.starts[i] + np.maximum(own, 1) - 1])
        log_p = np.where(own > 0, np.log(np.maximum(voted, IMPOSSIBLE)), np.log1p(-rest @ propensity[i]))
        score[rows] = np.where(n_others > 0, log_p, 0.0)
        scores += score
    return scores


def clear_gain(gain: Floats, weights: Floats, free: int) -> bool:
    """Whether rows gain enough on average for so many free numbers, and not by accident."""
    total = float(weights.sum())
    if not total:
        return False
    mean = float(weights @ gain) / total
    error = float(np.sqrt(weights @ (gain - mean) ** 2)) / total
    return mean > free * WORTHWHILE and mean > STANDARD_ERRORS * error


def best_temperature(codes: Codes, weights: Floats, table: Emission, layout: Layout) -> float:
    """The g with the highest mean log P(what i said | it voted, the other votes); 1 if nothing tells.

    Every fourth g is looked at, then those around the best.
    """
    coarse = np.arange(0, len(TEMPERATURES), 4)
    scores = vote_scores(codes, weights, table, layout, TEMPERATURES[coarse])
    best = int(coarse[np.argmax(scores)])
    near = np.arange(max(0, best - 3), min(len(TEMPERATURES), best + 4))
    scores = vote_scores(codes, weights, table, layout, TEMPERATURES[near])
    return float(TEMPERATURES[near[int(np.argmax(scores))]])


def vote_scores(codes: Codes, weights: Floats, table: Emission, layout: Layout, temperatures: Floats) -> Floats:
    """(temperatures,): mean log P(what i said | it voted, the other votes), over votes on rows with more than one."""
    shared = (codes > 0).sum(axis=1) > 1
    codes, weights = codes[shared], weights[shared]
    sums, mass = np.zeros(len(temperatures)), 0.0
    if not len(codes):
        return sums
    slopes, base = table.votes - table.abstain[layout.owner], table.abstain.sum(axis=0)
    said = np.exp(table.votes)
    content = said / layout.per_labeler(said)[layout.owner]  # (S, k): P(t | voted, j)
    without = -temperatures[:, None, None] * slopes  # (temperatures, S, k): they take a vote out of the beliefs
    without = np.exp(without - without.max(axis=2, keepdims=True))
    width = max(256, min(BLOCK, BUFFER // len(slopes)))
    for a in range(0, len(codes), width):
        block, w = codes[a : a + width], weights[a : a + width]
        row, labeler = np.nonzero(block)
        vote = layout.starts[labeler] + block[row, labeler] - 1
        X = np.empty((len(block), len(slopes)))
        one_hot(block.T, layout.sizes, X.T)
        joint = X @ slopes + base
        mass += float(w[row].sum())
        for r, g in enumerate(temperatures):
            beliefs = g * joint + table.balance
            beliefs = np.exp(beliefs - beliefs.max(axis=1, keepdims=True)) + SMALLEST
            said_so, in_all = ((beliefs @ each.T)[row, vote] for each in (without[r] * content, without[r]))
            sums[r] += w[row] @ np.log(np.maximum(said_so, IMPOSSIBLE) / np.maximum(in_all, IMPOSSIBLE))
    return np.round(sums / mass, DIGITS)
