"""Batches: which rows are read together, epoch by epoch, and how they become tensors.

The batches of an epoch depend only on the seed and on the number of the epoch. So a training that was interrupted in
the middle of an epoch can go on there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Positions
from shortlist.tensors import Tensor, upload

WINDOW = 50  # batches: rows are sorted by length within so many batches, and shuffled beyond


class Batches(Protocol):
    """What a trainer asks for."""

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


class TokenBatches:
    """Texts as token ids, padded batch by batch. Rows of similar length are read together."""

    def __init__(
        self, ids: Sequence[npt.NDArray[np.int32]], size: int, seed: int, *, torch: Any, device: str, pad: int
    ) -> None:
        self.ids, self.size, self.seed = ids, size, seed
        self.torch, self.device, self.pad = torch, device, pad
        self.lengths = np.array([len(row) for row in ids])

    def __len__(self) -> int:
        return -(-len(self.ids) // self.size)

    def epoch(self, number: int) -> list[Positions]:
        rng = np.random.default_rng([self.seed, number])
        cuts = np.array_split(rng.permutation(len(self.ids)), len(self))
        batches: list[Positions] = []
        for start in range(0, len(cuts), WINDOW):
            window = np.concatenate(cuts[start : start + WINDOW])
            by_length = window[np.argsort(self.lengths[window], kind="stable")]
            batches += np.split(by_length, np.cumsum([len(cut) for cut in cuts[start : start + WINDOW]])[:-1])
        return [batches[b] for b in rng.permutation(len(batches))]

    def in_order(self, size: int) -> list[Positions]:
        """All rows from short to long, for reading without training."""
        order = np.argsort(self.lengths, kind="stable")
        return np.array_split(order, -(-len(order) // size)) if len(order) else []

    def inputs(self, rows: Positions) -> tuple[Tensor, ...]:
        """(ids, mask), each (m, length), on the device."""
        length = max(int(self.lengths[rows].max()), 1)
        ids = np.full((len(rows), length), self.pad, np.int64)
        for i, row in enumerate(rows):
            ids[i, : self.lengths[row]] = self.ids[row]
        real = np.arange(length) < self.lengths[rows][:, None]
        return tuple(upload(self.torch, array, self.device) for array in (ids, real.astype(np.int64)))
