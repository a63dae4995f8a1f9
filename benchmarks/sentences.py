"""How long does the default text classifier take, from sentences to a model, beside plain TF-IDF? In one run.

    SHORTLIST_DATA=… python benchmarks/sentences.py

Both get the first 4,800 rows of each set. Ours learns from beliefs that are mostly right, with `TextFeatures` and
`SoftLogisticRegression`; scikit-learn from their most likely class, with `TfidfVectorizer` and `LogisticRegression`.
One thread each, processor time, the best of two turns. Accuracy is that on the test rows. The exit code is 1 where ours
takes more than three times as long on questions (TREC), which are the shortest.
"""

# ruff: noqa: E402 (threads are counted before numpy is imported)

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import sys
import time

import numpy as np
import polars as pl
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from shortlist import NoiseAwareClassifier, datasets

MARK = 3.0
SETS = {"trec": "train", "agnews": "train_subset", "scicite": "train"}
ROWS = 4_800


def task(name, split):
    """(texts, beliefs, their most likely classes, test texts, test classes)."""
    data = datasets.load(name)
    rows = data[split].rows
    text = max((c for c in rows.columns if rows[c].dtype == pl.String), key=lambda c: rows[c].str.len_chars().mean())
    truth = data.space.positions(list(data[split].gold)[:ROWS])
    rng, k = np.random.default_rng(0), len(data.space)
    said = np.where(rng.random(len(truth)) < 0.8, truth, rng.integers(0, k, len(truth)))
    beliefs = 0.7 * np.eye(k)[said] + 0.3 * rng.dirichlet(np.ones(k), len(truth))
    test = data["test"]
    texts, new = rows[text].to_list()[:ROWS], test.rows[text].to_list()
    return texts, beliefs, beliefs.argmax(axis=1), new, data.space.positions(test.gold)


def timed(fit):
    start = time.process_time()
    fit()
    return time.process_time() - start


def main():
    ratios = {}
    print(
        "| set | words a text | TF-IDF + LogisticRegression | ours | ratio | accuracy, theirs | ours |\n"
        + "|---" * 7
        + "|"
    )
    for name, split in SETS.items():
        texts, beliefs, labels, new, truth = task(name, split)
        theirs = make_pipeline(TfidfVectorizer(), LogisticRegression())
        ours = NoiseAwareClassifier()
        plain = min(timed(lambda: theirs.fit(texts, labels)) for _ in range(2))  # noqa: B023
        spent = min(timed(lambda: ours.fit(texts, beliefs)) for _ in range(2))  # noqa: B023
        ratios[name] = spent / plain
        right = [(model.predict(new) == truth).mean() for model in (theirs, ours)]
        words = np.mean([len(text.split()) for text in texts])
        cells = [name, f"{words:.0f}", f"{plain:.2f} s", f"{spent:.2f} s", f"{spent / plain:.1f}"]
        print("| " + " | ".join([*cells, f"{right[0]:.1%}", f"{right[1]:.1%}"]) + " |", flush=True)
    return int(ratios["trec"] > MARK)


if __name__ == "__main__":
    sys.exit(main())
