"""ZeroShotClassifier: from labelled rows of seen classes to a classifier of classes without labels."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from shortlist.arrays import Floats
from shortlist.classifier import NoiseAwareClassifier
from shortlist.errors import BadFit, FitWarning, NotFitted
from shortlist.labelmodel import LabelModel
from shortlist.wording import some_of
from shortlist.zeroshot.attribute_detectors import AttributeDetectors
from shortlist.zeroshot.naming import Clustering, find_clusterings
from shortlist.zeroshot.task import Features, Scaling, Scores, make_task, read_features, zero_shot_scores


class ZeroShotClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Attribute detectors → votes on unlabelled rows of unseen classes → beliefs → clusters' names → a classifier.

    Parameters
    ----------
    table : which class has which attribute: a mapping of attribute → classes, a DataFrame, or an `AttributeTable`
    generalised : False (strict): rows are of unseen classes, and those are what it answers. True: rows may be of any
        class; the classifier learns seen classes from their labels and unseen ones from beliefs.
    detectors : an `AttributeDetectors`. If it is fitted it is used as it is, else its options are. None: its defaults
    label_model : what turns votes into beliefs. None: `LabelModel()`; by clusters `LabelModel(balance="uniform")`,
        since each class is the name of one cluster, however frequent it is
    classifier : what learns from beliefs; None for the linear `NoiseAwareClassifier()`. The paper's is
        `MLPClassifier()`.
    by_cluster : True: unlabelled rows are clustered in several ways, clusters are named by beliefs and by attributes
        (`naming.py`), and the classifier learns from the names. Where detectors tell at most half of the unseen
        classes from all others, it learns from beliefs after all, and a warning says so. False, as in the paper: from
        the beliefs, row by row.
    seed : of the clusters

    Attributes (once fitted)
    ------------------------
    classes_, seen_, unseen_ : the classes it answers, those with labels, those without
    detectors_, label_model_, classifier_ : the three stages
    votes_, beliefs_ (m, unseen) : about the unlabelled rows
    clusterings_ : the clusterings, most likely first: `clusters` (m,), their `names` (clusters, unseen), and a
        `weight`; empty with `by_cluster=False`
    named_ (m, unseen) : beliefs about the rows by the names of their clusters, all clusterings weighted; or None
    """

    def __init__(
        self,
        table: Any,
        *,
        generalised: bool = False,
        detectors: AttributeDetectors | None = None,
        label_model: Any = None,
        classifier: Any = None,
        by_cluster: bool = True,
        seed: int = 0,
    ) -> None:
        self.table, self.generalised = table, generalised
        self.detectors, self.label_model, self.classifier = detectors, label_model, classifier
        self.by_cluster, self.seed = by_cluster, seed

    def fit(self, X: Any, y: Any, *, unlabelled: Any, unseen: Iterable[str] | None = None) -> Self:
        """Learn from features and labels of seen classes, and from `unlabelled` features of unseen ones.

        `unseen` names the unseen classes; by default, all classes of the table that no row is labelled with.
        """
        rows = read_features(X)
        new = read_features(unlabelled, rows.shape[1])
        if not len(new):
            raise BadFit("there are no unlabelled rows: the votes on them are what the label model learns from")
        self.detectors_ = self._detectors(rows, y, unseen)
        self.seen_, self.unseen_ = self.detectors_.seen_, self.detectors_.unseen_
        self.votes_ = self.detectors_.votes(new)
        by_cluster = self.by_cluster and self._told_apart()
        default = LabelModel(balance="uniform") if by_cluster else LabelModel()  # each class names one cluster
        self.label_model_ = (default if self.label_model is None else clone(self.label_model)).fit(self.votes_)
        self.beliefs_: Floats = self.label_model_.predict_proba(self.votes_)
        self.clusterings_ = self._clusterings(rows, y, new) if by_cluster else []
        weighted = [one.weight * one.names[one.clusters] for one in self.clusterings_]
        self.named_: Floats | None = np.sum(weighted, axis=0) if weighted else None
        self._warn_of_doubt()
        self._fit_classifier(rows, np.asarray(y), new)
        return self

    def _detectors(self, rows: Features, y: Any, unseen: Iterable[str] | None) -> AttributeDetectors:
        """The given detectors if they are fitted to these classes; else new ones."""
        if self.detectors is None or not self.detectors.__sklearn_is_fitted__():
            given = AttributeDetectors(self.table) if self.detectors is None else clone(self.detectors)
            fresh: AttributeDetectors = given.set_params(table=self.table)
            return fresh.fit(rows, y, unseen=unseen)
        task = make_task(rows, y, self.table, unseen)
        if (task.seen, set(task.unseen)) != (self.detectors.seen_, set(self.detectors.unseen_)):
            raise BadFit(
                f"the detectors were fitted on {', '.join(self.detectors.seen_)} to find "
                f"{', '.join(self.detectors.unseen_)}; these are labels of {', '.join(task.seen)}"
            )
        return self.detectors

    def _told_apart(self) -> bool:
        """Return True if detectors tell more than half of the unseen classes from all others; warn otherwise.

        Names would rest on attributes whose detectors failed on held-out classes.
        """
        has = self.detectors_.unseen_has_  # (unseen, n)
        alike = [name for name, own in zip(self.unseen_, has, strict=True) if (has == own).all(axis=1).sum() > 1]
        if 2 * len(alike) >= len(self.unseen_):
            _warn(
                f"no detector tells {', '.join(alike)} apart, so clusters get no names: the classifier learns from "
                "beliefs row by row. Add attributes in which these classes differ and the seen classes differ, too"
            )
        return 2 * len(alike) < len(self.unseen_)

    def _clusterings(self, rows: Features, y: Any, new: Features) -> list[Clustering]:
        """Clusterings of the unlabelled rows, with the names of their clusters."""
        task = make_task(rows, y, self.table, self.unseen_)
        found = find_clusterings(task, new, self.beliefs_, self.seed)
        if not found:
            _warn(
                f"there are fewer than {len(self.unseen_)} different unlabelled rows, so there is no cluster for each "
                "unseen class: the classifier learns from beliefs row by row"
            )
        return found

    def _warn_of_doubt(self) -> None:
        """Warn where clusters have names that are not likelier than not: whole classes may be wrong."""
        if self.named_ is None or _belief(self.named_) > 0.5:
            return
        best = self.named_.argmax(axis=1)
        doubtful = [name for j, name in enumerate(self.unseen_) if _belief(self.named_[best == j]) <= 0.5]
        _warn(
            f"names of clusters are in doubt: the likeliest are believed at {_belief(self.named_):.0%} on average, and "
            f"{some_of(doubtful)} at 50% or less. Whole classes may be wrong. Add attributes in which these classes "
            "differ and the seen classes differ, too; label some rows and check `scores`; or try by_cluster=False, "
            "which learns from beliefs row by row"
        )

    def _fit_classifier(self, rows: Features, y: npt.NDArray[Any], new: Features) -> None:
        """Train on beliefs, of clusters or of rows; in the generalised setting, on given labels as well."""
        beliefs, covered = self.beliefs_, self.votes_.covered
        if self.named_ is not None:
            beliefs, covered = self.named_, np.ones(len(new), np.bool_)
        beliefs = 0.999999 * beliefs + 0.000001 / len(self.unseen_)  # no class is ever ruled out
        X, answers = new, self.unseen_
        if self.generalised:
            X, answers = np.concatenate([rows, new]), (*self.seen_, *self.unseen_)
            known = np.eye(len(answers))[[answers.index(name) for name in y]]
            beliefs = np.concatenate([known, np.hstack([np.zeros((len(new), len(self.seen_))), beliefs])])
            covered = np.concatenate([np.ones(len(rows), np.bool_), covered])
        model = NoiseAwareClassifier() if self.classifier is None else clone(self.classifier)
        self.scaling_ = Scaling.of(X)
        self.classes_ = np.array(answers, object)
        self.classifier_ = model.fit(self.scaling_(X), beliefs, covered=covered, classes=list(answers))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most likely class of each row: of the unseen ones, or in the generalised setting of all."""
        best = self.predict_proba(X).argmax(axis=1)
        answers: npt.NDArray[Any] = self.classes_[best]
        return answers

    def predict_proba(self, X: Any) -> Floats:
        """P(class | features), (m, k), columns in the order of `classes_`."""
        if not self.__sklearn_is_fitted__():
            raise NotFitted(
                "this ZeroShotClassifier is not fitted: call fit(features, seen_labels, unlabelled=features) first"
            )
        proba: Floats = self.classifier_.predict_proba(self.scaling_(read_features(X, len(self.scaling_.shift))))
        return proba

    def scores(self, X: Any, y: Any) -> Scores:
        """Mean class accuracy on rows of unseen and, in the generalised setting, of seen classes."""
        return zero_shot_scores(y, self.predict(X), self.unseen_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classifier_")


def _belief(named: Floats) -> float:
    """The mean belief in the likeliest name; 0 where no row has it."""
    return float(named.max(axis=1).mean()) if len(named) else 0.0


def _warn(text: str) -> None:
    warnings.warn(text, FitWarning, stacklevel=4)  # where `fit` was called
