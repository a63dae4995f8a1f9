"""BaseClassifier: from log-probabilities to classes, scores and calibration; shared by all classifiers."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metadata_routing import UNUSED

from shortlist.arrays import Floats, Positions
from shortlist.classifier.targets import is_known, label_positions
from shortlist.errors import BadFile, BadFit, MissingPackage, NotFitted, UnnamedClasses


class BaseClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base class; subclasses have `_log_proba(rows)`, and their `fit` sets `classes_` and `temperature_`."""

    classes_: npt.NDArray[Any]
    temperature_: float
    named_ = True  # whether `fit` was given the names of the classes
    __metadata_request__fit = {"rows": UNUSED}  # noqa: RUF012  scikit-learn's X
    __metadata_request__predict = __metadata_request__predict_proba = __metadata_request__score = (
        __metadata_request__fit
    )

    def _log_proba(self, rows: Any) -> Floats:
        """log P(class | row), (m, k), before calibration."""
        raise NotImplementedError

    def predict_proba(self, rows: Any) -> Floats:
        """P(class | row), (m, k), columns in the order of `classes_`."""
        self._check_fitted()
        log_p = self._log_proba(rows)
        return np.exp(log_p if self.temperature_ == 1 else log_softmax(log_p / self.temperature_, axis=1))

    def predict(self, rows: Any) -> npt.NDArray[Any]:
        """The most likely class of each row."""
        self._check_fitted()
        return self._names((self._log_proba(rows) / self.temperature_).argmax(axis=1))

    def _names(self, positions: Positions) -> npt.NDArray[Any]:
        """Classes at these positions, with a warning where they are numbers because `fit` got no names."""
        if not self.named_:
            k = len(self.classes_)
            text = f"classes are the numbers 0 to {k - 1}, since the beliefs came without names"
            warnings.warn(f"{text}: fit(rows, beliefs, classes=votes.space)", UnnamedClasses, stacklevel=3)
        return self.classes_[positions]

    def score(self, rows: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> float:
        """The share of rows with a known class that are predicted right."""
        guess = self.predict(rows)
        truth = np.asarray(y)
        known = is_known(truth)
        if len(truth) != len(guess) or not known.any():
            raise BadFit(f"there are {len(guess)} rows and {int(known.sum())} known labels to score them against")
        weights = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(np.average(guess[known] == truth[known], weights=weights))

    def calibrate(self, rows: Any, gold: npt.ArrayLike) -> Self:
        """Set the temperature at which these labels are most likely. Predicted classes do not change."""
        self._check_fitted()
        where = label_positions(gold, self.classes_)
        if len(where) != len(rows) or (where < 0).all():
            raise BadFit(f"there are {len(rows)} rows and {int((where >= 0).sum())} known labels to calibrate on")
        known = np.flatnonzero(where >= 0)
        self.temperature_ = best_temperature(self._log_proba(rows)[known], where[known])
        return self

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFitted(f"this {type(self).__name__} is not fitted: call fit(rows, beliefs) first")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "temperature_")


def best_temperature(log_p: Floats, truth: Positions) -> float:
    """argmin_T of −Σ log softmax(log p / T) at the true classes, between 1/20 and 20."""
    scores = np.maximum(log_p, -700.0)  # exp(−700) is the smallest probability a float can hold

    def loss(log_t: float) -> float:
        tempered = log_softmax(scores / np.exp(log_t), axis=1)
        return -float(tempered[np.arange(len(truth)), truth].mean())

    return float(np.exp(minimize_scalar(loss, bounds=(-np.log(20), np.log(20)), method="bounded").x))


# -- files -------------------------------------------------------------------------------------------------


@contextmanager
def reading(path: str | os.PathLike[str], what: str = "classifier") -> Iterator[None]:
    """Turn any error while the content of a file is put together into a BadFile that names the file."""
    try:
        yield
    except (BadFile, MissingPackage):
        raise
    except Exception as error:  # content that does not fit together can fail anywhere
        raise BadFile(f"{path} holds no {what} this version can read ({error})") from error


def pack_classes(model: BaseClassifier) -> dict[str, Any]:
    """Header entries that every classifier's file has."""
    return {
        "classes": model.classes_.tolist(),
        "dtype": model.classes_.dtype.str,
        "temperature": model.temperature_,
    }


def unpack_classes(model: BaseClassifier, header: Mapping[str, Any]) -> None:
    model.classes_ = np.array(header["classes"], header["dtype"])
    model.temperature_ = header["temperature"]
