"""File: fitted detectors as one npz archive with a JSON header; nothing pickled.

Format 1 calls validations judgements, and detectors of one shape a stack.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar

from shortlist.archive import Arrays, read_archive, write_archive
from shortlist.classifier.base import reading
from shortlist.labelers.attributes import AttributeTable
from shortlist.zeroshot.detectors.perceptrons import Perceptrons
from shortlist.zeroshot.detectors.selection import Trained
from shortlist.zeroshot.detectors.validation import Validation
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
        "judgements": [_to_json(model.validation_[name]) for name in model.attributes_],
        "dropped": model.dropped_,
        "layers": [len(networks.layers) for networks, _ in model.networks_],
    }
    arrays: dict[str, Any] = {"has": table.has, "shift": model.scaling_.shift, "scale": model.scaling_.scale}
    for number, (networks, attribute) in enumerate(model.networks_):
        arrays[f"stack.{number}.attribute"] = attribute
        for layer, (weights, biases) in enumerate(networks.layers):
            arrays[f"stack.{number}.{layer}.weights"] = weights
            arrays[f"stack.{number}.{layer}.biases"] = biases
    write_archive(path, kind=KIND, version=FORMAT, header=header, arrays=arrays)


def load(cls: type[Model], path: str | os.PathLike[str]) -> Model:
    header, arrays = read_archive(path, kind=KIND, version=FORMAT)
    with reading(path, "detectors"):
        table = AttributeTable(tuple(header["classes"]), tuple(header["table_attributes"]), arrays["has"])
        options: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in header["options"].items()}
        model = cls(table, **options)
        model.seen_, model.unseen_ = tuple(header["seen"]), tuple(header["unseen"])
        model.attributes_, model.dropped_ = tuple(header["attributes"]), header["dropped"]
        validations = [_from_json(record) for record in header["judgements"]]
        model.validation_ = dict(zip(model.attributes_, validations, strict=True))
        model.scaling_ = Scaling(arrays["shift"], arrays["scale"])
        model.n_features_in_ = len(arrays["shift"])
        model.unseen_has_ = table.take(model.attributes_).rows(model.unseen_)
        model.networks_ = [_trained(arrays, number, depth) for number, depth in enumerate(header["layers"])]
    return model


def _trained(arrays: Arrays, number: int, depth: int) -> Trained:
    names = [f"stack.{number}.{layer}" for layer in range(depth)]
    layers = tuple((arrays[f"{name}.weights"], arrays[f"{name}.biases"]) for name in names)
    return Perceptrons(layers), arrays[f"stack.{number}.attribute"]


def _to_json(found: Validation) -> list[float | None]:
    """NaN is no JSON: None where nothing was held out."""
    return [None if value != value else value for value in (found.accuracy, found.worst, *found.band)]


def _from_json(record: list[float | None]) -> Validation:
    accuracy, worst, low, high = (float("nan") if value is None else value for value in record)
    return Validation(accuracy, worst, (low, high))
