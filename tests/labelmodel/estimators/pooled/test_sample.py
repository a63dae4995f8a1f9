import numpy as np
import pytest

from shortlist import Votes
from tests.labelmodel.estimators.pooled.parts import parts


def test_some_rows_weigh_about_as_much_as_all():
    rng = np.random.default_rng(0)
    votes = Votes(rng.integers(0, 5, (4000, 6)), [list("abcd")] * 6, list("abcd"))
    _, rows, _ = parts(votes)
    some = rows.heaviest(500)
    assert len(some.weights) <= 500
    assert some.weights.sum() == pytest.approx(rows.weights.sum(), rel=0.1)
    assert rows.heaviest(10_000) is rows
