"""The accuracy of a labeler over all its rows, and its standard error against the bootstrap's."""

import numpy as np
import pytest

from shortlist import LabelModel, simulate
from shortlist.analysis.accuracy import SAMPLE, estimate, sampled, standard_errors
from shortlist.labelmodel import Parameters
from shortlist.labelmodel.evidence import Evidence
from tests.analysis.worked import newspaper
from tests.labelmodel.reference import likelihood


def drawn(m, seed):
    says = [["a", "b"], ["a", "b"], ["a", "b"], ["b", "a"]]
    truth = Parameters(np.array([[0.9, 0.7], [0.8, 0.8], [0.6, 0.9], [0.7, 0.7]]), np.full(4, 0.8), np.full(2, 0.5))
    return simulate(truth, says, m, space=["a", "b"], seed=seed).votes


def test_the_mean_of_accuracies_by_hand():
    model = likelihood().fit(drawn(500, 0))
    votes = np.array([[3.0, 1.0], [0.0, 2.0], [5.0, 5.0], [0.0, 0.0]])
    value = estimate(model, model.panel_.names, votes, None).value
    a = model.accuracy_
    assert value[:3] == pytest.approx([0.75 * a[0, 0] + 0.25 * a[0, 1], a[1, 1], a[2].mean()])
    assert np.isnan(value[3])


def test_standard_errors_are_how_far_estimates_scatter():
    """Fits to 60 draws scatter as far as the information of one of them says."""
    weights = np.full((4, 2), 0.5)
    fits = [likelihood().fit(drawn(1500, seed)) for seed in range(60)]
    scatter = np.std([fit.accuracy_.mean(axis=1) for fit in fits], axis=0)
    told = np.mean([standard_errors(fit, weights) for fit in fits], axis=0)
    assert told == pytest.approx(scatter, rel=0.3)


def test_a_sample_weighs_as_much_as_the_whole():
    evidence = Evidence.gather(newspaper())
    part = sampled(evidence, 3)
    assert part.weights.sum() == pytest.approx(evidence.total)
    assert len(part.weights) <= 3
    assert sampled(evidence, SAMPLE) is evidence


def test_the_default_says_how_often_labelers_are_right_itself():
    model = LabelModel().fit(drawn(500, 0))
    names = model.panel_.names[::-1]
    found = estimate(model, names, np.ones((4, 2)), 0.8)
    low, high = model.estimate_.labeler_interval(0.8)
    assert np.array_equal(found.value, model.estimate_.labeler_accuracy[::-1])
    assert np.array_equal([found.lower, found.upper], [low[::-1], high[::-1]])
    assert np.isnan(estimate(model, names, np.ones((4, 2)), None).lower).all()
