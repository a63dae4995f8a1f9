"""NoiseAwareClassifier: any scikit-learn classifier, trained on the expected loss under P(Y | G).

A row that is .7 cat and .3 dog is used twice: as a cat of weight .7 and as a dog of weight .3. For every loss that is
a weighted sum over rows this is exactly the expected loss of Section 3.3 of the paper. An estimator that learns from
beliefs itself (`LearnsBeliefs`) sees each row once.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import _num_samples, has_fit_parameter, validate_data

from shortlist.archive import Arrays, read_archive, write_archive
from shortlist.arrays import Floats, Positions
from shortlist.classifier.base import BaseClassifier, pack_classes, reading, unpack_classes
from shortlist.classifier.linear import SoftLogisticRegression
from shortlist.classifier.targets import Uncovered, make_targets
from shortlist.classifier.text import TextFeatures
from shortlist.errors import BadFile, BadFit, BadRows, require
from shortlist.progress import Tell, progress_lines
from shortlist.rows import read_texts

KIND = "noise-aware classifier"  # in the header of its files
FLOATS = (np.float64, np.float32)  # features keep their precision


@runtime_checkable
class LearnsBeliefs(Protocol):
    """An estimator that learns from features (m, p), beliefs (m, k) and weights (m,) itself."""

    def fit_beliefs(self, X: Any, beliefs: Floats, weights: Floats) -> Self: ...
    def log_proba(self, X: Any) -> Floats: ...


class NoiseAwareClassifier(BaseClassifier):
    """A classifier that learns from beliefs instead of labels, and then reads rows no labeler voted on.

    >>> from shortlist import NoiseAwareClassifier
    >>> texts = ["a cat purrs", "the dog barks", "cats purr", "dogs bark loudly"]
    >>> beliefs = [[0.9, 0.1], [0.2, 0.8], [0.8, 0.2], [0.1, 0.9]]
    >>> NoiseAwareClassifier().fit(texts, beliefs, classes=["cat", "dog"]).predict(["purring cats"]).tolist()
    ['cat']

    Parameters
    ----------
    estimator : a classifier whose `fit` takes `sample_weight`, or a Pipeline that ends in one. It sees each row once
        per class, weighted by belief. None: `SoftLogisticRegression()`, which sees each row once.
    features : for rows of text, a transformer from strings to features. None: `TextFeatures()`. A Pipeline as
        estimator reads the strings itself.
    uncovered : "drop" (the paper) leaves rows without a vote out, "keep" trains on them too
    sharpen : the power of the beliefs that it learns from. 1: the expected loss under the beliefs, as in the paper.
        Above 1, the likelier classes of a row count for more: 2 is right more often, and better calibrated.
    on : for rows that are tables or dicts, the column of text to read, or a list of columns. Their texts are joined
        by ". " in that order; missing and empty texts are left out.
    progress : show a line on standard error while it learns (None: on a terminal only), or a function to call with each

    Attributes (once fitted)
    ------------------------
    classes_ (k,), estimator_, features_ (None for rows that are features already), temperature_
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        features: Any = None,
        uncovered: Uncovered = "drop",
        sharpen: float = 2.0,
        on: str | Sequence[str] | None = None,
        progress: bool | Tell | None = None,
    ) -> None:
        self.estimator = estimator
        self.features = features
        self.uncovered = uncovered
        self.sharpen = sharpen
        self.on = on
        self.progress = progress

    def fit(
        self,
        rows: Any,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        covered: npt.ArrayLike | None = None,
        classes: Sequence[Any] | None = None,
    ) -> Self:
        """Learn from rows and beliefs (m, k), or from one label a row (None where it is unknown).

        `covered` says which rows have a vote (`votes.covered`). Without it, rows whose belief is uniform count as
        uncovered. `classes` names the columns of the beliefs, for example `votes.space`; without it they are the
        columns of a table of beliefs, or numbers.
        """
        self._check_parts()
        texts = read_texts(rows, self.on)
        X = rows if texts is not None else validate_data(self, rows, accept_sparse="csr", dtype=FLOATS)
        m = len(texts) if texts is not None else _num_samples(X)
        targets = make_targets(
            y, m, classes=classes, covered=covered, sample_weight=sample_weight, uncovered=self.uncovered
        )
        targets = targets.sharpened(self.sharpen)
        estimator = SoftLogisticRegression() if self.estimator is None else clone(self.estimator)
        kept: Any = [texts[a] for a in targets.rows] if texts is not None else X
        if texts is None and not np.array_equal(targets.rows, np.arange(m)):  # a copy is as large as the rows
            kept = X[targets.rows]
        self.features_ = None if texts is None else self._text_features(estimator)
        with progress_lines(self.progress) as tell:
            if self.features_ is not None:
                tell(f"reading {len(kept):,} texts")
                kept = self.features_.fit_transform(kept)
            self.estimator_ = _fit_estimator(estimator, kept, targets.beliefs, targets.weights, tell)
        self.classes_, self.named_ = targets.classes, targets.named
        self.reads_text_, self.temperature_ = texts is not None, 1.0
        return self

    def _check_parts(self) -> None:
        """Raise if `estimator` or `features` is not an object with the methods it needs."""
        for name, verb in (("estimator", "fit"), ("features", "fit_transform")):
            part = getattr(self, name)
            if part is None or isinstance(part, LearnsBeliefs):
                continue
            if isinstance(part, type) or not hasattr(part, verb):
                raise BadFit(f"{name} is an object with {verb}, or None for the default; got {part!r}", option=(name,))

    def _text_features(self, estimator: Any) -> Any:
        if isinstance(estimator, Pipeline) and self.features is None:
            return None
        return TextFeatures() if self.features is None else clone(self.features)

    def predict(self, rows: Any) -> npt.NDArray[Any]:
        """The class of each row: the most likely one, or what the wrapped estimator answers."""
        self._check_fitted()
        if isinstance(self.estimator_, LearnsBeliefs) or self._no_texts(rows):
            return super().predict(rows)
        return self._names(self.estimator_.predict(self._read(rows)))

    def _log_proba(self, rows: Any) -> Floats:
        if self._no_texts(rows):
            return np.zeros((0, len(self.classes_)))
        return log_proba_of(self.estimator_, self._read(rows), len(self.classes_))

    def _no_texts(self, rows: Any) -> bool:
        """Return True if this reads texts and there are no rows; False for an iterator, whose length is unknown."""
        return bool(self.reads_text_ and hasattr(rows, "__len__") and not _num_samples(rows))

    def _read(self, rows: Any) -> Any:
        """Rows as the estimator wants them."""
        texts = read_texts(rows, self.on)
        if texts is None and not self.reads_text_:
            return validate_data(self, rows, accept_sparse="csr", dtype=FLOATS, reset=False)
        if texts is None or not self.reads_text_:
            kinds = ("features", "text") if texts is not None else ("text", "features")
            raise BadRows(f"this classifier was fitted on {kinds[0]}, and is now given {kinds[1]}")
        return texts if self.features_ is None else self.features_.transform(texts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted classifier to one file, without pickle. A wrapped estimator needs skops."""
        self._check_fitted()
        header, arrays = self.pack()
        write_archive(path, kind=KIND, version=1, header=header, arrays=arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, trusted: Sequence[str] = ()) -> Self:
        """Read what `save` wrote.

        A wrapped estimator may hold types that neither scikit-learn nor numpy define; name those you trust.
        """
        header, arrays = read_archive(path, kind=KIND, version=1)
        with reading(path):
            return cls.unpack(header, arrays, path, trusted)

    def pack(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """(header, arrays) for a file. Our own parts become arrays, others are written by skops."""
        header = pack_classes(self) | {
            "reads_text": self.reads_text_,
            "n_features_in": getattr(self, "n_features_in_", None),
        }
        header |= {name: getattr(self, name) for name in ("uncovered", "sharpen", "on")}
        arrays: dict[str, Any] = {}
        header["features"] = _pack_features(self.features_, arrays)
        header["estimator"] = _pack_estimator(self.estimator_, arrays)
        return header, arrays

    @classmethod
    def unpack(cls, header: dict[str, Any], arrays: Arrays, path: Any, trusted: Sequence[str] = ()) -> Self:
        """Rebuild what `pack` was called on. `path` is the file that errors name."""
        features = _unpack_features(header["features"], arrays, path, trusted)
        estimator = _unpack_estimator(header["estimator"], arrays, path, trusted)
        options = {name: header[name] for name in ("uncovered", "sharpen", "on")}
        model = cls(estimator, features=features, **options)
        model.estimator_, model.features_, model.reads_text_ = estimator, features, header["reads_text"]
        unpack_classes(model, header)
        if header["n_features_in"] is not None:
            model.n_features_in_ = header["n_features_in"]
        if isinstance(estimator, SoftLogisticRegression):
            _check_shapes(estimator, len(model.classes_))
        if isinstance(features, TextFeatures) and features.encoder is None:
            model.predict_proba(["any text"])  # parts that do not fit together fail here
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = self.estimator is None or isinstance(self.estimator, SoftLogisticRegression)
        tags.input_tags.sparse = own or get_tags(self.estimator).input_tags.sparse
        return tags


# -- learning from beliefs ---------------------------------------------------------------------------------


def _fit_estimator(estimator: Any, X: Any, beliefs: Floats, weights: Floats, tell: Tell) -> Any:
    """Fit an estimator of either kind; classes are positions 0 … k − 1."""
    if isinstance(estimator, SoftLogisticRegression):
        return estimator.fit_beliefs(X, beliefs, weights, tell=tell)
    tell(f"{type(estimator).__name__} learns from {len(beliefs):,} rows")
    if isinstance(estimator, LearnsBeliefs):
        return estimator.fit_beliefs(X, beliefs, weights)
    return fit_expanded(estimator, X, beliefs, weights)


def fit_expanded(estimator: Any, X: Any, beliefs: Floats, weights: Floats) -> Any:
    """Fit a scikit-learn estimator on weighted copies of the rows, one for each class believed in."""
    rows, classes, shares = expand(beliefs, weights)
    copies = [X[a] for a in rows] if isinstance(X, list) else X[rows]
    return estimator.fit(copies, classes, **{weight_argument(estimator): shares})


def expand(beliefs: Floats, weights: Floats) -> tuple[Positions, Positions, Floats]:
    """(row, class, weight) of every belief of at least 1e-6; each row keeps its whole weight."""
    worth = beliefs >= 1e-6
    kept = np.where(worth, beliefs, 0.0)
    kept *= (weights / kept.sum(axis=1))[:, None]
    rows, classes = np.nonzero(worth)
    return rows, classes, kept[rows, classes]


def weight_argument(estimator: Any) -> str:
    """Name of the weights in `fit`: sample_weight, with the prefix of a pipeline's last step."""
    last, prefix = estimator, ""
    while isinstance(last, Pipeline):
        name, last = last.steps[-1]
        prefix += f"{name}__"
    if not has_fit_parameter(last, "sample_weight"):
        raise BadFit(
            f"{type(last).__name__} takes no sample_weight, so its rows cannot be weighted by belief. Use one that "
            "does (LogisticRegression, HistGradientBoostingClassifier, …), or the default: NoiseAwareClassifier()"
        )
    return f"{prefix}sample_weight"


def log_proba_of(estimator: Any, X: Any, k: int) -> Floats:
    """log P(class | x), (m, k), of a fitted estimator of either kind; −∞ for classes it never saw."""
    if isinstance(estimator, LearnsBeliefs):
        return estimator.log_proba(X)
    if not hasattr(estimator, "predict_proba"):
        raise BadFit(f"{type(estimator).__name__} gives classes but no probabilities")
    proba = estimator.predict_proba(X)
    full = np.full((len(proba), k), -np.inf)
    with np.errstate(divide="ignore"):  # a tree may give a probability of 0
        full[:, estimator.classes_] = np.log(proba)
    return full


# -- files -------------------------------------------------------------------------------------------------


def _pack_features(features: Any, arrays: dict[str, Any]) -> Any:
    """Return the header entry of the features; their arrays are added to `arrays`."""
    if features is None:
        return None
    if not isinstance(features, TextFeatures):
        arrays["features.skops"] = _dump(features)
        return "skops"
    for i, (grams, idf) in enumerate(features.state()):
        arrays[f"features.grams.{i}"] = np.frombuffer(grams.encode("utf-8", "surrogatepass"), np.uint8)
        arrays[f"features.idf.{i}"] = idf
    return {key: list(v) if isinstance(v, tuple) else v for key, v in features.get_params().items()}


def _unpack_features(kept: Any, arrays: Arrays, path: Any, trusted: Sequence[str]) -> Any:
    if kept is None:
        return None
    if kept == "skops":
        return _build(arrays["features.skops"], path, trusted)
    options: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in kept.items()}
    halves = sum(name.startswith("features.idf.") for name in arrays)
    grams = [arrays[f"features.grams.{i}"].tobytes().decode("utf-8", "surrogatepass") for i in range(halves)]
    return TextFeatures(**options).restore([(grams[i], arrays[f"features.idf.{i}"]) for i in range(halves)])


def _pack_estimator(estimator: Any, arrays: dict[str, Any]) -> Any:
    """Return the header entry of the estimator; its arrays are added to `arrays`."""
    if not isinstance(estimator, SoftLogisticRegression):
        arrays["estimator.skops"] = _dump(estimator)
        return "skops"
    arrays["coef"], arrays["intercept"] = estimator.coef_, estimator.intercept_
    return {"options": estimator.get_params(), "loss": estimator.loss_, "n_iter": estimator.n_iter_}


def _unpack_estimator(kept: Any, arrays: Arrays, path: Any, trusted: Sequence[str]) -> Any:
    if kept == "skops":
        return _build(arrays["estimator.skops"], path, trusted)
    estimator = SoftLogisticRegression(**kept["options"])
    estimator.coef_, estimator.intercept_ = arrays["coef"], arrays["intercept"]
    estimator.loss_, estimator.n_iter_ = kept["loss"], kept["n_iter"]
    estimator.classes_ = np.arange(len(estimator.coef_))
    return estimator


def _check_shapes(estimator: SoftLogisticRegression, k: int) -> None:
    """Raise if the weights are not those of k classes, or not finite."""
    weights, intercept = estimator.coef_, estimator.intercept_
    if weights.ndim != 2 or len(weights) != k or intercept.shape != (k,):
        raise ValueError(f"weights {weights.shape} and intercepts {intercept.shape} are not those of {k} classes")
    if not (np.isfinite(weights).all() and np.isfinite(intercept).all()):
        raise ValueError("weights are not numbers")


def _dump(part: Any) -> npt.NDArray[np.uint8]:
    return np.frombuffer(require("skops.io", extra="skops").dumps(part), np.uint8)


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
