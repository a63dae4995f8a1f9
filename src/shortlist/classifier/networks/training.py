"""Training: the loop that every network is trained by, with its schedule, its best epoch and its checkpoints.

All that changes during a training is in the network, the optimiser, torch's random state and `State`. A snapshot is
those four, so that a training which was interrupted ends as if it had not been.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from shortlist.arrays import Floats, Positions
from shortlist.classifier.networks.batches import Batches
from shortlist.classifier.networks.checkpoint import Checkpoint, Numbers
from shortlist.classifier.networks.network import LOSSES
from shortlist.classifier.networks.recipe import Loss, Precision, Schedule
from shortlist.tensors import Module, Tensor, Tensors, autocast, own_randomness, put_under, under, upload

LEAST = 1e-3  # a training ends once plateaus have lowered the learning rate to this share
EpochScore = Callable[[Module, float], float]  # (network, mean training loss of the epoch) → the higher the better


@dataclass(frozen=True)
class Plan:
    """How long and how fast to train. `steps` counts optimiser steps; `epochs` replaces it where it is given."""

    steps: int = 400
    epochs: float | None = None
    schedule: Schedule = "linear"
    warmup: float = 0.1
    patience: int = 3
    clip: float | None = 2.0
    accumulate: int = 1
    precision: Precision = "fp32"
    loss: Loss = "expected"


@dataclass
class State:
    """Where a training stands. Checkpoints keep these fields by name."""

    step: int = 0
    total: float = 0.0  # loss and weight of the epoch so far
    weight: float = 0.0
    history: list[float] = field(default_factory=list)  # mean loss of each epoch
    best: float = -math.inf
    scale: float = 1.0  # of the learning rates, lowered on a plateau
    lowest: float = math.inf
    stale: int = 0  # epochs since the loss was lowest


class Trainer:
    """Trains a network on beliefs (m, k) and weights (m,), in batches."""

    def __init__(
        self,
        torch: Any,
        network: Module,
        optimiser: Any,
        batches: Batches,
        targets: tuple[Tensor, Tensor],
        plan: Plan,
        *,
        device: str,
        score_epoch: EpochScore | None = None,
        checkpoint: Checkpoint | None = None,
        tick: Callable[[float], None] | None = None,
    ) -> None:
        self.torch, self.network, self.optimiser, self.batches = torch, network, optimiser, batches
        self.beliefs, self.weights = targets
        self.plan, self.device, self.checkpoint, self.tick = plan, device, checkpoint, tick
        self.score_epoch = score_epoch
        self.rates = [group["lr"] for group in optimiser.param_groups]
        self.per_epoch = -(-len(batches) // plan.accumulate)
        self.steps = plan.steps if plan.epochs is None else max(1, round(plan.epochs * self.per_epoch))
        self.learned = [p for p in network.parameters() if p.requires_grad]
        self.state = State()
        self.best: Tensors = {}

    def run(self, seed: int) -> list[float]:
        """Train to the end, and leave the network with the weights to keep. Returns the mean loss of each epoch."""
        with own_randomness(self.torch, seed, self.device):
            if self.checkpoint is not None and (found := self.checkpoint.load()):
                self.restore(*found)
            while self.state.step < self.steps and self.state.scale > LEAST:
                self._epoch()
        if self.best:
            self.network.load_state_dict(self.best)
        self.network.eval()
        return self.state.history

    def _epoch(self) -> None:
        """The rest of the epoch that the training is in."""
        state = self.state
        number, done = divmod(state.step, self.per_epoch)
        batches = self.batches.epoch(number)
        groups = [batches[i : i + self.plan.accumulate] for i in range(0, len(batches), self.plan.accumulate)]
        self.network.train()
        for group in groups[done : done + self.steps - state.step]:
            self._step(group)
            if self.tick:
                self.tick(state.step / self.steps)
            within = state.step % self.per_epoch and state.step < self.steps
            if self.checkpoint is not None and within and self.checkpoint.due():
                self.checkpoint.save(*self.snapshot())
        self._close_epoch()

    def _step(self, group: list[Positions]) -> None:
        for param_group, rate in zip(self.optimiser.param_groups, self.rates, strict=True):
            param_group["lr"] = rate * self.state.scale * pace(self.state.step, self.steps, self.plan)
        there = [upload(self.torch, rows, self.device) for rows in group]
        weight = self.weights[self.torch.cat(there)].sum()
        loss = 0.0
        for rows, at in zip(group, there, strict=True):
            with autocast(self.torch, self.device, self.plan.precision):
                logits = self.network(*self.batches.inputs(rows))
            share = LOSSES[self.plan.loss](logits, self.beliefs[at], self.weights[at]) / weight
            share.backward()
            loss = loss + share.detach()
        if self.plan.clip:
            self.torch.nn.utils.clip_grad_norm_(self.learned, self.plan.clip)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.state.total = self.state.total + loss * weight
        self.state.weight = self.state.weight + weight
        self.state.step += 1

    def _close_epoch(self) -> None:
        state = self.state
        loss = float(state.total) / float(state.weight)
        state.history.append(loss)
        state.total = state.weight = 0.0
        if self.plan.schedule == "plateau":
            self._lower_on_plateau(loss)
        if self.score_epoch is not None:
            self._keep_if_best(self.score_epoch, loss)
        if self.checkpoint is not None:
            self.checkpoint.save(*self.snapshot())

    def _lower_on_plateau(self, loss: float) -> None:
        """Lower the learning rates tenfold when `patience` epochs brought nothing better."""
        state = self.state
        if loss < state.lowest * (1 - 1e-4):
            state.lowest, state.stale = loss, 0
        else:
            state.stale += 1
        if state.stale > self.plan.patience:
            state.scale, state.stale = state.scale / 10, 0

    def _keep_if_best(self, score_epoch: EpochScore, loss: float) -> None:
        """Keep the weights of this epoch if it has the highest score so far."""
        self.network.eval()
        score = score_epoch(self.network, loss)
        if score > self.state.best:
            self.state.best = score
            self.best = {name: tensor.detach().clone() for name, tensor in self.network.state_dict().items()}

    # -- snapshots -------------------------------------------------------------------------------------

    def snapshot(self) -> tuple[Numbers, Tensors]:
        """All that changes during the training: numbers that JSON can hold, and tensors."""
        torch = self.torch
        numbers = {**asdict(self.state), "total": float(self.state.total), "weight": float(self.state.weight)}
        tensors = put_under("network", self.network.state_dict()) | put_under("best", self.best)
        for i, values in self.optimiser.state_dict()["state"].items():
            tensors |= {f"optimiser.{i}.{name}": torch.as_tensor(value) for name, value in values.items()}
        tensors["random.cpu"] = torch.get_rng_state()
        if self.device.startswith("cuda"):
            tensors["random.cuda"] = torch.cuda.get_rng_state(self.device)
        return numbers, tensors

    def restore(self, numbers: Numbers, tensors: Tensors) -> None:
        """Go back to where a snapshot was taken."""
        self.state = State(**numbers)
        self.network.load_state_dict(under("network", tensors))
        self.best = {name: t.to(self.device) for name, t in under("best", tensors).items()}
        state: dict[int, Tensors] = {}
        for name, tensor in under("optimiser", tensors).items():
            i, moment = name.split(".", 1)
            state.setdefault(int(i), {})[moment] = tensor
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": state, "param_groups": groups})
        self.torch.set_rng_state(tensors["random.cpu"])
        if "random.cuda" in tensors:
            self.torch.cuda.set_rng_state(tensors["random.cuda"], self.device)


def pace(step: int, steps: int, plan: Plan) -> float:
    """The share of the learning rate at a step. With "linear" it rises during the warm-up and then falls to zero."""
    if plan.schedule != "linear":
        return 1.0
    warm = max(1, round(plan.warmup * steps))
    return (step + 1) / warm if step < warm else (steps - step) / max(1, steps - warm)


def as_targets(torch: Any, beliefs: Floats, weights: Floats, device: str) -> tuple[Tensor, Tensor]:
    """Beliefs and weights on the device; weights have mean one."""
    scaled = weights / weights.mean()
    return (
        torch.as_tensor(beliefs, dtype=torch.float32, device=device),
        torch.as_tensor(scaled, dtype=torch.float32, device=device),
    )
