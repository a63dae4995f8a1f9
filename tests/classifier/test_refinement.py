"""Tempering, confidence and combination, worked by hand."""

import numpy as np
import pytest

from shortlist.classifier.refinement import combine, confidence, temper


def test_tempering():
    beliefs = np.array([[0.6, 0.3, 0.1]])
    assert temper(beliefs, 2)[0] == pytest.approx(np.array([36, 9, 1]) / 46)
    assert temper(beliefs, 1) is beliefs
    assert temper(np.array([[1.0, 0.0]]), 0.5).tolist() == [[1.0, 0.0]]
    assert temper(np.array([[1e-200, 1e-200]]), 3)[0] == pytest.approx([0.5, 0.5])


def test_confidence():
    assert confidence(np.array([[1, 0], [0.5, 0.5], [0.89, 0.11]])) == pytest.approx([1, 0, 0.5], abs=1e-3)


def test_votes_and_text_together():
    both = combine(np.array([[0.8, 0.2], [0.5, 0.5]]), np.array([[0.5, 0.5], [0.1, 0.9]]), np.array([True, False]))
    assert both.tolist() == pytest.approx(np.array([[0.8, 0.2], [0.1, 0.9]]))
    assert combine(np.array([[0.8, 0.2]]), np.array([[0.2, 0.8]]), np.array([True]))[0] == pytest.approx([0.5, 0.5])
