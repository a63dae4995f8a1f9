import numpy as np
import pytest

from shortlist.errors import BadFit
from shortlist.labelmodel import EM, Likelihood


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("accuracy", "row"),
        ("propensity", "both"),
        ("split", "random"),
        ("accuracy_mean", 1.0),
        ("accuracy_mean", "high"),
        ("accuracy_votes", -1),
        ("balance_rows", np.nan),
        ("propensity_rows", np.inf),
        ("n_starts", 1.5),
        ("solver", "newton"),
        ("solver", {"kind": "em"}),
    ],
)
def test_a_setting_that_cannot_be_is_named(option, value):
    with pytest.raises(BadFit, match=option) as error:
        Likelihood(**{option: value})
    assert error.value.option == (option,)


@pytest.mark.parametrize("settings", [Likelihood(), Likelihood(solver=EM(memory=3))])
def test_settings_go_through_plain_data(settings):
    record = settings.to_plain()
    assert record.pop("kind") == "likelihood"
    assert Likelihood.from_plain(record) == settings
