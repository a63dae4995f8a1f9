"""How right, and how well calibrated: every label model on every data set of a folder, in one table.

    make accuracy                                            # the folder that SHORTLIST_DATA names
    python benchmarks/accuracy.py --data-home FOLDER         # any folder in the same formats
    python benchmarks/accuracy.py lad crowd/dog              # some of the sets
    python benchmarks/accuracy.py --before OTHER/src         # and the default of another version beside it
    python benchmarks/accuracy.py --methods "LabelModel()" "majority vote"

Everything is fitted without gold, which is read to score and for nothing else.

- Attribute detectors (awa2, lad/…), crowd answers, people who shortlist, label matrices (published/…): fitted on all
  rows and scored on all rows with gold.
- WRENCH folders: fitted on the training rows, scored on the test rows.
- Text sets: the paper's labelers (`experiments/`). TREC and SciCite are fitted on the training rows and scored on the
  test rows; AG-News is fitted on dev and test rows, the only ones with the columns its rules read, scored on test.
  A text set that `experiments/` has no labelers for is left out, and the table says so.

Peers take part where they are installed: Snorkel's LabelModel, crowd-kit's Dawid–Skene and GLAD. They know single
classes only, so they sit out where some shortlist that was voted holds several.

Columns: accuracy, macro F1 and mean class accuracy on all scored rows, accuracy on covered rows (some labeler voted);
negative log-likelihood and expected calibration error (15 bins) on covered rows; seconds to fit. Tied classes share the
credit: that is what breaking ties at random would give.

Below: covered accuracy / NLL by family of sets (text rules, WRENCH, detectors, crowds, people), means of the sets of a
family, and the mean over families. A method that cannot read some set of a family has no figure there. The exit code is
1 where the default is more than two points below majority vote on a set, its NLL is above log k, or it is more than a
point below the other version.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent))  # experiments/ lies beside benchmarks/

from families import TOLERATED, Task, by_family, family
from kept import keep, table

from experiments import datasets
from experiments.votes import MODULES
from shortlist import LabelModel, MajorityVote, NearestClass, Votes, apply
from shortlist.errors import BadVotes, ShortlistError

FITTED_ON = {"agnews": ("dev", "test")}  # else train, where there is such a split
BINS = 15
DEFAULT, BEFORE, COUNTING = "LabelModel()", "LabelModel() before", "majority vote"
FALLEN = 1.0  # points below another version


@dataclass(frozen=True)
class Scores:
    accuracy: float
    macro_f1: float
    class_accuracy: float
    covered_accuracy: float
    nll: float
    ece: float
    seconds: float


# -- the data sets ------------------------------------------------------------------------------------------


def tasks(home: str | None, wanted: list[str]) -> Iterator[Task]:
    for name in datasets.available(home):
        if wanted and not any(name == word or name.startswith(f"{word}/") for word in wanted):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = datasets.load(name, home)
        task = as_task(data)
        if task is None:
            print(f"{name}: rows without votes, and no labelers for them in experiments/", file=sys.stderr)
        else:
            yield task


def as_task(data: datasets.Dataset) -> Task | None:
    votes = votes_of(data)
    if not votes:
        return None
    scored = "test" if "test" in votes else next(iter(votes))
    fitted = [s for s in FITTED_ON.get(data.name, ("train",)) if s in votes] or list(votes)
    together = votes[scored] if fitted == [scored] else Votes.concat([votes[split] for split in fitted])
    return Task(data.name, together, votes[scored], data.space.positions(data[scored].gold))


def votes_of(data: datasets.Dataset) -> dict[str, Votes]:
    """The votes of each split: as they are in the set, or of the paper's labelers on its rows."""
    if all(split.votes is not None for split in data.splits.values()):
        return {name: split.votes for name, split in data.splits.items()}
    if data.name not in MODULES:
        return {}
    module = MODULES[data.name]
    usable = FITTED_ON.get(data.name, ("train", "test"))
    return {name: apply(module.labelers, data[name].rows, space=module.SPACE, progress=False) for name in usable}


# -- the label models: each gives beliefs (m, k) about the scored rows ---------------------------------------


def ours(model: LabelModel | NearestClass | MajorityVote) -> Callable[[Task], np.ndarray]:
    def beliefs(task: Task) -> np.ndarray:
        return model.fit(task.fit).predict_proba(task.score)

    return beliefs


def snorkel(task: Task) -> np.ndarray:
    from snorkel.labeling.model import LabelModel as Snorkel

    L = task.fit.to_snorkel()
    model = Snorkel(cardinality=len(task.fit.space), verbose=False)
    model.fit(L, seed=0, progress_bar=False)
    return model.predict_proba(task.score.to_snorkel())


def crowdkit(name: str) -> Callable[[Task], np.ndarray]:
    def beliefs(task: Task) -> np.ndarray:
        import crowdkit.aggregation as crowd
        import pandas as pd

        L = task.fit.to_snorkel()
        if task.fit is not task.score:  # it labels the rows it is fitted on, so the scored rows go along
            L = np.concatenate([L, task.score.to_snorkel()])
        rows, workers = np.nonzero(L >= 0)
        answers = pd.DataFrame({"task": rows, "worker": workers, "label": L[rows, workers]})
        probabilities = getattr(crowd, name)().fit_predict_proba(answers)
        k = len(task.fit.space)
        whole = probabilities.reindex(index=range(len(L)), columns=range(k)).fillna(0).to_numpy(copy=True)
        whole[whole.sum(axis=1) == 0] = 1 / k
        return whole[-len(task.score) :]

    return beliefs


FIT_AND_PREDICT = """
import sys, warnings
import numpy as np
from shortlist import LabelModel, Votes
warnings.simplefilter("ignore")
fit, score, beliefs = sys.argv[1:]
np.save(beliefs, LabelModel().fit(Votes.load(fit)).predict_proba(Votes.load(score)))
"""


def another(source: str) -> Callable[[Task], np.ndarray]:
    """The default of another version of shortlist, in a process of its own. Votes travel as files."""

    def beliefs(task: Task) -> np.ndarray:
        with tempfile.TemporaryDirectory() as folder:
            files = [str(Path(folder) / name) for name in ("fit.npz", "score.npz", "beliefs.npy")]
            for votes, file in zip((task.fit, task.score), files, strict=False):
                votes.save(file)
            environment = {**os.environ, "PYTHONPATH": str(Path(source).resolve())}
            subprocess.run([sys.executable, "-c", FIT_AND_PREDICT, *files], env=environment, cwd=folder, check=True)
            return np.load(files[-1])

    return beliefs


def methods(before: str | None = None) -> dict[str, Callable[[Task], np.ndarray]]:
    found: dict[str, Callable[[Task], np.ndarray]] = {
        "nearest class": ours(NearestClass()),
        "majority vote": ours(MajorityVote()),
        "LabelModel.paper()": ours(LabelModel.paper()),
        "likelihood": ours(LabelModel(estimator="likelihood")),
        DEFAULT: ours(LabelModel()),
    }
    if before:
        found[BEFORE] = another(before)
    if importlib.util.find_spec("snorkel"):
        found["Snorkel"] = snorkel
    if importlib.util.find_spec("crowdkit"):
        found["crowd-kit DS"] = crowdkit("DawidSkene")
        found["crowd-kit GLAD"] = crowdkit("GLAD")
    return found


# -- scores -------------------------------------------------------------------------------------------------


def run(method: Callable[[Task], np.ndarray], task: Task) -> Scores | None:
    """The scores of a method, or None where it cannot say what these labelers say."""
    began = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            beliefs = np.asarray(method(task), np.float64)
    except BadVotes:
        return None
    return scores(beliefs, task, time.perf_counter() - began)


def scores(beliefs: np.ndarray, task: Task, seconds: float) -> Scores:
    known = task.gold >= 0
    beliefs, gold, covered = beliefs[known], task.gold[known], task.score.covered[known]
    top = beliefs >= beliefs.max(axis=1, keepdims=True) - 1e-9
    top = top / top.sum(axis=1, keepdims=True)  # tied classes share the credit: what breaking ties at random would give
    right = top[np.arange(len(gold)), gold]
    k = beliefs.shape[1]
    hits, actual = np.bincount(gold, right, k), np.bincount(gold, minlength=k)
    f1 = 2 * hits / np.maximum(actual + top.sum(axis=0), 1e-9)
    truth = np.clip(beliefs[np.arange(len(gold)), gold], 1e-12, 1)
    return Scores(
        accuracy=100 * right.mean(),
        macro_f1=100 * f1[actual > 0].mean(),
        class_accuracy=100 * (hits / np.maximum(actual, 1))[actual > 0].mean(),
        covered_accuracy=100 * right[covered].mean(),
        nll=float(-np.log(truth[covered]).mean()),
        ece=calibration_error(beliefs[covered].max(axis=1), right[covered]),
        seconds=seconds,
    )


def calibration_error(belief: np.ndarray, right: np.ndarray) -> float:
    """The distance between mean belief and share right in each of 15 bins of belief, averaged over rows."""
    bins = np.minimum((belief * BINS).astype(int), BINS - 1)
    gaps = np.bincount(bins, belief - right, BINS)
    return float(np.abs(gaps).sum() / max(len(belief), 1))


# -- the table ----------------------------------------------------------------------------------------------

HEADS = ("accuracy", "macro F1", "class acc", "covered", "NLL", "ECE", "seconds")


def show(name: str, method: str, found: Scores | None) -> None:
    cells = ["–"] * len(HEADS)
    if found is not None:
        values = list(asdict(found).values())
        cells = [f"{v:.1f}" for v in values[:4]] + [f"{v:.2f}" for v in values[4:6]] + [f"{values[6]:.2f}"]
    print(f"{name:<26} {method:<20}" + "".join(f"{cell:>10}" for cell in cells), flush=True)


def lad_means(results: dict[str, dict[str, Scores | None]]) -> None:
    """The mean over the super-classes of LAD, as the paper reports it."""
    lad = {name: rows for name, rows in results.items() if name.startswith("lad/")}
    for method in next(iter(lad.values()), {}):
        found = [rows[method] for rows in lad.values() if rows[method] is not None]
        groups: dict[str, list[Scores]] = {}
        for name, rows in lad.items():
            if rows[method] is not None:
                groups.setdefault(name[4:5], []).append(rows[method])
        if found:
            values = [np.mean([[*asdict(s).values()] for s in group], axis=0) for group in groups.values()]
            show("lad mean", method, Scores(*np.mean(values, axis=0)))


def families(results: dict[str, dict[str, Scores | None]]) -> list[dict[str, object]]:
    """For each method, covered accuracy / NLL by family of sets, and the mean over families; None where it sat out."""
    sizes = Counter(family(name) for name in results)
    lines: list[dict[str, object]] = []
    for method in next(iter(results.values()), {}):
        pairs = {
            name: s and np.array([s.covered_accuracy, s.nll])
            for name, s in ((n, r[method]) for n, r in results.items())
        }
        means = by_family(pairs)
        whole = None if any(mean is None for mean in means.values()) else np.mean(list(means.values()), axis=0)
        heads = [*(f"{name} ({sizes[name]})" for name in means), "mean"]
        cells = [None if mean is None else f"{mean[0]:.1f} / {mean[1]:.2f}" for mean in [*means.values(), whole]]
        lines.append({"method": method, "means": dict(zip(heads, cells, strict=True))})
    return lines


def family_means(results: dict[str, dict[str, Scores | None]]) -> None:
    lines = families(results)
    heads = list(lines[0]["means"]) if lines else []
    print(
        "\n"
        + table(["", *heads], [[line["method"], *(line["means"][head] or "–" for head in heads)] for line in lines])
    )


def rounded(scores: Scores) -> dict[str, float]:
    return {name: round(value, 3) for name, value in asdict(scores).items()}


def failures(results: dict[str, dict[str, Scores | None]], classes: dict[str, int]) -> list[str]:
    """Sets on which the default is far below counting votes, surer than it should be, or worse than before."""
    found = []
    for name, rows in results.items():
        default, counting = rows.get(DEFAULT), rows.get(COUNTING)
        if default and counting and default.covered_accuracy < counting.covered_accuracy - TOLERATED:
            gap = default.covered_accuracy - counting.covered_accuracy
            found.append(f"{name}: {gap:+.1f} points against majority vote")
        if default and default.nll > np.log(classes[name]):
            found.append(f"{name}: NLL {default.nll:.2f} is above log k = {np.log(classes[name]):.2f}")
        before = rows.get(BEFORE)
        if default and before and default.covered_accuracy < before.covered_accuracy - FALLEN:
            found.append(f"{name}: {default.covered_accuracy - before.covered_accuracy:+.1f} points against before")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help="names of sets, or folders of sets; all by default")
    parser.add_argument("--data-home", help="the folder of data sets (default: SHORTLIST_DATA)")
    parser.add_argument("--methods", nargs="+", help="some of the label models; all by default")
    parser.add_argument("--before", metavar="SOURCE", help="the source folder of another version, to compare with")
    parser.add_argument("--json", help="write the figures to this file as well")
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    chosen = {name: how for name, how in methods(given.before).items() if not given.methods or name in given.methods}
    results: dict[str, dict[str, Scores | None]] = {}
    classes: dict[str, int] = {}
    print(f"{'set':<26} {'label model':<20}" + "".join(f"{head:>10}" for head in HEADS))
    try:
        for task in tasks(given.data_home, given.sets):
            results[task.name], classes[task.name] = {}, len(task.fit.space)
            for name, method in chosen.items():
                results[task.name][name] = run(method, task)
                show(task.name, name, results[task.name][name])
    except ShortlistError as error:
        sys.exit(str(error))
    lad_means(results)
    family_means(results)
    wrong = failures(results, classes)
    print("\n" + ("\n".join(wrong) or "No set is far below majority vote, above log k, or below another version."))
    if given.json:
        plain = {t: {m: s and rounded(s) for m, s in rows.items()} for t, rows in results.items()}
        keep(Path(given.json), ["label model", "paper"], {"families": families(results), "results": plain})
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
