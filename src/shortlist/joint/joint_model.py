"""JointModel: labels and a classifier from votes, rows and gold together."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, has_fit_parameter

import shortlist.classifier
import shortlist.labelmodel
from shortlist.archive import read_archive, write_archive
from shortlist.arrays import Floats, Mask, Positions
from shortlist.classifier import NoiseAwareClassifier, TextFeatures
from shortlist.classifier.base import BaseClassifier
from shortlist.errors import BadFile, BadFit, BadRows, NotFitted, ShortlistError
from shortlist.joint.bayes import class_shares, lift, normalised, one_hot, posterior, row_likelihood
from shortlist.joint.teacher import (
    FEWEST_GOLD,
    TEACHERS,
    Teacher,
    judge_by_gold,
    judge_by_labelers,
    likelihood_of,
    mixed,
)
from shortlist.labelmodel import LabelModel, MajorityVote
from shortlist.labelmodel.evidence import Gold, gold_positions
from shortlist.labelmodel.model_options import shares_of
from shortlist.progress import Tell, progress_lines
from shortlist.registry import check_amount, check_choice, check_whole
from shortlist.rows import read_texts
from shortlist.votes import Votes

Improve: TypeAlias = Callable[[Floats, int], Floats]  # (lifts of rows outside a fold, the fold) → beliefs (m, k)
By: TypeAlias = Literal["auto", "counting", "label-model", "mean"]
SOURCES = ("gold", "votes and text", "text alone")
ARRAYS = ("beliefs_", "out_of_fold_", "balance_", "offset_")  # in a file
COUNTERS = ("MajorityVote", "NearestClass")  # label models that have nothing to save
CLASSIFIERS = ("NoiseAwareClassifier", "MLPClassifier", "TransformerClassifier")
MOST_LESSONS = 10_000  # rows that the classifier of a fold learns from
MOST_GOLD_WEIGHT = 10.0  # of a gold row, as a multiple of that of a row with votes


class JointModel(BaseEstimator):  # type: ignore[misc]
    """Labels and a classifier from votes, rows and gold together: P(class | votes, row).

    >>> from shortlist import JointModel, Votes
    >>> rows = ["a cat purrs", "the dog barks", "cats purr", "dogs bark loudly"] * 10
    >>> votes = Votes([[1, 0, 1], [2, 2, 0], [0, 1, 1], [2, 0, 2]] * 10, [["cat", "dog"]] * 3, ["cat", "dog"])
    >>> joint = JointModel().fit(votes, rows)
    >>> joint.predict(["purring cats"]).tolist()
    ['cat']

    A classifier learns from the beliefs of the votes, and predicts rows that it has not learned from (`folds`). These
    predictions, divided by their mean, are multiplied with the beliefs of the votes and the class shares. This is done
    a second time with the result, also on rows without a vote. A last classifier learns from all rows.

    Parameters
    ----------
    label_model : a label model; None for `LabelModel()`
    classifier : what reads rows: `NoiseAwareClassifier()` (None), another classifier of shortlist, or one of
        scikit-learn that takes `sample_weight`
    by : who teaches it: "counting", "label-model", "mean" of the two, or "auto", which lets evidence decide
    balance : class shares, by position or by name, with the sum 1; None estimates them (`balance_`)
    folds : parts of the rows; each is predicted by a classifier that learned from the others
    power : of what the classifier tells about a row. Above 1, since its predictions are too modest.
    seed : of the folds
    progress : show a line on standard error while it learns (None: on a terminal only), or a function to call with it

    Attributes (once fitted)
    ------------------------
    beliefs_ (m, k): P(class | votes, row); of a gold row, all belief is in its gold class
    out_of_fold_ (m, k): the same, but for gold rows as if their gold were unknown: score these
    source_ (m,): "gold", "votes and text" or "text alone"
    classifier_, label_model_, classes_ (k,)
    teacher_: who taught it, and the evidence
    balance_ (k,): class shares. The classifier predicts with these, too.
    """

    def __init__(
        self,
        label_model: Any = None,
        classifier: Any = None,
        *,
        by: By = "auto",
        balance: Any = None,
        folds: int = 5,
        power: float = 2.0,
        seed: int = 0,
        progress: bool | Tell | None = None,
    ) -> None:
        self.label_model = label_model
        self.classifier = classifier
        self.by = by
        self.balance = balance
        self.folds = folds
        self.power = power
        self.seed = seed
        self.progress = progress

    def fit(self, votes: Votes, rows: Any, gold: Gold | None = None) -> Self:
        """Learn from votes, the rows they are about, and gold: known classes by row, None where unknown."""
        self._check(votes)
        known = np.full(len(votes), -1) if gold is None else gold_positions(gold, len(votes), votes.space)
        with progress_lines(self.progress) as tell:
            reader = Reader(self._classifier(), rows, votes, self.folds, self.seed, tell)
            self.label_model_ = clone(LabelModel() if self.label_model is None else self.label_model).fit(votes)
            self.counting_, self.seen_ = MajorityVote().fit(votes), votes[:1]
            tables = likelihood_of(self.counting_, votes), likelihood_of(self.label_model_, votes)
            self.teacher_ = self._choose(votes, tables, known, reader)
            self._combine(votes, mixed(*tables, self.teacher_.name), known, reader)
        return self

    def _check(self, votes: Votes) -> None:
        if not isinstance(votes, Votes):
            raise BadFit(f"fit takes Votes, then rows: JointModel().fit(votes, rows); got {type(votes).__name__}")
        check_choice("by", self.by, ("auto", *TEACHERS))
        check_whole("folds", self.folds, least=2)
        check_amount("power", self.power, "the power of predictions", above=True)
        check_whole("seed", self.seed, least=0)
        if votes.covered.sum() < self.folds:
            raise BadFit(f"{int(votes.covered.sum())} rows have a vote; {self.folds} folds need at least one each")

    def _classifier(self) -> Any:
        given = NoiseAwareClassifier() if self.classifier is None else self.classifier
        return given if has_fit_parameter(given, "covered") else NoiseAwareClassifier(given)

    def _choose(self, votes: Votes, tables: tuple[Floats, Floats], gold: Positions, reader: Reader) -> Teacher:
        if self.by != "auto":
            return Teacher(self.by, "user")
        reader.tell("choosing between counting and label model")
        if (gold >= 0).sum() >= FEWEST_GOLD:
            return judge_by_gold(tables, votes.covered, gold, reader.sample, self.power, self.seed)
        return judge_by_labelers(votes, self.label_model_, reader.sample, self.power, self.seed)

    def _combine(self, votes: Votes, table: Floats, gold: Positions, reader: Reader) -> None:
        """Cross-fit, apply Bayes' rule, and train the last classifier on all rows. `table` is P(votes | class)."""
        m, k = table.shape
        covered, is_gold, certain = votes.covered, gold >= 0, one_hot(np.maximum(gold, 0), k)
        unseen = [np.where(reader.fold == f, -1, gold) for f in range(self.folds)]
        by_fold = np.array([self._shares(table[covered], others, votes) for others in unseen])

        def believed(lifts: Floats, shares: Floats) -> Floats:
            told = posterior(table, row_likelihood(lifts, self.power), shares)
            return np.where(is_gold[:, None], certain, told)

        weights = np.where(is_gold, gold_weight(covered, is_gold), 1.0)
        first = np.where(is_gold[:, None], certain, table), weights * (covered | is_gold)
        lifts = reader.cross_fit_twice(*first, lambda lifts, f: believed(lifts, by_fold[f]), weights)
        shares = self._shares(table[covered], gold, votes)
        self.out_of_fold_ = posterior(table, row_likelihood(lifts, self.power), by_fold[reader.fold])
        self.beliefs_ = believed(lifts, shares)
        self.balance_, self.classes_ = shares, np.array(list(votes.space), object)
        self.source_ = np.array(SOURCES)[np.where(is_gold, 0, np.where(covered, 1, 2))]
        reader.tell(f"learning from {m:,} rows")
        self.classifier_, mean = reader.fit_all(self.beliefs_, weights)
        self.offset_ = np.log(shares) - self.power * np.log(mean)
        if isinstance(self.classifier_, BaseClassifier):
            self.classifier_.adjust(self.power, self.offset_)

    def _shares(self, table: Floats, gold: Positions, votes: Votes) -> Floats:
        return class_shares(table, gold) if self.balance is None else shares_of(self.balance, votes.space)

    # -- reading ---------------------------------------------------------------------------------------

    def predict_proba(self, rows: Any, votes: Votes | None = None) -> Floats:
        """P(class | row), (m, k); with votes about the same rows, P(class | votes, row)."""
        self._check_fitted()
        scores = np.log(np.maximum(self.classifier_.predict_proba(rows), 1e-300))
        if not isinstance(self.classifier_, BaseClassifier):
            scores = self.power * scores + self.offset_
        if votes is not None:
            if len(votes) != len(scores):
                raise BadRows(f"there are {len(scores)} rows and votes about {len(votes)}: they must be the same rows")
            tables = likelihood_of(self.counting_, votes), likelihood_of(self.label_model_, votes)
            scores += np.log(mixed(*tables, self.teacher_.name))
        return normalised(np.exp(scores - scores.max(axis=1, keepdims=True)))

    def predict(self, rows: Any, votes: Votes | None = None) -> npt.NDArray[Any]:
        """The most likely class of each row."""
        places = self.predict_proba(rows, votes).argmax(axis=1)
        names: npt.NDArray[Any] = self.classes_[places]
        return names

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to one file, without pickle. A wrapped estimator needs skops."""
        self._check_fitted()
        save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str], **options: Any) -> JointModel:
        """Read what `save` wrote. Options are for the classifier's own `load` (`trusted`, `device`)."""
        return load(path, options)

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
    origin = "given" if joint.balance is not None else "from gold rows" if has_gold else "mean belief from votes"
    lines = [
        f"JointModel: {m:,} rows, {k} classes.",
        f"Labels come from: {counts}.",
        str(joint.teacher_),
        f"Class shares ({origin}): {shares}.",
        f"Mean belief in the most likely class: {joint.out_of_fold_.max(axis=1).mean():.0%}.",
    ]
    return "\n".join(lines)


def gold_weight(covered: Mask, is_gold: Mask) -> float:
    """Weight of a gold row: in all they count as much as rows with votes, but each at most ten times."""
    others = int((covered & ~is_gold).sum())
    return float(np.clip(others / max(int(is_gold.sum()), 1), 1.0, MOST_GOLD_WEIGHT))


class Reader:
    """A classifier and its rows, whose features are computed once and shared by all folds."""

    def __init__(self, classifier: Any, rows: Any, votes: Votes, folds: int, seed: int, tell: Tell) -> None:
        self.classifier, self.folds, self.tell, self.space = classifier, folds, tell, votes.space
        self.features, self.X = read_features(classifier, rows, tell)
        m = _num_samples(self.X)
        if m != len(votes):
            raise BadRows(f"there are {m} rows and votes about {len(votes)}: they must be the same rows")
        self.order = np.random.default_rng(seed).permutation(m)
        self.fold = self.order % folds

    def sample(self, rows: Positions) -> Reader:
        """The same for some of the rows."""
        part = copy(self)
        part.X, part.order, part.fold = _safe_indexing(self.X, rows), self.order[rows], self.fold[rows]
        if isinstance(self.classifier, NoiseAwareClassifier) and self.classifier.estimator is None:
            part.X = compact(part.X)
        return part

    def cross_fit(self, beliefs: Floats, weights: Floats) -> Floats:
        """Lifts of all rows (m, k), by a classifier that learned from the other folds. Weight 0: not learned from.

        Each classifier is divided by its own mean, so that nothing of a fold comes back to it.
        """
        lifts = np.zeros_like(beliefs)
        for f in range(self.folds):
            self.tell(f"cross-fitting, fold {f + 1} of {self.folds}")
            self._fill(lifts, f, self._learn_without((f,), beliefs, weights))
        return lifts

    def cross_fit_twice(self, beliefs: Floats, weights: Floats, improve: Improve, improved_weights: Floats) -> Floats:
        """Lifts (m, k) by classifiers that learned from improved beliefs, which no row of their own fold had a part in.

        A fold's rows are predicted from the others' improved beliefs; and these are improved by classifiers that have
        seen neither their own fold nor that one: one classifier for each pair of folds.
        """
        first, second = np.ones((self.folds, *beliefs.shape)), np.ones_like(beliefs)
        for f, g in combinations(range(self.folds), 2):
            self.tell(f"cross-fitting, without folds {f + 1} and {g + 1} of {self.folds}")
            model = self._learn_without((f, g), beliefs, weights)
            self._fill(first[f], g, model)
            self._fill(first[g], f, model)
        for f in range(self.folds):
            self.tell(f"cross-fitting with both, fold {f + 1} of {self.folds}")
            self._fill(second, f, self._learn_without((f,), improve(first[f], f), improved_weights))
        return second

    def _learn_without(self, folds: Sequence[int], beliefs: Floats, weights: Floats) -> Any:
        order = np.argsort(self.order, kind="stable")
        learned = order[~np.isin(self.fold[order], folds) & (weights[order] > 0)][:MOST_LESSONS]
        return self._fit(np.sort(learned), beliefs[np.sort(learned)], weights[np.sort(learned)])

    def _fill(self, lifts: Floats, f: int, model: Any) -> None:
        """Put the lifts of the rows of a fold in place."""
        judged = np.flatnonzero(self.fold == f)
        if len(judged):
            lifts[judged] = lift(model.predict_proba(_safe_indexing(self.X, judged)))

    def fit_all(self, beliefs: Floats, weights: Floats) -> tuple[Any, Floats]:
        """(classifier of all rows, its mean prediction (k,))."""
        model = self._fit(np.arange(len(beliefs)), beliefs, weights)
        mean = np.maximum(model.predict_proba(self.X).mean(axis=0), 1e-12)
        if self.features is not None:
            model.features_, model.reads_text_ = self.features, True
            del model.n_features_in_
        return model, mean

    def _fit(self, rows: Positions, beliefs: Floats, weights: Floats) -> Any:
        weighted = {"sample_weight": weights} if has_fit_parameter(self.classifier, "sample_weight") else {}
        everyone = np.ones(len(rows), bool)
        X = _safe_indexing(self.X, rows)
        return clone(self.classifier).fit(X, beliefs, covered=everyone, classes=list(self.space), **weighted)


def compact(X: Any) -> Any:
    """Features in as many columns as rows, with the same products: a linear model with an L2 penalty is the same."""
    if not sp.issparse(X) or X.shape[1] <= X.shape[0]:
        return X
    products = (X @ X.T).toarray()
    products[np.diag_indices(len(products))] += 1e-6 * products.diagonal().mean()  # rows may be copies
    return np.linalg.cholesky(products)


def read_features(classifier: Any, rows: Any, tell: Tell) -> tuple[Any, Any]:
    """(fitted text features, features of the rows), or (None, the rows) where the classifier reads them itself."""
    if not isinstance(classifier, NoiseAwareClassifier):
        return None, rows if hasattr(rows, "__len__") else list(rows)
    texts = read_texts(rows, classifier.on)
    if texts is None:
        return None, rows
    if isinstance(classifier.estimator, Pipeline) and classifier.features is None:
        return None, texts
    features = TextFeatures() if classifier.features is None else clone(classifier.features)
    tell(f"reading {len(texts):,} texts")
    return features, features.fit_transform(texts)


# -- files: npz with a JSON header. Classifier and label model are files of their own inside -----------------


def save(joint: JointModel, path: str | os.PathLike[str]) -> None:
    header = {
        "options": {name: getattr(joint, name) for name in ("by", "folds", "power", "seed")},
        "teacher": asdict(joint.teacher_),
        "classifier": _name(joint.classifier_, CLASSIFIERS),
        "label_model": _name(joint.label_model_, ("LabelModel", *COUNTERS)),
        "source": joint.source_.tolist(),
        "balance_given": joint.balance is not None,
    }
    arrays: dict[str, Any] = {name: getattr(joint, name) for name in ARRAYS}
    arrays["classifier"] = _bytes_of(joint.classifier_)
    arrays["votes"] = _bytes_of(joint.seen_)
    if header["label_model"] == "LabelModel":
        arrays["label_model"] = _bytes_of(joint.label_model_)
    write_archive(path, kind="joint model", version=1, header=header, arrays=arrays)


def load(path: str | os.PathLike[str], options: Mapping[str, Any]) -> JointModel:
    header, arrays = read_archive(path, kind="joint model", version=1)
    try:
        joint = JointModel(**header["options"])
        for name in ARRAYS:
            setattr(joint, name, arrays[name])
        joint.seen_ = _loaded(Votes, arrays["votes"])
        joint.classifier_ = _loaded(
            getattr(shortlist.classifier, header["classifier"]), arrays["classifier"], **options
        )
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
