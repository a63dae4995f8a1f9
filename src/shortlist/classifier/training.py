"""Training of neural networks on beliefs: the paper's head, its loss, and the training loop."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from shortlist.arrays import Floats, Positions
from shortlist.classifier.targets import Targets
from shortlist.errors import BadFit
from shortlist.tensors import Module, Tensor, Tensors, autocast, own_randomness, upload

Schedule: TypeAlias = Literal["linear", "constant", "plateau"]
EpochScore: TypeAlias = Callable[[float], float]  # mean training loss of the epoch → score, the higher the better


def make_head(torch: Any, inputs: int, hidden: int, k: int) -> Module:
    """Three linear layers; batch normalisation, LeakyReLU and dropout after the first two."""
    nn = torch.nn

    def layer(width: int) -> list[Module]:
        return [nn.Linear(width, hidden), nn.BatchNorm1d(hidden), nn.LeakyReLU(), nn.Dropout(0.5)]

    return nn.Sequential(*layer(inputs), *layer(hidden), nn.Linear(hidden, k))


def soft_cross_entropy(logits: Tensor, beliefs: Tensor, weights: Tensor) -> Tensor:
    """Σ_a w_a Σ_j −P(j | G_a) log softmax_j(logits_a): the expected log loss, summed over rows."""
    log_p = logits.float().log_softmax(dim=1)
    return -((beliefs * log_p).sum(dim=1) * weights).sum()


def check_two_rows(targets: Targets) -> None:
    if len(targets.rows) < 2:
        raise BadFit("one row is too few: batch normalisation needs at least two")


# -- batches -----------------------------------------------------------------------------------------------


class FeatureBatches:
    """Rows of a feature matrix that is already on the device; those of an epoch depend on the seed and its number."""

    def __init__(self, X: Any, size: int, seed: int) -> None:
        self.X, self.size, self.seed = X, size, seed

    def __len__(self) -> int:
        return -(-len(self.X) // self.size)

    def epoch(self, number: int) -> list[Positions]:
        order = np.random.default_rng([self.seed, number]).permutation(len(self.X))
        return np.array_split(order, len(self))

    def inputs(self, rows: Positions) -> tuple[Tensor, ...]:
        return (self.X[rows],)


# -- the loop ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """Length and speed of a training. `steps` counts optimiser steps; `epochs` replaces it where it is given.

    schedule   "linear" rises during the warm-up and then falls to zero; "plateau" falls tenfold where the loss does
               not fall for three epochs, and ends the training after three such falls
    clip       the largest norm of a gradient
    """

    steps: int = 400
    epochs: float | None = None
    schedule: Schedule = "linear"
    warmup: float = 0.1
    clip: float | None = 2.0
    precision: str = "fp32"

    def pace(self, step: int, steps: int) -> float:
        """Share of the learning rate at a step."""
        if self.schedule != "linear":
            return 1.0
        warm = max(1, round(self.warmup * steps))
        return (step + 1) / warm if step < warm else (steps - step) / max(1, steps - warm)


class Trainer:
    """Trains a network on beliefs (m, k) and weights (m,), in batches."""

    def __init__(
        self,
        torch: Any,
        network: Module,
        optimiser: Any,
        batches: FeatureBatches,
        beliefs: Floats,
        weights: Floats,
        plan: Plan,
        *,
        device: str,
        score_epoch: EpochScore | None = None,
    ) -> None:
        self.torch, self.network, self.optimiser, self.batches = torch, network, optimiser, batches
        self.beliefs = torch.as_tensor(beliefs, dtype=torch.float32, device=device)
        self.weights = torch.as_tensor(weights / weights.mean(), dtype=torch.float32, device=device)
        self.plan, self.device, self.score_epoch = plan, device, score_epoch
        self.tick: Callable[[float], None] | None = None
        self.rates = [group["lr"] for group in optimiser.param_groups]
        self.steps = plan.steps if plan.epochs is None else max(1, round(plan.epochs * len(batches)))
        self.step, self.history = 0, list[float]()
        self.best_score, self.best = -math.inf, Tensors()
        self.scale, self.lowest, self.stale = 1.0, math.inf, 0  # of the learning rates, lowered on a plateau

    def run(self, seed: int) -> list[float]:
        """Train to the end, and leave the network with the weights to keep. Returns the mean loss of each epoch."""
        with own_randomness(self.torch, seed, self.device):
            while self.step < self.steps and self.scale > 1e-3:
                self._epoch()
        if self.best:
            self.network.load_state_dict(self.best)
        self.network.eval()
        return self.history

    def _epoch(self) -> None:
        self.network.train()
        total = weight = 0.0
        for rows in self.batches.epoch(len(self.history))[: self.steps - self.step]:
            loss, of_batch = self._step(rows)
            total, weight = total + loss * of_batch, weight + of_batch
            if self.tick:
                self.tick(self.step / self.steps)
        self.history.append(float(total) / float(weight))
        if self.plan.schedule == "plateau":
            self._lower_on_plateau(self.history[-1])
        if self.score_epoch is not None:
            self._keep_if_best(self.score_epoch(self.history[-1]))

    def _step(self, rows: Positions) -> tuple[Tensor, Tensor]:
        """Take one step; return the loss, and the weight of the rows."""
        for group, rate in zip(self.optimiser.param_groups, self.rates, strict=True):
            group["lr"] = rate * self.scale * self.plan.pace(self.step, self.steps)
        at = upload(self.torch, rows, self.device)
        weight = self.weights[at].sum()
        with autocast(self.torch, self.device, self.plan.precision):
            logits = self.network(*self.batches.inputs(rows))
        loss = soft_cross_entropy(logits, self.beliefs[at], self.weights[at]) / weight
        loss.backward()
        if self.plan.clip:
            learned = [p for p in self.network.parameters() if p.requires_grad]
            self.torch.nn.utils.clip_grad_norm_(learned, self.plan.clip)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.step += 1
        return loss.detach(), weight

    def _lower_on_plateau(self, loss: float) -> None:
        falls = loss < self.lowest * (1 - 1e-4)
        self.lowest, self.stale = (loss, 0) if falls else (self.lowest, self.stale + 1)
        if self.stale > 3:
            self.scale, self.stale = self.scale / 10, 0

    def _keep_if_best(self, score: float) -> None:
        if score > self.best_score:
            self.best_score = score
            self.best = {name: tensor.detach().clone() for name, tensor in self.network.state_dict().items()}
