"""Training of neural networks on beliefs: the paper's head, its loss, the training loop, and checkpoints.

All that changes during a training is in the network, the optimiser, torch's random state and `State`. A checkpoint
holds those four, so that an interrupted training ends with the same weights as an uninterrupted one.
"""

from __future__ import annotations

import hashlib
import math
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from shortlist.arrays import Floats, Positions
from shortlist.classifier.targets import Targets
from shortlist.errors import BadFile, BadFit
from shortlist.tensors import (
    Module,
    Tensor,
    Tensors,
    autocast,
    own_randomness,
    put_under,
    read_tensors,
    under,
    upload,
    write_tensors,
)

Schedule: TypeAlias = Literal["linear", "constant", "plateau"]
EpochScore: TypeAlias = Callable[[float], float]  # mean training loss of the epoch → score, the higher the better
Numbers: TypeAlias = dict[str, Any]


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


class Batches(Protocol):
    """Rows in batches. Those of an epoch depend only on the seed and the epoch's number, so training can resume."""

    def __len__(self) -> int: ...
    def epoch(self, number: int) -> list[Positions]: ...
    def inputs(self, rows: Positions) -> tuple[Tensor, ...]: ...


class FeatureBatches:
    """Rows of a feature matrix that is already on the device."""

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


@dataclass
class State:
    """Progress of a training. Checkpoints keep these fields by name."""

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
        beliefs: Floats,
        weights: Floats,
        plan: Plan,
        *,
        device: str,
        score_epoch: EpochScore | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        self.torch, self.network, self.optimiser, self.batches = torch, network, optimiser, batches
        self.beliefs = torch.as_tensor(beliefs, dtype=torch.float32, device=device)
        self.weights = torch.as_tensor(weights / weights.mean(), dtype=torch.float32, device=device)
        self.plan, self.device, self.checkpoint, self.score_epoch = plan, device, checkpoint, score_epoch
        self.tick: Callable[[float], None] | None = None
        self.rates = [group["lr"] for group in optimiser.param_groups]
        self.steps = plan.steps if plan.epochs is None else max(1, round(plan.epochs * len(batches)))
        self.state = State()
        self.best: Tensors = {}

    def run(self, seed: int) -> list[float]:
        """Train to the end, and leave the network with the weights to keep. Returns the mean loss of each epoch."""
        with own_randomness(self.torch, seed, self.device):
            if self.checkpoint is not None and (kept := self.checkpoint.load()):
                self.restore(*kept)
            while self.state.step < self.steps and self.state.scale > 1e-3:
                self._epoch()
        if self.best:
            self.network.load_state_dict(self.best)
        self.network.eval()
        return self.state.history

    def _epoch(self) -> None:
        """Run the rest of the epoch that the training is in."""
        number, done = divmod(self.state.step, len(self.batches))
        self.network.train()
        for rows in self.batches.epoch(number)[done : done + self.steps - self.state.step]:
            self._step(rows)
            if self.tick:
                self.tick(self.state.step / self.steps)
            within = self.state.step % len(self.batches) and self.state.step < self.steps
            if self.checkpoint is not None and within and self.checkpoint.due():
                self.checkpoint.save(*self.snapshot())
        self._close_epoch()

    def _step(self, rows: Positions) -> None:
        state = self.state
        for group, rate in zip(self.optimiser.param_groups, self.rates, strict=True):
            group["lr"] = rate * state.scale * self.plan.pace(state.step, self.steps)
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
        state.total, state.weight = state.total + loss.detach() * weight, state.weight + weight
        state.step += 1

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
        state = self.state
        if loss < state.lowest * (1 - 1e-4):
            state.lowest, state.stale = loss, 0
        else:
            state.stale += 1
        if state.stale > 3:
            state.scale, state.stale = state.scale / 10, 0

    def _keep_if_best(self, score_epoch: EpochScore, loss: float) -> None:
        """Keep the weights of this epoch if it has the highest score so far."""
        self.network.eval()
        score = score_epoch(loss)
        if score > self.state.best:
            self.state.best = score
            self.best = {name: tensor.detach().clone() for name, tensor in self.network.state_dict().items()}

    def snapshot(self) -> tuple[Numbers, Tensors]:
        """(numbers that JSON can hold, tensors): everything that changes during the training."""
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
        """Go back to a snapshot."""
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


# -- checkpoints -------------------------------------------------------------------------------------------


class Checkpoint:
    """One safetensors file that an interrupted training resumes from, and the fingerprint that identifies the training.

    Where several trainings follow one another, `phase` names the current one, and `kept` holds the tensors that earlier
    phases left for later ones.
    """

    kind = "shortlist checkpoint"
    every = 60.0  # seconds between checkpoints within an epoch

    def __init__(self, path: str | os.PathLike[str], fingerprint: str) -> None:
        self.path, self.fingerprint = Path(path), fingerprint
        self.phase = "training"
        self.kept: Tensors = {}
        self.saved = time.monotonic()

    def due(self) -> bool:
        """Return True if the last file is old enough to write the next."""
        return time.monotonic() - self.saved >= self.every

    def save(self, numbers: Numbers, tensors: Tensors) -> None:
        """Replace the file."""
        header = numbers | {"version": 1, "fingerprint": self.fingerprint, "phase": self.phase}
        write_tensors(self.path, self.kind, header, tensors | put_under("kept", self.kept))
        self.saved = time.monotonic()

    def reached(self) -> str | None:
        """Return the phase that the file is in, and read `kept`; None where there is no file."""
        if not self.path.exists():
            return None
        numbers, tensors = read_tensors(self.path, self.kind, "kept.")
        self.kept = under("kept", tensors)
        return self._pop_phase(numbers)

    def load(self) -> tuple[Numbers, Tensors] | None:
        """Return what `save` was given in this phase; None where there is no file, or one of another phase."""
        if not self.path.exists():
            return None
        numbers, tensors = read_tensors(self.path, self.kind)
        return (numbers, tensors) if self._pop_phase(numbers) == self.phase else None

    def _pop_phase(self, numbers: Numbers) -> str:
        """Take the checkpoint's own entries out of the numbers; refuse a file of another training."""
        if numbers.pop("version", None) != 1 or numbers.pop("fingerprint") != self.fingerprint:
            raise BadFile(
                f"{self.path} is the checkpoint of another training (other rows, beliefs or options). Delete it to "
                "start afresh, or name another file"
            )
        return str(numbers.pop("phase"))


def fingerprint(parts: Iterable[Any]) -> str:
    """Hash of arrays, texts and options: two trainings with the same fingerprint have the same result."""
    digest = hashlib.sha256()
    for part in parts:
        data = np.ascontiguousarray(part).tobytes() if isinstance(part, np.ndarray) else repr(part).encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()
