"""The best candidate of each attribute is kept, whoever trained it."""

import numpy as np

from shortlist.zeroshot.detectors.holdout import hold_out
from shortlist.zeroshot.detectors.perceptrons import Perceptrons
from shortlist.zeroshot.detectors.selection import keep, select

HAS = np.array([[1, 1], [1, 0], [0, 1], [0, 0], [1, 1], [0, 0]], bool)
TRUTH = np.repeat(np.arange(6), 4)
X = (2.0 * HAS[TRUTH] - 1).astype("f4")  # feature i shows attribute i


class Pointing:
    """A kind of detectors from outside: the first candidate reads feature 0, the second feature 1."""

    def __init__(self, at_a_time=2):
        self.at_a_time, self.trained = at_a_time, 0

    def device(self):
        return "cpu"

    def parts(self, holdout, p):
        return [list(range(i, min(i + self.at_a_time, p))) for i in range(0, p, self.at_a_time)]

    def candidates(self, X, holdout):
        self.trained += holdout.jobs
        rows = np.zeros((2, holdout.jobs, 3))
        rows[0, :, 0], rows[1, :, 1] = 3.0, 3.0
        return [Perceptrons.linear(row) for row in rows]


def test_each_attribute_has_the_candidate_that_reads_its_feature():
    holdout = hold_out(TRUTH, HAS, 3, np.random.default_rng(0))
    for at_a_time in (1, 2):
        training = Pointing(at_a_time)
        trained, validations = select(training, X, holdout, None)
        assert training.trained == holdout.jobs
        assert [found.accuracy for found in validations] == [1, 1]
        scores = np.empty((len(X), 2))
        for networks, attribute in trained:
            assert len(networks) == len(attribute)
            scores[:, attribute] = networks.scores(X)
        np.testing.assert_array_equal(scores > 0.5, HAS[TRUTH])


def test_a_band_that_is_given_is_kept():
    holdout = hold_out(TRUTH, HAS, 3, np.random.default_rng(0))
    assert {found.band for found in select(Pointing(), X, holdout, (0.2, 0.8))[1]} == {(0.2, 0.8)}


def test_some_attributes_are_kept_and_numbered_anew():
    trained = [
        (Perceptrons.linear(np.eye(3)), np.array([4, 0, 2])),
        (Perceptrons.linear(np.ones((1, 3))), np.array([1])),
    ]
    ((networks, attribute),) = keep(trained, [2, 4])
    assert attribute.tolist() == [1, 0]
    np.testing.assert_array_equal(networks.layers[0][0][:, :, 0], [[1, 0], [0, 0]])
