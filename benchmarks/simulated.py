"""Where the default holds and where it does not: simulated votes whose truth is known, against counting.

    python benchmarks/simulated.py

Rules name one class (with more than two classes, sometimes several) or abstain, and fire on other classes, too; crowds
name one of all classes, five answers a row; models, ten of them, name one on every row, and are right on 65 % of
them; detectors always divide the classes in two, with accuracies that differ from class to class. "Copied": with six
near-copies of the first rule. "Choosing": each model votes on half of the rows. "Biased": all models prefer the last
class, which is the rarest. Balances are equal, or not; "equal" takes them for equal, "told" is given the true one.
Accuracy on covered rows / NLL, means of `--seeds` draws; the gap is to the better of Nearest Class and majority vote,
mean and worst.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from shortlist import LabelModel, MajorityVote, NearestClass, Votes

BALANCES = ([0.5, 0.5], [0.8, 0.2], [0.95, 0.05], [0.25] * 4, [0.55, 0.25, 0.15, 0.05], [0.125] * 8)


def names(k: int) -> list[str]:
    return [f"class {j}" for j in range(k)]


def rules(rng: np.random.Generator, balance: list[float], copies: int = 0, m: int = 5000, n: int = 20):
    k = len(balance)
    truth = rng.choice(k, m, p=balance)
    columns, says = [], []
    for _ in range(n):
        size = 1 if k == 2 or rng.random() > 0.3 else rng.integers(2, max(3, k // 2 + 1))
        named = rng.permutation(k)[:size]
        rate, wrong = rng.uniform(0.02, 0.2), rng.uniform(0.01, 0.3)
        fires = np.where(np.isin(truth, named), rate * rng.uniform(0.3, 1.7, k)[truth], rate * wrong)
        columns.append(rng.random(m) < fires)
        says.append([{names(k)[j] for j in named}])
    for _ in range(copies):
        columns.append(columns[0] ^ (rng.random(m) < 0.002))
        says.append(says[0])
    return Votes(np.column_stack(columns).astype(int), says, names(k)), truth


def copied_rules(rng: np.random.Generator, balance: list[float]):
    return rules(rng, balance, copies=6)


def crowd(rng: np.random.Generator, balance: list[float], m: int = 800, n: int = 40, answers: int = 5):
    k = len(balance)
    truth = rng.choice(k, m, p=balance)
    accuracy = rng.beta(6, 2, n)
    codes = np.zeros((m, n), int)
    for a in range(m):
        asked = rng.permutation(n)[:answers]
        right = rng.random(answers) < accuracy[asked]
        codes[a, asked] = 1 + np.where(right, truth[a], rng.integers(k, size=answers))
    return Votes(codes, [names(k)] * n, names(k)), truth


def models(rng: np.random.Generator, balance: list[float], m: int = 4000, n: int = 10):
    """Ten that name a class on every row and are hardly right; wrong answers fall on all classes alike."""
    k = len(balance)
    truth = rng.choice(k, m, p=balance)
    right = rng.random((m, n)) < np.clip(rng.normal(0.65, 0.1, n), 0.52, 0.97)
    said = np.where(right, truth[:, None], (truth[:, None] + rng.integers(1, k, (m, n))) % k)
    return Votes(1 + said, [names(k)] * n, names(k)), truth


def choosing_models(rng: np.random.Generator, balance: list[float]):
    """The same, but each votes on half of the rows, whatever the others do."""
    votes, truth = models(rng, balance)
    codes = np.where(rng.random(votes.codes.shape) < 0.5, 0, votes.codes)
    return Votes(codes, votes.codomains, votes.space), truth


def biased_models(rng: np.random.Generator, balance: list[float], m: int = 4000, n: int = 10):
    """Ten that all prefer the last class: right on 95 % of its rows, and on half of the others, else they say it."""
    k = len(balance)
    truth = rng.choice(k, m, p=balance)
    right = rng.random((m, n)) < np.where(truth == k - 1, 0.95, 0.5)[:, None]
    wrong = np.where(truth == k - 1, 0, k - 1)[:, None]
    return Votes(1 + np.where(right, truth[:, None], wrong), [names(k)] * n, names(k)), truth


def detectors(rng: np.random.Generator, balance: list[float], m: int = 2000, n: int = 30):
    k = len(balance)
    truth = rng.choice(k, m, p=balance)
    columns, says = [], []
    for _ in range(n):
        has = np.isin(np.arange(k), rng.permutation(k)[: rng.integers(1, k)])
        accuracy = np.clip(rng.beta(5, 2) + rng.normal(0, 0.15, k), 0.1, 0.97)
        columns.append(np.where(has[truth] == (rng.random(m) < accuracy[truth]), 1, 2))
        says.append([{names(k)[j] for j in np.flatnonzero(side)} for side in (has, ~has)])
    return Votes(np.column_stack(columns), says, names(k)), truth


def scored(model, votes: Votes, truth: np.ndarray) -> tuple[float, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        beliefs = model.fit(votes).predict_proba(votes)[votes.covered]
    gold = truth[votes.covered]
    top = beliefs >= beliefs.max(axis=1, keepdims=True) - 1e-9
    held = beliefs[np.arange(len(gold)), gold]
    right = (top / top.sum(axis=1, keepdims=True))[np.arange(len(gold)), gold]
    return 100 * float(right.mean()), float(-np.log(np.clip(held, 1e-12, 1)).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=6)
    given = parser.parse_args()
    print(
        "| votes | balance | Nearest Class | majority vote | likelihood | `LabelModel()` | gap, worst | equal | told |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for make in (rules, copied_rules, crowd, models, choosing_models, biased_models, detectors):
        for balance in BALANCES:
            rows = []
            for seed in range(given.seeds):
                votes, truth = make(np.random.default_rng(seed), balance)
                methods = (NearestClass(), MajorityVote(), LabelModel(estimator="likelihood"), LabelModel())
                rows.append(
                    [
                        scored(model, votes, truth)
                        for model in (*methods, LabelModel(balance="uniform"), LabelModel(balance=balance))
                    ]
                )
            table = np.array(rows)  # (seeds, models, 2)
            gaps = table[:, 3, 0] - table[:, :2, 0].max(axis=1)
            cells = [f"{accuracy:.1f}/{nll:.2f}" for accuracy, nll in table.mean(axis=0)]
            gap = f"{gaps.mean():+.1f}, {gaps.min():+.1f}"
            name = f"| {make.__name__.replace('_', ' ')} | {shown(balance)} | "
            print(name + " | ".join([*cells[:4], gap, *cells[4:]]) + " |", flush=True)


def shown(balance: list[float]) -> str:
    if len(set(balance)) == 1:
        return f"{len(balance)} equal"
    return "/".join(f"{100 * share:g}" for share in balance)


if __name__ == "__main__":
    main()
