"""Peers, side by side: our label models and those of other packages on the same votes, accuracy to seconds.

    make peers                                   # all; the peers live in an environment of their own, .venv-peers
    python benchmarks/peers.py --ours            # our lines only, in the usual environment; the others are kept

Votes for single classes only, since no peer reads shortlists. Everything is fitted without gold, on the rows that
`accuracy.py` fits, and scored on its rows with a vote: accuracy, negative log-likelihood, expected calibration error in
points (15 bins), seconds to fit and to answer, on one thread. Each run is a process of its own, with a limit.

End models, on two sets with texts: a classifier like one of WRENCH's (logistic regression on tf-idf of words, soft
labels, rows with a vote), taught by the beliefs of each about the training rows: how many of all test rows it gets
right. `JointModel()` is the classifier that our users take home: it learns from votes and texts at once.

Options are the peers' defaults. BWA has no package: it is written here as its paper describes it (Li, Rubinstein and
Cohn, WWW 2019), and was not checked against the authors' code. hyperlm's weights are a pickle, which is read in that
environment only. A peer that is not there, or cannot be imported, has no line; `left_out` in the result says why.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import multiprocessing
import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from accuracy import Scores, Task, crowdkit, methods, run, snorkel, tasks
from kept import ROOT, keep, load
from sklearn.feature_extraction.text import TfidfVectorizer
from takehome import Task as Texts
from takehome import wrench

from shortlist import JointModel
from shortlist.classifier import SoftLogisticRegression
from shortlist.errors import BadVotes

OUT = "benchmarks/results/peers.json"
SETS = (
    "crowd/dog", "crowd/rte", "crowd/web", "crowd/relevance", "more/crowd_adult", "wrench/youtube", "wrench/trec",
    "wrench/chemprot", "published/commercial", "published/yelp", "more/llm_mmlupro",
)  # fmt: skip
OURS = ("LabelModel()", "likelihood", "LabelModel.paper()", "majority vote")
END_MODELS = ("wrench/youtube", "wrench/trec")  # the others come without texts to train on
LIMIT = 60.0  # seconds


def hyperlm(task: Task) -> np.ndarray:
    os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"
    from hyperlm import HyperLabelModel

    L, own = together(task)
    told = np.asarray(HyperLabelModel().infer(L, return_probs=True), float)
    whole = np.full((len(L), len(task.fit.space)), 1e-9)
    whole[:, : told.shape[1]] += told
    return (whole / whole.sum(axis=1, keepdims=True))[own]


def bwa(task: Task) -> np.ndarray:
    """Bayesian weighted average: one-hot answers are noisy measurements of a row, with one precision a worker."""
    L, own = together(task)
    m, k = len(L), len(task.fit.space)
    rows, workers = np.nonzero(L >= 0)
    answers = np.eye(k)[L[rows, workers]]  # (votes, k)
    counts = np.bincount(workers, minlength=L.shape[1])
    shape, before = 15.0, 1.0  # of the precisions, and of a row's mean: the paper's
    mean = np.full((m, k), 1 / k)
    precision = np.ones(L.shape[1])
    scale = 0.0
    for _ in range(100):
        weight = precision[workers]
        total = np.bincount(rows, weight, m) + before
        prior = answers.mean(axis=0)
        sums = np.stack([np.bincount(rows, weight * answers[:, j], m) for j in range(k)], axis=1)
        new = (sums + before * prior) / total[:, None]
        error = ((answers - new[rows]) ** 2).sum(axis=1) + k / total[rows]
        scale = scale or shape * error.mean() / k
        precision = (shape + k * counts / 2) / (scale + np.bincount(workers, error, L.shape[1]) / 2)
        if np.abs(new - mean).max() < 1e-6:
            break
        mean = new
    mean = np.clip(mean, 1e-9, None)
    return (mean / mean.sum(axis=1, keepdims=True))[own]


def flyingsquid(task: Task) -> np.ndarray:
    """Two classes only: it knows −1, 0 and 1."""
    from flyingsquid.label_model import LabelModel

    if len(task.fit.space) > 2:
        raise BadVotes("more than two classes")
    vars(np)["product"] = np.prod  # what it needs of pgmpy was written for NumPy 1
    L, _ = together(task, fit_only=True)
    signs = np.array([0, -1, 1])
    model = LabelModel(L.shape[1])
    model.fit(signs[L + 1])
    return np.asarray(model.predict_proba(signs[task.score.to_snorkel() + 1]), float)


def together(task: Task, *, fit_only: bool = False) -> tuple[np.ndarray, Any]:
    """Rows to fit, with those to score at the end where they are others, and where the latter are."""
    L = task.fit.to_snorkel()
    if task.fit is not task.score and not fit_only:
        L = np.concatenate([L, task.score.to_snorkel()])
    return L, slice(len(L) - len(task.score), None)


# name: (module that must be importable, package whose version is kept, how)
PEERS: dict[str, tuple[str, str, Callable[[Task], np.ndarray]]] = {
    "Snorkel": ("snorkel.labeling.model", "snorkel", snorkel),
    "crowd-kit DS": ("crowdkit.aggregation", "crowd-kit", crowdkit("DawidSkene")),
    "crowd-kit GLAD": ("crowdkit.aggregation", "crowd-kit", crowdkit("GLAD")),
    "crowd-kit MACE": ("crowdkit.aggregation", "crowd-kit", crowdkit("MACE")),
    "hyperlm": ("hyperlm", "hyperlm", hyperlm),
    "BWA": ("numpy", "numpy", bwa),
    "FlyingSquid": ("flyingsquid.label_model", "flyingsquid", flyingsquid),
}


# -- end models -------------------------------------------------------------------------------------------------


def taught(how: Callable[[Task], np.ndarray], task: Texts) -> float | None:
    """% of the test rows that an end model gets right."""
    votes = task.votes
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            beliefs = np.asarray(how(Task(task.name, votes, votes, task.truth)), float)[votes.covered]
    except BadVotes:
        return None
    reader = TfidfVectorizer(sublinear_tf=True)
    X = reader.fit_transform(text for text, voted in zip(task.rows, votes.covered, strict=True) if voted)
    model = SoftLogisticRegression().fit_beliefs(X, beliefs, np.ones(len(beliefs)))
    scores = reader.transform(task.test_rows) @ model.coef_.T + model.intercept_
    return 100 * float((scores.argmax(axis=1) == task.test_truth).mean())


def joint(task: Texts) -> float:
    model = JointModel().fit(task.votes, task.rows)
    return 100 * float((model.predict_proba(task.test_rows).argmax(axis=1) == task.test_truth).mean())


# ---------------------------------------------------------------------------------------------------------------


def within_limit(work: Callable[[], Any], limit: float) -> Any:
    """What it gives, "t/o" where that takes too long, or the name of what it raised."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)

    def send() -> None:
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115  peers draw progress bars
        try:
            there.send(work())
        except Exception as error:  # a peer's own failure is a result
            there.send(type(error).__name__)

    process = context.Process(target=send)
    process.start()
    found = here.recv() if here.poll(limit) else "t/o"
    process.kill()
    process.join()
    return found


def chosen(ours: bool) -> tuple[dict[str, Callable[[Task], np.ndarray]], dict[str, str], dict[str, str]]:
    """(methods, versions of packages, why some are left out)."""
    found = {name: how for name, how in methods().items() if name in OURS}
    versions, left_out = {}, {}
    for name, (module, package, how) in ({} if ours else PEERS).items():
        try:
            importlib.import_module(module)
        except Exception as error:
            left_out[name] = f"{type(error).__name__}: {error}".split(" (")[0]
            continue
        found[name], versions[name] = how, importlib.metadata.version(package)
    return found, versions, left_out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("--data-home", help="default: SHORTLIST_DATA")
    parser.add_argument("--ours", action="store_true", help="our lines only; those of peers stay as they are kept")
    parser.add_argument("--again", action="store_true", help="only what took too long, failed or was not there")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds a run")
    parser.add_argument("--json", default=OUT)
    given = parser.parse_args()
    found, versions, left_out = chosen(given.ours)
    some = (given.ours or given.again) and (ROOT / given.json).exists()
    before: dict[str, Any] = load(given.json) if some else {}
    results: dict[str, dict[str, Any]] = before.get("results", {})
    end_models: dict[str, dict[str, Any]] = before.get("end_models", {})
    for task in tasks(given.data_home, given.sets):
        for name, how in found.items():
            if given.again and not isinstance(results.get(task.name, {}).get(name, "new"), str):
                continue
            scores = within_limit(partial(run, how, task), given.limit)
            shown = {k: round(float(v), 3) for k, v in asdict(scores).items()} if isinstance(scores, Scores) else scores
            results.setdefault(task.name, {})[name] = shown
            print(f"{task.name:24} {name:20} {shown}", flush=True)
        if task.name in END_MODELS:
            texts, ends = wrench(task.name, given.data_home), end_models.setdefault(task.name, {})
            works = {name: partial(taught, how, texts) for name, how in found.items()}
            for name, work in (works | {"JointModel()": partial(joint, texts)}).items():
                if given.again and not isinstance(ends.get(name, "new"), str):
                    continue
                right = within_limit(work, 2 * given.limit)  # text takes longer
                ends[name] = round(right, 1) if isinstance(right, float) else right
                print(f"{task.name:24} {name:20} end model {ends[name]}", flush=True)
        kept = {
            "versions": before.get("versions", {}) | versions,
            "left_out": before.get("left_out", left_out) if given.ours else left_out,
            "limit": before.get("limit", given.limit) if given.ours else given.limit,
            "results": results,
            "end_models": end_models,
        }
        keep(ROOT / given.json, ["label model", "paper"], kept)


if __name__ == "__main__":
    main()
