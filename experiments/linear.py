"""The default text classifier on the three tasks of Table 1, and what it was chosen from: no encoder, no GPU.

    python -m experiments.linear
    python -m experiments.linear --recipes default words wordllama default-wordllama    # needs wordllama
    python -m experiments.linear --recipes sharpen-1 sharpen-1.5 default sharpen-3 sharpen-5 --methods ours mv

A recipe is a way to read texts, a C of the linear model and a power of the beliefs (`sharpen`). All is deterministic:
one run a task, method and recipe. Recipes are ranked on rows that are not learned from: the dev rows, and the training
rows without a vote ("rest", none in SciCite). Runs that are in the file given with --out are not repeated: delete it
when the label model has changed.
"""

import argparse
import itertools
import json
import shlex
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_union

from experiments.table1 import lessons, mean_over_tasks
from experiments.tasks import NAMES, Task
from experiments.tokens import TokenMeans
from shortlist.classifier import NoiseAwareClassifier, SoftLogisticRegression, TextFeatures
from shortlist.classifier.evaluation import score

METHODS = ("supervised", "nc", "mv", "ours", "nplm", "nplm-class-learn", "ceiling")
FEATURES = {
    "default": TextFeatures,
    "words": lambda: TextFeatures(characters=None),
    "characters": lambda: TextFeatures(words=None),
    "plain-counts": lambda: make_union(
        TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"\b\w+\b|[^\w\s]", max_features=100_000),
        TfidfVectorizer(ngram_range=(2, 4), analyzer="char_wb", max_features=100_000),
    ),  # the default without the logarithm of counts
    "wordllama": TokenMeans,
    "default-wordllama": lambda: make_union(TextFeatures(), TokenMeans()),
}
RECIPES = {
    f"{name}{end}": (name, C, 2.0) for name in FEATURES for end, C in {"": 1.0, "-C0.3": 0.3, "-C3": 3.0}.items()
}
RECIPES |= {f"sharpen-{power:g}": ("default", 1.0, power) for power in (1.0, 1.5, 3.0, 5.0)}


class Reader:
    """A task's texts as features, read once for the recipes and methods that share them."""

    def __init__(self, task):
        self.task = task
        self.read = lru_cache(maxsize=3)(self._read)  # of covered, dev and all training rows

    def _read(self, name, learned, rest):
        features = FEATURES[name]()
        X = features.fit_transform(learned)
        others = {"dev": self.task.texts["dev"], "rest": rest, "test": self.task.texts["test"]}
        return X, {split: features.transform(texts) for split, texts in others.items() if len(texts)}

    def run(self, method, recipe):
        """Learn from what the method says about its rows, score on rows it does not learn from: a plain dict."""
        (name, C, sharpen), k = RECIPES[recipe], len(self.task.classes)
        texts, targets, covered = lessons(self.task, method)
        rows = np.ones(len(texts), bool) if covered is None else covered
        learned, rest = (tuple(itertools.compress(texts, some)) for some in (rows, ~rows))
        X, others = self.read(name, learned, rest)
        model = NoiseAwareClassifier(SoftLogisticRegression(C), uncovered="keep", sharpen=sharpen).fit(
            X, targets[rows], classes=range(k)
        )
        gold = self.task.gold | ({"rest": self.task.gold["train"][~rows]} if rest else {})
        unseen = [split for split in others if (method, split) != ("supervised", "dev")]
        scores = {split: score(gold[split], model.predict(others[split]).astype(np.int64), k) for split in unseen}
        return {"task": self.task.name, "method": method, "recipe": recipe} | scores


class Results:
    """Runs in a file, with every command that added to them."""

    def __init__(self, path):
        self.path = path
        kept = json.loads(path.read_text()) if path.exists() else {"commands": [], "runs": []}
        self.commands, self.runs = kept["commands"], kept["runs"]

    def __contains__(self, key):
        return any((run["task"], run["method"], run["recipe"]) == key for run in self.runs)

    def add(self, run):
        command = shlex.join(["python", "-m", "experiments.linear", *sys.argv[1:]])
        self.commands += [command] if command not in self.commands else []
        self.runs.append(run)
        text = json.dumps({"commands": self.commands, "runs": self.runs}).replace('{"task"', '\n{"task"')
        self.path.write_text(text + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--package", default=".gpu", help="the folder that experiments.tasks wrote (default: .gpu)")
    parser.add_argument("--tasks", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--recipes", nargs="+", choices=list(RECIPES), default=["default"])
    parser.add_argument("--out", type=Path, default=Path("experiments/results/linear.json"))
    arguments = parser.parse_args()
    results = Results(arguments.out)
    for name in arguments.tasks:
        reader = Reader(Task.load(arguments.package, name))
        for recipe, method in itertools.product(arguments.recipes, arguments.methods):
            if (name, method, recipe) not in results:
                run = reader.run(method, recipe)
                results.add(run)
                both = " / ".join(f"{100 * run['test'][m]:.1f}" for m in ("accuracy", "macro_f1"))
                print(name, method, recipe, both, flush=True)
    for split in ("dev", "rest", "test"):
        print(f"\nmean of accuracy and macro F1 over tasks, {split} rows")
        print(mean_over_tasks([run for run in results.runs if split in run], split))


if __name__ == "__main__":
    main()
