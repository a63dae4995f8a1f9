"""File: a fitted LabelModel as one npz archive with a JSON header; nothing pickled."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from shortlist.archive import read_archive, write_archive
from shortlist.errors import BadFile, ShortlistError
from shortlist.labelmodel.estimators.pooled.guard import Guard
from shortlist.labelmodel.estimators.pooled.pooled import Pooled
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.likelihood import Emission, Parameters
from shortlist.labelmodel.formulae.panel import Panel
from shortlist.labelmodel.solvers.gradient import Gradient
from shortlist.votes import Votes

if TYPE_CHECKING:
    from shortlist.labelmodel.model import LabelModel

KIND = "label model"
FORMAT = 2
Model = TypeVar("Model", bound="LabelModel")
_PARAMETERS = ("accuracy", "propensity", "balance", "split")
_TABLE = ("votes", "abstain", "balance", "exponent")


def save(model: LabelModel, path: str | os.PathLike[str]) -> None:
    header = {
        "options": {name: _plain(value) for name, value in model.get_params(deep=False).items()},
        "panel": model.panel_.to_json(),
        "converged": bool(model.converged_),
        "n_iter": int(model.n_iter_),
        "silence": model.parameters_.silence,
    }
    pooled = hasattr(model, "guard_")
    if pooled:
        header |= {"trust": model.trust_, "unanimity": model.unanimity_, "temperature": model.temperature_}
    evidence = model.evidence_
    arrays = {
        "history": model.history_,
        "seen.codes": evidence.votes.codes,
        "seen.weights": evidence.weights,
        "seen.gold": evidence.gold,
        **{f"parameters.{name}": getattr(model.parameters_, name) for name in _PARAMETERS},
        **{f"table.{name}": getattr(model.emission_, name) for name in _TABLE},
    }
    if pooled:
        arrays["labeler_accuracy"] = model.labeler_accuracy_
        arrays |= {f"declared.{name}": getattr(model.declared_, name) for name in _TABLE}
    write_archive(path, kind=KIND, version=FORMAT, header=header, arrays=arrays)


def load(cls: type[Model], path: str | os.PathLike[str]) -> Model:
    header, arrays = read_archive(path, kind=KIND, version=FORMAT)
    try:
        options = header["options"]
        if isinstance(options["solver"], dict):
            options["solver"] = Gradient(**options["solver"])
        if isinstance(options["estimator"], dict):
            options["estimator"] = Pooled(**options["estimator"])
        model = cls(**options)
        panel = Panel.from_json(header["panel"])
        model._set(
            panel, Parameters(**{name: arrays[f"parameters.{name}"] for name in _PARAMETERS}, silence=header["silence"])
        )
        model.emission_ = Emission(*(arrays[f"table.{name}"] for name in _TABLE))
        if "trust" in header:
            declared = Emission(*(arrays[f"declared.{name}"] for name in _TABLE))
            model.labeler_accuracy_ = arrays["labeler_accuracy"]
            model.guard_ = Guard(declared, header["trust"], header["unanimity"], header["temperature"])
        seen = Votes(arrays["seen.codes"], panel.codomains, panel.space, panel.names)
        model.evidence_ = Evidence(seen, arrays["seen.weights"], arrays["seen.gold"])
        model.history_ = arrays["history"]
        model.converged_, model.n_iter_ = header["converged"], header["n_iter"]
    except (KeyError, TypeError, ShortlistError) as error:
        raise BadFile(f"{path} is no label model this version can read ({error})") from error
    return model


def _plain(value: Any) -> Any:
    """An option as JSON holds it."""
    if isinstance(value, (Gradient, Pooled)):
        return asdict(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {str(name): _plain(v) for name, v in value.items()}
    return value
