"""JointModel: labels and a classifier from votes, rows and gold together."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import _num_samples, has_fit_parameter

import shortlist.classifier
import shortlist.labelmodel
from shortlist.archive import read_archive, write_archive
from shortlist.arrays import Floats, Mask, Positions
from shortlist.beliefs import BY_BOTH, BY_GOLD, BY_ROW, LabelTable, recalibrated, recalibration
from shortlist.classifier import NoiseAwareClassifier, SoftLogisticRegression, TextFeatures
from shortlist.errors import BadFile, BadFit, BadRows, NotFitted, ShortlistError
from shortlist.joint.bayes import Combined, combine, likelihood_of, normalised, tempered
from shortlist.joint.row_evidence import RowEvidence
from shortlist.joint.teacher import (
    FEWEST_GOLD,
    TEACHERS,
    Teacher,
    fit_quietly,
    judge_by_gold,
    judge_by_labelers,
    mixed,
)
from shortlist.labelmodel import LabelModel, MajorityVote
from shortlist.labelmodel.evidence import Gold, gold_positions
from shortlist.labelmodel.model_options import shares_of
from shortlist.progress import Tell, progress_lines, silent
from shortlist.registry import check_choice, check_whole
from shortlist.rows import read_texts
from shortlist.votes import Votes

if TYPE_CHECKING:
    import polars as pl

By: TypeAlias = Literal["auto", "counting", "label-model", "mean"]
SOURCES = (BY_GOLD, BY_BOTH, BY_ROW)
ARRAYS = ("beliefs_", "out_of_fold_", "rows_alone_", "balance_")  # in a file
COUNTERS = ("MajorityVote", "NearestClass")  # label models that have nothing to save
CLASSIFIERS = ("NoiseAwareClassifier", "MLPClassifier", "TransformerClassifier")
MOST_GOLD_WEIGHT = 10.0  # of a gold row, as a multiple of that of a row with votes
VOTES, LEAST = 0.5, 1e-12  # power of what votes say about new rows; the least prediction
GOLD_FOLDS = 5  # each is labelled by models that have not seen its gold labels


def default_classifier() -> NoiseAwareClassifier:
    """A linear classifier for lessons that are cleaner than votes: less penalty."""
    return NoiseAwareClassifier(SoftLogisticRegression(C=10.0))


class JointModel(BaseEstimator):  # type: ignore[misc]
    """Labels and a classifier from votes, rows and gold together: P(class | votes, row).

    >>> from shortlist import JointModel, Votes
    >>> rows = ["a cat purrs", "the dog barks", "cats purr", "dogs bark loudly"] * 10
    >>> votes = Votes([[1, 0, 1], [2, 2, 0], [0, 1, 1], [2, 0, 2]] * 10, [["cat", "dog"]] * 3, ["cat", "dog"])
    >>> joint = JointModel().fit(votes, rows)
    >>> joint.predict(["purring cats"]).tolist()
    ['cat']

    Beliefs from votes are regressed on the features of rows. The prediction of each row by all others, divided by its
    mean, is multiplied with the beliefs of the votes and the class shares. This is done three times, from the second
    time on with rows without a vote, too. A classifier learns from the result.

    Parameters
    ----------
    label_model : a label model; None for `LabelModel()`
    classifier : what learns from the result: None for a linear one, or another classifier of shortlist, or one of
        scikit-learn that takes `sample_weight`
    by : who teaches: "counting", "label-model", "mean" of the two, or "auto", which lets evidence decide
    balance : class shares, by position or by name, with the sum 1; None estimates them (`balance_`)
    features : features of the rows (m, p), or a transformer that makes them. None: TF-IDF of texts, or the numbers
    seed : of samples
    progress : show a line on standard error while it learns (None: on a terminal only), or a function to call with it

    Attributes (once fitted)
    ------------------------
    labels_: the labels as a polars table: class, belief, shortlist, source and more
    beliefs_ (m, k): P(class | votes, row); of a gold row, all belief is in its gold class
    out_of_fold_ (m, k): the same, but for gold rows as if their gold label were unknown: score these
    rows_alone_ (m, k): what the other rows say about a row, without its votes; of gold rows as out_of_fold_
    source_ (m,): "gold", "votes and text" or "text alone"
    classifier_, label_model_, classes_ (k,)
    teacher_: who taught it, and the evidence
    balance_ (k,): class shares
    """

    def __init__(
        self,
        label_model: Any = None,
        classifier: Any = None,
        *,
        by: By = "auto",
        balance: Any = None,
        features: Any = None,
        seed: int = 0,
        progress: bool | Tell | None = None,
    ) -> None:
        self.label_model = label_model
        self.classifier = classifier
        self.by = by
        self.balance = balance
        self.features = features
        self.seed = seed
        self.progress = progress

    def fit(self, votes: Votes, rows: Any, gold: Gold | None = None) -> Self:
        """Learn from votes, the rows they are about, and gold: known classes by row, None where unknown."""
        self._check(votes)
        known = np.full(len(votes), -1) if gold is None else gold_positions(gold, len(votes), votes.space)
        with progress_lines(self.progress) as tell:
            made = default_classifier() if self.classifier is None else clone(self.classifier, safe=False)
            made = made if has_fit_parameter(made, "covered") else NoiseAwareClassifier(made)
            reading = Reading(made, rows, self.features, votes, tell)
            tell("combining votes and rows")
            self._combine(votes, known, RowEvidence(reading.evidence_features(), self.seed), tell=tell)
            tell(f"learning from {len(votes):,} rows")
            self.classifier_ = reading.fit(self.beliefs_, row_weights(votes.covered, known), votes.space)
        return self

    def _check(self, votes: Votes) -> None:
        if not isinstance(votes, Votes):
            raise BadFit(f"fit takes Votes, then rows: JointModel().fit(votes, rows); got {type(votes).__name__}")
        check_choice("by", self.by, ("auto", *TEACHERS))
        check_whole("seed", self.seed, least=0)
        if not votes.covered.any():
            raise BadFit("no row has a vote: there is nothing to learn from")

    def _combine(
        self,
        votes: Votes,
        gold: Positions,
        evidence: RowEvidence,
        teacher: Teacher | None = None,
        tell: Tell = silent,
    ) -> None:
        """Set beliefs, and what they are made of. Gold rows are scored by models that have not seen their gold."""
        weights, is_gold = row_weights(votes.covered, gold), gold >= 0
        label_model = LabelModel() if self.label_model is None else self.label_model
        self.counting_, self.seen_ = MajorityVote().fit(votes), votes[:1]
        self.label_model_ = fit_with_gold(clone(label_model), votes, gold)
        self.teacher_ = teacher or self._choose(votes, label_model, gold, evidence, weights, tell)
        given = None if self.balance is None else shares_of(self.balance, votes.space)

        def combined(model: Any, known: Positions) -> Combined:
            table, power = self._table(votes, model), self.teacher_.power
            return combine([table], [power], votes.covered, known, given, evidence, weights)[0]

        beliefs, self.rows_alone_, self.balance_ = combined(self.label_model_, gold)
        counted, beliefs, unseen = self.counting_.predict_proba(votes), tempered(beliefs), np.zeros_like(beliefs)
        fold = np.full(len(votes), -1)
        fold[is_gold] = np.random.default_rng(self.seed).permutation(int(is_gold.sum())) % GOLD_FOLDS
        for f in range(GOLD_FOLDS if is_gold.any() else 0):
            here, others = fold == f, np.where(fold == f, -1, gold)
            made, alone, _ = combined(fit_with_gold(clone(label_model), votes, others), others)
            unseen[here], self.rows_alone_[here] = (
                recalibrated_by_gold(tempered(made), counted, others)[here],
                alone[here],
            )
            beliefs[here] = tempered(made)[here]
        self.out_of_fold_ = np.where(is_gold[:, None], unseen, recalibrated_by_gold(beliefs, counted, gold))
        self.beliefs_ = np.where(is_gold[:, None], np.eye(len(votes.space))[np.maximum(gold, 0)], self.out_of_fold_)
        self.classes_ = np.array(list(votes.space), object)
        self.source_ = np.array(SOURCES)[np.where(is_gold, 0, np.where(votes.covered, 1, 2))]

    def _choose(
        self, votes: Votes, label_model: Any, gold: Positions, evidence: RowEvidence, weights: Floats, tell: Tell
    ) -> Teacher:
        if (gold >= 0).sum() < FEWEST_GOLD:
            return judge_by_labelers(votes, label_model, evidence, self.seed, self.by, tell)
        return judge_by_gold(votes, label_model, gold, evidence, weights, self.by)

    def _table(self, votes: Votes, label_model: Any) -> Floats:
        """P(votes | class) of each row, as the teacher has it."""
        return mixed(likelihood_of(self.counting_, votes), likelihood_of(label_model, votes), self.teacher_.name)

    # -- reading ---------------------------------------------------------------------------------------

    @property
    def labels_(self) -> pl.DataFrame:
        """The labels as a table, like a project's: class, belief, margin, shortlist, source, belief per class."""
        import polars as pl

        self._check_fitted()
        table = LabelTable(list(self.classes_), ("row", pl.Int64()), balance=self.balance_, voted=False)
        numbers = pl.arange(len(self.beliefs_), eager=True)
        return table.frame(numbers, self.beliefs_, source=self.source_.tolist()).drop("row")

    def predict_proba(self, rows: Any, votes: Votes | None = None) -> Floats:
        """P(class | row), (m, k); with votes about the same rows, P(class | votes, row)."""
        self._check_fitted()
        predicted = self.classifier_.predict_proba(rows)
        if votes is None:
            return np.asarray(predicted)
        if len(votes) != len(predicted):
            raise BadRows(f"there are {len(predicted)} rows and votes about {len(votes)}: they must be the same rows")
        return normalised(np.maximum(predicted, LEAST) * self._table(votes, self.label_model_) ** VOTES)

    def predict(self, rows: Any, votes: Votes | None = None) -> npt.NDArray[Any]:
        """The most likely class of each row."""
        places = self.predict_proba(rows, votes).argmax(axis=1)
        names: npt.NDArray[Any] = self.classes_[places]
        return names

    def save(self, path: str | os.PathLike[str], *, classifier: bool = True) -> None:
        """Write the fitted model to one file, without pickle. A wrapped estimator needs skops.

        With `classifier=False`, the classifier is left out: save it by itself, and hand it to `load`.
        """
        self._check_fitted()
        save(self, path, classifier)

    @staticmethod
    def load(path: str | os.PathLike[str], classifier: Any = None, **options: Any) -> JointModel:
        """Read what `save` wrote. Options are for the classifier's own `load` (`trusted`, `device`)."""
        return load(path, classifier, options)

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFitted("this JointModel is not fitted: call fit(votes, rows) first")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classifier_")

    def __str__(self) -> str:
        return summary(self) if self.__sklearn_is_fitted__() else "JointModel, not fitted"


def summary(joint: JointModel) -> str:
    """The fitted model in plain words."""
    m, k = joint.beliefs_.shape
    counts = ", ".join(f"{int((joint.source_ == source).sum()):,} {source}" for source in SOURCES)
    shares = ", ".join(f"{name} {share:.0%}" for name, share in zip(joint.classes_, joint.balance_, strict=True))
    has_gold = (joint.source_ == SOURCES[0]).any()
    origin = "given" if joint.balance is not None else "from gold rows" if has_gold else "estimated"
    lines = [
        f"JointModel: {m:,} rows, {k} classes.",
        f"Labels come from: {counts}.",
        str(joint.teacher_),
        f"Class shares ({origin}): {shares}.",
        f"Mean belief in the most likely class: {joint.out_of_fold_.max(axis=1).mean():.0%}.",
    ]
    return "\n".join(lines)


def row_weights(covered: Mask, gold: Positions) -> Floats:
    """(m,): gold rows count together as much as rows with votes, but each at most ten times; other rows once."""
    is_gold = gold >= 0
    others = int((covered & ~is_gold).sum())
    return np.where(is_gold, np.clip(others / max(int(is_gold.sum()), 1), 1.0, MOST_GOLD_WEIGHT), 1.0)


def fit_with_gold(model: Any, votes: Votes, gold: Positions) -> Any:
    """Fit a label model, with known classes (−1: unknown) if it takes them."""
    if not (gold >= 0).any() or not has_fit_parameter(model, "gold"):
        return fit_quietly(model, votes)
    return fit_quietly(model, votes, [None if j < 0 else votes.space[j] for j in gold.tolist()])


def recalibrated_by_gold(beliefs: Floats, counted: Floats, gold: Positions) -> Floats:
    """(m, k) from beliefs and counting (m, k), as gold rows say, if they are enough."""
    known, pair = np.flatnonzero(gold >= 0), np.stack([beliefs, counted])
    if len(known) < FEWEST_GOLD:
        return beliefs
    return recalibrated(pair, recalibration(pair[:, known], gold[known], np.ones(len(known))))


def word_features(texts: list[str], encoder: str | None = None) -> Any:
    """TF-IDF of single words, and vectors of an encoder if there is one."""
    return TextFeatures(words=(1, 1), characters=None, encoder=encoder).fit_transform(texts)


class Reading:
    """A classifier, and the features of rows, which are computed once."""

    def __init__(self, classifier: Any, rows: Any, features: Any, votes: Votes, tell: Tell) -> None:
        self.classifier, self.rows, self.tell = classifier, rows, tell
        self.texts = read_texts(rows, getattr(classifier, "on", None))
        self.features = None if self.texts is None else self._text_features(features)
        if self.texts is not None:
            tell(f"reading {len(self.texts):,} texts")
        self.X = self._features(features)
        m = _num_samples(self.X)
        if m != len(votes):
            raise BadRows(f"there are {m} rows and votes about {len(votes)}: they must be the same rows")

    def _text_features(self, given: Any) -> Any:
        own = given if hasattr(given, "fit_transform") else getattr(self.classifier, "features", None)
        return TextFeatures() if own is None else clone(own)

    def _features(self, given: Any) -> Any:
        if given is not None and not hasattr(given, "fit_transform"):
            return given
        if self.features is not None:
            return self.features.fit_transform(self.texts)
        X = self.rows if sp.issparse(self.rows) else np.asarray(self.rows)
        if not sp.issparse(X) and (X.ndim != 2 or X.dtype.kind not in "fiub"):
            raise BadRows("rows are texts or a table of numbers. For other rows, give their features: features=X")
        return X if given is None else clone(given).fit_transform(X)

    def evidence_features(self) -> Any:
        """Features that tell how rows resemble each other: single words of texts do as well as all n-grams."""
        own = self.features
        if not isinstance(own, TextFeatures) or own.get_params() != TextFeatures(encoder=own.encoder).get_params():
            return self.X
        words = word_features(self.texts or [])
        return sp.hstack([words, self.X[:, -own.width_ :]], format="csr") if own.width_ else words

    def fit(self, beliefs: Floats, weights: Floats, space: Any) -> Any:
        """Fit the classifier on all rows."""
        linear = isinstance(self.classifier, NoiseAwareClassifier) and not isinstance(
            self.classifier.estimator, Pipeline
        )
        shared = linear and self.features is not None
        weighted = {"sample_weight": weights} if has_fit_parameter(self.classifier, "sample_weight") else {}
        rows = self.X if shared else self.rows if self.texts is None else self.texts
        everyone, shown = np.ones(len(beliefs), bool), getattr(self.classifier, "progress", None)
        if hasattr(self.classifier, "progress"):
            self.classifier.progress = self.tell
        model = self.classifier.fit(rows, beliefs, covered=everyone, classes=list(space), **weighted)
        if hasattr(self.classifier, "progress"):
            self.classifier.progress = shown
        if shared:
            model.features_, model.reads_text_ = self.features, True
            del model.n_features_in_
        return model


# -- files: npz with a JSON header. Classifier and label model are files of their own inside -----------------


def save(joint: JointModel, path: str | os.PathLike[str], classifier: bool) -> None:
    header = {
        "options": {name: getattr(joint, name) for name in ("by", "seed")},
        "teacher": asdict(joint.teacher_),
        "classifier": _name(joint.classifier_, CLASSIFIERS) if classifier else None,
        "label_model": _name(joint.label_model_, ("LabelModel", *COUNTERS)),
        "source": joint.source_.tolist(),
        "balance_given": joint.balance is not None,
    }
    arrays: dict[str, Any] = {name: getattr(joint, name) for name in ARRAYS}
    if classifier:
        arrays["classifier"] = _bytes_of(joint.classifier_)
    arrays["votes"] = _bytes_of(joint.seen_)
    if header["label_model"] == "LabelModel":
        arrays["label_model"] = _bytes_of(joint.label_model_)
    write_archive(path, kind="joint model", version=1, header=header, arrays=arrays)


def load(path: str | os.PathLike[str], classifier: Any, options: Mapping[str, Any]) -> JointModel:
    header, arrays = read_archive(path, kind="joint model", version=1)
    if classifier is None and header["classifier"] is None:
        raise BadFile(f"{path} was saved without its classifier: load that by itself, and pass it as classifier=")
    try:
        joint = JointModel(**header["options"])
        for name in ARRAYS:
            setattr(joint, name, arrays[name])
        joint.seen_ = _loaded(Votes, arrays["votes"])
        joint.classifier_ = classifier
        if classifier is None:
            kind = getattr(shortlist.classifier, header["classifier"])
            joint.classifier_ = _loaded(kind, arrays["classifier"], **options)
        joint.counting_ = shortlist.labelmodel.MajorityVote().fit(joint.seen_)
        kind = getattr(shortlist.labelmodel, header["label_model"])
        counts = header["label_model"] in COUNTERS
        joint.label_model_ = kind().fit(joint.seen_) if counts else _loaded(kind, arrays["label_model"])
        joint.teacher_, joint.source_ = Teacher(**header["teacher"]), np.array(header["source"])
        joint.classes_ = np.array(list(joint.seen_.space), object)
        joint.balance = joint.balance_.tolist() if header["balance_given"] else None
    except ShortlistError:
        raise
    except Exception as error:  # what does not fit together can trip anything
        raise BadFile(f"{path} holds no joint model this version can read ({error})") from error
    return joint


def _name(model: Any, allowed: tuple[str, ...]) -> str:
    name = type(model).__name__
    if name not in allowed:
        raise BadFit(f"a JointModel with a {name} cannot be saved: only {', '.join(allowed)} can. Save its classifier_")
    return name


def _bytes_of(model: Any) -> npt.NDArray[np.uint8]:
    """The file that `model.save` writes."""
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model.npz")
        return np.frombuffer((Path(folder) / "model.npz").read_bytes(), np.uint8)


def _loaded(kind: Any, content: npt.NDArray[np.uint8], **options: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.npz").write_bytes(content.tobytes())
        return kind.load(Path(folder) / "model.npz", **options)
