"""Soft counts against the sum they stand for."""

import numpy as np
import pytest

from shortlist.analysis.soft import BLOCK, inside, share, soft_counts
from shortlist.labelmodel.layout import Layout
from shortlist.votes import Codomain
from tests.analysis.worked import BELIEFS, newspaper


def test_the_newspaper():
    votes = newspaper()
    layout = Layout.of(votes.codomains, votes.space)
    soft = soft_counts(votes.codes, np.array(BELIEFS), layout)
    assert soft[0] == pytest.approx([0.9, 2.1, 0.0])  # goal said sports on rows 0, 1, 2
    assert soft[3] == pytest.approx([0.4, 0.6, 0.0])  # abroad said business on row 1
    assert inside(soft, layout) == pytest.approx([2.1, 0, 2.5, 0.4, 1.3, 0])


def test_more_rows_than_a_block_holds():
    rng = np.random.default_rng(0)
    m = BLOCK + 77
    codes, beliefs = rng.integers(0, 3, (m, 2)).astype(np.uint8), rng.dirichlet([1, 1], m)
    from shortlist.labelspace import LabelSpace

    space = LabelSpace(["a", "b"])
    layout = Layout.of([Codomain.declare(["a", "b"], space)] * 2, space)
    expected = [beliefs[codes[:, i] == c].sum(axis=0) for i in range(2) for c in (1, 2)]
    assert soft_counts(codes, beliefs, layout) == pytest.approx(np.array(expected), rel=1e-5)


def test_a_share_of_nothing_is_not_known():
    assert share([1.0, 2.0], [2, 0])[0] == 0.5
    assert np.isnan(share([1.0, 2.0], [2, 0])[1])
