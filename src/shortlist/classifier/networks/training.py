"""Trainer: the loop. Steps, schedule, clipping, precision, the best epoch, and where it stands.

All that changes during training is in the network, the optimiser, the random state of torch and `State`; a checkpoint
is those four, so a training that was killed goes on as if nothing had happened.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from shortlist.arrays import Floats
from shortlist.classifier.networks.batches import Batches, Rows, upload
from shortlist.classifier.networks.checkpoint import Checkpoint
from shortlist.classifier.networks.network import LOSSES, Module

LEAST = 1e-3  # of the learning rate: a plateau this low is the end
Judge = Callable[[Module, float], float]  # (network, mean training loss of the epoch) → the higher the better


@dataclass(frozen=True)
class Plan:
    """How long, how fast. `steps` counts optimiser steps; `epochs` takes its place where it is given."""

    steps: int = 400
    epochs: float | None = None
    schedule: Literal["linear", "constant", "plateau"] = "linear"
    warmup: float = 0.1
    patience: int = 3
    clip: float | None = 2.0
    accumulate: int = 1
    precision: str = "fp32"
    loss: str = "expected"


@dataclass
class State:
    """Where a training stands."""

    step: int = 0
    total: float = 0.0  # loss and weight of the epoch so far
    weight: float = 0.0
    history: list[float] = field(default_factory=list)  # mean loss of each epoch
    best: float = -math.inf
    scale: float = 1.0  # of the learning rates, lowered on a plateau
    lowest: float = math.inf
    stale: int = 0


class Trainer:
    """Trains a network on beliefs (m, k) and weights (m,), in batches."""

    def __init__(
        self,
        torch: Any,
        network: Module,
        optimiser: Any,
        batches: Batches,
        targets: tuple[Any, Any],
        plan: Plan,
        *,
        device: str,
        judge: Judge | None = None,
        checkpoint: Checkpoint | None = None,
        tick: Callable[[float], None] | None = None,
    ) -> None:
        self.torch, self.network, self.optimiser, self.batches = torch, network, optimiser, batches
        self.beliefs, self.weights = targets
        self.plan, self.device, self.judge, self.checkpoint, self.tick = plan, device, judge, checkpoint, tick
        self.rates = [group["lr"] for group in optimiser.param_groups]
        self.per_epoch = -(-len(batches) // plan.accumulate)
        self.steps = plan.steps if plan.epochs is None else max(1, round(plan.epochs * self.per_epoch))
        self.learned = [p for p in network.parameters() if p.requires_grad]
        self.state = State()
        self.best: dict[str, Any] = {}

    def run(self, seed: int) -> list[float]:
        """Train to the end, and leave the network with the weights to keep. The mean loss of each epoch."""
        with own_randomness(self.torch, seed, self.device):
            if self.checkpoint is not None:
                self.checkpoint.resume(self)
            while self.state.step < self.steps and self.state.scale > LEAST:
                self._epoch()
        if self.best:
            self.network.load_state_dict(self.best)
        self.network.eval()
        return self.state.history

    def _epoch(self) -> None:
        """The rest of the epoch the training stands in."""
        state = self.state
        number, done = divmod(state.step, self.per_epoch)
        batches = self.batches.epoch(number)
        groups = [batches[i : i + self.plan.accumulate] for i in range(0, len(batches), self.plan.accumulate)]
        self.network.train()
        for group in groups[done : done + self.steps - state.step]:
            self._step(group)
            if self.tick:
                self.tick(state.step / self.steps)
            if self.checkpoint is not None and state.step % self.per_epoch and state.step < self.steps:
                self.checkpoint.maybe(self)
        self._close_epoch()

    def _step(self, group: list[Rows]) -> None:
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
            self._plateau(loss)
        if self.judge is not None:
            self._judge(loss)
        if self.checkpoint is not None:
            self.checkpoint.save(self)

    def _plateau(self, loss: float) -> None:
        """Lower the learning rates tenfold when `patience` epochs brought nothing better."""
        state = self.state
        if loss < state.lowest * (1 - 1e-4):
            state.lowest, state.stale = loss, 0
        else:
            state.stale += 1
        if state.stale > self.plan.patience:
            state.scale, state.stale = state.scale / 10, 0

    def _judge(self, loss: float) -> None:
        assert self.judge is not None
        self.network.eval()
        score = self.judge(self.network, loss)
        if score > self.state.best:
            self.state.best = score
            self.best = {name: tensor.detach().clone() for name, tensor in self.network.state_dict().items()}

    def numbers(self) -> dict[str, Any]:
        """The state as JSON holds it."""
        return {**asdict(self.state), "total": float(self.state.total), "weight": float(self.state.weight)}


def pace(step: int, steps: int, plan: Plan) -> float:
    """The share of the learning rate at a step: it rises over the warm-up and falls to nothing, if at all."""
    if plan.schedule != "linear":
        return 1.0
    warm = max(1, round(plan.warmup * steps))
    return (step + 1) / warm if step < warm else (steps - step) / max(1, steps - warm)


def autocast(torch: Any, device: str, precision: str) -> Any:
    """Matrix products in bfloat16 where asked for."""
    return torch.autocast(device.split(":")[0], torch.bfloat16, enabled=precision == "bf16")


@contextmanager
def own_randomness(torch: Any, seed: int, device: str) -> Iterator[None]:
    """Seed torch for a while, and leave its random state as it was found."""
    devices = [torch.device(device)] if device.startswith("cuda") else []
    with torch.random.fork_rng([d.index or 0 for d in devices]):
        torch.manual_seed(seed)
        yield


def as_targets(torch: Any, beliefs: Floats, weights: Floats, device: str) -> tuple[Any, Any]:
    """Beliefs and weights on the device, weights with mean one."""
    scaled = weights / weights.mean()
    return (
        torch.as_tensor(beliefs, dtype=torch.float32, device=device),
        torch.as_tensor(scaled, dtype=torch.float32, device=device),
    )
