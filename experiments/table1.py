"""Table 1 of the paper, without end models (a minute on one core), and with them: an encoder fine-tuned on beliefs.

    SHORTLIST_DATA=FOLDER python -m experiments.table1 --votes                 the lines without end model
    python -m experiments.tasks --data-home ../shared/data --to .gpu          once
    python -m experiments.table1 --package .gpu --device cuda --workers 8

Methods: "supervised" (the dev rows with gold labels), "lfs" (labelers that name one class, fitted), "nc" (nearest
class), "paper" (LabelModel.paper()), "ours" (LabelModel()), "nplm" and its variants (the paper's family), "ceiling"
(gold labels on all training rows) and "ceiling-covered". Each is scored on the test rows with and without the end
model, over seeds.

Every finished run is added to the results file at once, and runs that are in it are not repeated: after a kill, or for
more seeds or methods, give the same command again.
"""

import argparse
import json
import multiprocessing
import os
import shlex
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.kept import keep
from experiments.recipes import RECIPES
from experiments.tasks import NAMES, Task, make_task
from shortlist.classifier import TransformerClassifier
from shortlist.classifier.evaluation import Estimate, score

METHODS = ("supervised", "lfs", "nc", "paper", "ours")
VOTES = "experiments/results/table1-votes.json"
# The paper's Table 1: accuracy and macro F1 with the end model (BERT-base, five seeds), and without it.
PAPER = {
    "trec": {
        "supervised": ("88.3 ± 1.6 / 76.2 ± 2.0", ""),
        "lfs": ("67.2 ± 0.9 / 69.3 ± 1.0", "22.0 / 23.8"),
        "nc": ("67.8 ± 1.5 / 56.5 ± 0.3", "29.6 / 32.6"),
        "nplm": ("85.0 ± 0.8 / 85.7 ± 0.7", "38.2 / 43.0"),
    },
    "scicite": {
        "supervised": ("78.5 ± 1.1 / 75.5 ± 1.5", ""),
        "lfs": ("78.6 ± 0.7 / 76.7 ± 0.8", "65.1 / 44.7"),
        "nc": ("80.2 ± 0.6 / 77.7 ± 0.6", "73.2 / 69.2"),
        "nplm": ("81.4 ± 1.3 / 79.5 ± 1.3", "71.5 / 69.4"),
    },
    "agnews": {
        "supervised": ("80.1 ± 1.7 / 79.9 ± 1.9", ""),
        "lfs": ("79.8 ± 0.9 / 79.6 ± 0.8", "33.0 / 25.1"),
        "nc": ("78.0 ± 1.0 / 77.2 ± 1.0", "46.1 / 43.5"),
        "nplm": ("85.0 ± 0.5 / 84.7 ± 0.5", "51.1 / 49.4"),
    },
}
PUBLISHED_TASKS = ("scicite", "trec", "agnews")
PAPER["scicite-titled"] = PAPER["scicite"]  # its classifier did not read the section title


def lessons(task, method):
    """(texts, targets, covered): what the end model is trained on."""
    if method == "supervised":
        return task.texts["dev"], task.gold["dev"], None
    if method == "ceiling":
        return task.texts["train"], task.gold["train"], None
    if method == "ceiling-covered":
        rows = np.flatnonzero(task.covered["ours", "train"])
        return [task.texts["train"][a] for a in rows], task.gold["train"][rows], None
    return task.texts["train"], task.beliefs[method, "train"], task.covered[method, "train"]


def run(job):
    """Train one end model and score it: a plain dict."""
    task = Task.load(job["package"], job["task"])
    texts, targets, covered = lessons(task, job["method"])
    if job["rows"]:  # a few, for tests
        texts, targets = texts[: job["rows"]], targets[: job["rows"]]
        covered = None if covered is None else covered[: job["rows"]]
        task.texts = {split: some[: job["rows"]] for split, some in task.texts.items()}
        task.gold = {split: some[: job["rows"]] for split, some in task.gold.items()}
    chosen = RECIPES[job["recipe"]] | {"seed": job["seed"], "device": job["device"]}
    model = TransformerClassifier(Path(job["package"]) / "encoder", **chosen)
    start = time.perf_counter()
    k = len(task.classes)
    model.fit(texts, targets, covered=covered, classes=range(k))
    seconds = time.perf_counter() - start
    scores = {split: score(task.gold[split], model.predict(task.texts[split]), k) for split in ("dev", "test")}
    found = {key: job[key] for key in ("task", "method", "recipe", "seed", "device")}
    found["share"] = 0.0 if model.words_ is None else round(model.words_.share, 3)
    if (job["method"], "test") in task.beliefs and not job["rows"]:
        found["by_votes"] = without_end_model(task, job["method"])  # shows later which label model it was taught by
    return found | scores | {"seconds": round(seconds, 1), "history": np.round(model.history_, 4).tolist()}


def without_end_model(task, method):
    """The label model's own predictions on the test rows."""
    guess = task.beliefs[method, "test"].argmax(axis=1)
    return score(task.gold["test"], guess, len(task.classes))


class Results:
    """The results file: every command that added to it, and one record a run."""

    def __init__(self, path):
        self.path = Path(path)
        kept = json.loads(self.path.read_text()) if self.path.exists() else {"commands": [], "runs": []}
        self.commands = kept["commands"] if "commands" in kept else [kept["command"]]  # older files have one
        self.runs = kept["runs"]

    def __contains__(self, job):
        return any(all(run[key] == job[key] for key in ("task", "method", "recipe", "seed")) for run in self.runs)

    def add(self, run):
        command = "python -m experiments.table1 " + shlex.join(sys.argv[1:])
        self.commands += [command] if command not in self.commands else []
        self.runs.append(run)
        text = json.dumps({"commands": self.commands, "runs": self.runs}).replace('{"task"', '\n{"task"')
        draft = self.path.with_suffix(".tmp")
        draft.write_text(text + "\n")
        os.replace(draft, self.path)


def shown(scores):
    """Accuracy / macro F1 over seeds."""
    return " / ".join(str(Estimate.of([one[metric] for one in scores])) for metric in ("accuracy", "macro_f1"))


def table(runs, tasks, split="test"):
    """One line a task, method and recipe: ours with and without end model, the paper's beside them."""
    lines = [f"{'task':8} {'method':17} {'recipe':24} n  {'ours, acc / F1':25} {'without':13} {'paper':25} without"]
    for name in sorted({run["task"] for run in runs}, key=NAMES.index):
        groups = {}
        for run in runs:
            if run["task"] == name:
                groups.setdefault((run["method"], run["recipe"]), []).append(run[split])
        for (method, recipe), scores in groups.items():
            alone = shown([without_end_model(tasks[name], method)]) if (method, "test") in tasks[name].beliefs else ""
            paper = PAPER[name].get("nplm" if method.startswith(("nplm", "ours", "paper")) else method, ("", ""))
            ours = f"{name:8} {method:17} {recipe:24} {len(scores)}  {shown(scores):25} {alone:13}"
            lines.append(f"{ours} {paper[0]:25} {paper[1]}".rstrip())
    return "\n".join(lines)


def mean_over_tasks(runs, split):
    """Recipes by their mean of accuracy and macro F1 over tasks, best first: what a recipe is chosen by (on dev)."""
    groups = {}
    for run in runs:
        both = (run[split]["accuracy"] + run[split]["macro_f1"]) / 2
        groups.setdefault((run["method"], run["recipe"]), {}).setdefault(run["task"], []).append(both)
    means = {key: np.mean([np.mean(of) for of in tasks.values()]) for key, tasks in groups.items()}
    ranked = sorted(means, key=means.get, reverse=True)
    return "\n".join(f"{100 * means[key]:5.1f}  {len(groups[key])} tasks  {' '.join(key)}" for key in ranked)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--package", default=".gpu", help="the folder that experiments.tasks wrote (default: .gpu)")
    parser.add_argument("--tasks", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--recipes", nargs="+", choices=list(RECIPES), default=["teach-words"])
    parser.add_argument("--seeds", type=int, default=5, help="seeds 0 … n − 1")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--workers", type=int, default=1, help="trainings at a time, each in a process of its own")
    parser.add_argument("--out", default="experiments/results/table1.json")
    parser.add_argument("--minutes", type=float, default=1e9, help="start nothing new after so many")
    parser.add_argument("--votes", action="store_true", help=f"the lines without end model, which {VOTES} keeps")
    parser.add_argument("--smoke", action="store_true", help="a few rows and steps, to see that it runs")
    return parser.parse_args()


def jobs(arguments, results):
    """Every run that is wanted and not yet there, in an order that finishes all tasks of a recipe together."""
    recipes = ["smoke"] if arguments.smoke else arguments.recipes
    common = {"package": arguments.package, "device": arguments.device, "rows": 60 if arguments.smoke else None}
    wanted = [
        {"task": task, "method": method, "recipe": recipe, "seed": seed, **common}
        for seed in range(1 if arguments.smoke else arguments.seeds)
        for recipe in recipes
        for method in arguments.methods
        for task in arguments.tasks
    ]
    return [job for job in wanted if job not in results]


def run_until(job_and_deadline):
    """A worker's turn: the run, or None when the time is up."""
    job, deadline = job_and_deadline
    return run(job) if time.time() < deadline else None


def by_votes():
    """Print and keep the lines without end model: accuracy and macro F1 of what each label model says of test rows."""
    methods = [method for method in METHODS if method != "supervised"]
    found = {}
    for name in PUBLISHED_TASKS:
        task = make_task(name, methods=methods)
        for method in methods:
            scores = without_end_model(task, method)
            found.setdefault(method, {})[name] = [round(100 * scores[metric], 2) for metric in ("accuracy", "macro_f1")]
    published = {name: PAPER[name] for name in PUBLISHED_TASKS}
    keep(Path(VOTES), ["label model", "paper"], {"published": published, "lines": found})
    for method, scores in found.items():
        cells = (f"{accuracy:5.1f} / {f1:4.1f}" for accuracy, f1 in scores.values())
        print(f"{method:10}" + "   ".join(f"{name} {cell}" for name, cell in zip(scores, cells, strict=True)))


def main():
    arguments = parse()
    if arguments.votes:
        by_votes()
        return
    results = Results(arguments.out)
    deadline = time.time() + 60 * arguments.minutes
    turns = [(job, deadline) for job in jobs(arguments, results)]
    if arguments.workers > 1:
        with multiprocessing.get_context("spawn").Pool(arguments.workers) as pool:
            for found in pool.imap_unordered(run_until, turns):
                note(results, found)
    else:
        for turn in turns:
            note(results, run_until(turn))
    tasks = {name: Task.load(arguments.package, name) for name in NAMES if name in {r["task"] for r in results.runs}}
    print(table(results.runs, tasks))
    print("\nmean of accuracy and macro F1 over tasks, dev rows\n" + mean_over_tasks(results.runs, "dev"))
    print("\nthe same, test rows\n" + mean_over_tasks(results.runs, "test"))


def note(results, found):
    if found is not None:
        results.add(found)
        both = " / ".join(f"{100 * found['test'][metric]:.1f}" for metric in ("accuracy", "macro_f1"))
        print(*(found[key] for key in ("task", "method", "recipe", "seed", "seconds")), both, flush=True)


if __name__ == "__main__":
    main()
