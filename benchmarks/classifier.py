"""How fast is the default text classifier on beliefs, against scikit-learn's on hard labels? In one run.

    python benchmarks/classifier.py

Both get the same 100,000 short texts, drawn with a fixed seed, and the same features; ours learns from beliefs over six
classes, scikit-learn from their most likely class, with the same penalty, tolerance and one thread each. Times are
processor time, the two take turns, and the best of two runs each counts. The exit code is 1 when ours takes more than
three times as long.
"""

# ruff: noqa: E402 (threads are counted before numpy is imported)

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import argparse
import resource
import sys
import time

import numpy as np
from sklearn.linear_model import LogisticRegression

from shortlist.classifier import SoftLogisticRegression, TextFeatures

MARK = 3.0  # times the time of scikit-learn
CLASSES = 6
VOCABULARY = 20_000


def make_rows(m, seed=0):
    """(texts, beliefs (m, k)): words by Zipf's law, a fifth of them the class's own; beliefs mostly right."""
    rng = np.random.default_rng(seed)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = np.array(["".join(rng.choice(letters, rng.integers(2, 11))) for _ in range(VOCABULARY)])
    zipf = 1 / np.arange(1, VOCABULARY + 1)
    truth = rng.integers(0, CLASSES, m)
    picked = rng.choice(VOCABULARY, (m, 12), p=zipf / zipf.sum())
    own = rng.integers(0, VOCABULARY // 40, (m, 12)) * CLASSES + truth[:, None] + 200
    picked = np.where(rng.random((m, 12)) < 0.2, own, picked)
    lengths = rng.integers(5, 13, m)
    texts = [" ".join(words[row[:n]]) for row, n in zip(picked, lengths, strict=True)]
    said = np.where(rng.random(m) < 0.8, truth, rng.integers(0, CLASSES, m))
    beliefs = 0.6 * np.eye(CLASSES)[said] + 0.4 * rng.dirichlet(np.ones(CLASSES), m)
    return texts, beliefs


def seconds(call):
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=2)
    arguments = parser.parse_args()
    texts, beliefs = make_rows(arguments.rows)
    reading, X = seconds(lambda: TextFeatures().fit_transform(texts))
    labels, weights = beliefs.argmax(axis=1), np.ones(len(beliefs))
    times = {"ours": [], "sklearn": []}
    for _ in range(arguments.runs):
        spent, ours = seconds(lambda: SoftLogisticRegression().fit_beliefs(X, beliefs, weights))
        times["ours"].append(spent)
        spent, theirs = seconds(lambda: LogisticRegression(tol=1e-4, max_iter=1000).fit(X, labels))
        times["sklearn"].append(spent)
    best = {name: min(spent) for name, spent in times.items()}
    ratio = best["ours"] / best["sklearn"]
    print(f"{arguments.rows:,} texts × {X.shape[1]:,} features, {X.nnz / len(texts):.0f} a text; {CLASSES} classes")
    print(f"features                            {reading:7.2f} s (the same for both)")
    print(f"LogisticRegression, hard labels     {best['sklearn']:7.2f} s  {int(theirs.n_iter_[0])} iterations")
    print(f"SoftLogisticRegression, beliefs     {best['ours']:7.2f} s  {ours.n_iter_} iterations")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"ratio {ratio:.2f} (required: at most {MARK}); peak memory {memory:,.0f} MB")
    return int(ratio > MARK)


if __name__ == "__main__":
    sys.exit(main())
