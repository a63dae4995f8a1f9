"""File: a fitted LabelModel as one npz archive with a JSON header; nothing pickled."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from shortlist.archive import Arrays, read_archive, write_archive
from shortlist.errors import BadFile, ShortlistError
from shortlist.labelmodel.estimators.estimate import State
from shortlist.labelmodel.estimators.estimator import Estimator
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.panel import Panel
from shortlist.labelmodel.older import upgraded
from shortlist.labelmodel.settings import from_table, plain
from shortlist.votes import Votes

if TYPE_CHECKING:
    from shortlist.labelmodel.model import LabelModel

KIND = "label model"
FORMAT = 4
ESTIMATE = "estimate."
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
    except BadFile:
        raise
    except (KeyError, TypeError, ShortlistError) as error:
        raise BadFile(f"{path} is no label model this version can read ({error})") from error
    return model


def _as_of_today(path: str | os.PathLike[str], header: dict[str, Any], arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    try:
        return upgraded(header, arrays)
    except (KeyError, TypeError, ShortlistError) as error:
        raise BadFile(f"{path} cannot be read: {error}") from error


def _restore(model: LabelModel, header: Mapping[str, Any], arrays: Arrays, estimator: Estimator) -> None:
    panel = Panel.from_json(header["panel"])
    kept = {name.removeprefix(ESTIMATE): array for name, array in arrays.items() if name.startswith(ESTIMATE)}
    seen = Votes(arrays["seen.codes"], panel.codomains, panel.space, panel.names)
    evidence = Evidence(seen, arrays["seen.weights"], arrays["seen.gold"])
    model._keep(estimator, estimator.restore(panel, State(header["estimate"], kept)), evidence)
