"""Selection of attribute detectors on classes that they were not trained on: the way they are trained, and the band."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats, Mask, Positions
from shortlist.tensors import torch_on
from shortlist.zeroshot.task import Features


@dataclass(frozen=True, eq=False)
class Holdout:
    """Job g trains a detector of attribute `attribute[g]` on the classes that fold `fold[g]` does not hold out.

    truth (m,) is the class of each row, has (k, n) are the attributes of the classes, and held (folds, k) says which
    classes each fold holds out. The jobs of the last fold are the detectors that are kept; the others only serve to
    validate them.
    """

    truth: Positions
    has: Mask
    held: Mask
    fold: Positions
    attribute: Positions

    @property
    def jobs(self) -> int:
        return len(self.fold)

    @property
    def final(self) -> Positions:
        """The jobs that are kept."""
        return np.flatnonzero(self.fold == len(self.held) - 1)

    def only(self, attributes: Iterable[int]) -> Holdout:
        """The jobs of some attributes."""
        chosen = np.isin(self.attribute, list(attributes))
        return replace(self, fold=self.fold[chosen], attribute=self.attribute[chosen])

    def targets(self) -> Mask:
        """(G, m): whether each row has the attribute of each job."""
        return self.has.T[self.attribute][:, self.truth]

    def weights(self) -> Floats:
        """(G, m): how often each row is drawn. Rows with a job's attribute and rows without it have the same total.

        So the minority is oversampled. Rows of held-out classes are never drawn.
        """
        rows = ~self.held[self.fold][:, self.truth]  # (G, m)
        yes = self.targets()
        weights = np.zeros(rows.shape)
        for side in (rows & yes, rows & ~yes):
            weights += side / np.maximum(2 * side.sum(axis=1, keepdims=True), 1)
        return weights

    @cached_property
    def validated(self) -> Mask:
        """(G, k): the classes that each job is validated on.

        These are the classes held out from it. Where no class with the attribute, or none without it, was ever held out
        from any of its jobs, the job that is kept is validated on its own training classes of that side.
        """
        classes = self.held[self.fold].copy()
        for g in self.final:
            i = self.attribute[g]
            ever = np.asarray(classes[self.attribute == i].any(axis=0))
            for side in (self.has[:, i], ~self.has[:, i]):
                if not (ever & side).any():
                    classes[g] |= side
        return classes

    def gather(self, scores: Floats) -> Floats:
        """(m, n): the scores to validate attributes by, from those of all jobs (m, G); NaN where there are none."""
        gathered = np.full((len(self.truth), self.has.shape[1]), np.nan)
        for g, classes in enumerate(self.validated):
            rows = classes[self.truth]
            gathered[rows, self.attribute[g]] = scores[rows, g]
        return gathered


def hold_out(truth: Positions, has: Mask, folds: int, rng: np.random.Generator) -> Holdout:
    """Split the classes at random into `folds` parts and hold out each part once; the last fold holds out none.

    With one fold a tenth of the classes is held out, once. An attribute that all remaining classes have, or none, has
    no job in that fold.
    """
    k = len(has)
    order = rng.permutation(k)
    parts = [order[: max(1, k // 10)]] if folds == 1 else [*np.array_split(order, min(folds, k)), order[:0]]
    held = np.zeros((len(parts), k), np.bool_)
    for f, part in enumerate(parts):
        held[f, part] = True
    varies = np.array([has[~out].any(axis=0) & ~has[~out].all(axis=0) for out in held])  # (folds, n)
    jobs = np.argwhere(varies & varies[-1])  # (G, 2): without a detector to keep there is nothing to validate
    return Holdout(truth, has, held, jobs[:, 0], jobs[:, 1])


# -- validation


GRID = np.round(np.arange(0.05, 0.96, 0.05), 2)  # where a band may begin and end
_BANDS = sorted(
    zip(*np.triu_indices(len(GRID)), strict=True),
    key=lambda band: (band[1] - band[0], abs(GRID[band[0]] + GRID[band[1]] - 1)),
)
LOW, HIGH = np.array(_BANDS).T  # positions in GRID of every band: narrow ones first, then those around one half
Band: TypeAlias = tuple[float, float]  # (no_below, yes_from): a detector abstains on scores from no_below to yes_from


@dataclass(frozen=True)
class Validation:
    """One detector on held-out classes: its mean accuracy, the accuracy of its worst class, and its band.

    Classes with the attribute and classes without it count half each in the mean. Both figures are NaN, and there is
    no band, where no class was held out from the detector.
    """

    accuracy: float
    worst: float
    band: Band


def validate(scores: Floats, truth: Positions, has: Mask, band: Band | None = None) -> Validation:
    """Validate the scores (m,) of a detector, NaN where there is none.

    `truth` (m,) are the classes of the rows, and `has` (k,) says which classes have the attribute. A score of 0.5 or
    more counts as yes. A band is chosen unless one is given.
    """
    known = ~np.isnan(scores)
    if not known.any():
        return Validation(np.nan, np.nan, band or (0.5, 0.5))
    scores, truth = scores[known], truth[known]
    right = (scores >= 0.5) == has[truth]
    per_class = np.bincount(truth, right, len(has)) / np.maximum(np.bincount(truth, minlength=len(has)), 1)
    held = np.unique(truth)
    sides = [held[has[held]], held[~has[held]]]
    accuracy = float(np.mean([per_class[side].mean() for side in sides if len(side)]))
    chosen = band or (choose_band(scores, truth, has) if all(len(side) for side in sides) else (0.5, 0.5))
    return Validation(accuracy, float(per_class[held].min()), chosen)


def choose_band(scores: Floats, truth: Positions, has: Mask) -> Band:
    """The band with the most bits a row, P(vote) · I(attribute; vote | vote), that abstains on at most 3 rows in 4.

    A vote that is no better than chance adds nothing to that, and neither does abstaining. Of equally good bands the
    narrowest is taken. Bands with which "yes" speaks against the attribute are left out.
    """
    weights = class_weights(truth, has)
    yes = has[truth]
    above = np.array([[weights[yes & (scores >= t)].sum(), weights[~yes & (scores >= t)].sum()] for t in GRID])
    below = np.array([[weights[yes & (scores < t)].sum(), weights[~yes & (scores < t)].sum()] for t in GRID])
    cells = np.stack([above[HIGH], below[LOW]], axis=1)  # (bands, voted yes or no, has it or not)
    useful = (cells.sum(axis=(1, 2)) >= 0.25) & (np.linalg.det(cells) > 0)
    bits = np.where(useful, np.round(information(cells), 9), 0.0)
    best = int(bits.argmax())  # the first, so the narrowest
    return (float(GRID[LOW[best]]), float(GRID[HIGH[best]])) if bits[best] > 0 else (0.5, 0.5)


def class_weights(truth: Positions, has: Mask) -> Floats:
    """(m,): rows with the attribute weigh one half in all, rows without it the other; classes of one side alike."""
    often = np.bincount(truth, minlength=len(has))
    held = np.flatnonzero(often)
    sides = np.where(has, has[held].sum(), (~has[held]).sum())  # (k,): how many classes are on its side
    each: Floats = 0.5 / np.maximum(sides * often, 1)
    return each[truth]


def information(cells: Floats) -> Floats:
    """Σ p(v, y) log2 [p(v, y) P / (p(v) p(y))] of each table (…, v, y), P being the sum of its cells.

    This is P times the mutual information of vote and attribute among the rows that are voted on.
    """
    expected = cells.sum(axis=-1, keepdims=True) * cells.sum(axis=-2, keepdims=True)
    ratio = np.divide(cells * cells.sum(axis=(-2, -1), keepdims=True), expected, np.ones_like(cells), where=cells > 0)
    bits: Floats = (cells * np.log2(ratio)).sum(axis=(-2, -1))
    return bits


# -- trained detectors


SLOPE = 0.01  # of LeakyReLU below zero
Layer: TypeAlias = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]


@dataclass(frozen=True, eq=False)
class Perceptrons:
    """G detectors. Layers are (weights (G, inputs, outputs), biases (G, 1, outputs)).

    A linear detector has one layer, the paper's has three. Batch normalisation is folded into the layers.
    """

    layers: tuple[Layer, ...]

    @classmethod
    def linear(cls, table: npt.NDArray[Any]) -> Perceptrons:
        """Linear detectors, from weights with the bias last (G, p + 1)."""
        layer = table.astype(np.float32)
        return cls(((layer[:, :-1, None], layer[:, -1:, None]),))

    def __len__(self) -> int:
        return len(self.layers[0][0])

    def take(self, chosen: Positions) -> Perceptrons:
        """Some of the detectors."""
        return Perceptrons(tuple((weights[chosen], biases[chosen]) for weights, biases in self.layers))

    def scores(self, X: Features, device: str = "cpu") -> Floats:
        """(m, G): P(attribute) of each row by each detector."""
        chunks = [X[a : a + 4096] for a in range(0, len(X), 4096)]
        if device == "cpu":
            logits = [_logits(chunk, self.layers) for chunk in chunks]
        else:
            logits = _on_device(chunks, self.layers, device)
        joined = np.concatenate([*logits, np.zeros((0, len(self)), np.float32)]).astype(np.float64)
        scores: Floats = 1 / (1 + np.exp(-np.clip(joined, -50, 50)))
        return scores


def _logits(X: Any, layers: Any) -> Any:
    """(rows, G), of NumPy arrays or of tensors."""
    values = X
    for number, (weights, biases) in enumerate(layers):
        values = values @ weights + biases  # (G, rows, outputs)
        if number + 1 < len(layers):
            values = values * ((values > 0) * (1 - SLOPE) + SLOPE)
    return values[..., 0].T


def _on_device(chunks: list[Features], layers: tuple[Layer, ...], device: str) -> list[Any]:
    torch, where = torch_on(device)
    with torch.inference_mode():
        there = [tuple(torch.as_tensor(part, device=where) for part in layer) for layer in layers]
        return [_logits(torch.as_tensor(chunk, device=where), there).float().cpu().numpy() for chunk in chunks]


# -- the best way for each attribute


Trained: TypeAlias = tuple[Perceptrons, Positions]  # detectors, and the attribute that each of them detects


class Training:
    """A kind of detectors: how many attributes are trained at a time, and the candidates for each."""

    def device(self) -> str:
        """Device for inference."""
        return "cpu"

    def parts(self, holdout: Holdout, p: int) -> list[list[int]]:  # noqa: ARG002
        """The attributes, as many at a time as memory should hold."""
        return [list(range(holdout.has.shape[1]))]

    def candidates(self, X: Features, holdout: Holdout) -> list[Perceptrons]:
        """The detectors of every job of a holdout, trained in several ways."""
        raise NotImplementedError


def select(
    training: Training, X: Features, holdout: Holdout, band: Band | None
) -> tuple[list[Trained], list[Validation]]:
    """The best detectors of every attribute, and their validations. A band is chosen unless one is given."""
    kept: list[Trained] = []
    validations: list[Validation] = []
    for part in training.parts(holdout, X.shape[1]):
        jobs = holdout.only(part)
        candidates = training.candidates(X, jobs)
        gathered = [jobs.gather(networks.scores(X, training.device())) for networks in candidates]
        results = [{i: validate(s[:, i], jobs.truth, jobs.has[:, i], band) for i in part} for s in gathered]
        best = {i: int(np.argmax([_rank(result[i]) for result in results])) for i in part}
        validations += [results[best[i]][i] for i in part]
        for number, networks in enumerate(candidates):
            chosen = jobs.final[[best[i] == number for i in jobs.attribute[jobs.final].tolist()]]
            if len(chosen):
                kept.append((networks.take(chosen), jobs.attribute[chosen]))
    return kept, validations


def keep(trained: list[Trained], attributes: list[int]) -> list[Trained]:
    """The detectors of some attributes, which are numbered anew in that order."""
    chosen = [(networks, np.flatnonzero(np.isin(attribute, attributes)), attribute) for networks, attribute in trained]
    return [
        (networks.take(jobs), np.array([attributes.index(i) for i in attribute[jobs]], np.int64))
        for networks, jobs, attribute in chosen
        if len(jobs)
    ]


def _rank(result: Validation) -> float:
    """Accuracy of the worst held-out class, as in the paper; then the mean accuracy."""
    return -1.0 if np.isnan(result.accuracy) else result.worst + 1e-6 * result.accuracy
