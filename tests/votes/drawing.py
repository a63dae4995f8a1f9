"""Random spaces, codomains and Votes for the property tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from shortlist.labelspace import LabelSpace
from shortlist.votes import Codomain, Failure, Votes

words = st.text("abcdefghäß 狗+/_", min_size=1, max_size=6)
spaces = st.lists(words, min_size=2, max_size=9, unique=True).map(LabelSpace)


def shortlists(space: LabelSpace) -> st.SearchStrategy[frozenset[str]]:
    return st.frozensets(st.sampled_from(space.names), min_size=1, max_size=len(space) - 1)


def codomains(space: LabelSpace, *, inferred: bool | None = None) -> st.SearchStrategy[Codomain]:
    says = st.lists(shortlists(space), max_size=6, unique=True)
    marks = st.booleans() if inferred is None else st.just(inferred)
    return st.builds(lambda s, mark: Codomain.declare(s, space, inferred=mark), says, marks)


@st.composite
def votes(
    draw: st.DrawFn,
    *,
    space: LabelSpace | None = None,
    n: int | None = None,
    max_rows: int = 12,
    dummies_voted: bool = True,
    inferred: bool | None = None,
    with_ids: bool = True,
) -> Votes:
    """Votes of any shape, 0 rows and 0 labelers included."""
    space = space or draw(spaces)
    n = draw(st.integers(0, 5)) if n is None else n
    columns = [draw(codomains(space, inferred=inferred)) for _ in range(n)]
    m = draw(st.integers(0, max_rows))
    largest = [len(c) if dummies_voted else len(c.says) for c in columns]
    codes = [[draw(st.integers(0, top)) for top in largest] for _ in range(m)]
    failures: Any = [draw(st.none() | st.builds(Failure, st.integers(1, 9), words)) for _ in range(n)]
    ids = draw(st.none() | st.lists(words, min_size=m, max_size=m, unique=True)) if with_ids and m < 30 else None
    return Votes(np.array(codes, int).reshape(m, n), columns, space, ids=ids, failures=failures)


@st.composite
def label_matrices(draw: st.DrawFn, space: LabelSpace) -> np.ndarray[Any, Any]:
    """Snorkel's label matrix, with −1 for abstain."""
    m, n = draw(st.integers(0, 8)), draw(st.integers(0, 5))
    cells = st.integers(-1, len(space) - 1)
    return np.array([[draw(cells) for _ in range(n)] for _ in range(m)], int).reshape(m, n)
