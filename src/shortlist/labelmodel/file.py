"""File: a fitted LabelModel as one npz archive with a JSON header; nothing pickled."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from shortlist.archive import Arrays, read_archive, under, write_archive
from shortlist.errors import BadFile, BadFit, MissingPackage
from shortlist.labelmodel.estimators.estimate import State
from shortlist.labelmodel.estimators.estimator import Estimator
from shortlist.labelmodel.formulae.evidence import Evidence, checked_weights
from shortlist.labelmodel.formulae.panel import Panel
from shortlist.labelmodel.older import upgraded
from shortlist.labelmodel.settings import from_table, plain
from shortlist.votes import Votes

if TYPE_CHECKING:
    from shortlist.labelmodel.model import LabelModel

KIND = "label model"
FORMAT = 5
ESTIMATE = "estimate."
SOME = 100  # rows that a model is tried on when it is loaded
Model = TypeVar("Model", bound="LabelModel")


def save(model: LabelModel, path: str | os.PathLike[str]) -> None:
    """The options; the estimator that was fitted, and its estimate; the evidence."""
    state, evidence = model.estimate_.state(), model.evidence_
    header = {
        "options": model.to_options(),
        "panel": model.panel_.to_json(),
        "estimator": plain(model.estimator_),
        "estimate": state.facts,
    }
    arrays = {
        "seen.codes": evidence.votes.codes,
        "seen.weights": evidence.weights,
        "seen.gold": evidence.gold,
        **{f"{ESTIMATE}{name}": array for name, array in state.arrays.items()},
    }
    write_archive(path, kind=KIND, version=FORMAT, header=header, arrays=arrays)


def load(cls: type[Model], path: str | os.PathLike[str], kinds: Mapping[str, type[Estimator]]) -> Model:
    """A model as it was saved. `kinds` are the estimators that are known."""
    header, arrays = read_archive(path, kind=KIND, version=FORMAT)
    header, arrays = _as_of_today(path, header, arrays)
    try:
        kind = header["estimator"]["kind"]
        if kind not in kinds:
            raise BadFile(
                f"{path} was fitted by the estimator {kind!r}, which is not part of shortlist: give its class, "
                "LabelModel.load(path, estimators=[...])"
            )
        model = cls.from_options(header["options"], estimators=kinds.values())
        _restore(model, header, arrays, from_table(kinds, header["estimator"], "estimator"))
    except (BadFile, MissingPackage):
        raise
    except Exception as error:  # what does not fit together can trip any formula
        raise BadFile(f"{path} is no label model this version can read ({error})") from error
    return model


def _as_of_today(path: str | os.PathLike[str], header: dict[str, Any], arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    try:
        return upgraded(header, arrays)
    except Exception as error:  # a header can lack anything
        raise BadFile(f"{path} cannot be read: {error}") from error


def _restore(model: LabelModel, header: Mapping[str, Any], arrays: Arrays, estimator: Estimator) -> None:
    panel = Panel.from_json(header["panel"])
    seen = Votes(arrays["seen.codes"], panel.codomains, panel.space, panel.names)
    weights, gold = checked_weights(arrays["seen.weights"]), arrays["seen.gold"]
    if not len(seen) == len(weights) == len(gold) or not np.isin(gold, range(-1, len(panel.space))).all():
        raise BadFit("the rows it has seen do not fit together")
    evidence = Evidence(seen, weights, gold)
    model._keep(estimator, estimator.restore(panel, State(header["estimate"], under(arrays, ESTIMATE))), evidence)
    _check_shapes(model)
    _check_beliefs(model)


def _check_shapes(model: LabelModel) -> None:
    """Raise where parameters or tables are not of these labelers and classes, or hold what no fit finds."""
    n, k = len(model.panel_.names), len(model.panel_.space)
    parameters, table = model.parameters_, model.emission_
    expected = {
        "accuracy": (parameters.accuracy, (n, k)),
        "propensity": (parameters.propensity, (n, k)),
        "balance": (parameters.balance, (k,)),
        "votes": (table.votes, (sum(model.panel_.layout.sizes), k)),
        "abstain": (table.abstain, (n, k)),
        "exponent": (table.exponent, (n,)),
    }
    for name, (array, shape) in expected.items():
        if np.shape(array) != shape or np.isnan(array).any():
            raise BadFit(f"{name} is not {' × '.join(map(str, shape))} numbers")


def _check_beliefs(model: LabelModel) -> None:
    """Raise where the model has no beliefs about votes that it has seen."""
    codes = model.evidence_.votes.codes[:SOME]
    if len(codes) and not np.allclose(model._beliefs(codes).sum(axis=1), 1):
        raise BadFit("its beliefs do not add up to 1")
