"""Balance: shares as users give them."""

from datetime import date

import numpy as np
import pytest

from shortlist import LabelModel, LabelSpace, Votes
from shortlist.errors import BadFit
from shortlist.labelmodel.formulae.balance import shares_of

SPACE = LabelSpace(["a", "b"])
VOTES = Votes([[1, 2, 1], [2, 2, 1], [0, 1, 1], [1, 1, 0]], [["a", "b"]] * 3, ["a", "b"])


@pytest.mark.parametrize("given", [[1e308, 1e308], [1e-300, 1e-300], {"b": 2, "a": 2}, "uniform"])
def test_shares_of_any_size_are_shares(given):
    """Attack N4: the sum of 1e308 and 1e308 is infinite, and the shares were 0."""
    assert shares_of(given, SPACE).tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    "given", [["a", "b"], [1, date(1979, 5, 27)], {"a": 1, "b": "x"}, [[1], [2, 3]], 3, [1, np.inf]]
)
def test_what_is_no_share_is_told_with_its_option(given):
    """Attack C1: a bare TypeError or ValueError."""
    with pytest.raises(BadFit) as error:
        LabelModel(balance=given).fit(VOTES)
    assert error.value.option == ("balance",)
