"""Do 90 % intervals hold the truth? Simulated votes whose truth is known, by kind of labeler.

    python benchmarks/intervals.py --seeds 6

The votes are those of `simulated.py`. The truth of a labeler is the share of its votes that hold the class. "Not known"
are intervals from 0 to 1: the votes cannot tell. With `--gold`, so many rows of known class take part.
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
MAKERS = (simulated.rules, simulated.copied_rules, simulated.crowd, simulated.detectors)


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
