"""People or models who may name every class, and rules that are mostly about one class: against counting their votes.

    python benchmarks/mixed.py                # 80 drawn settings, means by what the people are like
    python benchmarks/mixed.py --first 1000   # other draws
    PYTHONPATH=OTHER/src python benchmarks/mixed.py     # the default of another version

Two classes, spam and ham. All labelers are independent given the class, and better than chance. A rule votes on some
rows of its class, and on fewer of the other. That it does not vote tells something as well: where ten rules look for
spam, a row on which two of them vote is more likely to be ham.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from simulated import scored

from shortlist import LabelModel, MajorityVote, Votes

CLASSES = ["spam", "ham"]
RULES = [(3, 0), (5, 0), (5, 1), (5, 3), (10, 0), (10, 3), (4, 4), (8, 8), (2, 3)]  # about spam, about ham
PEOPLE = [(3, 1.0), (6, 0.8), (20, 0.15), (5, 0.6)]  # how many, and the share of rows that each answers
RIGHT = [0.65, 0.75, 0.85]
VOTES = [(0.2, 0.05), (0.4, 0.1), (0.5, 0.2), (0.6, 0.3), (0.3, 0.2), (0.1, 0.01)]  # of a rule: on its class, else
SPAM = [0.5, 0.3, 0.15]
SETTINGS = list(itertools.product(RULES, PEOPLE, RIGHT, VOTES, SPAM))
ROWS = 2000
MODELS = {
    "majority vote": MajorityVote,
    "likelihood": lambda: LabelModel(estimator="likelihood"),
    "LabelModel()": LabelModel,
}


@dataclass(frozen=True, eq=False)
class Mixture:
    """Votes of rules and people, those of people alone, and the truth; and how often people are right."""

    name: str
    votes: Votes
    people: Votes
    truth: np.ndarray
    right: float


def mixtures(seeds: Iterable[int]) -> Iterator[Mixture]:
    for seed in seeds:
        rng = np.random.default_rng([42, seed])
        yield drawn(rng, seed, *SETTINGS[rng.integers(len(SETTINGS))])


def drawn(rng, seed: int, rules, people, right: float, on, spam: float) -> Mixture:
    truth = (rng.random(ROWS) >= spam).astype(int)
    about, (n, answered) = np.repeat([0, 1], rules), people
    voting = np.where(about[:, None] == [0, 1], *on)[:, truth].T
    of_rules = (rng.random(voting.shape) < voting).astype(int)
    said = 1 + np.where(rng.random((ROWS, n)) < right, truth[:, None], 1 - truth[:, None])
    of_people = np.where(rng.random((ROWS, n)) < answered, said, 0)
    covered = of_rules.any(axis=1) | of_people.any(axis=1)
    votes = Votes(np.hstack([of_rules, of_people]), [*([CLASSES[j]] for j in about), *[CLASSES] * n], CLASSES)[covered]
    name = f"mixed/{seed}: {rules} rules {on}, {n} people {right} on {answered}, {spam} spam"
    return Mixture(name, votes, votes[:, np.arange(len(about), len(about) + n)], truth[covered], right)


def line(name: str, rows: list[list[tuple[float, float]]]) -> str:
    means = [f" {accuracy:.1f} / {nll:.2f} |" for accuracy, nll in np.mean(rows, axis=0)]
    gap = np.array([[row[2][0] - row[0][0]] for row in rows])
    return f"| {name} | {len(rows)} |" + "".join(means) + f" {gap.min():+.0f} | {100 * (gap < -5).mean():.0f} % |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--settings", type=int, default=80)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    found: dict[str, list[list[tuple[float, float]]]] = {}
    for each in mixtures(range(given.first, given.first + given.settings)):
        figures = [scored(make(), each.votes, each.truth) for make in MODELS.values()]
        figures.append(scored(LabelModel(), each.people, each.truth))
        for kind in (f"people are right on {each.right:.0%}", "all"):
            found.setdefault(kind, []).append(figures)
    heads = [*MODELS, "LabelModel(), people alone", "worst", "> 5 below"]
    print("| | settings |" + "".join(f" {head} |" for head in heads))
    print("|---|" + "---:|" * (len(heads) + 1))
    for kind in sorted(found, key=lambda kind: (kind == "all", kind)):
        print(line(kind, found[kind]))


if __name__ == "__main__":
    main()
