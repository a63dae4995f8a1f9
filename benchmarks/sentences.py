"""How long does the default text classifier take, from sentences to a model, beside plain TF-IDF? In one run.

    SHORTLIST_DATA=… python benchmarks/sentences.py [--rows 4800] [--runs 3]

Both get the first 4,800 training rows of each shown set of texts. Ours learns from beliefs that are mostly right, with
`TextFeatures` and `SoftLogisticRegression`; scikit-learn from their most likely class, with `TfidfVectorizer` and
`LogisticRegression`. Both then predict those rows. One thread each, processor time; the two take turns, and the best
of three turns each counts. Accuracy is that on the test rows. The exit code is 1 where ours takes more than three
times as long to learn, or is less accurate.
"""

# ruff: noqa: E402 (threads are counted before numpy is imported)

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

sys.path.insert(0, str(Path(__file__).parent.parent))  # experiments/ lies beside benchmarks/

from experiments import datasets
from shortlist import NoiseAwareClassifier

MARK = 3.0
SETS = {
    "trec": "train",
    "agnews": "train_subset",
    "scicite": "train",
    "wrench/trec": "train",
    "wrench/youtube": "train",
}
COLUMNS = ("set", "rows", "words", "learning: TF-IDF s", "ours s", "ratio")
COLUMNS += ("predicting: TF-IDF s", "ours s", "ratio", "accuracy: TF-IDF", "ours")


def task(name, split, m):
    """(texts, beliefs, their most likely classes, test texts, test classes)."""
    data = datasets.load(name)
    rows = data[split].rows
    text = max((c for c in rows.columns if rows[c].dtype == pl.String), key=lambda c: rows[c].str.len_chars().mean())
    truth = data.space.positions(list(data[split].gold)[:m])
    rng, k = np.random.default_rng(0), len(data.space)
    said = np.where(rng.random(len(truth)) < 0.8, truth, rng.integers(0, k, len(truth)))
    beliefs = 0.7 * np.eye(k)[said] + 0.3 * rng.dirichlet(np.ones(k), len(truth))
    test = data["test"]
    texts, new = rows[text].to_list()[:m], test.rows[text].to_list()
    return texts, beliefs, beliefs.argmax(axis=1), new, data.space.positions(test.gold)


def seconds(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def measure(name, split, arguments):
    """(cells of the table's row, whether ours is fast and good enough)."""
    texts, beliefs, labels, new, truth = task(name, split, arguments.rows)
    theirs, ours = make_pipeline(TfidfVectorizer(), LogisticRegression()), NoiseAwareClassifier()
    jobs = [
        lambda: theirs.fit(texts, labels),
        lambda: ours.fit(texts, beliefs),
        lambda: theirs.predict(texts),
        lambda: ours.predict(texts),
    ]
    times = [[seconds(job) for job in jobs] for _ in range(arguments.runs)]
    learn, our_learn, read, our_read = np.min(times, axis=0)
    right = [(model.predict(new) == truth).mean() for model in (theirs, ours)]
    cells = [name, f"{len(texts):,}", f"{np.mean([len(text.split()) for text in texts]):.0f}"]
    cells += [f"{learn:.2f}", f"{our_learn:.2f}", f"{our_learn / learn:.1f}"]
    cells += [f"{read:.2f}", f"{our_read:.2f}", f"{our_read / read:.1f}", f"{right[0]:.1%}", f"{right[1]:.1%}"]
    return cells, our_learn <= MARK * learn and right[1] >= right[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=4_800)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    print(f"| {' | '.join(COLUMNS)} |\n" + "|---" * 3 + "|---:" * (len(COLUMNS) - 3) + "|")
    passed = True
    for name, split in SETS.items():
        cells, good = measure(name, split, arguments)
        print(f"| {' | '.join(cells)} |", flush=True)
        passed &= good
    return int(not passed)


if __name__ == "__main__":
    sys.exit(main())
