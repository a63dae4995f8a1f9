"""The default text classifier on the three tasks of Table 1: no encoder, no GPU, one command.

    python -m experiments.linear --package .gpu

It is deterministic, so there is one run a task and method. Results go to experiments/results/linear.json.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from experiments.table1 import lessons
from experiments.tasks import NAMES, Task
from shortlist.classifier import NoiseAwareClassifier
from shortlist.classifier.evaluation import score


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--package", default=".gpu", help="the folder that experiments.tasks wrote (default: .gpu)")
    parser.add_argument(
        "--methods", nargs="+", default=["supervised", "nc", "mv", "ours", "nplm", "nplm-class-learn", "ceiling"]
    )
    parser.add_argument("--out", type=Path, default=Path("experiments/results/linear.json"))
    arguments = parser.parse_args()
    runs = []
    for name in NAMES:
        task = Task.load(arguments.package, name)
        for method in arguments.methods:
            texts, targets, covered = lessons(task, method)
            model = NoiseAwareClassifier().fit(texts, targets, covered=covered, classes=range(len(task.classes)))
            guess = model.predict(task.texts["test"]).astype(np.int64)
            runs.append({"task": name, "method": method} | score(task.gold["test"], guess, len(task.classes)))
            print(name, method, " / ".join(f"{100 * runs[-1][m]:.1f}" for m in ("accuracy", "macro_f1")), flush=True)
    command = f"python -m experiments.linear --methods {' '.join(arguments.methods)}"
    arguments.out.write_text(json.dumps({"command": command, "runs": runs}, indent=1) + "\n")


if __name__ == "__main__":
    main()
