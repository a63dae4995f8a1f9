"""Balance: shares as users give them."""

from datetime import date

import numpy as np
import pytest

from shortlist import LabelModel, LabelSpace, Votes
from shortlist.errors import BadFit
from shortlist.labelmodel.formulae.balance import as_given, scaled, shares_of

SPACE = LabelSpace(["a", "b"])
VOTES = Votes([[1, 2, 1], [2, 2, 1], [0, 1, 1], [1, 1, 0]], [["a", "b"]] * 3, ["a", "b"])


@pytest.mark.parametrize("given", [[1e308, 1e308], [1e-300, 1e-300], {"b": 2, "a": 2}, "uniform"])
def test_shares_of_any_size_are_shares(given):
    """Attack N4: the sum of 1e308 and 1e308 is infinite, and the shares were 0."""
    assert scaled(as_given(given, SPACE)).tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("given", "total"),
    [({"a": 1.0, "b": 0.25}, "1.25"), ([30, 70], "100"), ([0.5, 0.48], "0.98"), ([1e308, 1e308], "inf")],
)
def test_shares_that_do_not_sum_to_one_are_a_mistake(given, total):
    """Newcomer B7: a sum of 1.25 was taken without a word."""
    with pytest.raises(BadFit, match=rf"the shares sum to {total}, not to 1") as error:
        LabelModel(balance=given).fit(VOTES)
    assert error.value.option == ("balance",)


def test_the_mistake_tells_the_shares_that_may_be_meant():
    with pytest.raises(BadFit, match=r"they are a 0\.8, b 0\.2$"):
        shares_of([1.0, 0.25], SPACE)


def test_rounded_shares_sum_to_one():
    """As `shortlist init` writes them: 0.33 for each of three classes."""
    three = LabelSpace(["a", "b", "c"])
    assert shares_of([0.33, 0.33, 0.33], three).tolist() == pytest.approx([1 / 3] * 3)
    assert shares_of(np.full(40, 1 / 40, np.float32), LabelSpace(map(str, range(40)))) == pytest.approx(1 / 40)
    with pytest.raises(BadFit, match=r"sum to 0\.9,"):
        shares_of([0.3, 0.3, 0.3], three)


@pytest.mark.parametrize(
    "given", [["a", "b"], [1, date(1979, 5, 27)], {"a": 1, "b": "x"}, [[1], [2, 3]], 3, [1, np.inf]]
)
def test_what_is_no_share_is_told_with_its_option(given):
    """Attack C1: a bare TypeError or ValueError."""
    with pytest.raises(BadFit) as error:
        LabelModel(balance=given).fit(VOTES)
    assert error.value.option == ("balance",)
