"""AttributeDetectors: from features of seen classes to labelers for unseen ones."""

from __future__ import annotations

import importlib.util
import os
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator

from shortlist.archive import Arrays, read_archive, write_archive
from shortlist.arrays import Floats, Mask
from shortlist.classifier.base import reading
from shortlist.errors import BadFit, NotFitted, UselessLabeler
from shortlist.labelers.attributes import AttributeTable
from shortlist.registry import check_choice, check_whole
from shortlist.votes import Votes
from shortlist.zeroshot.linear_detectors import LinearTraining
from shortlist.zeroshot.mlp_detectors import MLPTraining
from shortlist.zeroshot.selection import Band, Perceptrons, Trained, Training, Validation, hold_out, keep, select
from shortlist.zeroshot.task import Scaling, make_task, read_features, warn_of_one_detector, warn_of_twins

if TYPE_CHECKING:
    import polars as pl

    from shortlist.labelers import Attribute


KIND = "attribute detectors"  # in the header of their files


class AttributeDetectors(BaseEstimator):  # type: ignore[misc]
    """One detector an attribute, trained on seen classes and validated on seen classes that were held out.

    Each detector is a three-layer perceptron as in the paper: batch normalisation, LeakyReLU, dropout, the minority
    oversampled, Adam, a learning rate that falls in steps, the best epoch on held-out classes. All of them are trained
    together as one batched model. Linear detectors are logistic regressions, decorrelated from one another, or sparse,
    whichever is best on held-out classes.

    Parameters
    ----------
    table : which class has which attribute: a mapping of attribute → classes, a DataFrame, or an `AttributeTable`
    kind : "mlp", "linear", or "auto": "mlp" where torch is installed
    hidden : widths to try. For each attribute the one with the better worst held-out class is kept.
    folds : how many parts the seen classes are split into. Each part is held out once, to choose epochs, widths and
        bands; the detectors that are kept are trained on all classes. 1 is the paper: a tenth of the classes is held
        out once, and not trained on.
    band : (no_below, yes_from), the scores between which a detector abstains; "auto" chooses it for each attribute on
        held-out classes
    epochs, lr, batch_size : of the training
    seed : of the held-out classes, the weights, the rows drawn, and dropout
    device : "auto" (CUDA where there is one), "cpu" or a CUDA device
    progress : show a progress bar

    Attributes (once fitted)
    ------------------------
    seen_, unseen_ : the classes
    attributes_ : the names of the attributes that have a detector
    validation_ : attribute → its accuracy on held-out classes, the accuracy of the worst of them, and its band
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
        seed: int = 0,
        device: str = "auto",
        progress: bool = False,
    ) -> None:
        self.table, self.kind, self.hidden, self.folds, self.band = table, kind, hidden, folds, band
        self.epochs, self.lr, self.batch_size = epochs, lr, batch_size
        self.seed, self.device, self.progress = seed, device, progress

    @classmethod
    def paper(cls, table: Any, **options: Any) -> Self:
        """The paper's settings: classes held out once, a rate of 1e-4 for 100 epochs, votes without a band."""
        return cls(table, **{"folds": 1, "epochs": 100, "lr": 1e-4, "band": (0.5, 0.5), **options})

    # -- training --------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, *, unseen: Iterable[str] | None = None) -> Self:
        """Train on features (m, p) and class names (m,) of seen classes.

        `unseen` are the classes that the detectors are for; by default, all classes of the table that no row has.
        """
        self._check()
        task = make_task(X, y, self.table, unseen)
        unlearnable = _alike(task.table, task.seen, "seen")
        alike = _alike(task.table, task.unseen, "unseen") | unlearnable
        dropped = {name: alike[name] for name in task.table.attributes if name in alike}
        names = [name for name in task.table.attributes if name not in dropped]
        warn_of_twins(task, names)
        warn_of_one_detector(task, names)
        if not names:
            raise BadFit(f"no attribute can be learned: {_listed(dropped)}")
        scaling, table = Scaling.of(task.X), task.table.take(names)
        holdout = hold_out(task.truth, table.rows(task.seen), self.folds, np.random.default_rng(self.seed))
        band = None if self.band == "auto" else self.band
        trained, validations = select(self._training(), scaling(task.X), holdout, band)
        useless = self._keep_useful(trained, dict(zip(names, validations, strict=True)))
        self.seen_, self.unseen_, self.n_features_in_ = task.seen, task.unseen, task.X.shape[1]
        self.scaling_, self.dropped_ = scaling, dropped | useless
        self.unseen_has_: Mask = table.take(self.attributes_).rows(task.unseen)
        if missed := unlearnable | useless:  # what all unseen classes share is no loss
            warnings.warn(f"attributes without a detector: {_listed(missed)}", UselessLabeler, stacklevel=2)
        return self

    def _check(self) -> None:
        check_choice("kind", self.kind, ("auto", "mlp", "linear"))
        if self.band != "auto" and not (len(self.band) == 2 and 0 <= self.band[0] <= self.band[1] <= 1):
            raise BadFit(f'band is "auto" or (no_below, yes_from), in this order, between 0 and 1; got {self.band!r}')
        for name, least in {"folds": 1, "epochs": 1, "batch_size": 2}.items():
            check_whole(name, getattr(self, name), least=least)

    def _training(self) -> Training:
        if self.kind == "linear" or (self.kind == "auto" and importlib.util.find_spec("torch") is None):
            return LinearTraining()
        options = (self.hidden, self.epochs, self.lr, self.batch_size, self.seed, self.device, self.progress)
        return MLPTraining(*options)

    def _keep_useful(self, trained: list[Trained], validation: dict[str, Validation]) -> dict[str, str]:
        """Keep the detectors that are better than a coin. Returns the other attributes, and why."""
        useless = {
            name: f"on held-out classes it is right {result.accuracy:.0%} of the time, no better than a coin"
            for name, result in validation.items()
            if result.accuracy <= 0.5
        }
        self.validation_ = {name: result for name, result in validation.items() if name not in useless}
        if not self.validation_:
            raise BadFit(f"no detector is of use: {_listed(useless)}")
        self.attributes_ = tuple(self.validation_)
        self.networks_ = keep(trained, [i for i, name in enumerate(validation) if name not in useless])
        return useless

    # -- predicting ----------------------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> Floats:
        """(m, n): P(attribute | row) for each of `attributes_`."""
        self._check_fitted()
        features = self.scaling_(read_features(X, self.n_features_in_))
        scores = np.empty((len(features), len(self.attributes_)))
        for networks, attribute in self.networks_:
            scores[:, attribute] = networks.scores(features, self._training().device())
        return scores

    def votes(self, X: Any) -> Votes:
        """Votes of the detectors on rows, as shortlists of the unseen classes."""
        scores = self.predict_proba(X)
        bands = np.array([self.validation_[name].band for name in self.attributes_])  # (n, 2)
        codes = np.where(scores >= bands[:, 1], 1, np.where(scores < bands[:, 0], 2, 0)).astype(np.uint8)
        return Votes(codes, self._shortlists(), self.unseen_, self.attributes_)

    def labelers(self) -> list[Attribute]:
        """One labeler an attribute, that reads its score from a column of that name: `apply(labelers, scores(X))`."""
        from shortlist.labelers import Attribute

        self._check_fitted()
        parts = zip(self.validation_.items(), self._shortlists(), strict=True)
        return [Attribute(name, *sides, name, *result.band[::-1]) for (name, result), sides in parts]

    def scores(self, X: Any) -> pl.DataFrame:
        """`predict_proba` as a table with a column for each attribute."""
        import polars as pl

        return pl.DataFrame(self.predict_proba(X), schema=list(self.attributes_))

    def summary(self) -> pl.DataFrame:
        """One line an attribute of the table: what it says, how right it was on held-out classes, or why it is out."""
        import polars as pl

        self._check_fitted()
        kept = zip(self.validation_.items(), self._shortlists(), strict=True)
        lines: list[Any] = [
            (name, sorted(yes), sorted(no), result.accuracy, result.worst, *result.band, None)
            for (name, result), (yes, no) in kept
        ]
        lines += [(name, *[None] * 6, why) for name, why in self.dropped_.items()]
        names = ["attribute", "yes", "no", "accuracy", "worst_class", "no_below", "yes_from", "dropped"]
        return pl.DataFrame(lines, schema=names, orient="row", infer_schema_length=None)

    def _shortlists(self) -> list[tuple[frozenset[str], frozenset[str]]]:
        """For each attribute, the unseen classes that have it and those that do not."""
        names = np.array(self.unseen_, object)
        return [(frozenset(names[has]), frozenset(names[~has])) for has in self.unseen_has_.T]

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFitted(f"this {type(self).__name__} is not fitted: call fit(features, seen_labels) first")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "networks_")

    # -- files -----------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted detectors to one npz file, without pickle. Reading it back needs no torch."""
        self._check_fitted()
        table = AttributeTable.of(self.table)
        options = {key: value for key, value in self.get_params(deep=False).items() if key not in ("table", "progress")}
        header = {
            "options": options,
            "classes": list(table.classes),
            "table_attributes": list(table.attributes),
            "seen": list(self.seen_),
            "unseen": list(self.unseen_),
            "attributes": list(self.attributes_),
            "dropped": self.dropped_,
            "layers": [len(networks.layers) for networks, _ in self.networks_],
        }
        results = [(one.accuracy, one.worst, *one.band) for one in self.validation_.values()]
        arrays: dict[str, Any] = {"has": table.has, "shift": self.scaling_.shift, "scale": self.scaling_.scale}
        arrays["validations"] = np.array(results)
        for number, (networks, attribute) in enumerate(self.networks_):
            arrays[f"networks.{number}.attribute"] = attribute
            for layer, (weights, biases) in enumerate(networks.layers):
                arrays[f"networks.{number}.{layer}.weights"] = weights
                arrays[f"networks.{number}.{layer}.biases"] = biases
        write_archive(path, kind=KIND, version=1, header=header, arrays=arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote."""
        header, arrays = read_archive(path, kind=KIND, version=1)
        with reading(path, "detectors"):
            table = AttributeTable(tuple(header["classes"]), tuple(header["table_attributes"]), arrays["has"])
            options: Any = {key: tuple(v) if isinstance(v, list) else v for key, v in header["options"].items()}
            model = cls(table, **options)
            model.seen_, model.unseen_ = tuple(header["seen"]), tuple(header["unseen"])
            model.attributes_, model.dropped_ = tuple(header["attributes"]), header["dropped"]
            results = arrays["validations"].tolist()
            validations = [Validation(mean, worst, (low, high)) for mean, worst, low, high in results]
            model.validation_ = dict(zip(model.attributes_, validations, strict=True))
            model.scaling_ = Scaling(arrays["shift"], arrays["scale"])
            model.n_features_in_ = len(arrays["shift"])
            model.unseen_has_ = table.take(model.attributes_).rows(model.unseen_)
            model.networks_ = [_unpack(arrays, number, depth) for number, depth in enumerate(header["layers"])]
        return model


def _alike(table: AttributeTable, classes: tuple[str, ...], who: str) -> dict[str, str]:
    """The attributes that all of these classes have, or none of them, and which of the two it is."""
    columns = zip(table.attributes, table.rows(classes).T, strict=True)
    every = {name: has.all() for name, has in columns if has.all() or not has.any()}
    return {name: f"{'every' if all_have else 'no'} {who} class has it" for name, all_have in every.items()}


def _listed(dropped: dict[str, str]) -> str:
    return "; ".join(f"{name} ({why})" for name, why in dropped.items())


def _unpack(arrays: Arrays, number: int, depth: int) -> Trained:
    names = [f"networks.{number}.{layer}" for layer in range(depth)]
    layers = tuple((arrays[f"{name}.weights"], arrays[f"{name}.biases"]) for name in names)
    return Perceptrons(layers), arrays[f"networks.{number}.attribute"]
