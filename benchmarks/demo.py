"""The demo's articles by every label model that was scored on them: the table of docs/tutorials/demo.md.

    python benchmarks/demo.py        # pip install '.[demo]'

Percent right on the 571 test articles, by votes alone and by a classifier that learned from the beliefs. NLL is the
mean of -log P(topic) by votes alone. All is deterministic, and gold topics score only. Writes
benchmarks/results/demo.json.
"""

from __future__ import annotations

import warnings

import numpy as np
from kept import ROOT, keep

from shortlist import LabelModel, MajorityVote, NearestClass, apply
from shortlist.demo.articles import read_articles
from shortlist.demo.job import fit_joint, train_reader
from shortlist.demo.labelers import CLASSES, LABELERS
from shortlist.labelmodel import Likelihood

SHORT = ("counting (nearest class)", "counting (1/size each)", "`LabelModel()`")  # in docs/results.md
MODELS = {
    "counting (nearest class)": NearestClass(),
    "counting (1/size each)": MajorityVote(),
    "`LabelModel()`": LabelModel(),
    '`LabelModel(estimator="likelihood")`': LabelModel(estimator="likelihood"),
    '`LabelModel(estimator=Likelihood(propensity="class"))`': LabelModel(estimator=Likelihood(propensity="class")),
    '`LabelModel(estimator="likelihood", balance="learn")`': LabelModel(estimator="likelihood", balance="learn"),
    '`LabelModel(estimator=Likelihood(propensity="class"), balance="learn")`': LabelModel(
        estimator=Likelihood(propensity="class"), balance="learn"
    ),
    '`LabelModel(estimator=Likelihood(accuracy="labeler"))`': LabelModel(estimator=Likelihood(accuracy="labeler")),
    "`LabelModel.paper()`": LabelModel.paper(),
}


def main() -> None:
    warnings.simplefilter("ignore")
    articles = read_articles()
    train, test = [[a for a in articles if a.test == side] for side in (False, True)]
    rows, unseen = [[a.row() for a in some] for some in (train, test)]
    votes, new = [apply(LABELERS, some, space=CLASSES, progress=False) for some in (rows, unseen)]
    gold = [a.topic for a in test]
    places = np.arange(len(gold)), [CLASSES.index(topic) for topic in gold]
    lines = []
    for name, model in MODELS.items():
        beliefs = model.fit(votes).predict_proba(votes)
        right = train_reader(rows, beliefs).score(unseen, gold)
        nll = -np.log(np.maximum(model.predict_proba(new)[places], 1e-12)).mean()
        scores = {"votes": 100 * model.score(new, gold), "classifier": 100 * right, "nll": nll}
        lines.append({"name": name, "short": name in SHORT, **{key: round(float(v), 3) for key, v in scores.items()}})
        print(lines[-1], flush=True)
    joint = fit_joint(votes, rows)
    both = joint.predict_proba(unseen, new)
    right = 100 * np.mean(joint.predict(unseen, new) == gold), 100 * joint.classifier_.score(unseen, gold)
    nll = -np.log(np.maximum(both[places], 1e-12)).mean()
    scores = {"votes": right[0], "classifier": right[1], "nll": nll}
    name = "`JointModel()`, votes and text"
    lines.append({"name": name, "short": True, **{key: round(float(v), 3) for key, v in scores.items()}})
    keep(ROOT / "benchmarks" / "results" / "demo.json", ["label model", "classifier", "joint"], {"rows": lines})


if __name__ == "__main__":
    main()
