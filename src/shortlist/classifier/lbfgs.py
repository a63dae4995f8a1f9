"""L-BFGS: the minimum of a smooth convex function of many numbers (Nocedal & Wright, Numerical Optimization, ch. 7).

The function says itself how two of its vectors are multiplied. So vectors can be kept in a shorter form than the
numbers they stand for, as those of a linear model of texts are (see `linear.py`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

MEMORY = 10  # steps that are remembered
ENOUGH = 1e-4  # of the decrease that the slope promises
SHORTEST = 1e-10  # of a step; where not even that gains anything, precision has come to its end
Told: TypeAlias = Callable[[int, float], None]  # (steps taken, largest number of the gradient)


class Function(Protocol):
    """What is minimised. Vectors are arrays that can be added and scaled."""

    def start(self) -> Any:
        """Where to begin."""

    def value(self, at: Any) -> float: ...

    def gradient(self, at: Any) -> tuple[Any, float]:
        """The gradient as a vector, and the largest of its numbers."""

    def dot(self, one: Any, other: Any) -> float:
        """The product of two vectors."""


class Minimum(NamedTuple):
    """Where the search ended, the value and the largest number of the gradient there, steps, and whether it is over."""

    at: Any
    value: float
    gradient: float
    n_iter: int
    converged: bool


class Step(NamedTuple):
    """A step that was taken, how the gradient changed along it, and 1 / their product."""

    moved: Any
    change: Any
    scale: float


def minimise(function: Function, *, tol: float, max_iter: int, told: Told | None = None) -> Minimum:
    """Descend until no number of the gradient is larger than `tol`. `told` hears of each step."""
    at = function.start()
    value, (gradient, largest) = function.value(at), function.gradient(at)
    steps: deque[Step] = deque(maxlen=MEMORY)
    for n_iter in range(max_iter):
        if told is not None:
            told(n_iter, largest)
        if largest <= tol:
            return Minimum(at, value, largest, n_iter, True)
        found = _search(function, at, value, gradient, downhill(function, gradient, steps))
        if found is None:
            return Minimum(at, value, largest, n_iter, True)
        after, value = found
        turned, largest = function.gradient(after)
        _remember(function, steps, after - at, turned - gradient)
        at, gradient = after, turned
    return Minimum(at, value, largest, max_iter, largest <= tol)


def downhill(function: Function, gradient: Any, steps: deque[Step]) -> Any:
    """The direction −H g, H being what the remembered steps tell of the inverse of the curvature."""
    direction, parts = -gradient, []
    for step in reversed(steps):
        part = step.scale * function.dot(step.moved, direction)
        direction -= part * step.change
        parts.append(part)
    size = function.dot(gradient, gradient) ** 0.5
    if steps:
        size = steps[-1].scale * function.dot(steps[-1].change, steps[-1].change)
    direction /= size
    for step, part in zip(steps, reversed(parts), strict=True):
        direction += (part - step.scale * function.dot(step.change, direction)) * step.moved
    return direction


def _search(function: Function, at: Any, value: float, gradient: Any, direction: Any) -> tuple[Any, float] | None:
    """The first of ever shorter steps that gains enough, and the value there; None where none does."""
    slope, length = function.dot(gradient, direction), 1.0
    while length > SHORTEST:
        after = at + length * direction
        found = function.value(after)
        if found <= value + ENOUGH * length * slope:
            return after, found
        length /= 2
    return None


def _remember(function: Function, steps: deque[Step], moved: Any, change: Any) -> None:
    """Keep a step, unless it tells nothing of the curvature."""
    product = function.dot(moved, change)
    if product > np.finfo(moved.dtype).eps * function.dot(change, change):
        steps.append(Step(moved, change, 1 / product))
