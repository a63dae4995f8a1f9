"""Counts by shortlist and class, shares, and calibration by hand."""

import numpy as np
import pytest

from shortlist.analysis.measures import NINETY, Calibration, inside, share, soft_counts
from shortlist.arrays import wilson
from shortlist.labelmodel.layout import Layout
from shortlist.labelspace import LabelSpace
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
    m = 8_192 + 77
    codes, beliefs = rng.integers(0, 3, (m, 2)).astype(np.uint8), rng.dirichlet([1, 1], m)
    space = LabelSpace(["a", "b"])
    layout = Layout.of([Codomain.declare(["a", "b"], space)] * 2, space)
    expected = [beliefs[codes[:, i] == c].sum(axis=0) for i in range(2) for c in (1, 2)]
    assert soft_counts(codes, beliefs, layout) == pytest.approx(np.array(expected), rel=1e-5)


def test_a_share_of_nothing_is_not_known():
    assert share([1.0, 2.0], [2, 0])[0] == 0.5
    assert np.isnan(share([1.0, 2.0], [2, 0])[1])


def test_two_bins_by_hand():
    belief = np.array([0.95, 0.95, 0.95, 0.95, 0.55, 0.55])
    right = np.array([True, True, True, False, True, True])
    found = Calibration.of(belief, right)
    assert [(b.rows, b.right) for b in found.bins] == [(2, 1.0), (4, 0.75)]
    assert [b.belief for b in found.bins] == pytest.approx([0.55, 0.95])
    assert found.error == pytest.approx((2 * 0.45 + 4 * 0.2) / 6)
    assert found.right == pytest.approx(5 / 6)


def test_certainty_is_in_the_last_bin():
    assert len(Calibration.of(np.array([1.0, 0.93]), np.array([True, True])).bins) == 1


def test_wilson_by_hand():
    # 8 of 10 at 90 %: z = 1.6449; (.8 + .13528) / 1.27055 ± 1.6449 √(.016 + .0067639) / 1.27055
    assert wilson(0.8, 10, NINETY) == pytest.approx((0.5408, 0.9314), abs=2e-4)
    assert wilson(0.0, 5, NINETY)[0] == 0
    assert wilson(1.0, 5, NINETY)[1] == 1
