"""Clusters are found without labels, in a metric that the seen classes teach."""

import numpy as np
import pytest

from shortlist.zeroshot.clusters import centres_of, find_clusters, whitening
from shortlist.zeroshot.task import make_task

TABLE = {"a": ["s0", "s1", "u0"], "b": ["s1", "s2", "u1"], "c": ["s0", "s2", "u0", "u1"]}


def spread(centres, names, rows, rng):
    """Rows that differ much more along the second axis than classes do along the first."""
    y = np.repeat(names, rows)
    return np.repeat(centres, rows, axis=0) + rng.normal(size=(len(y), 2)) * [0.3, 4], y


def task_and_rows(seed=0):
    rng = np.random.default_rng(seed)
    X, y = spread(np.array([[0.0, 0], [3, 0], [6, 0]]), ["s0", "s1", "s2"], 80, rng)
    new, gold = spread(np.array([[1.5, 0], [4.5, 0]]), ["u0", "u1"], 80, rng)
    return make_task(X, y, TABLE), new.astype(np.float32), gold


def purity(clusters, gold):
    same = np.mean(clusters == (gold == "u1"))
    return max(same, 1 - same)


def test_seen_classes_teach_what_does_not_matter():
    """Along the second axis rows of a class differ most: labels of other classes say that it tells nothing."""
    task, new, gold = task_and_rows()
    assert purity(find_clusters(task, new, 0), gold) > 0.95
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
    np.testing.assert_array_equal(find_clusters(task, new, 3), find_clusters(task, new, 3))


@pytest.mark.parametrize("rows", [1, 5])
def test_too_few_different_rows_make_no_clusters(rows):
    task, new, _ = task_and_rows()
    assert find_clusters(task, np.repeat(new[:1], rows, axis=0), 0) is None


def test_centres_by_hand():
    found = centres_of(np.array([[0.0, 2], [4, 4], [2, 6]]), np.array([0, 1, 0]))
    assert found.tolist() == [[1, 4], [4, 4]]
