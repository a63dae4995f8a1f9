"""Simulation of classes and votes from given parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Positions
from shortlist.errors import BadFit
from shortlist.labelmodel.layout import Layout
from shortlist.labelmodel.likelihood import Emission, Parameters, emission
from shortlist.labelspace import LabelSpace
from shortlist.votes import Codomain, Votes


class Simulated(NamedTuple):
    """Votes, and the true class of each row."""

    votes: Votes
    truth: npt.NDArray[Any]


def simulate(
    parameters: Parameters,
    codomains: Sequence[Codomain | Iterable[Any]],
    m: int,
    *,
    space: LabelSpace | Iterable[str],
    seed: int | np.random.Generator,
    names: Iterable[str] | None = None,
) -> Simulated:
    """Draw m rows from Eq. 1 and 2: a class from the balance, then every labeler's vote given the class."""
    space = space if isinstance(space, LabelSpace) else LabelSpace(space)
    shape = Votes(np.zeros((0, len(list(codomains))), np.uint8), codomains, space, names)
    layout = Layout.of(shape.codomains, space)
    return draw(emission(_checked(parameters, layout), layout), shape, m, np.random.default_rng(seed))


def draw(table: Emission, shape: Votes, m: int, rng: np.random.Generator) -> Simulated:
    """Draw m rows from a table, as votes of the labelers of `shape`."""
    truth, codes = draw_codes(table, Layout.of(shape.codomains, shape.space), m, rng)
    votes = Votes(codes, shape.codomains, shape.space, shape.names)
    return Simulated(votes, np.array(shape.space.names, object)[truth])


def draw_codes(table: Emission, layout: Layout, m: int, rng: np.random.Generator) -> tuple[Positions, Positions]:
    """Draw m rows from a table: classes (m,) and codes (m, n)."""
    truth = rng.choice(layout.k, m, p=np.exp(table.balance) / np.exp(table.balance).sum())
    codes = np.zeros((m, layout.n), np.int64)
    for i in range(layout.n):
        chances = np.exp(layout.by_code(i, table.votes, table.abstain))
        upto = np.cumsum(chances, axis=0).T[:, :-1]  # (k, size): the last code takes what is left
        codes[:, i] = (rng.random(m)[:, None] >= upto[truth]).sum(axis=1)
    return truth, codes


def _checked(parameters: Parameters, layout: Layout) -> Parameters:
    """Parameters as arrays of the shapes of the layout; raise for one that does not fit."""
    n, k = layout.n, layout.k
    arrays = {name: np.array(getattr(parameters, name), np.float64) for name in ("accuracy", "propensity", "balance")}
    shapes: dict[str, list[tuple[int, ...]]] = {"accuracy": [(n, k)], "propensity": [(n,), (n, k)], "balance": [(k,)]}
    for name, array in arrays.items():
        if array.shape not in shapes[name]:
            raise BadFit(f"{name} has shape {array.shape}; {n} labelers and {k} classes need {shapes[name][0]}")
        if not ((array >= 0) & (array <= 1)).all():
            raise BadFit(f"{name} holds numbers that are no probabilities")
    if abs(arrays["balance"].sum() - 1) > 1e-6:
        raise BadFit(f"the class balance adds up to {arrays['balance'].sum():g}, not to 1")
    accuracy = np.where(layout.no_right, 0.0, np.where(layout.no_wrong, 1.0, arrays["accuracy"]))
    return Parameters(accuracy, arrays["propensity"], arrays["balance"], parameters.split)
