"""Batches: which rows are read together, epoch by epoch, and how they become tensors.

The batches of an epoch depend on the seed and the number of the epoch alone, so that an interrupted training can go on
in the middle of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]
WINDOW = 50  # batches: rows are sorted by length within so many, and stay shuffled beyond


class Batches(Protocol):
    """What a trainer asks for."""

    def __len__(self) -> int: ...
    def epoch(self, number: int) -> list[Rows]: ...
    def inputs(self, rows: Rows) -> tuple[Any, ...]: ...


class FeatureBatches:
    """Rows of a feature matrix that is already on the device."""

    def __init__(self, X: Any, size: int, seed: int) -> None:
        self.X, self.size, self.seed = X, size, seed

    def __len__(self) -> int:
        return -(-len(self.X) // self.size)

    def epoch(self, number: int) -> list[Rows]:
        order = np.random.default_rng([self.seed, number]).permutation(len(self.X))
        return np.array_split(order, len(self))

    def inputs(self, rows: Rows) -> tuple[Any, ...]:
        return (self.X[rows],)


class TokenBatches:
    """Texts as token ids, padded batch by batch; rows of like length are read together."""

    def __init__(
        self, ids: Sequence[npt.NDArray[np.int32]], size: int, seed: int, *, torch: Any, device: str, pad: int
    ) -> None:
        self.ids, self.size, self.seed = ids, size, seed
        self.torch, self.device, self.pad = torch, device, pad
        self.lengths = np.array([len(row) for row in ids])

    def __len__(self) -> int:
        return -(-len(self.ids) // self.size)

    def epoch(self, number: int) -> list[Rows]:
        rng = np.random.default_rng([self.seed, number])
        cuts = np.array_split(rng.permutation(len(self.ids)), len(self))
        batches: list[Rows] = []
        for start in range(0, len(cuts), WINDOW):
            window = np.concatenate(cuts[start : start + WINDOW])
            by_length = window[np.argsort(self.lengths[window], kind="stable")]
            batches += np.split(by_length, np.cumsum([len(cut) for cut in cuts[start : start + WINDOW]])[:-1])
        return [batches[b] for b in rng.permutation(len(batches))]

    def in_order(self, size: int) -> list[Rows]:
        """All rows from short to long, for reading without training."""
        order = np.argsort(self.lengths, kind="stable")
        return np.array_split(order, -(-len(order) // size)) if len(order) else []

    def inputs(self, rows: Rows) -> tuple[Any, ...]:
        """(ids, mask), each (m, length), on the device."""
        length = max(int(self.lengths[rows].max()), 1)
        ids = np.full((len(rows), length), self.pad, np.int64)
        for i, row in enumerate(rows):
            ids[i, : self.lengths[row]] = self.ids[row]
        real = np.arange(length) < self.lengths[rows][:, None]
        return tuple(upload(self.torch, array, self.device) for array in (ids, real.astype(np.int64)))


def upload(torch: Any, array: npt.NDArray[Any], device: str) -> Any:
    """An array as a tensor on the device; CUDA is not waited for, which takes pinned memory."""
    tensor = torch.from_numpy(array)
    return tensor.pin_memory().to(device, non_blocking=True) if device.startswith("cuda") else tensor.to(device)
