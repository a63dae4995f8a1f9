"""The comparison methods: their formulae by hand, and that they work where attributes are all there is to see."""

import numpy as np
import pytest

from experiments.zeroshot.methods import ESZSL, QFSL, VCL, ConSE, SynC, WDVSc
from experiments.zeroshot.methods.conse import embed
from experiments.zeroshot.methods.eszsl import prepare
from experiments.zeroshot.methods.qfsl import quasi_loss
from experiments.zeroshot.methods.semantic import best_on_held_out, ridge
from experiments.zeroshot.methods.sync import mixture
from experiments.zeroshot.methods.wdvsc import transport
from shortlist.errors import BadFit, NotFitted
from shortlist.zeroshot import zero_shot_scores
from shortlist.zeroshot.task import make_task
from tests.zeroshot.animals import TABLE, UNSEEN, animals, parts

ALL = [ConSE, ESZSL, SynC, VCL, QFSL, WDVSc]


@pytest.mark.parametrize("method", ALL)
def test_they_beat_chance_on_classes_never_seen(method):
    X, y, X_new, y_new = parts(rows=60)
    guess = method(TABLE).fit(X, y, unlabelled=X_new).predict(X_new)
    assert set(guess) <= set(UNSEEN)
    assert zero_shot_scores(y_new, guess, UNSEEN).unseen > 0.7


@pytest.mark.parametrize("method", ALL)
def test_generalised_they_may_answer_any_class(method):
    X, y, X_new, _ = parts()
    X_test, y_test = animals(rows=10, seed=3)
    model = method(TABLE, generalised=True).fit(X, y, unlabelled=X_new)
    assert len(model.classes_) == len(TABLE.classes)
    assert zero_shot_scores(y_test, model.predict(X_test), UNSEEN).seen > 0.5


@pytest.mark.parametrize("method", [QFSL, WDVSc])
def test_transductive_methods_want_unlabelled_rows(method):
    X, y, X_new, _ = parts()
    with pytest.raises(BadFit, match="transductive"):
        method(TABLE).fit(X, y)
    with pytest.raises(NotFitted):
        method(TABLE).predict(X_new)


def test_eszsl_is_its_closed_form():
    X, y, _, _ = parts()
    task = make_task(X, y, TABLE)
    S, U = task.signatures
    Y = np.where(task.truth[:, None] == np.arange(len(S)), 1.0, -1.0)
    rows, gamma, strength = task.X.astype(float), 0.3, 2.0
    left = np.linalg.inv(rows.T @ rows / len(rows) + gamma * np.eye(rows.shape[1]))
    V = left @ (rows.T @ Y / len(rows)) @ S @ np.linalg.inv(S.T @ S + strength * np.eye(S.shape[1]))
    np.testing.assert_allclose(prepare(task)((gamma, strength))(rows), rows @ V @ np.concatenate([S, U]).T, rtol=1e-6)


def test_conse_mixes_the_most_likely_seen_classes():
    seen = np.eye(3)
    mixed = embed(np.array([[0.6, 0.3, 0.1]]), seen, top=2)
    np.testing.assert_allclose(mixed[0], np.array([0.6, 0.3, 0]) / np.hypot(0.6, 0.3))


def test_sync_takes_most_from_the_nearest_phantom():
    phantoms = np.array([[0.0, 0.0], [1.0, 0.0]])
    shares = mixture(np.array([[0.0, 0.0]]), phantoms, 1.0)
    np.testing.assert_allclose(shares, [[1 / (1 + np.exp(-1)), np.exp(-1) / (1 + np.exp(-1))]])


def test_a_transport_plan_has_equal_margins_and_prefers_the_near():
    cost = np.array([[0.0, 9.0, 9.0], [9.0, 0.0, 9.0], [9.0, 9.0, 0.0]])
    plan = transport(cost)
    np.testing.assert_allclose(plan.sum(axis=0), 1 / 3)
    np.testing.assert_allclose(plan.sum(axis=1), 1 / 3, atol=1e-6)
    assert np.trace(plan) > 0.99


def test_a_ridge_without_penalty_is_exact():
    S, M = np.array([[1.0, 0], [0, 1], [1, 1]]), np.array([[2.0, 1], [0, 3]])
    np.testing.assert_allclose(ridge(S, S @ M, 1e-12), M, atol=1e-6)


def test_the_slope_of_qfsl_is_the_slope_of_its_loss():
    rng = np.random.default_rng(0)
    known, new, truth = rng.normal(size=(4, 5)), rng.normal(size=(3, 5)), np.eye(5)[[0, 1, 2, 0]]
    _, slope = quasi_loss(known, truth, new, 3, 0.7)
    step = 1e-6
    for a, j in ((0, 0), (2, 4), (5, 1), (6, 3)):
        both = np.concatenate([known, new])
        both[a, j] += step
        up = quasi_loss(both[:4], truth, both[4:], 3, 0.7)[0]
        both[a, j] -= 2 * step
        down = quasi_loss(both[:4], truth, both[4:], 3, 0.7)[0]
        assert slope[a, j] == pytest.approx((up - down) / (2 * step), abs=1e-6)


def test_options_are_chosen_on_held_out_seen_classes():
    X, y, _, _ = parts()
    task = make_task(X, y, TABLE)

    def sign(inner):
        """Scores as they are, or the other way round."""
        assert set(inner.unseen) < set(task.seen)
        assert len(inner.seen) + len(inner.unseen) == len(task.seen)
        score = prepare(inner)((0.1, 0.1))
        return lambda option: lambda rows: option * score(rows)

    assert best_on_held_out(task, [-1, 1], sign, 0) == 1
