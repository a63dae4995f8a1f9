"""Which part of the default estimator buys what: `accuracy.py` with one part of `LabelModel()` changed at a time.

    python benchmarks/ablation.py                            # the folder that SHORTLIST_DATA names
    python benchmarks/ablation.py --sensitivity              # other constants instead of parts

Prints covered accuracy / NLL on covered rows (awa2: mean class accuracy), the mean over LAD's super-classes, and the
sets that are more than half a point below the better of Nearest Class and majority vote.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from accuracy import Scores, Task, ours, run, tasks

from shortlist import LabelModel, MajorityVote, NearestClass
from shortlist.labelmodel import Pooled
from shortlist.labelmodel.estimators.pooled import dependence, heldout
from shortlist.labelmodel.estimators.pooled.guard import Guard

NEVER, ALWAYS = 1e-6, 1e9  # votes that a prior is worth

PARTS = {
    "all parts": Pooled(),
    "propensities assumed, not judged": Pooled(propensity_votes=ALWAYS, spread_votes=ALWAYS),
    "voting tells nothing (ρ = 1)": Pooled(propensity_ratio=1.0, propensity_votes=ALWAYS, spread_votes=ALWAYS),
    "classes not pooled (w → 0)": Pooled(class_votes=NEVER),
    "one accuracy a labeler (w → ∞)": Pooled(class_votes=ALWAYS),
    "no unanimity": Pooled(unanimity=0.0),
}
CONSTANTS = {
    "ρ = 2": Pooled(propensity_ratio=2.0),
    "ρ = 8": Pooled(propensity_ratio=8.0),
    "ρ worth 100 votes": Pooled(propensity_votes=100.0),
    "ρ worth 1000 votes": Pooled(propensity_votes=1000.0),
    "spread worth 30 votes": Pooled(spread_votes=30.0),
    "spread worth 300 votes": Pooled(spread_votes=300.0),
    "a0 = 0.7": Pooled(accuracy_mean=0.7),
    "a0 = 0.9": Pooled(accuracy_mean=0.9),
    "W = 3": Pooled(labeler_votes=3.0),
    "W = 30": Pooled(labeler_votes=30.0),
    "w = 15": Pooled(class_votes=15.0),
    "w = 60": Pooled(class_votes=60.0),
}
LIMITS = {  # constants of modules
    "0.01 nats a row and free share": (heldout, "WORTHWHILE", 0.01),
    "0.04 nats a row and free share": (heldout, "WORTHWHILE", 0.04),
    "kin from 0.7": (dependence, "ALIKE", 0.7),
    "kin from 0.9": (dependence, "ALIKE", 0.9),
}


def no_temperature(guard: Guard) -> Guard:
    fitted = replace(guard.fitted, exponent=guard.fitted.exponent / guard.temperature)
    prior = replace(guard.prior, exponent=guard.prior.exponent / guard.prior.exponent.max())
    return replace(guard, fitted=fitted, prior=prior)


def copies_in_full(guard: Guard) -> Guard:
    fitted = replace(guard.fitted, exponent=np.full(len(guard.fitted.exponent), guard.temperature))
    prior = replace(guard.prior, exponent=np.full_like(guard.prior.exponent, guard.prior.exponent.max()))
    return replace(guard, fitted=fitted, prior=prior)


def no_trust_asked(guard: Guard) -> Guard:
    return replace(guard, trust=1.0)


def changed(change: Callable[[Guard], Guard]) -> Callable[[Task], np.ndarray]:
    """The default estimator, with something taken away after the fit."""

    def beliefs(task: Task) -> np.ndarray:
        model = LabelModel().fit(task.fit)
        model.estimate_ = replace(model.estimate_, guard=change(model.estimate_.guard))
        return model.predict_proba(task.score)

    return beliefs


def limited(module: ModuleType, name: str, value: float) -> Callable[[Task], np.ndarray]:
    """The default estimator with another constant in one of its modules."""

    def beliefs(task: Task) -> np.ndarray:
        before = getattr(module, name)
        setattr(module, name, value)
        try:
            return ours(LabelModel())(task)
        finally:
            setattr(module, name, before)

    return beliefs


def variants(sensitivity: bool) -> dict[str, Callable[[Task], np.ndarray]]:
    settings = {"all parts": Pooled(), **CONSTANTS} if sensitivity else PARTS
    found = {name: ours(LabelModel(estimator=given)) for name, given in settings.items()}
    if sensitivity:
        return found | {name: limited(*limit) for name, limit in LIMITS.items()}
    found["classes taken for equal"] = ours(LabelModel(balance="uniform"))
    found["copies count in full"] = changed(copies_in_full)
    return found | {"no temperature": changed(no_temperature), "no trust (κ = 1)": changed(no_trust_asked)}


def figure(name: str, found: Scores) -> float:
    return found.class_accuracy if name == "awa2" else found.covered_accuracy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-home", help="the folder of data sets (default: SHORTLIST_DATA)")
    parser.add_argument("--sensitivity", action="store_true", help="other constants instead of parts")
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    work = list(tasks(given.data_home, []))
    counted = {}
    for task in work:
        both = (run(ours(model), task) for model in (NearestClass(), MajorityVote()))
        counted[task.name] = max(figure(task.name, found) for found in both if found is not None)
    plain = [task.name for task in work if not task.name.startswith("lad/")]
    print("| |" + "".join(f" {name} |" for name in [*plain, "LAD", "below counting"]))
    for name, method in variants(given.sensitivity).items():
        found = {task.name: run(method, task) for task in work}
        cells = [f"{figure(s, found[s]):.1f}/{found[s].nll:.2f}" for s in plain]
        lad = [scores for s, scores in found.items() if s.startswith("lad/")]
        if lad:
            cells.append(f"{np.mean([s.accuracy for s in lad]):.1f}/{np.mean([s.nll for s in lad]):.2f}")
        gaps = {s: figure(s, scores) - counted[s] for s, scores in found.items()}
        below = ", ".join(f"{s.removeprefix('lad/')} {gap:+.1f}" for s, gap in gaps.items() if gap < -0.5)
        print(f"| {name} |" + "".join(f" {cell} |" for cell in [*cells, below]), flush=True)


if __name__ == "__main__":
    main()
