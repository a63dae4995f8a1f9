"""Save and load a fitted LabelModel: one npz archive with a JSON header; nothing is pickled."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from shortlist.archive import Arrays, read_archive, under, write_archive
from shortlist.errors import BadFile, BadFit, MissingPackage
from shortlist.labelmodel.estimator import Estimator, State
from shortlist.labelmodel.evidence import Evidence, checked_weights
from shortlist.labelmodel.layout import Panel
from shortlist.labelmodel.model_options import from_table, plain
from shortlist.votes import Votes

if TYPE_CHECKING:
    from shortlist.labelmodel.model import LabelModel

Model = TypeVar("Model", bound="LabelModel")


def save(model: LabelModel, path: str | os.PathLike[str]) -> None:
    """Write the options, the estimator that was fitted, its estimate, and the evidence."""
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
        **{f"estimate.{name}": array for name, array in state.arrays.items()},
    }
    write_archive(path, kind="label model", version=1, header=header, arrays=arrays)


def load(cls: type[Model], path: str | os.PathLike[str], kinds: Mapping[str, type[Estimator]]) -> Model:
    """Read a model that `save` wrote; `kinds` are the estimators by name."""
    header, arrays = read_archive(path, kind="label model", version=1)
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
    except Exception as error:  # arrays that do not belong together can break any formula
        raise BadFile(f"{path} is no label model this version can read ({error})") from error
    return model


def _restore(model: LabelModel, header: Mapping[str, Any], arrays: Arrays, estimator: Estimator) -> None:
    panel = Panel.from_json(header["panel"])
    votes = Votes(arrays["seen.codes"], panel.codomains, panel.space, panel.names)
    weights, gold = checked_weights(arrays["seen.weights"]), arrays["seen.gold"]
    if not len(votes) == len(weights) == len(gold) or not np.isin(gold, range(-1, len(panel.space))).all():
        raise BadFit("the rows it has seen do not fit together")
    estimate = estimator.restore(panel, State(header["estimate"], under(arrays, "estimate.")))
    model._keep(estimator, estimate, Evidence(votes, weights, gold))
    _check(model)


def _check(model: LabelModel) -> None:
    """Raise where arrays are not of these labelers and classes, or beliefs about some rows do not add up."""
    n, k = len(model.panel_.names), len(model.panel_.space)
    parameters, table = model.parameters_, model.emission_
    shapes = {
        "accuracy": (parameters.accuracy, (n, k)),
        "propensity": (parameters.propensity, (n, k)),
        "balance": (parameters.balance, (k,)),
        "votes": (table.votes, (sum(model.panel_.layout.sizes), k)),
        "abstain": (table.abstain, (n, k)),
        "exponent": (table.exponent, (n,)),
    }
    for name, (array, shape) in shapes.items():
        if np.shape(array) != shape or np.isnan(array).any():
            raise BadFit(f"{name} is not {' × '.join(map(str, shape))} numbers")
    codes = model.evidence_.votes.codes[:100]
    if len(codes) and not np.allclose(model._beliefs(codes).sum(axis=1), 1):
        raise BadFit("its beliefs do not add up to 1")
