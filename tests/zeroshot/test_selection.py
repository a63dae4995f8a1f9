"""Which classes are held out, which jobs that makes, and what they are validated on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist.zeroshot.selection import (
    Perceptrons,
    choose_band,
    class_weights,
    hold_out,
    information,
    keep,
    select,
    validate,
)

HAS = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 0]], bool)  # three attributes of four classes
TRUTH = np.array([0, 0, 0, 1, 2, 2, 3])


def test_one_fold_is_the_papers_tenth_of_the_classes():
    held = hold_out(np.arange(40), np.eye(40, dtype=bool), 1, np.random.default_rng(0)).held
    assert held.shape == (1, 40)
    assert held.sum() == 4
    assert hold_out(TRUTH, HAS, 1, np.random.default_rng(0)).held.sum() == 1


def test_every_class_is_held_out_once_and_the_last_fold_holds_out_none():
    holdout = hold_out(TRUTH, HAS, 3, np.random.default_rng(0))
    assert holdout.held.shape == (4, 4)
    assert holdout.held.sum(axis=0).tolist() == [1, 1, 1, 1]
    assert not holdout.held[-1].any()
    assert holdout.attribute[holdout.final].tolist() == [0, 1, 2]


def test_an_attribute_of_one_class_cannot_be_learned_while_that_class_is_held_out():
    holdout = hold_out(TRUTH, HAS, 4, np.random.default_rng(0))
    fold = int(np.flatnonzero(holdout.held[:, 2])[0])
    assert 2 not in holdout.attribute[holdout.fold == fold]
    validated = holdout.validated[(holdout.attribute == 2)].any(axis=0)
    assert validated.all()  # its one class is then validated on by the detector that is kept


def test_rows_are_drawn_half_and_half_and_never_from_held_out_classes():
    holdout = hold_out(TRUTH, HAS, 4, np.random.default_rng(0))
    weights, yes = holdout.weights(), holdout.targets()
    np.testing.assert_allclose((weights * yes).sum(axis=1), 0.5)
    np.testing.assert_allclose((weights * ~yes).sum(axis=1), 0.5)
    assert not weights[holdout.held[holdout.fold][:, TRUTH]].any()


@given(st.integers(0, 1000), st.integers(1, 6))
def test_no_job_is_ever_validated_on_what_it_learned_unless_nothing_else_is_there(seed, folds):
    rng = np.random.default_rng(seed)
    has = rng.random((6, 5)) < 0.5
    holdout = hold_out(np.repeat(np.arange(6), 2), has, folds, rng)
    for g, (f, i) in enumerate(zip(holdout.fold, holdout.attribute, strict=True)):
        own = holdout.validated[g] & ~holdout.held[f]
        others = holdout.validated[holdout.attribute == i][:, has[:, i]].any(axis=0)
        assert not own.any() or g in holdout.final
        assert others.any()  # some class with the attribute is always validated on


def test_scores_are_gathered_from_the_job_that_did_not_see_the_row():
    holdout = hold_out(TRUTH, HAS, 4, np.random.default_rng(0))
    scores = np.tile(np.arange(holdout.jobs, dtype=float), (len(TRUTH), 1))  # every job says its own number
    found = holdout.gather(scores)
    for a, j in enumerate(TRUTH):
        g = int(found[a, 0])
        assert holdout.held[holdout.fold[g], j]
        assert holdout.attribute[g] == 0


# -- validation


HAS_OF_ONE = np.array([True, False, False])


def test_classes_count_alike_and_sides_count_alike():
    truth = np.array([0, 0, 1, 1, 1, 1, 2])
    scores = np.array([0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.9])  # yes: 1 of 2; no: all of one class, none of the other
    found = validate(scores, truth, HAS_OF_ONE)
    assert found.accuracy == (0.5 + (1 + 0) / 2) / 2
    assert found.worst == 0
    np.testing.assert_allclose(class_weights(truth, HAS_OF_ONE), [0.25, 0.25, 1 / 16, 1 / 16, 1 / 16, 1 / 16, 0.25])


def test_nothing_to_validate_on():
    found = validate(np.full(3, np.nan), np.arange(3), HAS_OF_ONE)
    assert np.isnan(found.accuracy)
    assert found.band == (0.5, 0.5)


def test_information_by_hand():
    assert information(np.array([[0.5, 0.0], [0.0, 0.5]])) == 1.0  # always right: one bit a row
    assert abs(information(np.array([[0.25, 0.25], [0.25, 0.25]]))) < 1e-12  # a coin: none
    assert abs(information(np.array([[0.25, 0.0], [0.0, 0.25]])) - 0.5) < 1e-12  # silent half the time: half a bit


def test_a_perfect_detector_never_keeps_silent():
    truth = np.repeat([0, 1, 2], 20)
    assert choose_band(np.where(HAS_OF_ONE[truth], 0.8, 0.2), truth, HAS_OF_ONE) == (0.5, 0.5)


def test_silence_where_it_only_guesses():
    """Sure scores are right; those between .3 and .7 are a coin's."""
    truth = np.repeat([0, 1], 100)
    scores = np.concatenate(
        [np.full(50, 0.95), np.tile([0.35, 0.65], 25), np.full(50, 0.04), np.tile([0.35, 0.65], 25)]
    )
    low, high = choose_band(scores, truth, HAS_OF_ONE[:2])
    assert low <= 0.35 < 0.65 < high


@given(st.integers(0, 200))
def test_a_chosen_band_is_a_band(seed):
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1, 2], 5)
    low, high = choose_band(rng.random(15), truth, HAS_OF_ONE)
    assert 0 < low <= high < 1


# -- trained detectors


torch = pytest.importorskip("torch")


def test_perceptrons_compute_what_torchs_own_layers_do():
    rng = np.random.default_rng(8)
    shapes = [(5, 7), (7, 7), (7, 1)]
    layers = tuple((rng.normal(size=(2, *s)).astype("f4"), rng.normal(size=(2, 1, s[1])).astype("f4")) for s in shapes)
    X = rng.normal(size=(9, 5)).astype("f4")
    for g in range(2):
        values = torch.as_tensor(X)
        for number, (weights, biases) in enumerate(layers):
            values = torch.nn.functional.linear(values, torch.as_tensor(weights[g]).T, torch.as_tensor(biases[g, 0]))
            values = torch.nn.functional.leaky_relu(values, 0.01) if number < 2 else values
        expected = torch.sigmoid(values[:, 0]).numpy()
        np.testing.assert_allclose(Perceptrons(layers).scores(X)[:, g], expected, rtol=1e-4, atol=1e-6)


def test_linear_ones_by_hand():
    """Weights (2, −1) and bias 1; weights (0, 0) and bias 0 say a half of everything."""
    both = Perceptrons.linear(np.array([[2.0, -1.0, 1.0], [0.0, 0.0, 0.0]]))
    X = np.array([[1.0, 3.0], [0.0, 1.0]], np.float32)
    np.testing.assert_allclose(both.scores(X), [[0.5, 0.5], [0.5, 0.5]])
    np.testing.assert_allclose(both.scores(X + 1)[0, 0], 1 / (1 + np.exp(-1)))
    assert len(both) == 2
    np.testing.assert_array_equal(both.take(np.array([1])).scores(X), both.scores(X)[:, 1:])


def test_a_torch_device_gives_the_same_scores():
    rng = np.random.default_rng(0)
    some = Perceptrons.linear(rng.normal(size=(3, 5)))
    X = rng.normal(size=(7, 4)).astype("f4")
    np.testing.assert_allclose(some.scores(X, "cpu:0"), some.scores(X), atol=1e-6)


# -- the best way for each attribute


HAS_OF_TWO = np.array([[1, 1], [1, 0], [0, 1], [0, 0], [1, 1], [0, 0]], bool)
TRUTH_OF_TWO = np.repeat(np.arange(6), 4)
X = (2.0 * HAS_OF_TWO[TRUTH_OF_TWO] - 1).astype("f4")  # feature i shows attribute i


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
    holdout = hold_out(TRUTH_OF_TWO, HAS_OF_TWO, 3, np.random.default_rng(0))
    for at_a_time in (1, 2):
        training = Pointing(at_a_time)
        trained, validations = select(training, X, holdout, None)
        assert training.trained == holdout.jobs
        assert [found.accuracy for found in validations] == [1, 1]
        scores = np.empty((len(X), 2))
        for networks, attribute in trained:
            assert len(networks) == len(attribute)
            scores[:, attribute] = networks.scores(X)
        np.testing.assert_array_equal(scores > 0.5, HAS_OF_TWO[TRUTH_OF_TWO])


def test_a_band_that_is_given_is_kept():
    holdout = hold_out(TRUTH_OF_TWO, HAS_OF_TWO, 3, np.random.default_rng(0))
    assert {found.band for found in select(Pointing(), X, holdout, (0.2, 0.8))[1]} == {(0.2, 0.8)}


def test_some_attributes_are_kept_and_numbered_anew():
    trained = [
        (Perceptrons.linear(np.eye(3)), np.array([4, 0, 2])),
        (Perceptrons.linear(np.ones((1, 3))), np.array([1])),
    ]
    ((networks, attribute),) = keep(trained, [2, 4])
    assert attribute.tolist() == [1, 0]
    np.testing.assert_array_equal(networks.layers[0][0][:, :, 0], [[1, 0], [0, 0]])
