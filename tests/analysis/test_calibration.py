"""Calibration by hand."""

import numpy as np
import pytest

from shortlist.analysis.calibration import Calibration, wilson


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
    assert wilson(0.8, 10) == pytest.approx((0.5408, 0.9314), abs=2e-4)
    assert wilson(0.0, 5)[0] == 0
    assert wilson(1.0, 5)[1] == 1
