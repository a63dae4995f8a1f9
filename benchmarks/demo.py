"""The demo's articles by every label model that was scored on them: the table of docs/tutorials/demo.md.

    python benchmarks/demo.py        # pip install '.[demo]'

Percent right on the 571 test articles, by votes alone and by a classifier that learned from the beliefs, once for each
power that these are raised to (`sharpen`; 2 is the default). NLL is the mean of -log P(topic) by votes alone. All is
deterministic, and gold topics score only.
"""

from __future__ import annotations

import warnings

import numpy as np

from shortlist import LabelModel, MajorityVote, NearestClass, apply
from shortlist.demo.articles import read_articles
from shortlist.demo.job import train_reader
from shortlist.demo.labelers import CLASSES, LABELERS
from shortlist.labelmodel import Likelihood

POWERS = (1, 2, 3)
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
    print("| learned from | votes alone |", *(f"classifier, `sharpen={p}` |" for p in POWERS), "NLL |")
    print("|---|" + "---:|" * (len(POWERS) + 2))
    for name, model in MODELS.items():
        beliefs = model.fit(votes).predict_proba(votes)
        right = [train_reader(rows, beliefs, sharpen=p).score(unseen, gold) for p in POWERS]
        nll = -np.log(np.maximum(model.predict_proba(new)[places], 1e-12)).mean()
        cells = [f"{100 * share:.1f}" for share in (model.score(new, gold), *right)]
        print(f"| {name} |", *(f"{cell} |" for cell in cells), f"{nll:.2f} |", flush=True)


if __name__ == "__main__":
    main()
