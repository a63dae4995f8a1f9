"""Arrays: the three kinds of array that everything is computed with."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Positions: TypeAlias = npt.NDArray[np.int64]  # of rows, labelers or classes, counted from 0; −1 for none
Mask: TypeAlias = npt.NDArray[np.bool_]
