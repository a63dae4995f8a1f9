"""NoiseAwareClassifier: any classifier of scikit-learn's kind, trained on the expected loss under P(Y | G)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import _num_samples, validate_data

from shortlist.arrays import Floats
from shortlist.classifier import file
from shortlist.classifier.expansion import LearnsBeliefs, fit_estimator, log_proba
from shortlist.classifier.linear import SoftLogisticRegression
from shortlist.classifier.predictor import Predictor
from shortlist.classifier.targets import Uncovered, make_targets
from shortlist.classifier.text import TextFeatures
from shortlist.errors import BadFit, BadRows
from shortlist.progress import Tell, told_lines
from shortlist.rows import read_texts


class NoiseAwareClassifier(Predictor):
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
    progress : a line on standard error while it learns. None: on a terminal only. Or a function that is told each line.

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
        X = rows if texts is not None else validate_data(self, rows, accept_sparse="csr", dtype=np.float64)
        m = len(texts) if texts is not None else _num_samples(X)
        targets = make_targets(
            y, m, classes=classes, covered=covered, sample_weight=sample_weight, uncovered=self.uncovered
        )
        targets = targets.sharpened(self.sharpen)
        estimator = SoftLogisticRegression() if self.estimator is None else clone(self.estimator)
        kept: Any = X[targets.rows] if texts is None else [texts[a] for a in targets.rows]
        self.features_ = None if texts is None else self._text_features(estimator)
        with told_lines(self.progress) as tell:
            if self.features_ is not None:
                tell(f"reading {len(kept):,} texts")
                kept = self.features_.fit_transform(kept)
            self.estimator_ = fit_estimator(estimator, kept, targets.beliefs, targets.weights, tell)
        self.classes_, self.named_ = targets.classes, targets.named
        self.reads_text_, self.temperature_ = texts is not None, 1.0
        return self

    def _check_parts(self) -> None:
        """Raise where what should learn, or read texts, is something else."""
        for name, verb in (("estimator", "fit"), ("features", "fit_transform")):
            part = getattr(self, name)
            known = part is None or isinstance(part, LearnsBeliefs)
            if not known and (isinstance(part, type) or not hasattr(part, verb)):
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
        return log_proba(self.estimator_, self._read(rows), len(self.classes_))

    def _no_texts(self, rows: Any) -> bool:
        """Whether this reads texts and there are no rows. How many an iterator holds is not known here."""
        return bool(self.reads_text_ and hasattr(rows, "__len__") and not _num_samples(rows))

    def _read(self, rows: Any) -> Any:
        """Rows as the estimator wants them."""
        texts = read_texts(rows, self.on)
        if texts is None and not self.reads_text_:
            return validate_data(self, rows, accept_sparse="csr", dtype=np.float64, reset=False)
        if texts is None or not self.reads_text_:
            kinds = ("features", "text") if texts is not None else ("text", "features")
            raise BadRows(f"this classifier was fitted on {kinds[0]}, and is now given {kinds[1]}")
        return texts if self.features_ is None else self.features_.transform(texts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted classifier to one file, without pickle. A wrapped estimator needs skops."""
        self._check_fitted()
        file.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, trusted: Sequence[str] = ()) -> Self:
        """Read what `save` wrote.

        A wrapped estimator may hold types that neither scikit-learn nor numpy define; name those you trust.
        """
        return file.load(cls, path, trusted)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.estimator is None or get_tags(self.estimator).input_tags.sparse
        return tags
