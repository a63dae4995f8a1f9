"""Imagined: the patterns a fitted model expects, all of them or, where they are too many, a sample.

What the votes can tell is a matter of all patterns there can be, not only of those that happened to occur: two
labelers that were never wrong look alike in the rows at hand, and are not.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission, Parameters, emission, log_joint, log_marginal
from shortlist.labelmodel.simulate import draw_codes
from shortlist.uncertainty.fitted import Fitted

ALL = 20_000  # patterns up to which all are gone through
PER_PARAMETER = 24  # patterns drawn for each parameter, where not

Codes = npt.NDArray[np.int64]


def imagined(fitted: Fitted, *, seed: int = 0) -> Fitted:
    """The same model, with the patterns it expects in as many rows; rows of known class stay as they are."""
    known = fitted.gold >= 0
    sizes = np.array(fitted.layout.sizes) + 1
    few = float(np.prod(sizes, dtype=np.float64)) <= ALL
    codes, shares = _all(fitted, sizes) if few else _sample(fitted, seed)
    unknown = float(fitted.weights[~known].sum())
    return replace(
        fitted,
        codes=np.concatenate([codes, fitted.codes[known]]),
        weights=np.concatenate([shares * unknown, fitted.weights[known]]),
        gold=np.concatenate([np.full(len(codes), -1), fitted.gold[known]]),
    )


def _all(fitted: Fitted, sizes: npt.NDArray[np.int64]) -> tuple[Codes, Floats]:
    codes = np.indices(sizes.tolist()).reshape(len(sizes), -1).T.astype(np.int64)
    return codes, np.exp(log_marginal(log_joint(codes, fitted.table, fitted.layout)))


def _sample(fitted: Fitted, seed: int) -> tuple[Codes, Floats]:
    """Half of the patterns from the model; half from the model with one labeler after the other mostly wrong.

    Without those, a labeler that hardly ever errs would never be seen to. The weights make up for it.
    """
    rng = np.random.default_rng(seed)
    layout = fitted.layout
    each = max(1, ALL // (4 * layout.n), PER_PARAMETER * fitted.coordinates.size // (2 * layout.n))
    tables = [_erring(fitted, i) for i in range(layout.n)]
    drawn = [draw_codes(table, layout, each, rng)[1] for table in tables]
    codes = np.concatenate([draw_codes(fitted.table, layout, each * layout.n, rng)[1], *drawn])
    joint = log_joint(codes, fitted.table, layout)
    mine = log_marginal(joint)
    other = _mixture(codes, joint, fitted.table, tables, layout)
    return codes, np.exp(mine - np.logaddexp(mine, other)) / (each * layout.n)


def _erring(fitted: Fitted, i: int) -> Emission:
    """The model, but all classes are equally frequent and labeler i votes often and mostly wrong."""
    p, k = fitted.parameters, fitted.layout.k
    accuracy, propensity = p.accuracy.copy(), p.propensity.copy()
    accuracy[i] = np.where(fitted.layout.free[i], 0.1, p.accuracy[i])
    propensity[i] = 0.7
    return emission(Parameters(accuracy, propensity, np.full(k, 1 / k), p.split), fitted.layout)


def _mixture(codes: Codes, joint: Floats, table: Emission, tables: list[Emission], layout: Layout) -> Floats:
    """log of the mean probability of each pattern under the tables, each of which differs in one labeler."""
    total: Floats = np.full(len(codes), -np.inf)
    for i, other in enumerate(tables):
        more = layout.by_code(i, other.votes - table.votes, other.abstain - table.abstain)
        total = np.logaddexp(total, log_marginal(joint + other.balance - table.balance + more[codes[:, i]]))
    total -= np.log(len(tables))
    return total
