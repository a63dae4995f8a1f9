"""Small label structures: drawn at random, and Theorem 1 by brute force over every partition. Slow, and literal."""

from itertools import product

import numpy as np
from hypothesis import strategies as st

from shortlist import LabelSpace, Votes

CLASSES = "abcde"


def structure(*labelers, classes=None):
    """Votes of no rows: `structure("a|bc", "ab|c")` are two labelers, each with the shortlists it says."""
    says = [[set(t) for t in labeler.split("|")] for labeler in labelers]
    space = LabelSpace(list(classes) if classes else sorted({y for said in says for t in said for y in t}))
    return Votes(np.zeros((0, len(says)), int), says, space)


@st.composite
def structures(draw, most_labelers=5, most_classes=4):
    space = CLASSES[: draw(st.integers(2, most_classes))]
    shortlist = st.sets(st.sampled_from(space), min_size=1, max_size=len(space) - 1).map(frozenset)
    says = st.lists(shortlist, min_size=1, max_size=4, unique=True)
    labelers = draw(st.lists(says, min_size=1, max_size=most_labelers))
    return structure(*("|".join("".join(sorted(t)) for t in said) for said in labelers), classes=space)


def literally(votes):
    """Theorem 1 as it is printed: is there a partition into S1, S2, S3, not empty, such that for S1 and S2 and every
    class y there are t_i in T(G_i) whose intersection is {y}?"""
    codomains = [set(c.shortlists) for c in votes.codomains]
    return _some_partition(codomains, votes.space, lambda third: bool(third))


def as_said(votes):
    """The same for what is said. A class a labeler never names is ruled out by none of its votes, so it counts as
    being in all of them; S3 must have someone right or wrong about all classes but one."""
    codomains = []
    for codomain in votes.codomains:
        never = frozenset(votes.space).difference(*codomain.says)
        codomains.append({t | never for t in codomain.says})

    def learns(third):
        free = {y for T in third for y in votes.space if any(y in t for t in T) and any(y not in t for t in T)}
        return len(free) >= len(votes.space) - 1

    return _some_partition(codomains, votes.space, learns)


def verify(certificate, votes, *, dummies=False):
    """Check that a certificate proves the conditions of Theorem 1."""
    says = {name: c.shortlists if dummies else c.says for name, c in zip(votes.names, votes.codomains, strict=True)}
    named = {name: frozenset().union(*shortlists) for name, shortlists in says.items()}
    if not all(certificate.split) or sorted(i for group in certificate.split for i in group) != sorted(votes.names):
        return False
    for group, choices in zip(certificate.split[:2], certificate.choices, strict=True):
        for y in votes.space:
            if set(choices[y]) != set(group) or any(frozenset(choices[y][i]) not in says[i] for i in group):
                return False
            if frozenset().union(*(named[i] - set(choices[y][i]) for i in group)) != frozenset(votes.space) - {y}:
                return False
    free = {y for i in certificate.split[2] for y in named[i] if not all(y in t for t in says[i])}
    return len(free) >= len(votes.space) - 1


def _some_partition(codomains, space, third_will_do):
    for places in product(range(3), repeat=len(codomains)):
        groups = [[T for T, place in zip(codomains, places, strict=True) if place == s] for s in range(3)]
        if third_will_do(groups[2]) and all(_singles_out_all(group, space) for group in groups[:2]):
            return True
    return False


def _singles_out_all(group, space):
    if not group:
        return False
    intersections = {frozenset.intersection(*choice) for choice in product(*group)}
    return all(frozenset({y}) in intersections for y in space)
