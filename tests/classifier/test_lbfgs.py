"""L-BFGS: minima that are known."""

import numpy as np
import pytest

from shortlist.classifier.lbfgs import minimise


class Bowl:
    """½ (x − c)ᵀ D (x − c), with curvatures D far apart."""

    curvature, centre = np.array([1.0, 10.0, 1000.0]), np.array([1.0, -2.0, 3.0])

    def start(self):
        return np.zeros(3)

    def value(self, at):
        return float(0.5 * self.curvature @ (at - self.centre) ** 2)

    def gradient(self, at):
        found = self.curvature * (at - self.centre)
        return found, float(np.abs(found).max())

    def dot(self, one, other):
        return float(one @ other)


def test_the_bottom_of_a_bowl_is_found():
    found = minimise(Bowl(), tol=1e-9, max_iter=100)
    assert found.converged
    assert found.n_iter < 40
    assert found.at == pytest.approx(Bowl.centre, abs=1e-8)
    assert found.gradient <= 1e-9


def test_who_has_to_stop_says_so():
    found = minimise(Bowl(), tol=1e-9, max_iter=2)
    assert (found.converged, found.n_iter) == (False, 2)
    assert found.gradient > 1e-9


def test_more_than_precision_has_is_not_asked_for():
    found = minimise(Bowl(), tol=0.0, max_iter=1000)
    assert found.n_iter < 1000
    assert found.value == pytest.approx(0, abs=1e-20)
