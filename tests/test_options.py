import inspect

import numpy as np
import pytest

from shortlist.errors import BadFit
from shortlist.options import check_amount, check_choice, check_probability, check_whole, parameters_known


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (lambda value: check_choice("knob", value, ("a", "b", "c")), ["a", "c"], ["d", 1, None, ["a"]]),
        (lambda value: check_probability("knob", value), [0.5, np.float32(0.1)], [0, 1, -0.5, np.nan, True, "half"]),
        (lambda value: check_amount("knob", value, "a weight"), [0, 2.5], [-1, np.inf, np.nan, True, "many"]),
        (lambda value: check_amount("knob", value, "a weight", above=True), [1e-9], [0, 0.0]),
        (lambda value: check_whole("knob", value), [1, np.int64(3)], [0, 1.0, True, "1", None]),
        (lambda value: check_whole("knob", value, least=0), [0], [-1]),
    ],
)
def test_an_option_that_cannot_be_is_named(check, good, bad):
    for value in good:
        check(value)
    for value in bad:
        with pytest.raises(BadFit) as error:
            check(value)
        assert error.value.option == ("knob",)
        assert str(error.value).startswith("knob is ")
        assert str(error.value).endswith(f"not {value!r}")


def test_what_it_may_be_is_said():
    with pytest.raises(BadFit, match=r"^knob is \"a\", \"b\" or \"c\", not 'd'$"):
        check_choice("knob", "d", ("a", "b", "c"))
    with pytest.raises(BadFit, match=r"^knob is a whole number from 1, or None for all cores, not 0$"):
        check_whole("knob", 0, otherwise=", or None for all cores")


def test_a_function_keeps_its_name_and_its_parameters():
    @parameters_known(BadFit)
    def made(words, /, *, says=None):
        """What it does."""
        return words, says

    assert made([1], says=2) == ([1], 2)
    assert (made.__name__, str(inspect.signature(made)), made.__doc__) == (
        "made",
        "(words, /, *, says=None)",
        "What it does.",
    )
    with pytest.raises(BadFit, match=r"^made\(\) has no parameter 'words'\. Parameters: says$"):
        made(words=[1])
    with pytest.raises(TypeError, match="missing 1 required"):
        made()
