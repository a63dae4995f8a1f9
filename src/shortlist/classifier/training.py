"""Training of neural networks on beliefs: the paper's head, its loss, and the training loop."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from shortlist.arrays import Floats, Positions
from shortlist.classifier.targets import Targets
from shortlist.errors import BadFit
from shortlist.tensors import Module, Tensor, autocast, own_randomness


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


def train(
    torch: Any,
    network: Module,
    optimiser: Any,
    batches: FeatureBatches,
    beliefs: Floats,
    weights: Floats,
    *,
    steps: int,
    schedule: Literal["linear", "plateau"],
    warmup: float = 0.1,
    clip: float = math.inf,
    mixed: bool = False,
    forward: Callable[..., Tensor] | None = None,
    tick: Callable[[float], None] | None = None,
) -> list[float]:
    """Train a network on beliefs (m, k) and weights (m,); return the mean loss of each epoch.

    schedule   "linear": the learning rate rises during the share `warmup` of the steps, then falls to zero. "plateau":
               it falls tenfold where the loss does not fall for three epochs; after three such falls training ends
    clip       the largest norm of a gradient
    mixed      compute matrix products in bfloat16
    forward    from the inputs of a batch to logits, where that is not the network itself
    """
    device, history, step = str(next(network.parameters()).device), list[float](), 0
    b = torch.as_tensor(beliefs, dtype=torch.float32, device=device)
    w = torch.as_tensor(weights / weights.mean(), dtype=torch.float32, device=device)
    first, rates = optimiser.param_groups[0]["lr"], _rates(torch, optimiser, steps, schedule, warmup)
    with own_randomness(torch, batches.seed, device):
        while step < steps and (schedule == "linear" or optimiser.param_groups[0]["lr"] > 0.0011 * first):
            network.train()
            total = weight = 0.0
            for rows in batches.epoch(len(history))[: steps - step]:
                at = torch.as_tensor(rows, device=device)
                of_batch = w[at].sum()
                with autocast(torch, device, enabled=mixed):
                    logits = (forward or network)(*batches.inputs(rows))
                loss = soft_cross_entropy(logits, b[at], w[at]) / of_batch
                loss.backward()
                torch.nn.utils.clip_grad_norm_(network.parameters(), clip)
                optimiser.step()
                optimiser.zero_grad(set_to_none=True)
                total, weight, step = total + loss.detach() * of_batch, weight + of_batch, step + 1
                if schedule == "linear":
                    rates.step()
                if tick:
                    tick(step / steps)
            history.append(float(total) / float(weight))
            if schedule == "plateau":
                rates.step(history[-1])
    network.eval()
    return history


def _rates(torch: Any, optimiser: Any, steps: int, schedule: str, warmup: float) -> Any:
    """The schedule of learning rates."""
    if schedule == "plateau":
        return torch.optim.lr_scheduler.ReduceLROnPlateau(optimiser, factor=0.1, patience=3, eps=0.0)
    warm = max(1, round(warmup * steps))

    def pace(step: int) -> float:
        return (step + 1) / warm if step < warm else (steps - step) / max(1, steps - warm)

    return torch.optim.lr_scheduler.LambdaLR(optimiser, pace)
