"""The E step, and the counting of patterns, on a torch device.

Each iteration sends a table of log-probabilities to the device and reads a table of counts back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.errors import BadFit, require
from shortlist.labelmodel.kernel import Precision, contrasts
from shortlist.labelmodel.layout import Layout
from shortlist.labelmodel.likelihood import Emission
from shortlist.labelmodel.m_step import Counts
from shortlist.tensors import Tensor, torch_on
from shortlist.votes.patterns import widths


class DeviceKernel:
    """Unique rows of votes and their weights on a device, prepared for many E steps, like `Kernel`."""

    cells = 1 << 26  # of the one-hot encoding of a block

    def __init__(
        self, columns: Tensor | npt.ArrayLike, weights: Tensor | npt.ArrayLike, layout: Layout, *, device: str
    ) -> None:
        self.torch: Any = torch_on(device)[0]
        self.layout, self.device = layout, device
        self.columns = self.torch.as_tensor(columns, device=device)  # (n, u)
        self.weights = self.torch.as_tensor(weights, device=device).to(self.torch.float64)
        self.total = float(self.weights.sum())
        self.owner = self.torch.as_tensor(layout.owner, device=device)
        first = np.arange(len(layout.owner)) - layout.starts[layout.owner]
        self.code = self.torch.as_tensor(first + 1, device=device).to(self.columns.dtype)[:, None]  # (S, 1)
        self.width = max(1, self.cells // (len(layout.owner) + 1))
        self.vote_counts = self._vote_counts()
        self._kept: dict[Precision, Tensor] = {}

    @property
    def large(self) -> bool:
        return len(self.weights) > 1 << 20

    def _vote_counts(self) -> Floats:
        counts = [
            self.torch.bincount(column.int(), self.weights, size + 1)[1:].cpu().numpy()
            for column, size in zip(self.columns, self.layout.sizes, strict=True)
        ]
        return np.concatenate([*counts, np.zeros(0)])

    def __call__(self, table: Emission, precision: Precision = np.float64) -> Counts:
        """Return expected counts and log-likelihood under a table."""
        torch = self.torch
        slopes, constant = contrasts(table, self.layout, self.vote_counts, self.total)
        slopes = self._tensor(slopes, precision)
        sums = torch.zeros((len(self.owner) + 1, self.layout.k), dtype=torch.float64, device=self.device)
        value = torch.zeros((), dtype=torch.float64, device=self.device)
        for rows in self._blocks():
            X, weights = self._one_hot(rows, precision), self.weights[rows]
            joint = slopes @ X
            marginal = torch.logsumexp(joint, dim=0)
            R = torch.exp(joint - marginal) * weights.to(joint.dtype)
            sums += (X @ R.T).double()
            value += weights @ marginal.double()
        counts = sums.cpu().numpy()
        return Counts(counts[:-1], counts[-1], constant + value.item())

    def posterior(self, table: Emission) -> Floats:
        """P(Y | G) of every row, (u, k)."""
        slopes = self._tensor(contrasts(table, self.layout, self.vote_counts, self.total)[0], np.float64)
        parts = [
            self.torch.softmax(slopes @ self._one_hot(rows, np.float64), dim=0).T.cpu().numpy()
            for rows in self._blocks()
        ]
        return np.concatenate([*parts, np.zeros((0, self.layout.k))])

    def _blocks(self) -> list[slice]:
        return [slice(a, a + self.width) for a in range(0, len(self.weights), self.width)]

    def _one_hot(self, rows: slice, precision: Precision) -> Tensor:
        """X (S + 1, block), its last row 1. A single block is encoded once."""
        if precision in self._kept:
            return self._kept[precision]
        X = self.columns[:, rows][self.owner] == self.code
        ones = self.torch.ones((1, X.shape[1]), dtype=self.torch.bool, device=self.device)
        X = self.torch.cat([X, ones]).to(self._dtype(precision))
        if len(self.weights) <= self.width:
            self._kept = {precision: X}
        return X

    def _tensor(self, array: Floats, precision: Precision) -> Tensor:
        return self.torch.as_tensor(array.astype(precision), device=self.device)

    def _dtype(self, precision: Precision) -> Any:
        return self.torch.float32 if precision is np.float32 else self.torch.float64


def count_patterns(
    columns: Tensor, sizes: Sequence[int], *, table_bits: int = 26, rows: int = 1 << 27
) -> tuple[Tensor, Tensor]:
    """Count unique rows of votes on a device: (n, u) and counts (u,), from the votes of each labeler (n, m).

    Patterns of up to `table_bits` are counted in a table, longer ones by sorting, so many `rows` at a time.
    """
    torch: Any = require("torch", extra="torch")
    bits = widths(sizes)
    if sum(bits) > 62:
        raise BadFit(f"{len(sizes)} labelers need {sum(bits)} bits a row; at most 62 are counted on a device")
    count = _by_table if sum(bits) <= table_bits else _by_sorting
    keys, counts = count(torch, columns.split(rows, dim=1), bits, columns.device)
    return _unpacked(torch, keys, bits, columns.dtype), counts


def _packed(torch: Any, columns: Tensor, bits: Sequence[int]) -> Tensor:
    """Pack each row into one integer."""
    keys = torch.zeros(columns.shape[1], dtype=torch.int32 if sum(bits) < 32 else torch.int64, device=columns.device)
    shift = 0
    for column, width in zip(columns, bits, strict=True):
        keys |= column.to(keys.dtype) << shift
        shift += width
    return keys


def _by_table(torch: Any, parts: Sequence[Tensor], bits: Sequence[int], device: Any) -> tuple[Tensor, Tensor]:
    table = torch.zeros(1 << sum(bits), dtype=torch.int64, device=device)
    for part in parts:
        table += torch.bincount(_packed(torch, part, bits), minlength=len(table))
    keys = table.nonzero()[:, 0]
    return keys, table[keys]


def _by_sorting(torch: Any, parts: Sequence[Tensor], bits: Sequence[int], _device: Any) -> tuple[Tensor, Tensor]:
    counted = [torch.unique(_packed(torch, part, bits), return_counts=True) for part in parts]
    if len(counted) == 1:
        return counted[0]  # type: ignore[no-any-return]
    all_keys, counts = (torch.cat(pieces) for pieces in zip(*counted, strict=True))
    keys, inverse = torch.unique(all_keys, return_inverse=True)
    return keys, torch.zeros_like(keys, dtype=torch.int64).index_add_(0, inverse, counts)


def _unpacked(torch: Any, keys: Tensor, bits: Sequence[int], dtype: Any) -> Tensor:
    shifts = np.cumsum([0, *bits[:-1]])
    columns = [((keys >> int(shift)) & ((1 << width) - 1)).to(dtype) for shift, width in zip(shifts, bits, strict=True)]
    return torch.stack(columns) if columns else torch.zeros((0, len(keys)), dtype=dtype, device=keys.device)
