"""Animals whose features are noisy pictures of their attributes: what a detector should find, it can."""

import numpy as np

from shortlist.zeroshot import AttributeTable

TABLE = AttributeTable.of(
    {
        "stripes": ["tiger", "zebra", "bee", "okapi"],
        "claws": ["tiger", "lion", "bear", "owl"],
        "hooves": ["zebra", "horse", "okapi", "goat"],
        "wings": ["bee", "owl", "duck"],
        "horns": ["goat", "okapi", "rhino"],
        "swims": ["duck", "rhino", "bear"],
    }
)
UNSEEN = ["tiger", "okapi", "duck"]


def animals(rows=40, noise=0.35, seed=0, p=12):
    """(X, y): a random linear picture of the attributes, with noise."""
    rng = np.random.default_rng(seed)
    picture = np.random.default_rng(99).normal(size=(len(TABLE.attributes), p))
    y = np.repeat(TABLE.classes, rows)
    X = (2.0 * TABLE.rows(y) - 1) @ picture + noise * rng.normal(size=(len(y), p)) * np.sqrt(p)
    return X, y


def parts(**options):
    """(X_seen, y_seen, X_unseen, y_unseen)."""
    X, y = animals(**options)
    new = np.isin(y, UNSEEN)
    return X[~new], y[~new], X[new], y[new]
