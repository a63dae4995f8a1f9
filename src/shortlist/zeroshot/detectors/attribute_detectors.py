"""AttributeDetectors: from features of seen classes to labelers for unseen ones."""

from __future__ import annotations

import importlib.util
import os
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from shortlist.arrays import Floats
from shortlist.attribute_table import Flags
from shortlist.classifier.progress import progress_bar
from shortlist.errors import BadFit, NotFitted, UselessLabeler
from shortlist.votes import Votes
from shortlist.zeroshot.detectors import linear, mlp
from shortlist.zeroshot.detectors.holdout import Holdout, deal
from shortlist.zeroshot.detectors.perceptrons import Stack
from shortlist.zeroshot.detectors.validation import Band, Judgement, judge
from shortlist.zeroshot.scaling import Scaling
from shortlist.zeroshot.task import Task, make_task, read_features, warn_of_twins

if TYPE_CHECKING:
    import polars as pl

    from shortlist.labelers import Attribute

PENALTIES = (0.1, 0.01, 0.001)  # that a linear detector is tried with, trained by itself
RIDGES = (0.1, 1.0)  # decorrelated from the others
FEW = (1, 3, 10)  # on so many features
COIN = 0.5
MOST = 400_000_000  # weights trained at a time on a GPU: some 8 GB with gradients and moments. A CPU gets a quarter


class AttributeDetectors(BaseEstimator):  # type: ignore[misc]
    """One detector an attribute, trained on seen classes, judged on seen classes that were held out from it.

    Each is a three-layer perceptron as in the paper (batch normalisation, LeakyReLU, dropout, minority oversampled,
    Adam, a learning rate that falls in steps, the best epoch on held-out classes); all of them are trained together as
    one batched model. Linear ones are logistic regressions, or decorrelated from one another, or sparse, whichever does
    better on held-out classes.

    Parameters
    ----------
    table : which class has which attribute: a mapping of attribute → classes, a DataFrame, or an `AttributeTable`
    kind : "mlp", "linear", or "auto": "mlp" where torch is installed
    hidden : widths to try; of each attribute the one with the better worst held-out class is kept
    folds : into how many parts the seen classes are dealt. Each part is held out in turn, to judge epochs, widths and
        bands by it; the detectors that are kept learn from all classes. 1 is the paper: a tenth of the classes is held
        out, once, and not learned from.
    band : (no_below, yes_from), scores between which a detector abstains; "auto" chooses it for each attribute on
        held-out classes
    epochs, lr, batch_size, dropout : of the training
    seed : of the held-out classes, the weights, the rows drawn, and dropout
    device : "auto", "cpu" or a CUDA device
    progress : show a bar

    Attributes (once fitted)
    ------------------------
    seen_, unseen_ : the classes
    attributes_ : the names of those with a detector
    judgements_ : attribute → its accuracy on held-out classes, that of the worst class, and its band
    dropped_ : attribute → why it has no detector
    """

    def __init__(
        self,
        table: Any,
        *,
        kind: Literal["auto", "mlp", "linear"] = "auto",
        hidden: tuple[int, ...] = (512, 1024),
        folds: int = 5,
        band: Literal["auto"] | Band = "auto",
        epochs: int = 30,
        lr: float = 1e-3,
        batch_size: int = 128,
        dropout: float = 0.5,
        seed: int = 0,
        device: str = "auto",
        progress: bool = False,
    ) -> None:
        self.table = table
        self.kind = kind
        self.hidden = hidden
        self.folds = folds
        self.band = band
        self.epochs = epochs
        self.lr = lr
        self.batch_size = batch_size
        self.dropout = dropout
        self.seed = seed
        self.device = device
        self.progress = progress

    @classmethod
    def paper(cls, table: Any, **options: Any) -> Self:
        """The paper's settings: classes held out once, a rate of 1e-4 for 100 epochs, votes without a band."""
        return cls(table, **{"folds": 1, "epochs": 100, "lr": 1e-4, "band": (0.5, 0.5), **options})

    # -- training --------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, *, unseen: Iterable[str] | None = None) -> Self:
        """Train on features (m, p) and class names (m,) of seen classes.

        `unseen` are the classes the detectors are for; by default, all classes of the table that no row has.
        """
        self._check()
        task = make_task(X, y, self.table, unseen)
        dropped = dict(_unlearnable(task))
        names = [name for name in task.table.attributes if name not in dropped]
        warn_of_twins(task, names)
        if not names:
            raise BadFit(f"no attribute can be learned: {_listed(dropped)}")
        columns = [task.table.attributes.index(name) for name in names]
        seen_has = task.seen_has[:, columns]
        scaling = Scaling.of(task.X)
        holdout = deal(task.truth, seen_has, self.folds, np.random.default_rng(self.seed))
        stacks, judgements = self._train(scaling(task.X), holdout)
        useless = {
            name: f"on held-out classes it is right {found.accuracy:.0%} of the time, a coin's share"
            for name, found in zip(names, judgements, strict=True)
            if found.accuracy <= COIN
        }
        self.seen_, self.unseen_, self.n_features_in_ = task.seen, task.unseen, task.X.shape[1]
        self._set(names, useless, stacks, judgements, task.unseen_has[:, columns])
        self.scaling_, self.dropped_ = scaling, dropped | useless
        missed = {name: why for name, why in self.dropped_.items() if "unseen class" not in why}
        if missed:
            warnings.warn(f"attributes without a detector: {_listed(missed)}", UselessLabeler, stacklevel=2)
        return self

    def _check(self) -> None:
        if self.kind not in ("auto", "mlp", "linear"):
            raise BadFit(f'kind is "auto", "mlp" or "linear"; got {self.kind!r}')
        if self.band != "auto" and not (len(self.band) == 2 and 0 <= self.band[0] <= self.band[1] <= 1):
            raise BadFit(f'band is "auto" or (no_below, yes_from), in this order, between 0 and 1; got {self.band!r}')
        whole = {"folds": self.folds, "epochs": self.epochs, "batch_size": self.batch_size}
        for name, value in whole.items():
            if not isinstance(value, (int, np.integer)) or value < 1 + (name == "batch_size"):
                raise BadFit(f"{name} is a whole number, at least {1 + (name == 'batch_size')}; got {value!r}")

    def _train(
        self, X: npt.NDArray[np.float32], holdout: Holdout
    ) -> tuple[list[tuple[Stack, npt.NDArray[np.int64]]], list[Judgement]]:
        """The best setting of each attribute: stacks with the attribute of each of their jobs, and the judgements."""
        kept: list[tuple[Stack, npt.NDArray[np.int64]]] = []
        judgements: list[Judgement] = []
        for part in self._parts(holdout, X.shape[1]):
            some = holdout.only(part)
            stacks = self._candidates(X, some)
            judged = [self._judge(stack, X, some, part) for stack in stacks]
            best = {i: int(np.argmax(_ranks([found[i] for found in judged]))) for i in part}
            judgements += [judged[best[i]][i] for i in part]
            for number, stack in enumerate(stacks):
                jobs = some.final[[best[i] == number for i in some.attribute[some.final].tolist()]]
                if len(jobs):
                    kept.append((stack.take(jobs), some.attribute[jobs]))
        return kept, judgements

    def _parts(self, holdout: Holdout, p: int) -> list[list[int]]:
        """The attributes, as many at a time as memory should hold: what is trained together does not change a thing."""
        everything = list(range(holdout.has.shape[1]))
        if self._kind() == "linear":
            return [everything]
        weights = max((p + width) * width for width in self.hidden) * len(holdout.held)
        size = max(1, (MOST if self._device() != "cpu" else MOST // 4) // weights)
        return [everything[start : start + size] for start in range(0, len(everything), size)]

    def _candidates(self, X: npt.NDArray[np.float32], holdout: Holdout) -> list[Stack]:
        if self._kind() == "linear":
            alone = linear.train(X, holdout, PENALTIES)
            jointly = [linear.decorrelated(X, holdout, penalty) for penalty in RIDGES]
            return alone + jointly + [linear.sparse(X, holdout, features) for features in FEW]
        recipe = mlp.Recipe(self.epochs, self.lr, self.batch_size, self.dropout, self.seed, self.device)
        stacks = []
        for width in self.hidden:
            with progress_bar(self.progress, f"detectors of width {width}") as tick:
                stacks.append(mlp.train(X, holdout, width, recipe, tick))
        return stacks

    def _kind(self) -> str:
        if self.kind != "auto":
            return self.kind
        return "mlp" if importlib.util.find_spec("torch") else "linear"

    def _judge(
        self, stack: Stack, X: npt.NDArray[np.float32], holdout: Holdout, part: list[int]
    ) -> dict[int, Judgement]:
        """attribute → how its detectors do on the classes they are judged on."""
        scores = holdout.gather(stack.scores(X, self._device()))
        band = None if self.band == "auto" else self.band
        return {i: judge(scores[:, i], holdout.truth, holdout.has[:, i], band) for i in part}

    def _device(self) -> str:
        """Where detectors are asked: on the CPU they need no torch."""
        if self._kind() == "linear" or self.device == "cpu":
            return "cpu"
        from shortlist.tensors import torch_on

        return torch_on(self.device)[1]

    def _set(
        self,
        names: list[str],
        useless: dict[str, str],
        stacks: list[tuple[Stack, npt.NDArray[np.int64]]],
        judgements: list[Judgement],
        unseen_has: Flags,
    ) -> None:
        """Keep the detectors of the attributes that are of use."""
        kept = [i for i, name in enumerate(names) if name not in useless]
        if not kept:
            raise BadFit(f"no detector is of use: {_listed(useless)}")
        where = {old: new for new, old in enumerate(kept)}
        self.stacks_: list[tuple[Stack, npt.NDArray[np.int64]]] = []
        for stack, attribute in stacks:
            jobs = np.flatnonzero(np.isin(attribute, kept))
            if len(jobs):
                self.stacks_.append((stack.take(jobs), np.array([where[i] for i in attribute[jobs]], np.int64)))
        self.attributes_ = tuple(names[i] for i in kept)
        self.judgements_ = {names[i]: judgements[i] for i in kept}
        self.unseen_has_ = unseen_has[:, kept]

    # -- asking ----------------------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> Floats:
        """(m, n): how sure the detectors are that each row has each of `attributes_`."""
        self._check_fitted()
        features = self.scaling_(read_features(X, self.n_features_in_))
        scores = np.empty((len(features), len(self.attributes_)))
        for stack, attribute in self.stacks_:
            scores[:, attribute] = stack.scores(features, self._device())
        return scores

    def votes(self, X: Any) -> Votes:
        """What the detectors say about rows, as shortlists of the unseen classes."""
        scores = self.predict_proba(X)
        bands = np.array([self.judgements_[name].band for name in self.attributes_])  # (n, 2)
        codes = np.where(scores >= bands[:, 1], 1, np.where(scores < bands[:, 0], 2, 0)).astype(np.uint8)
        return Votes(codes, self._shortlists(), self.unseen_, self.attributes_)

    def labelers(self) -> list[Attribute]:
        """One labeler an attribute, that reads its score from a column of that name: `apply(labelers, scores(X))`."""
        from shortlist.labelers import Attribute

        self._check_fitted()
        made = []
        for name, (yes, no) in zip(self.attributes_, self._shortlists(), strict=True):
            no_below, yes_from = self.judgements_[name].band
            made.append(Attribute(name, yes, no, name, yes_from, no_below))
        return made

    def scores(self, X: Any) -> pl.DataFrame:
        """`predict_proba` as a table with a column for each attribute."""
        import polars as pl

        return pl.DataFrame(self.predict_proba(X), schema=list(self.attributes_))

    def summary(self) -> pl.DataFrame:
        """One line an attribute of the table: what it says, how right it was on held-out classes, or why it is out."""
        import polars as pl

        self._check_fitted()
        kept = zip(self.attributes_, self._shortlists(), strict=True)
        lines = [_line(name, sorted(yes), sorted(no), self.judgements_[name]) for name, (yes, no) in kept]
        lines += [_line(name, None, None, None) | {"dropped": why} for name, why in self.dropped_.items()]
        return pl.DataFrame(lines, schema=_SUMMARY)

    def _shortlists(self) -> list[list[frozenset[str]]]:
        """Of each attribute, the unseen classes that have it and those that have not."""
        names = np.array(self.unseen_, object)
        return [[frozenset(names[has]), frozenset(names[~has])] for has in self.unseen_has_.T]

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFitted(f"this {type(self).__name__} is not fitted: call fit(features, seen_labels) first")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "stacks_")

    # -- files -----------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted detectors to one npz file, without pickle. Reading it back needs no torch."""
        from shortlist.zeroshot.detectors import file

        self._check_fitted()
        file.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote."""
        from shortlist.zeroshot.detectors import file

        return file.load(cls, path)


_SUMMARY = ["attribute", "yes", "no", "accuracy", "worst_class", "no_below", "yes_from", "dropped"]


def _line(name: str, yes: Any, no: Any, found: Judgement | None) -> dict[str, Any]:
    low, high = found.band if found else (None, None)
    accuracy, worst = (found.accuracy, found.worst) if found else (None, None)
    values = (name, yes, no, accuracy, worst, low, high, None)
    return dict(zip(_SUMMARY, values, strict=True))


def _unlearnable(task: Task) -> Iterable[tuple[str, str]]:
    """Attributes that need no detector, or cannot have one, and why."""
    for name, seen, unseen in zip(task.table.attributes, task.seen_has.T, task.unseen_has.T, strict=True):
        if seen.all() or not seen.any():
            yield name, f"{'every' if seen.all() else 'no'} seen class has it"
        elif unseen.all() or not unseen.any():
            yield name, f"{'every' if unseen.all() else 'no'} unseen class has it"


def _ranks(settings: list[Judgement]) -> list[float]:
    """The worst held-out class decides, as in the paper; then the mean."""
    return [-1.0 if np.isnan(found.accuracy) else found.worst + 1e-6 * found.accuracy for found in settings]


def _listed(dropped: dict[str, str]) -> str:
    return "; ".join(f"{name} ({why})" for name, why in dropped.items())
