"""Copies: rules that give the same votes on nearly the same rows. Together they are one witness."""

from __future__ import annotations

import numpy as np

from shortlist.arrays import Floats, Positions
from shortlist.labelmodel.estimators.pooled.sample import Sample
from shortlist.labelmodel.estimators.pooled.says import Says

ALIKE = 0.95  # of the votes of either
FEWEST = 10.0  # votes in common: fewer may be alike by accident


def first_copies(sample: Sample, says: Says) -> Positions:
    """(n,): the first labeler that each is a copy of; itself where there is none.

    People and models that may name every class are asked about given rows. They agree because they are right.
    """
    layout, first = says.layout, np.arange(says.layout.n)
    rules = np.flatnonzero(says.telling)
    if len(rules) < 2:
        return first
    votes = sample.weights @ sample.hot  # (S,)
    total = layout.per_labeler(votes)
    together = _together(sample, says, rules)
    either = total[rules, None] + total[rules] - together
    alike = (together >= FEWEST) & (together >= ALIKE * either)
    for a, i in enumerate(rules):
        first[i] = first[rules[int(np.argmax(alike[a, : a + 1]))]] if alike[a, :a].any() else i
    return first


def _together(sample: Sample, says: Says, rules: Positions) -> Floats:
    """(rules, rules): on how many rows two rules say the same shortlist."""
    layout, count = says.layout, np.zeros((len(rules), len(rules)))
    _, number = np.unique(layout.member, axis=0, return_inverse=True)
    number = np.ravel(number)
    place = np.full(layout.n, -1)
    place[rules] = np.arange(len(rules))
    for shortlist in np.unique(number[np.isin(layout.owner, rules)]):
        said = np.flatnonzero((number == shortlist) & (place[layout.owner] >= 0))
        hot = sample.hot[:, said]
        at = place[layout.owner[said]]
        count[np.ix_(at, at)] += (hot.multiply(sample.weights[:, None]).T @ hot).toarray()
    return count
