"""What some gold rows bring: the default fitted with 0, 20, 100 and 500 rows of known class, scored on the other rows.

    python benchmarks/gold.py                    # every set of the folder that SHORTLIST_DATA names
    python benchmarks/gold.py trec crowd/dog --seeds 10
    python benchmarks/gold.py --hard             # gold rows are drawn from the third that the model is least sure about

Gold rows are drawn at random from those with a known class, and each draw is compared with no gold rows on the same
other rows. Votes of fitted and scored rows are fitted together. A set takes part where at most half of its rows become
gold.
Differences in covered accuracy / NLL by family of sets, their mean over families, and on how many sets the mean of the
draws is worse: by more than half a point, or by more than 0.01 nats.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy.special import entr

sys.path.insert(0, str(Path(__file__).parent))

from accuracy import scores, tasks
from families import Task, by_family

from shortlist import LabelModel, Votes

AMOUNTS = (20, 100, 500)
POINTS, NATS = 0.5, 0.01  # a difference that counts as worse


def together(task: Task) -> Votes:
    """All votes there are, the scored rows first."""
    return task.score if task.fit is task.score else Votes.concat([task.score, task.fit])


def beliefs(task: Task, votes: Votes, gold: np.ndarray) -> np.ndarray:
    """Of the scored rows, with these rows of known class."""
    known = {int(a): task.fit.space[int(task.gold[a])] for a in gold}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LabelModel().fit(votes, known or None).predict_proba(task.score)


def unsure(rows: np.ndarray, beliefs: np.ndarray, fewest: int) -> np.ndarray:
    """The third of some rows whose beliefs have the highest entropy, or so many of them."""
    doubt = entr(beliefs[rows]).sum(axis=1)
    return rows[np.argsort(-doubt, kind="stable")[: max(fewest, len(rows) // 3)]]


def gains(task: Task, amount: int, seeds: int, without: np.ndarray, *, hard: bool) -> np.ndarray | None:
    """(draws, 2): what `amount` gold rows change on the others; None where there are too few rows."""
    known = np.flatnonzero(task.gold >= 0)
    if 2 * amount > len(known):
        return None
    known = unsure(known, without, 2 * amount) if hard else known
    votes, found = together(task), []
    for seed in range(seeds):
        chosen = np.random.default_rng(seed).choice(known, amount, replace=False)
        others = np.where(np.isin(np.arange(len(task.gold)), chosen), -1, task.gold)
        rest = Task(task.name, task.fit, task.score, others)
        pair = [scores(each, rest, 0.0) for each in (without, beliefs(task, votes, chosen))]
        (before, b), (after, a) = ((s.covered_accuracy, s.nll) for s in pair)
        found.append([after - before, a - b])
    return np.array(found)


def report(amount: int, by_set: dict[str, np.ndarray]) -> None:
    means = {name: draws.mean(axis=0) for name, draws in by_set.items()}
    families = by_family(means)
    cells = [f"{points:+.2f} / {nats:+.3f}" for points, nats in families.values()]
    points, nats = np.mean(list(families.values()), axis=0)
    worse = sum(mean[0] < -POINTS for mean in means.values()), sum(mean[1] > NATS for mean in means.values())
    worst = min(means, key=lambda name: means[name][0])
    print(
        f"| {amount} ({len(means)} sets) | {' | '.join(cells)} | {points:+.2f} / {nats:+.3f} | {worse[0]} / {worse[1]} "
        f"| {worst} {means[worst][0]:+.2f} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help="names of sets, or folders of sets; all by default")
    parser.add_argument("--data-home", help="the folder of data sets (default: SHORTLIST_DATA)")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--hard", action="store_true", help="gold rows are hard ones, not random ones")
    parser.add_argument("--json", help="write the figures to this file as well")
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    found: dict[int, dict[str, np.ndarray]] = {amount: {} for amount in AMOUNTS}
    for task in tasks(given.data_home, given.sets):
        without = beliefs(task, together(task), np.array([], int))
        for amount in AMOUNTS:
            draws = gains(task, amount, given.seeds, without, hard=given.hard)
            if draws is not None:
                found[amount][task.name] = draws
        print(
            task.name,
            {a: np.round(f[task.name].mean(axis=0), 3).tolist() for a, f in found.items() if task.name in f},
            file=sys.stderr,
            flush=True,
        )
    names = list(by_family(dict.fromkeys(found[AMOUNTS[0]])))
    print("| gold rows | " + " | ".join(names) + " | mean | worse | worst |")
    print("|---|" + "---:|" * (len(names) + 3))
    for amount, by_set in found.items():
        if by_set:
            report(amount, by_set)
    if given.json:
        plain = {amount: {name: draws.tolist() for name, draws in by_set.items()} for amount, by_set in found.items()}
        Path(given.json).write_text(json.dumps({"command": sys.argv, "results": plain}))


if __name__ == "__main__":
    main()
