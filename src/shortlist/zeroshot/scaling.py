"""Scaling: features with mean zero and deviation one, without magnifying columns that hardly vary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FLOOR = 0.1  # of the typical deviation


@dataclass(frozen=True, eq=False)
class Scaling:
    """What is subtracted from each column, and what it is divided by: (p,), (p,)."""

    shift: npt.NDArray[np.float32]
    scale: npt.NDArray[np.float32]

    @classmethod
    def of(cls, X: npt.NDArray[np.float32]) -> Scaling:
        """From rows (m, p). The scale has a floor: a column that hardly varies here may vary in other classes."""
        deviation = X.std(axis=0, dtype=np.float64)
        typical = float(np.sqrt((deviation**2).mean()))
        scale = np.maximum(deviation, FLOOR * typical) if typical else np.ones(X.shape[1])
        return cls(X.mean(axis=0, dtype=np.float64).astype(np.float32), scale.astype(np.float32))

    def __call__(self, X: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        scaled: npt.NDArray[np.float32] = (X - self.shift) / self.scale
        return scaled
