"""Tables about pairs of labelers, pairs of classes, rows, contradictions between labelers, and suspect gold labels."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from scipy.linalg import block_diag
from scipy.special import entr

from shortlist.analysis.bits import Bits, Words, count, split, union
from shortlist.analysis.measures import Measures, frame, share
from shortlist.arrays import Floats, Positions
from shortlist.errors import BadShortlist
from shortlist.labelmodel.layout import Layout
from shortlist.votes import Votes
from shortlist.wording import did_you_mean

GOLD_WRONG = 0.05  # share of gold labels that are taken to be wrong before the votes are seen

# -- pairs of labelers ---------------------------------------------------------------------------------


def pair_table(data: Measures) -> pl.DataFrame:
    """One line per pair of labelers. Overlap, conflict and same are shares of all rows."""
    votes, bits = data.votes, data.bits
    m, first, second = len(votes), *np.triu_indices(len(votes.names), 1)
    columns: dict[str, Any] = {
        "labeler": [votes.names[i] for i in first],
        "other": [votes.names[i] for i in second],
        "overlap": bits.pairs()[first, second] / m,
        "conflict": bits.pairs(bits.disjoint)[first, second] / m,
        "same": bits.pairs(same_shortlists(bits.layout))[first, second] / m,
    }
    if data.model is not None:
        columns["correlation"] = correlations(data)[first, second]
    return frame(columns)


def same_shortlists(layout: Layout) -> Any:
    """(S, S): shortlists of the same classes."""
    member = layout.member.astype(np.int64)
    size = member.sum(axis=1)
    return (member @ member.T == size[:, None]) & (size[:, None] == size)


def correlations(data: Measures) -> Floats:
    """(n, n): the correlation of labelers given the class, 1 on the diagonal.

    E[Cov(x_s, x_t | Y)] = P(s, t) − Σ_j P(j) P(s | j) P(t | j) is left of the covariance of shortlists s and t once the
    class is accounted for. The first canonical correlation of that: 0 for independent labelers, 1 for a copy.
    """
    layout, m = data.bits.layout, len(data.votes)
    residual = data.bits.together / m - between(data.soft, data.mass, m)
    bases = [whitening(residual[part][:, part], m) for part in split(np.arange(len(residual)), layout)]
    white = block_diag(*bases)  # (S, r): uncorrelated ways to score the votes of each labeler
    table = white.T @ residual @ white
    ends = np.cumsum([0, *(basis.shape[1] for basis in bases)])
    correlation = np.eye(layout.n)
    for j, i in combinations(range(layout.n), 2):
        block = table[ends[i] : ends[i + 1], ends[j] : ends[j + 1]]
        largest = min(1.0, float(np.linalg.norm(block, 2))) if block.size else np.nan
        correlation[i, j] = correlation[j, i] = largest
    return correlation


def between(soft: Floats, mass: Floats, m: int) -> Floats:
    """(S, S): Σ_j P(j) P(s | j) P(t | j): how often shortlists meet if only the class brings them together."""
    rates = soft / np.maximum(mass, 1e-12)
    return (rates * (mass / m)) @ rates.T


def whitening(covariance: Floats, m: int) -> Floats:
    """(c, r): B with Bᵀ C B = 1, of the r directions that vary by more than a few rows."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > 3 / m  # what is rarer than three rows correlates with anything
    basis: Floats = vectors[:, kept] / np.sqrt(values[kept])
    return basis


# -- pairs of classes ----------------------------------------------------------------------------------


def class_table(data: Measures) -> pl.DataFrame:
    """One line per pair of classes.

    `labelers` said something that holds one class without the other, on `rows` (a share of all). `error` is how often
    the better guess between the two is expected to be wrong on rows of either, and `separation` is 1 − 2 · error:
    0 for classes that cannot be told apart, 1 for classes that always can. `gold_error` is the share of gold rows of
    either that are labelled as the other. Only rows with a vote count for these: other rows have no label.
    """
    space = data.votes.space
    first, second = np.triu_indices(len(space), 1)
    labelers, rows = separators(data, first, second)
    columns: dict[str, Any] = {
        "class": [space[int(j)] for j in first],
        "other": [space[int(j)] for j in second],
        "labelers": labelers,
        "rows": rows / len(data.votes),
    }
    if data.model is not None:
        kinds, voted = data.distinct, data.distinct.votes.covered
        error = errors(kinds.beliefs[voted], kinds.counts[voted])[first, second]
        columns |= {"error": error, "separation": 1 - 2 * error}
    if data.model is not None and data.gold is not None:
        scored = data.scored
        mixed = confusion(data.gold[scored], data.guess[scored], len(space))
        of_both = mixed.sum(axis=1)
        columns["gold_error"] = share((mixed + mixed.T)[first, second], (of_both[:, None] + of_both)[first, second])
    return frame(columns)


def separators(data: Measures, first: Positions, second: Positions) -> tuple[Positions, Positions]:
    """Per pair of classes: labelers that said one without the other, and the rows on which one did."""
    bits, layout = data.bits, data.bits.layout
    said = count(bits.rows) > 0
    labelers, rows = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
    for p, (j, other) in enumerate(zip(first, second, strict=True)):
        separates = said & (layout.member[:, j] != layout.member[:, other])
        labelers[p] = len(np.unique(layout.owner[separates]))
        rows[p] = count(union(bits.rows[separates]))
    return labelers, rows


def errors(beliefs: Floats, counts: Positions) -> Floats:
    """(k, k): Σ_a min(R_aj, R_al) / Σ_a (R_aj + R_al), one half on the diagonal."""
    weights = counts.astype(np.float64)
    smaller = np.stack([weights @ np.minimum(beliefs, column[:, None]) for column in beliefs.T])
    mass = weights @ beliefs
    return np.nan_to_num(share(smaller, mass[:, None] + mass), nan=0.5)


def confusion(gold: Positions, guess: Positions, k: int) -> Floats:
    """(k, k): number of rows of each class (first) that were guessed to be of each class (second)."""
    return np.bincount(gold * k + guess, minlength=k * k).reshape(k, k).astype(np.float64)


# -- rows ----------------------------------------------------------------------------------------------


def row_table(data: Measures) -> pl.DataFrame:
    """One line per row, in order. `entropy` is in nats; `margin` is the lead over the second most likely class."""
    votes, space = data.votes, pl.Enum(list(data.votes.space))
    columns = row_columns(votes, np.arange(len(votes)))
    if data.model is not None:
        beliefs, spread = data.distinct.beliefs, data.distinct.spread
        first, second = top_two(beliefs)
        columns |= {
            "class": _named(data.guess, space),
            "belief": spread(first),
            "margin": spread(first - second),
            "entropy": spread(entr(beliefs).sum(axis=1)),
        }
    columns["votes"] = (votes.codes != 0).sum(axis=1, dtype=np.uint32)
    columns["conflict"] = conflict_lists(data.bits, votes.names)
    if data.gold is not None:
        columns["gold"] = _named(data.gold, space)
    return frame(columns)


def row_columns(votes: Votes, rows: Positions) -> dict[str, Any]:
    """Numbers of rows, and their ids if they have any."""
    return {"row": rows} if votes.ids is None else {"row": rows, "id": votes.ids[rows]}


def top_two(beliefs: Floats) -> tuple[Floats, Floats]:
    """The largest and the second largest belief of each row."""
    second, first = np.partition(beliefs, -2, axis=1)[:, -2:].T
    return first, second


def conflict_lists(bits: Bits, names: tuple[str, ...]) -> pl.Series:
    """The labelers of each row whose shortlist is disjoint with that of another."""
    rows, who = np.nonzero(np.ascontiguousarray(bits.table(bits.against)))
    cells = pl.DataFrame({"row": pl.Series(rows).set_sorted(), "labeler": _named(who, pl.Enum(list(names)))})
    lists = cells.group_by("row", maintain_order=True).agg("labeler")
    every = pl.DataFrame({"row": np.arange(bits.m)}).join(lists, on="row", how="left", maintain_order="left")
    return every["labeler"].fill_null([])


def _named(positions: Any, names: pl.Enum) -> pl.Series:
    """Positions as names, null where a position is −1."""
    return pl.Series([None, *names.categories], dtype=names).gather(pl.Series(positions + 1))


# -- contradictions and suspects -----------------------------------------------------------------------


def bucket_table(data: Measures) -> pl.DataFrame:
    """One line per contradiction, "A says sports while B says business", the most frequent first."""
    votes, bits = data.votes, data.bits
    s, t = contradicting_pairs(data).T
    says = [votes.space.show(shortlist) for codomain in votes.codomains for shortlist in codomain.shortlists]
    columns: dict[str, Any] = {
        "labeler": [votes.names[i] for i in bits.layout.owner[s]],
        "says": [says[u] for u in s],
        "other": [votes.names[i] for i in bits.layout.owner[t]],
        "other_says": [says[u] for u in t],
        "rows": bits.together[s, t],
    }
    return frame(columns)


def contradicting_pairs(data: Measures) -> Positions:
    """(pairs, 2): shortlists without a class in common that were voted together, the most frequent first."""
    table = np.triu(data.bits.together * data.bits.disjoint, 1)
    pairs = np.argwhere(table)
    return pairs[np.argsort(-table[tuple(pairs.T)], kind="stable")]


def bucket(data: Measures, said: Mapping[str, Any]) -> Positions:
    """Rows on which each of these labelers gives this answer; None is abstaining."""
    rows = np.bitwise_not(np.zeros(data.bits.rows.shape[1], np.uint64))
    for name, answer in said.items():
        rows &= _said(data, name, answer)
    return data.bits.indices(rows)


def _said(data: Measures, name: str, answer: Any) -> Words:
    votes, bits = data.votes, data.bits
    if name not in votes.names:
        hint = did_you_mean(name, votes.names)
        raise BadShortlist(f"no labeler is called {name!r}.{hint} Labelers: {', '.join(votes.names)}")
    i = votes.names.index(name)
    if answer is None:
        silent: Words = ~bits.voted[i]
        return silent
    codomain, shortlist = votes.codomains[i], votes.space.shortlist(answer)
    if shortlist not in codomain.shortlists:
        raise BadShortlist(f"labeler {name!r} never says {answer!r}; it says {codomain.show(votes.space)}")
    rows: Words = bits.rows[bits.layout.starts[i] + codomain.shortlists.index(shortlist)]
    return rows


def suspect_table(data: Measures, beliefs: Floats | None = None) -> pl.DataFrame:
    """One line per gold label that looks wrong, the most suspicious first.

    One gold label in twenty is taken to be wrong, before the votes are seen. By Bayes' rule, a label is more likely
    wrong than right where the model believes nineteen times as much in another class.
    """
    votes, gold = data.votes, data.need_gold()
    rows = np.flatnonzero(data.scored if beliefs is None else data.known)
    beliefs = data.distinct.at(rows) if beliefs is None else beliefs[rows]
    known, guess, at = gold[rows], beliefs.argmax(axis=1), np.arange(len(rows))
    suspected = np.flatnonzero(GOLD_WRONG * beliefs[at, guess] > (1 - GOLD_WRONG) * beliefs[at, known])
    order = suspected[np.argsort(beliefs[suspected, known[suspected]], kind="stable")]
    names = pl.Series(list(votes.space), dtype=pl.String)
    columns = row_columns(votes, rows[order]) | {
        "gold": names.gather(known[order]),
        "belief": beliefs[order, known[order]],
        "class": names.gather(guess[order]),
        "class_belief": beliefs[order, guess[order]],
    }
    return frame(columns)
