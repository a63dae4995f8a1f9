"""Perceptrons: many trained detectors of one shape, which are asked together. Plain arrays: asking needs no torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats, Positions
from shortlist.tensors import torch_on
from shortlist.zeroshot.task import Features

SLOPE = 0.01  # of LeakyReLU below zero
ROWS = 4096  # at a time
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
        """(m, G): how sure each detector is that a row has its attribute, from 0 to 1."""
        if device == "cpu":
            logits = [_logits(X[a : a + ROWS], self.layers) for a in range(0, len(X), ROWS)]
        else:
            logits = _on_device(X, self.layers, device)
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


def _on_device(X: Features, layers: tuple[Layer, ...], device: str) -> list[Any]:
    torch, where = torch_on(device)
    with torch.inference_mode():
        there = [tuple(torch.as_tensor(part, device=where) for part in layer) for layer in layers]
        parts = (torch.as_tensor(X[a : a + ROWS], device=where) for a in range(0, len(X), ROWS))
        return [_logits(part, there).float().cpu().numpy() for part in parts]
