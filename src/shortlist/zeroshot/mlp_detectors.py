"""The paper's detectors: a three-layer perceptron an attribute, all trained together as one batched model. Needs torch.

Every tensor has the jobs as its first axis, so that a step of all detectors is three batched matrix products. Each job
has its own weights, draws its own rows and keeps its own best epoch; jobs share only the number of steps.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from shortlist.arrays import Floats, Positions
from shortlist.progress import progress_bar
from shortlist.tensors import Tensor, autocast, own_randomness, torch_on
from shortlist.zeroshot.selection import SLOPE, Holdout, Perceptrons, Training, class_weights
from shortlist.zeroshot.task import Features

EPSILON = 1e-5  # of batch normalisation
MOST_WEIGHTS = 400_000_000  # trained at a time on a GPU: some 8 GB with gradients and moments. A CPU gets a quarter
Tick: TypeAlias = Callable[[float], None]


@dataclass(frozen=True)
class MLPTraining(Training):
    """Training options of perceptrons. There is one candidate for each width in `hidden`."""

    hidden: tuple[int, ...]
    epochs: int
    lr: float
    batch_size: int
    seed: int
    where: str  # the device, or "auto"
    progress: bool = False
    dropout: float = 0.5

    def device(self) -> str:
        """Device for inference. The CPU needs no torch for that."""
        if self.where == "cpu" or (self.where == "auto" and importlib.util.find_spec("torch") is None):
            return "cpu"
        return torch_on(self.where)[1]

    def parts(self, holdout: Holdout, p: int) -> list[list[int]]:
        """The result does not depend on how many attributes are trained at a time."""
        (everything,) = super().parts(holdout, p)
        weights = max((p + width) * width for width in self.hidden) * len(holdout.held)
        size = max(1, (MOST_WEIGHTS if self.device() != "cpu" else MOST_WEIGHTS // 4) // weights)
        return [everything[start : start + size] for start in range(0, len(everything), size)]

    def candidates(self, X: Features, holdout: Holdout) -> list[Perceptrons]:
        trained = []
        for width in self.hidden:
            with progress_bar(self.progress, f"detectors of width {width}") as tick:
                trained.append(train(X, holdout, width, self, tick))
        return trained


def train(X: Features, holdout: Holdout, width: int, options: MLPTraining, tick: Tick | None = None) -> Perceptrons:
    """Train every job of a holdout, and keep each attribute's best epoch on the classes held out from it."""
    torch, device = torch_on(options.where)
    with own_randomness(torch, options.seed, device):
        network = _Network(torch, X.shape[1], width, holdout, options, device)
        rows = _Rows(torch, X, holdout, options, device)
        best = _Best(network, rows)
        optimiser = torch.optim.Adam(network.learned, lr=options.lr, fused=True)
        milestones = [max(1, round(share * options.epochs)) for share in (0.3, 0.6, 0.9)]
        schedule = torch.optim.lr_scheduler.MultiStepLR(optimiser, milestones, 0.1)
        for epoch in range(options.epochs):
            for features, targets in rows.epoch():
                optimiser.zero_grad(set_to_none=True)
                with autocast(torch, device, rows.precision):
                    logits = network(features, training=True)
                losses = torch.nn.functional.binary_cross_entropy_with_logits(logits.float(), targets, reduction="none")
                losses.mean(dim=1).sum().backward()  # jobs share no weights, so the sum trains each by its own mean
                optimiser.step()
            schedule.step()
            best.consider()
            if tick:
                tick((epoch + 1) / options.epochs)
    return best.perceptrons()


class _Network:
    """Weights of G perceptrons, (G, inputs, outputs), and the running statistics of their batch normalisation."""

    def __init__(self, torch: Any, p: int, hidden: int, holdout: Holdout, options: MLPTraining, device: str) -> None:
        self.torch, self.dropout = torch, options.dropout
        sizes = [(p, hidden), (hidden, hidden), (hidden, 1)]
        starts = [_start(torch, sizes, random) for random in _generators(holdout, options.seed, 0)]
        stacked = [torch.stack(parts).to(device) for parts in zip(*starts, strict=True)]
        self.learned = [tensor.requires_grad_() for tensor in stacked]
        shape, both = (holdout.jobs, 1, hidden), 2 * [torch.ones, torch.zeros]
        self.learned += [make(shape, device=device, requires_grad=True) for make in both]
        self.running = [make(shape, device=device) for make in reversed(both)]

    def __call__(self, features: Tensor, *, training: bool) -> Tensor:
        """(G, rows, p), or (rows, p) for all, → logits (G, rows)."""
        values = features
        for layer in range(2):
            weights, biases = self.learned[2 * layer : 2 * layer + 2]
            values = self._normalise(values @ weights + biases, layer, training)
            values = self.torch.nn.functional.leaky_relu(values, SLOPE)
            if training and self.dropout:
                values = self.torch.nn.functional.dropout(values, self.dropout)
        return (values @ self.learned[4] + self.learned[5]).squeeze(-1)

    def _normalise(self, values: Tensor, layer: int, training: bool) -> Tensor:
        """Batch normalisation over the rows of each job."""
        gain, shift = self.learned[6 + 2 * layer : 8 + 2 * layer]
        mean, variance = self.running[2 * layer : 2 * layer + 2]
        if training:
            here_variance, here_mean = self.torch.var_mean(values.float(), dim=1, keepdim=True, correction=0)
            n = values.shape[1]
            with self.torch.no_grad():
                mean.lerp_(here_mean, 0.1)
                variance.lerp_(here_variance * n / max(n - 1, 1), 0.1)
            mean, variance = here_mean, here_variance
        scale = gain * (variance + EPSILON).rsqrt()
        return self.torch.addcmul(shift - mean * scale, values, scale)

    def state(self) -> list[Tensor]:
        return [tensor.detach() for tensor in [*self.learned, *self.running]]


class _Rows:
    """The rows that each job draws, epoch by epoch, and those that it is validated on."""

    def __init__(self, torch: Any, X: Features, holdout: Holdout, options: MLPTraining, device: str) -> None:
        self.torch, self.device, self.holdout = torch, device, holdout
        self.precision = "fp32" if device == "cpu" else "bf16"
        self.X = torch.as_tensor(X, device=device)
        self.targets = torch.as_tensor(holdout.targets(), dtype=torch.float32, device=device)  # (G, m)
        chance = torch.as_tensor(holdout.weights(), device=device).cumsum(dim=1)
        self.chance = chance / chance[:, -1:]
        self.random = _generators(holdout, options.seed, 1)
        trained = int((~holdout.held[:, holdout.truth]).sum(axis=1).max())
        self.steps = max(1, round(trained / options.batch_size))
        self.size = min(options.batch_size, max(2, trained))

    def epoch(self) -> Iterator[tuple[Tensor, Tensor]]:
        """(features (G, rows, p), targets (G, rows)) of each step. Rows with the attribute are half of those drawn."""
        drawn = np.stack([random.random(self.steps * self.size) for random in self.random])
        drawn = self.torch.as_tensor(drawn, device=self.device)
        rows = self.torch.searchsorted(self.chance, drawn, right=True).clamp_(max=len(self.X) - 1)
        for some in rows.split(self.size, dim=1):
            yield self.X[some], self.targets.gather(1, some)

    def logits(self, network: _Network, wanted: Positions) -> Tensor:
        """(G, rows): of the rows that some job is validated on."""
        parts = np.array_split(wanted, max(1, math.ceil(len(wanted) / 2048)))
        with self.torch.inference_mode(), autocast(self.torch, self.device, self.precision):
            return self.torch.cat([network(self.X[part], training=False).float() for part in parts], dim=1)


class _Best:
    """The best epoch of each attribute: its accuracy on held-out classes, then its loss there."""

    def __init__(self, network: _Network, rows: _Rows) -> None:
        self.network, self.rows, torch, holdout = network, rows, rows.torch, rows.holdout
        self.wanted = np.flatnonzero(np.asarray(holdout.validated.any(axis=0))[holdout.truth])
        weights = _validation_weights(holdout, self.wanted)
        self.weights = torch.as_tensor(weights, dtype=torch.float32, device=rows.device)  # (G, rows)
        self.attribute = torch.as_tensor(holdout.attribute, device=rows.device)
        self.none = torch.zeros(holdout.has.shape[1], device=rows.device)
        self.accuracy, self.loss = self.none - 1, self.none + math.inf
        self.kept = [tensor.clone() for tensor in network.state()]

    def consider(self) -> None:
        """Keep this epoch for the attributes whose best it is."""
        torch, yes = self.rows.torch, self.rows.targets[:, self.wanted]
        logits = self.rows.logits(self.network, self.wanted)
        losses = torch.nn.functional.binary_cross_entropy_with_logits(logits, yes, reduction="none")
        right = ((logits >= 0) == (yes > 0.5)).float()
        sums = [(one * self.weights).sum(dim=1) for one in (right, losses)]
        accuracy, loss = (self.none.index_add(0, self.attribute, one) for one in sums)
        even = (accuracy - self.accuracy).abs() <= 1e-6
        better = ((accuracy > self.accuracy) & ~even) | (even & (loss < self.loss))
        self.accuracy = torch.where(better, accuracy, self.accuracy)
        self.loss = torch.where(better, loss, self.loss)
        chosen = better[self.attribute].nonzero().squeeze(1)
        for kept, tensor in zip(self.kept, self.network.state(), strict=True):
            kept.index_copy_(0, chosen, tensor.index_select(0, chosen))

    def perceptrons(self) -> Perceptrons:
        """The kept detectors as plain arrays, batch normalisation folded into the layers below it."""
        state, layers = self.kept, []
        for layer in range(3):
            weights, biases = state[2 * layer : 2 * layer + 2]
            if layer < 2:
                gain, shift = state[6 + 2 * layer : 8 + 2 * layer]
                mean, variance = state[10 + 2 * layer : 12 + 2 * layer]
                scale = gain * (variance + EPSILON).rsqrt()
                weights, biases = weights * scale, (biases - mean) * scale + shift
            layers.append((weights.cpu().numpy(), biases.cpu().numpy()))
        return Perceptrons(tuple(layers))


def _validation_weights(holdout: Holdout, wanted: Positions) -> Floats:
    """(G, rows): the weights of the rows that jobs are validated on; rows with and without the attribute half each."""
    truth = holdout.truth[wanted]
    weights = np.zeros((holdout.jobs, len(wanted)))
    for i in np.unique(holdout.attribute):
        jobs = np.flatnonzero(holdout.attribute == i)
        own = holdout.validated[jobs][:, truth]  # (jobs, rows)
        rows = np.flatnonzero(own.any(axis=0))
        weights[np.ix_(jobs, rows)] = own[:, rows] * class_weights(truth[rows], holdout.has[:, i])
    return weights


def _start(torch: Any, sizes: list[tuple[int, int]], random: np.random.Generator) -> list[Tensor]:
    """The first weights and biases of one job: uniform, as torch's own linear layers have them."""
    shapes = [(shape, inputs) for inputs, outputs in sizes for shape in ((inputs, outputs), (1, outputs))]
    bounds = [np.float32(1 / math.sqrt(inputs)) for _, inputs in shapes]
    drawn = [2 * random.random(shape, np.float32) - 1 for shape, _ in shapes]
    return [torch.from_numpy(values * bound) for values, bound in zip(drawn, bounds, strict=True)]


def _generators(holdout: Holdout, seed: int, purpose: int) -> list[np.random.Generator]:
    """One a job. It does not depend on which other jobs there are."""
    jobs = zip(holdout.fold.tolist(), holdout.attribute.tolist(), strict=True)
    return [np.random.default_rng([seed, purpose, f, i]) for f, i in jobs]
