"""File: fitted detectors as one npz archive with a JSON header; nothing pickled."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar

from shortlist.archive import read_archive, write_archive
from shortlist.attribute_table import AttributeTable
from shortlist.errors import BadFile, ShortlistError
from shortlist.zeroshot.detectors.perceptrons import Stack
from shortlist.zeroshot.detectors.validation import Judgement
from shortlist.zeroshot.scaling import Scaling

if TYPE_CHECKING:
    from shortlist.zeroshot.detectors.attribute_detectors import AttributeDetectors

KIND = "attribute detectors"
FORMAT = 1
Model = TypeVar("Model", bound="AttributeDetectors")


def save(model: AttributeDetectors, path: str | os.PathLike[str]) -> None:
    table = AttributeTable.of(model.table)
    options = {key: value for key, value in model.get_params(deep=False).items() if key not in ("table", "progress")}
    header = {
        "options": options,
        "classes": list(table.classes),
        "table_attributes": list(table.attributes),
        "seen": list(model.seen_),
        "unseen": list(model.unseen_),
        "attributes": list(model.attributes_),
        "judgements": [_to_json(model.judgements_[name]) for name in model.attributes_],
        "dropped": model.dropped_,
        "layers": [len(stack.layers) for stack, _ in model.stacks_],
    }
    arrays: dict[str, Any] = {"has": table.has, "shift": model.scaling_.shift, "scale": model.scaling_.scale}
    for number, (stack, attribute) in enumerate(model.stacks_):
        arrays[f"stack.{number}.attribute"] = attribute
        for layer, (weights, biases) in enumerate(stack.layers):
            arrays[f"stack.{number}.{layer}.weights"] = weights
            arrays[f"stack.{number}.{layer}.biases"] = biases
    write_archive(path, kind=KIND, version=FORMAT, header=header, arrays=arrays)


def load(cls: type[Model], path: str | os.PathLike[str]) -> Model:
    header, arrays = read_archive(path, kind=KIND, version=FORMAT)
    try:
        table = AttributeTable(tuple(header["classes"]), tuple(header["table_attributes"]), arrays["has"])
        options: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in header["options"].items()}
        model = cls(table, **options)
        model.seen_, model.unseen_ = tuple(header["seen"]), tuple(header["unseen"])
        model.attributes_, model.dropped_ = tuple(header["attributes"]), header["dropped"]
        judgements = [_from_json(record) for record in header["judgements"]]
        model.judgements_ = dict(zip(model.attributes_, judgements, strict=True))
        model.scaling_ = Scaling(arrays["shift"], arrays["scale"])
        model.n_features_in_ = len(arrays["shift"])
        columns = [table.attributes.index(name) for name in model.attributes_]
        model.unseen_has_ = table.rows(model.unseen_)[:, columns]
        model.stacks_ = [
            (Stack(tuple(_layer(arrays, number, layer) for layer in range(depth))), arrays[f"stack.{number}.attribute"])
            for number, depth in enumerate(header["layers"])
        ]
    except (KeyError, TypeError, ValueError, IndexError, ShortlistError) as error:
        raise BadFile(f"{path} holds no detectors this version can read ({error})") from error
    return model


def _layer(arrays: dict[str, Any], number: int, layer: int) -> tuple[Any, Any]:
    return arrays[f"stack.{number}.{layer}.weights"], arrays[f"stack.{number}.{layer}.biases"]


def _to_json(found: Judgement) -> list[float | None]:
    """NaN is no JSON: None where nothing was held out."""
    return [None if value != value else value for value in (found.accuracy, found.worst, *found.band)]


def _from_json(record: list[float | None]) -> Judgement:
    accuracy, worst, low, high = (float("nan") if value is None else value for value in record)
    return Judgement(accuracy, worst, (low, high))
