"""Small problems with known beliefs."""

import numpy as np
import pytest

CLASSES = ["cat", "dog", "owl"]


@pytest.fixture
def clouds():
    """(X (m, p), beliefs (m, k), labels (m,)): three overlapping clouds, half believed in, drawn once and for all."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 240)
    X = rng.normal(size=(240, 5)) + 1.5 * np.eye(3, 5)[truth]
    beliefs = rng.dirichlet(np.ones(3), 240) * 0.4 + 0.6 * np.eye(3)[truth]
    return X, beliefs, np.array(CLASSES, object)[truth]


@pytest.fixture
def texts():
    """(texts, beliefs over cat and dog): each text says plainly what it is about, the beliefs less so."""
    cats = ["the cat purrs", "my cat sleeps", "a cat meows", "cats chase mice"]
    dogs = ["the dog barks", "my dog runs", "a dog growls", "dogs chase cars"]
    return cats + dogs, np.array([[0.8, 0.2]] * 4 + [[0.3, 0.7]] * 4)
