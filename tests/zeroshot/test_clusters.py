"""Clusters are found without labels, in a metric that the seen classes teach."""

import numpy as np
import pytest

from shortlist.zeroshot.clusters import Clustering, find_clusterings, in_order, whitening
from shortlist.zeroshot.task import centres_of, make_task

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
    return min(find_clusterings(task, new, seed), key=lambda found: found.within).clusters


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
    one, other = find_clusterings(task, new, 3), find_clusterings(task, new, 3)
    assert [found.within for found in one] == [found.within for found in other]
    np.testing.assert_array_equal(one[0].clusters, other[0].clusters)


@pytest.mark.parametrize("rows", [1, 5])
def test_too_few_different_rows_make_no_clusters(rows):
    task, new, _ = task_and_rows()
    assert find_clusterings(task, np.repeat(new[:1], rows, axis=0), 0) == []


def test_centres_by_hand():
    found = centres_of(np.array([[0.0, 2], [4, 4], [2, 6]]), np.array([0, 1, 0]))
    assert found.tolist() == [[1, 4], [4, 4]]


def test_a_large_class_is_kept_whole_in_some_clustering():
    """120 rows at 7 and 9 are one class, 7 at 3 and 7 at 13 two others: it is tighter to cut the large one in two."""
    rng = np.random.default_rng(0)
    seen = np.repeat([[0.0, 0], [3, 0], [6, 0]], 80, axis=0)
    task = make_task(seen + 0.3 * rng.normal(size=seen.shape), np.repeat(["s0", "s1", "s2"], 80), LARGE)
    new = np.repeat([[7.0, 0], [9, 0], [3, 0], [13, 0]], [60, 60, 7, 7], axis=0)
    found = find_clusterings(task, (new + 0.1 * rng.normal(size=new.shape)).astype(np.float32), 0)
    assert len({tuple(clustering.clusters) for clustering in found}) == len(found) > 1
    found.sort(key=lambda clustering: clustering.within)
    assert found[0].clusters[0] != found[0].clusters[60]
    wanted = np.repeat([0, 1, 2], [120, 7, 7])
    assert any((clustering.clusters == wanted).all() for clustering in found[1:])


def test_clusters_are_numbered_as_rows_come_upon_them():
    assert in_order(np.array([2, 2, 0, 1, 0])).tolist() == [0, 0, 1, 2, 1]


def test_evidence_by_hand():
    assert Clustering(np.array([0, 1, 0, 1]), np.e**3).evidence == pytest.approx(-6)
    assert np.isfinite(Clustering(np.array([0, 1]), 0.0).evidence)
