"""Options: from what a user writes to the assumptions of a fit, or to an error that says what is wrong."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.errors import BadFit
from shortlist.labelmodel.estimators.pooled.pooled import Pooled
from shortlist.labelmodel.formulae.assumptions import Assumptions
from shortlist.labelmodel.formulae.counts import Counts
from shortlist.labelmodel.formulae.likelihood import Parameters, equal_split, frequency_split
from shortlist.labelmodel.formulae.panel import Panel
from shortlist.labelspace import LabelSpace

Balance: TypeAlias = Literal["uniform", "learn"] | Mapping[str, float] | Sequence[float] | npt.NDArray[Any]

DEFAULTS: dict[str, Any] = {  # of the options that belong to estimator="likelihood"
    "accuracy": "class",
    "propensity": "labeler",
    "split": "frequency",
    "accuracy_mean": 0.7,
    "accuracy_votes": 10.0,
    "propensity_rows": 30.0,
    "balance_rows": 10.0,
    "solver": "em",
    "n_starts": 1,
}
CHOICES: dict[str, tuple[str, ...]] = {
    "accuracy": ("class", "labeler"),
    "propensity": ("labeler", "class"),
    "split": ("equal", "frequency"),
}
AMOUNTS = ("accuracy_votes", "propensity_rows", "balance_rows")


def resolve(options: Mapping[str, Any]) -> tuple[Pooled | None, dict[str, Any]]:
    """Which estimator it is, with its settings (None: "likelihood"), and all options with their defaults filled in."""
    full = {name: DEFAULTS[name] if value is None and name in DEFAULTS else value for name, value in options.items()}
    given = [name for name in DEFAULTS if options[name] is not None]
    given += ["balance"] if isinstance(options["balance"], str) and options["balance"] == "learn" else []
    estimator = options["estimator"]
    if estimator is None:
        estimator = "likelihood" if given else "pooled"
    if estimator == "likelihood":
        check(full)
        return None, full
    pooled = Pooled() if estimator == "pooled" else estimator
    if not isinstance(pooled, Pooled):
        raise BadFit(f'estimator is "pooled", "likelihood" or Pooled(...); got {estimator!r}')
    if given:
        shown = ", ".join(f"{name}={options[name]!r}" for name in given)
        raise BadFit(f'the pooled estimator has no use for {shown}: that goes with estimator="likelihood"')
    check(full)
    return pooled, full


def assume(options: Mapping[str, Any], panel: Panel, often: Floats, total: float) -> Assumptions:
    """What options, with their defaults filled in, assume about votes of which each shortlist was voted so `often`
    in `total` rows."""
    layout = panel.layout
    # A shortlist nobody voted counts one vote, so that it stays possible
    split = equal_split(layout) if options["split"] == "equal" else frequency_split(layout, often + 1)
    return Assumptions(
        layout=layout,
        shared_accuracy=options["accuracy"] == "labeler",
        class_propensity=options["propensity"] == "class",
        learn_balance=isinstance(options["balance"], str) and options["balance"] == "learn",
        balance=balance_of(options["balance"], panel.space),
        rate=layout.per_labeler(often) / total,
        split=split,
        accuracy_mean=float(options["accuracy_mean"]),
        accuracy_votes=float(options["accuracy_votes"]),
        propensity_rows=float(options["propensity_rows"]),
        balance_rows=float(options["balance_rows"]),
    )


def check(options: Mapping[str, Any]) -> None:
    """Every option is something it can be."""
    for name, choices in CHOICES.items():
        if options[name] not in choices:
            raise BadFit(f"{name} is one of {', '.join(map(repr, choices))}; got {options[name]!r}")
    for name in AMOUNTS:
        if not 0 <= options[name] < np.inf:
            raise BadFit(f"{name} says how much a prior is worth, 0 or more; got {options[name]!r}")
    if not 0 < options["accuracy_mean"] < 1:
        raise BadFit(f"accuracy_mean is a probability between 0 and 1; got {options['accuracy_mean']!r}")
    for name in ("max_iter", "n_starts"):
        if not isinstance(options[name], (int, np.integer)) or options[name] < 1:
            raise BadFit(f"{name} is a whole number from 1; got {options[name]!r}")
    if not options["tol"] >= 0:
        raise BadFit(f"tol is 0 or more; got {options['tol']!r}")
    if options["threads"] is not None and not options["threads"] >= 1:
        raise BadFit(f"threads is a whole number from 1, or None for all cores; got {options['threads']!r}")


def balance_of(balance: Balance | None, space: LabelSpace) -> Floats:
    """(k,): uniform, or as given by position or by name."""
    if balance is None:
        return np.full(len(space), 1 / len(space))
    if isinstance(balance, str):
        if balance not in ("uniform", "learn"):
            raise BadFit(f'balance is "uniform", "learn", or a share for every class; got {balance!r}')
        return np.full(len(space), 1 / len(space))
    if isinstance(balance, Mapping):
        missing = [name for name in space if name not in balance]
        for name in balance:
            space.position(name)
        if missing:
            raise BadFit(f"the balance says nothing about {', '.join(missing)}")
        balance = [balance[name] for name in space]
    shares = np.array(balance, np.float64)
    if shares.shape != (len(space),) or not np.isfinite(shares).all() or (shares <= 0).any():
        raise BadFit(f"a balance is one positive share for each of {', '.join(space)}; got {balance!r}")
    shares /= shares.sum()
    return shares


def starting_points(
    assumptions: Assumptions, panel: Panel, n_starts: int, seed: int, known: Counts | None = None
) -> list[Parameters]:
    """The common start; what known labels say, if there are any; and others at random.

    Random ones are the same for a labeler and a class wherever they stand.
    """
    first = assumptions.start()
    told = [] if known is None or not known.mass.any() else [assumptions.estimate(known)]
    return [first, *told, *(_scattered(assumptions, first, panel, (seed, s)) for s in range(1, n_starts))]


def _scattered(assumptions: Assumptions, first: Parameters, panel: Panel, seed: tuple[int, int]) -> Parameters:
    accuracy = np.empty_like(first.accuracy)
    by_name = np.argsort(np.array(panel.space.names))
    for i, name in enumerate(panel.names):
        rng = np.random.default_rng([*seed, zlib.crc32(name.encode())])
        drawn = rng.beta(10 * assumptions.accuracy_mean, 10 * (1 - assumptions.accuracy_mean), len(by_name))
        accuracy[i, by_name] = drawn[0] if assumptions.shared_accuracy else drawn
    return Parameters(assumptions.settled(accuracy), first.propensity, first.balance, first.split)
