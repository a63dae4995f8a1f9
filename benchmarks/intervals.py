"""Do 90 % intervals hold the truth? Simulated votes whose truth is known, by kind of labeler.

    python benchmarks/intervals.py --seeds 6

The votes are those of `simulated.py`, and rules with two answers. The truth of a labeler is the share of its votes that
hold the class. "Not known" are intervals from 0 to 1: the votes cannot tell. With `--gold`, so many rows of known class
take part.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import simulated

from shortlist import LabelModel, Votes

LEVEL = 0.9


def two_answers(rng: np.random.Generator, balance: list[float], m: int = 3000, n: int = 15) -> tuple[Votes, np.ndarray]:
    """Rules that name one of two classes, and vote on a tenth to two fifths of all rows."""
    k = len(balance)
    truth = rng.choice(k, m, p=balance)
    codes, says = np.zeros((m, n), int), []
    for i in range(n):
        pair = rng.permutation(k)[:2]
        right = rng.random(m) < rng.beta(6, 2)
        said = np.where(truth == pair[0], 1, np.where(truth == pair[1], 2, rng.integers(1, 3, m)))
        votes = rng.random(m) < rng.uniform(0.1, 0.4) * np.where(np.isin(truth, pair), 1.0, rng.uniform(0.05, 0.4))
        codes[:, i] = np.where(votes, np.where(right, said, 3 - said), 0)
        says.append([simulated.names(k)[j] for j in pair])
    return Votes(codes, says, simulated.names(k)), truth


MAKERS = (simulated.rules, simulated.copied_rules, two_answers, simulated.crowd, simulated.detectors)


def right_share(votes: Votes, truth: np.ndarray) -> np.ndarray:
    """(n,): of the votes of each labeler, the share that holds the class; NaN where it has none."""
    found = np.full(len(votes.names), np.nan)
    for i, codomain in enumerate(votes.codomains):
        rows = np.flatnonzero(votes.codes[:, i])
        if len(rows):
            found[i] = codomain.member(votes.space)[votes.codes[rows, i] - 1, truth[rows]].mean()
    return found


def kinds(make: str, votes: Votes) -> list[str]:
    """What each labeler is called in the table."""
    if make == "crowd":
        return ["crowd worker, all classes"] * len(votes.names)
    if make == "detectors":
        return ["detector, two sides"] * len(votes.names)
    if make == "two_answers":
        return ["rule with two answers"] * len(votes.names)
    one_class = "one-sided rule, one class"
    copied = ", copied" if make == "copied_rules" else ""
    return [(one_class if len(c.says[0]) == 1 else "one-sided rule, several classes") + copied for c in votes.codomains]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--gold", type=int, default=0)
    given = parser.parse_args()
    rows: dict[str, list[tuple[float, float, float, float]]] = {}
    for make in MAKERS:
        for balance in simulated.BALANCES:
            for seed in range(given.seeds):
                draw = np.random.default_rng(1000 + seed)
                votes, truth = make(draw, balance)
                known = {int(a): votes.space[int(truth[a])] for a in draw.choice(len(truth), given.gold, replace=False)}
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    estimate = LabelModel().fit(votes, known or None).estimate_
                low, high = estimate.labeler_interval(LEVEL)
                parts = (low, high, estimate.labeler_accuracy, right_share(votes, truth))
                for kind, *figures in zip(kinds(make.__name__, votes), *parts, strict=True):
                    rows.setdefault(kind, []).append(tuple(float(x) for x in figures))
    print(
        "| kind of labeler | labelers | within the interval | of those known | not known | width of the known | error |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|")
    for kind, figures in rows.items():
        low, high, estimate, true = np.array([f for f in figures if np.isfinite(f[3])]).T
        unknown = (low <= 0) & (high >= 1)
        held = (low <= true) & (true <= high)
        cells = [
            f"{held.mean():.0%}",
            f"{held[~unknown].mean():.0%}" if not unknown.all() else "–",
            f"{unknown.mean():.0%}",
        ]
        width = (high - low)[~unknown]
        cells += [f"{width.mean():.2f}" if len(width) else "–", f"{np.abs(estimate - true).mean():.3f}"]
        print(f"| {kind} | {len(true)} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
