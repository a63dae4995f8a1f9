"""Table 2 of the paper: its lines as published, and those without end model again, from the paper's detector votes.

    SHORTLIST_DATA=FOLDER python -m experiments.table2
    SHORTLIST_DATA=FOLDER python -m experiments.table2 --out experiments/results/table2.json

Everything is fitted on all rows without gold, which is read to score. LAD is accuracy, averaged over its splits (the
published figures are means over five splits, here are the three that the folder holds), AwA2 mean class accuracy on the
unseen classes. Rows whose class is not certain (some hairstyles) are not scored. Tied classes share the credit: that is
what breaking ties at random would give.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np

from benchmarks.kept import keep
from experiments import datasets
from shortlist import LabelModel, NearestClass
from shortlist.labelmodel import MajorityVote

SETS = {"A": "Animals", "F": "Fruit", "V": "Vehicles", "E": "Electronics", "H": "Hairstyles"}
COLUMNS = (*SETS.values(), "Average", "AwA2")
# AwA2: mean class accuracy on unseen classes. The paper's lines with an end model, and of other methods, also have one
# on seen classes, since they may answer with any class.
PUBLISHED = {
    "ConSE": (36.9, 29.8, 37.5, 28.3, 24.6, 31.4, 0.5),
    "ESZSL": (50.2, 37.2, 45.8, 32.8, 31.8, 39.6, 77.8),
    "SynC": (61.6, 51.4, 54.9, 43.0, 29.1, 48.0, 90.5),
    "VCL": (75.4, 35.0, 62.4, 36.7, 33.8, 48.7, 21.4),
    "QFSL": (None, None, None, None, None, None, 66.2),
    "WDVSc": (97.2, 43.3, 82.1, 54.8, 31.1, 61.7, 76.4),
    "NC, end model": (71.9, 36.2, 65.3, 48.0, 40.9, 52.5, 43.1),
    "NPLM, end model": (87.6, 42.4, 77.0, 57.7, 46.9, 62.3, 71.1),
    "NC (w/o End)": (65.8, 31.2, 60.3, 40.3, 39.1, 47.3, 47.7),
    "NPLM (w/o End)": (86.0, 38.7, 73.5, 51.8, 45.9, 59.2, 68.2),
}
MODELS = {
    "NearestClass()": NearestClass,
    "MajorityVote()": MajorityVote,
    "LabelModel.paper(), uniform balance": lambda: LabelModel.paper(balance="uniform"),
    "LabelModel, likelihood": lambda: LabelModel(estimator="likelihood"),
    "LabelModel()": LabelModel,
}


def votes_and_gold(name, home):
    """(Votes, gold positions (m,), −1 where unknown)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # detectors that do not divide the classes are left out: Table 2's too
        data = datasets.load(name, home)
    split = data["all"]
    return split.votes, data.space.positions(split.gold)


def score(beliefs, gold):
    """(accuracy, mean class accuracy) of beliefs (m, k); classes that tie share the credit."""
    known = gold >= 0
    best = beliefs[known] >= beliefs[known].max(axis=1, keepdims=True) - 1e-9
    credit = (best / best.sum(axis=1, keepdims=True))[np.arange(known.sum()), gold[known]]
    classes = np.unique(gold[known])
    return float(credit.mean()), float(np.mean([credit[gold[known] == j].mean() for j in classes]))


def believed(make, votes):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make().fit(votes).predict_proba(votes)


def run(home):
    """Every model on every set: model → set → (accuracy, mean class accuracy)."""
    names = [name for name in datasets.available(home) if name.startswith(("lad/", "awa2"))]
    found = {model: {} for model in MODELS}
    for name in names:
        votes, gold = votes_and_gold(name, home)
        for model, make in MODELS.items():
            found[model][name] = score(believed(make, votes), gold)
    return found


def line(found):
    """The seven columns of one model, in per cent."""
    groups = [[both[0] for name, both in found.items() if name.startswith(f"lad/{letter}")] for letter in SETS]
    lad = [float(np.mean(group)) if group else float("nan") for group in groups]
    awa2 = [both[1] for name, both in found.items() if name.startswith("awa2")]
    return [100 * value for value in (*lad, float(np.mean(lad)), float(np.mean(awa2)) if awa2 else float("nan"))]


def table(found):
    lines = [f"{'':36}" + "".join(f"{column:>12}" for column in COLUMNS)]
    rows = {
        **{f"{name}, published": values for name, values in PUBLISHED.items()},
        **{model: line(scores) for model, scores in found.items()},
    }
    for name, values in rows.items():
        lines.append(f"{name:36}" + "".join(f"{'–' if value is None else f'{value:.1f}':>12}" for value in values))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data-home", help="default: SHORTLIST_DATA")
    parser.add_argument("--out", help="keep the figures of every split in this JSON file")
    arguments = parser.parse_args()
    found = run(arguments.data_home)
    print(table(found))
    if arguments.out:
        lines = {model: [round(value, 3) for value in line(scores)] for model, scores in found.items()}
        keep(
            Path(arguments.out), ["label model", "paper"], {"columns": COLUMNS, "published": PUBLISHED, "lines": lines}
        )


if __name__ == "__main__":
    main()
