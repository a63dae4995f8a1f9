"""Which cluster is which class: known answers, doubt that stays doubt, and laws."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist.zeroshot import naming
from shortlist.zeroshot.naming import (
    around,
    climb,
    find_clusterings,
    in_order,
    k_means,
    linear_start,
    make_evidence,
    name_clusters,
    whitening,
)
from shortlist.zeroshot.task import centres_of, make_task


def world(seed=0, s=12, k=3, n=8, p=20, noise=0.1):
    """Attributes of s seen and k unseen classes, and centres that are a linear picture of them."""
    rng = np.random.default_rng(seed)
    S = rng.integers(0, 2, (s + k, n)).astype(float)
    S[:, 0] = 1
    S /= np.linalg.norm(S, axis=1, keepdims=True)
    centres = S @ rng.normal(size=(n, p)) + noise * rng.normal(size=(s + k, p))
    return S[:s], S[s:], centres[:s], centres[s:]


def nowhere(k=3, s=4, p=5):
    """Classes of which attributes tell nothing: they all have the same."""
    rng = np.random.default_rng(0)
    same = np.ones((s, 1))
    return same, np.ones((k, 1)), rng.normal(size=(s, p)), rng.normal(size=(k, p))


def test_beliefs_that_are_right_on_four_rows_in_ten_name_clusters():
    """Three clusters of 200 rows; the rest of what is believed is spread evenly. Places tell nothing here."""
    rng = np.random.default_rng(0)
    truth = np.repeat([2, 0, 1], 200)  # cluster 0 is class 2, …
    wrong = (truth + rng.integers(1, 3, 600)) % 3
    beliefs = np.eye(3)[np.where(rng.random(600) < 0.4, truth, wrong)]
    found = name_clusters(centres_of(beliefs, np.repeat([0, 1, 2], 200)), *nowhere())
    assert found.argmax(axis=1).tolist() == [2, 0, 1]
    assert found.max() < 0.6  # and it knows how little that is


def test_doubt_by_hand():
    """Two clusters, beliefs (.8, .2) and (.4, .6): (.8 + .6) against (.2 + .4), so 1 / (1 + exp(−.8))."""
    found = name_clusters(np.array([[0.8, 0.2], [0.4, 0.6]]), *nowhere(k=2))
    assert found[0, 0] == pytest.approx(1 / (1 + np.exp(-0.8)))
    np.testing.assert_allclose(found, [[found[0, 0], 1 - found[0, 0]], [1 - found[0, 0], found[0, 0]]])


def test_where_nothing_is_known_nothing_is_said():
    np.testing.assert_allclose(name_clusters(np.full((3, 3), 1 / 3), *nowhere()), 1 / 3)


@pytest.mark.parametrize("seed", range(5))
def test_places_name_clusters_where_beliefs_say_nothing(seed):
    seen, unseen, here, places = world(seed)
    order = [1, 2, 0]  # cluster c is class order[c]
    found = name_clusters(np.full((3, 3), 1 / 3), seen, unseen, here, places[order])
    assert found.argmax(axis=1).tolist() == order


def test_classes_with_the_same_attributes_stay_in_doubt():
    seen, unseen, here, places = world()
    unseen[1] = unseen[0]
    found = name_clusters(np.full((3, 3), 1 / 3), seen, unseen, here, places)
    np.testing.assert_allclose(found[:, 0], found[:, 1])
    told = np.array([[0.1, 0.8, 0.1], [0.8, 0.1, 0.1], [0.3, 0.3, 0.4]])
    decided = name_clusters(told, seen, unseen, here, places)
    assert decided[0, 1] > 0.6  # beliefs may still tell


def test_many_classes_are_named_by_swaps():
    for seed in range(5):
        seen, unseen, here, places = world(seed, s=20, k=10, n=15, p=30)
        order = np.random.default_rng(seed).permutation(10)
        found = name_clusters(np.full((10, 10), 0.1), seen, unseen, here, places[order])
        assert found.argmax(axis=1).tolist() == order.tolist()
        np.testing.assert_allclose(found.sum(axis=0), 1)
        np.testing.assert_allclose(found.sum(axis=1), 1)


def test_swaps_find_what_weighing_every_naming_finds():
    given_ = world(3, k=4)
    agreement = np.random.default_rng(0).dirichlet(np.ones(4), 4)
    every = name_clusters(agreement, *given_)
    assert name_clusters(agreement, *given_, exact=3).argmax(axis=1).tolist() == every.argmax(axis=1).tolist()


@given(st.integers(0, 10_000))
def test_the_order_of_clusters_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    seen, unseen, here, places = world(seed)
    agreement = rng.dirichlet(np.ones(3), 3)
    order = rng.permutation(3)
    found = name_clusters(agreement, seen, unseen, here, places)
    again = name_clusters(agreement[order], seen, unseen, here, places[order])
    np.testing.assert_allclose(again, found[order])
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_what_is_left_over_is_the_loss_of_the_best_map():
    """E(π) is min_M ‖S M − Y‖² / λ + ‖M‖², found here by least squares."""
    seen, unseen, here, places = world()
    evidence = make_evidence(np.zeros((3, 3)), seen, unseen, here, places)
    S = np.hstack([np.concatenate([seen, unseen]), np.ones((15, 1))])
    for order in permutations(range(3)):
        Y = np.concatenate([here, places[list(order)]])
        wide = np.concatenate([S / np.sqrt(0.1), np.eye(S.shape[1])])
        wanted = np.concatenate([Y / np.sqrt(0.1), np.zeros((S.shape[1], Y.shape[1]))])
        loss = ((wide @ np.linalg.lstsq(wide, wanted)[0] - wanted) ** 2).sum()
        assert evidence(order) == pytest.approx(-0.5 * 6 * 15 * np.log(loss))


def test_steps():
    assert linear_start(np.array([[0.1, 0.9], [0.6, 0.4]])) == (1, 0)
    assert around((0, 1, 2)) == [(0, 1, 2), (1, 0, 2), (2, 1, 0), (0, 2, 1)]
    assert climb((2, 1, 0), lambda order: -sum(abs(c - j) for j, c in enumerate(order))) == (0, 1, 2)
    assert centres_of(np.array([[1.0, 0], [0, 1], [0, 1]]), np.array([0, 1, 0])).tolist() == [[0.5, 0.5], [0, 1]]


def test_clusterings_are_weighed_by_hand(monkeypatch):
    """Sums of squares e and 1 over two rows: a factor of e between them, whatever the names are."""
    clusters = [np.array([0, 1]), np.array([1, 0])]
    monkeypatch.setattr(naming, "k_means", lambda *_: [(clusters[0], np.e), (clusters[1], 1.0)])
    task, new, _ = task_and_rows()
    first, second = find_clusterings(task, new[:2], np.array([[0.7, 0.3], [0.3, 0.7]]), 0)
    assert first.weight == pytest.approx(1 / (1 + np.exp(-1)))
    assert first.weight + second.weight == pytest.approx(1)
    assert first.clusters is clusters[1]
    assert first.names.sum(axis=1) == pytest.approx([1, 1])


# -- clusters


TABLE = {"a": ["s0", "s1", "u0"], "b": ["s1", "s2", "u1"], "c": ["s0", "s2", "u0", "u1"]}
LARGE = {**TABLE, "d": ["u0", "u2", "s1"]}


def spread(centres, names, rows, rng):
    """Rows that differ much more along the second axis than classes do along the first."""
    y = np.repeat(names, rows)
    return np.repeat(centres, rows, axis=0) + rng.normal(size=(len(y), 2)) * [0.3, 4], y


def task_and_rows(seed=0):
    rng = np.random.default_rng(seed)
    X, y = spread(np.array([[0.0, 0], [3, 0], [6, 0]]), ["s0", "s1", "s2"], 80, rng)
    new, gold = spread(np.array([[1.5, 0], [4.5, 0]]), ["u0", "u1"], 80, rng)
    return make_task(X, y, TABLE), new.astype(np.float32), gold


def tightest(task, new, seed=0):
    return min(k_means(task, new, seed), key=lambda found: found[1])[0]


def purity(clusters, gold):
    same = np.mean(clusters == (gold == "u1"))
    return max(same, 1 - same)


def test_seen_classes_teach_what_does_not_matter():
    """Along the second axis rows of a class differ most: labels of other classes say that it tells nothing."""
    task, new, gold = task_and_rows()
    assert purity(tightest(task, new), gold) > 0.95
    from sklearn.cluster import KMeans

    assert purity(KMeans(2, n_init=20, random_state=0).fit(new).labels_, gold) < 0.8


def test_whitening_by_hand():
    """Classes at 0 and 10, residuals ±1 and ±2: covariance diag(1, 4), pulled half way to 2.5: diag(1.75, 3.25)."""
    X = np.array([[1.0, 2], [-1, -2], [1, -2], [-1, 2]] * 2)
    truth = np.repeat([0, 1], 4)
    X[truth == 1] += 10
    V = whitening(X, truth)
    np.testing.assert_allclose(V.T @ np.diag([1.75, 3.25]) @ V, np.eye(2), atol=1e-6)


def test_clusters_depend_on_the_seed_alone():
    task, new, _ = task_and_rows()
    for (one, tight), (other, as_tight) in zip(k_means(task, new, 3), k_means(task, new, 3), strict=True):
        assert tight == as_tight
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("rows", [1, 5])
def test_too_few_different_rows_make_no_clusters(rows):
    task, new, _ = task_and_rows()
    assert find_clusterings(task, np.repeat(new[:1], rows, axis=0), np.full((rows, 2), 0.5), 0) == []


def test_centres_by_hand():
    found = centres_of(np.array([[0.0, 2], [4, 4], [2, 6]]), np.array([0, 1, 0]))
    assert found.tolist() == [[1, 4], [4, 4]]


def test_a_large_class_is_kept_whole_in_some_clustering():
    """120 rows at 7 and 9 are one class, 7 at 3 and 7 at 13 two others: it is tighter to cut the large one in two."""
    rng = np.random.default_rng(0)
    seen = np.repeat([[0.0, 0], [3, 0], [6, 0]], 80, axis=0)
    task = make_task(seen + 0.3 * rng.normal(size=seen.shape), np.repeat(["s0", "s1", "s2"], 80), LARGE)
    new = np.repeat([[7.0, 0], [9, 0], [3, 0], [13, 0]], [60, 60, 7, 7], axis=0)
    found = k_means(task, (new + 0.1 * rng.normal(size=new.shape)).astype(np.float32), 0)
    assert len({tuple(clusters) for clusters, _ in found}) == len(found) > 1
    tightest, *others = [clusters for clusters, _ in sorted(found, key=lambda pair: pair[1])]
    assert tightest[0] != tightest[60]
    wanted = np.repeat([0, 1, 2], [120, 7, 7])
    assert any((clusters == wanted).all() for clusters in others)


def test_clusters_are_numbered_as_rows_come_upon_them():
    assert in_order(np.array([2, 2, 0, 1, 0])).tolist() == [0, 0, 1, 2, 1]
