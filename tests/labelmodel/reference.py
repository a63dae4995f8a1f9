"""Eq. 1 and 2 of the paper by enumeration: sets of names, loops, no logarithms. Slow, and hard to get wrong."""

from dataclasses import fields

import numpy as np
from hypothesis import strategies as st

from shortlist import LabelModel, Votes
from shortlist.labelmodel import Likelihood


def likelihood(**options):
    """A LabelModel of the paper's family, from options of `Likelihood` and of `LabelModel`."""
    own = {field.name: options.pop(field.name) for field in fields(Likelihood) if field.name in options}
    return LabelModel(estimator=Likelihood(**own), **options)


def conditional(vote, j, codomain, alpha, beta, often=None):
    """P(G_ai = vote | Y_a = j), Eq. 2; vote None is abstaining; `often` weighs the shortlists unequally."""
    if vote is None:
        return 1 - beta
    often = often or dict.fromkeys(codomain, 1)
    right = [t for t in codomain if j in t]
    wrong = [t for t in codomain if j not in t]
    if j in vote:
        chance = alpha if wrong else 1.0
        return beta * chance * often[vote] / sum(often[t] for t in right)
    chance = 1 - alpha if right else 1.0
    return beta * chance * often[vote] / sum(often[t] for t in wrong)


def joint(votes, accuracy, propensity, balance, often=None):
    """P(G_a, Y_a = j), Eq. 1, for every row and class: (m, k)."""
    table = np.empty((len(votes), len(votes.space)))
    propensity = np.broadcast_to(np.reshape(propensity, (len(votes.names), -1)), accuracy.shape)
    for a in range(len(votes)):
        for j, name in enumerate(votes.space):
            product = balance[j]
            for i, codomain in enumerate(votes.codomains):
                vote = votes.shortlist(a, i)
                share = None if often is None else often[i]
                product *= conditional(vote, name, codomain.shortlists, accuracy[i, j], propensity[i, j], share)
            table[a, j] = product
    return table


@st.composite
def some_votes(draw, most_labelers=4, most_rows=12):
    """Votes of a few labelers with any shortlists, overlapping or not, over two to four classes."""
    space = "abcd"[: draw(st.integers(2, 4))]
    shortlist = st.sets(st.sampled_from(space), min_size=1, max_size=len(space) - 1).map(frozenset)
    says = draw(st.lists(st.lists(shortlist, min_size=1, max_size=3, unique=True), min_size=1, max_size=most_labelers))
    m = draw(st.integers(1, most_rows))
    codes = [[draw(st.integers(0, len(s))) for s in says] for _ in range(m)]
    return Votes(np.array(codes), says, list(space))


@st.composite
def some_parameters(draw, votes):
    """(accuracy, propensity, balance) for these votes, inside (0, 1)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, k = len(votes.names), len(votes.space)
    return rng.uniform(0.05, 0.95, (n, k)), rng.uniform(0.05, 0.95, n), rng.dirichlet(np.full(k, 3.0))
