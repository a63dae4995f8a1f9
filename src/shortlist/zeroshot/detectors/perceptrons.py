"""Stack: many trained detectors that are asked together. Plain arrays, so that asking needs no torch.

Layers are `(weights (G, inputs, outputs), biases (G, 1, outputs))`; a linear detector has one, the paper's three. What
batch normalisation learned is folded into them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

SLOPE = 0.01  # of LeakyReLU below zero
ROWS = 4096  # at a time
Layer = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]


@dataclass(frozen=True, eq=False)
class Stack:
    """G detectors of one shape."""

    layers: tuple[Layer, ...]

    def __len__(self) -> int:
        return len(self.layers[0][0])

    def take(self, chosen: npt.NDArray[np.int64]) -> Stack:
        """Some of the detectors."""
        return Stack(tuple((weights[chosen], biases[chosen]) for weights, biases in self.layers))

    def scores(self, X: npt.NDArray[np.float32], device: str = "cpu") -> npt.NDArray[np.float64]:
        """(m, G): how sure each detector is that a row has its attribute, from 0 to 1."""
        if device == "cpu":
            logits = [_logits(X[a : a + ROWS], self.layers) for a in range(0, len(X), ROWS)]
        else:
            logits = _on_device(X, self.layers, device)
        joined = np.concatenate([*logits, np.zeros((0, len(self)), np.float32)]).astype(np.float64)
        scores: npt.NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(joined, -50, 50)))
        return scores


def _logits(X: Any, layers: Any) -> Any:
    """(rows, G), of NumPy arrays or of tensors."""
    values = X
    for number, (weights, biases) in enumerate(layers):
        values = values @ weights + biases  # (G, rows, outputs)
        if number + 1 < len(layers):
            values = values * ((values > 0) * (1 - SLOPE) + SLOPE)
    return values[..., 0].T


def _on_device(X: npt.NDArray[np.float32], layers: tuple[Layer, ...], device: str) -> list[Any]:
    from shortlist.tensors import torch_on

    torch, where = torch_on(device)
    with torch.inference_mode():
        there = [tuple(torch.as_tensor(part, device=where) for part in layer) for layer in layers]
        parts = (torch.as_tensor(X[a : a + ROWS], device=where) for a in range(0, len(X), ROWS))
        return [_logits(part, there).float().cpu().numpy() for part in parts]
