"""File: a fitted NoiseAwareClassifier as one npz archive with a JSON header; nothing pickled.

Our own features and linear model are kept as arrays. Anything else is written by skops. It lists the types that a file
would build, and builds none that the reader has not named as trusted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from shortlist.archive import Arrays, read_archive, write_archive
from shortlist.classifier.linear import SoftLogisticRegression
from shortlist.classifier.text import TextFeatures
from shortlist.errors import BadFile, MissingPackage, require

if TYPE_CHECKING:
    from shortlist.classifier.noise_aware import NoiseAwareClassifier

KIND = "noise-aware classifier"
FORMAT = 1
Model = TypeVar("Model", bound="NoiseAwareClassifier")


def save(model: NoiseAwareClassifier, path: str | os.PathLike[str]) -> None:
    header: dict[str, Any] = {
        "classes": model.classes_.tolist(),
        "dtype": model.classes_.dtype.str,
        "temperature": model.temperature_,
        "reads_text": model.reads_text_,
        "uncovered": model.uncovered,
        "sharpen": model.sharpen,
        "on": model.on,
        "n_features_in": getattr(model, "n_features_in_", None),
    }
    arrays: dict[str, Any] = {}
    header["features"] = pack_features(model.features_, arrays)
    header["estimator"] = pack_estimator(model.estimator_, arrays)
    write_archive(path, kind=KIND, version=FORMAT, header=header, arrays=arrays)


def load(cls: type[Model], path: str | os.PathLike[str], trusted: Sequence[str]) -> Model:
    header, arrays = read_archive(path, kind=KIND, version=FORMAT)
    with understood(path):
        features = unpack_features(header["features"], arrays, path, trusted)
        estimator = unpack_estimator(header["estimator"], arrays, path, trusted)
        how = {"uncovered": header["uncovered"], "sharpen": header.get("sharpen", 1.0), "on": header["on"]}
        model = cls(estimator, features=features, **how)
        model.estimator_, model.features_ = estimator, features
        model.classes_, model.reads_text_ = unpack_classes(header), header["reads_text"]
        model.temperature_ = header["temperature"]
        if header["n_features_in"] is not None:
            model.n_features_in_ = header["n_features_in"]
        if isinstance(estimator, SoftLogisticRegression):
            _check_shapes(estimator, len(model.classes_))
        if isinstance(features, TextFeatures):
            model.predict_proba(["some text"])  # what does not fit together is found out here
    return model


def _check_shapes(estimator: SoftLogisticRegression, k: int) -> None:
    """Raise where the weights are not those of k classes, or not numbers."""
    weights, intercept = estimator.coef_, estimator.intercept_
    if weights.ndim != 2 or len(weights) != k or intercept.shape != (k,):
        raise ValueError(f"weights {weights.shape} and intercepts {intercept.shape} are not those of {k} classes")
    if not (np.isfinite(weights).all() and np.isfinite(intercept).all()):
        raise ValueError("weights are not numbers")


@contextmanager
def understood(path: str | os.PathLike[str], what: str = "classifier") -> Iterator[None]:
    """A context in which the content of a file is put together. What goes wrong is a BadFile that names the file."""
    try:
        yield
    except (BadFile, MissingPackage):
        raise
    except Exception as error:  # what does not fit together can trip any formula
        raise BadFile(f"{path} holds no {what} this version can read ({error})") from error


def unpack_classes(header: Mapping[str, Any]) -> npt.NDArray[Any]:
    """(k,): class names as they were. Older files do not say of which dtype: text as objects, numbers as numbers."""
    classes = header["classes"]
    return np.array(classes, header.get("dtype", object if any(isinstance(name, str) for name in classes) else None))


def pack_features(features: Any, arrays: dict[str, Any]) -> Any:
    """What the header keeps of the features. Their arrays are added to `arrays`."""
    if features is None:
        return None
    if not isinstance(features, TextFeatures):
        arrays["features.skops"] = _dump(features)
        return "skops"
    for i, (grams, idf) in enumerate(features.state()):
        arrays[f"features.grams.{i}"] = np.frombuffer(grams.encode("utf-8"), np.uint8)
        arrays[f"features.idf.{i}"] = idf
    return {key: list(v) if isinstance(v, tuple) else v for key, v in features.get_params().items()}


def unpack_features(kept: Any, arrays: Arrays, path: Any, trusted: Sequence[str]) -> Any:
    if kept is None:
        return None
    if kept == "skops":
        return _build(arrays["features.skops"], path, trusted)
    options: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in kept.items()}
    features = TextFeatures(**options)
    halves = sum(name.startswith("features.idf.") for name in arrays)
    state = [
        (arrays[f"features.grams.{i}"].tobytes().decode("utf-8"), arrays[f"features.idf.{i}"]) for i in range(halves)
    ]
    return features.restore(state)


def pack_estimator(estimator: Any, arrays: dict[str, Any]) -> Any:
    """What the header keeps of the estimator. Its arrays are added to `arrays`."""
    if not isinstance(estimator, SoftLogisticRegression):
        arrays["estimator.skops"] = _dump(estimator)
        return "skops"
    arrays["coef"], arrays["intercept"] = estimator.coef_, estimator.intercept_
    return {"options": estimator.get_params(), "loss": estimator.loss_, "n_iter": estimator.n_iter_}


def unpack_estimator(kept: Any, arrays: Arrays, path: Any, trusted: Sequence[str]) -> Any:
    if kept == "skops":
        return _build(arrays["estimator.skops"], path, trusted)
    estimator = SoftLogisticRegression(**kept["options"])
    estimator.coef_, estimator.intercept_ = arrays["coef"], arrays["intercept"]
    estimator.loss_, estimator.n_iter_ = kept["loss"], kept["n_iter"]
    return estimator


def _dump(thing: Any) -> npt.NDArray[np.uint8]:
    return np.frombuffer(require("skops.io", extra="skops").dumps(thing), np.uint8)


def _build(packed: npt.NDArray[np.uint8], path: Any, trusted: Sequence[str]) -> Any:
    """Build what skops wrote, if every type in it is well known or trusted by name."""
    skops = require("skops.io", extra="skops")
    unknown = sorted(set(skops.get_untrusted_types(data=packed.tobytes())) - set(trusted))
    if unknown:
        raise BadFile(
            f"{path} holds types that could run code of their own: {', '.join(unknown)}. If you trust whoever wrote "
            f"it, name them: load(path, trusted={unknown!r})"
        )
    return skops.loads(packed.tobytes(), trusted=list(trusted))
