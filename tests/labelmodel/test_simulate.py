import numpy as np
import pytest

from shortlist import simulate
from shortlist.errors import BadFit
from shortlist.labelmodel import Parameters
from tests.labelmodel.reference import conditional

SAYS = [["a", {"a", "b"}, "c"], [{"b", "c"}, "a"]]
TRUTH = Parameters(np.array([[0.9, 0.6, 0.7], [0.8, 0.5, 0.95]]), np.array([0.7, 0.4]), np.array([0.5, 0.3, 0.2]))


def test_frequencies_are_those_of_equation_2():
    votes, truth = simulate(TRUTH, SAYS, 200_000, space=["a", "b", "c"], seed=0)
    for j, name in enumerate("abc"):
        rows = truth == name
        assert rows.mean() == pytest.approx(TRUTH.balance[j], abs=0.005)
        for i, codomain in enumerate(votes.codomains):
            for code, vote in enumerate([None, *codomain.shortlists]):
                expected = conditional(vote, name, codomain.shortlists, TRUTH.accuracy[i, j], TRUTH.propensity[i])
                assert np.mean(votes.codes[rows, i] == code) == pytest.approx(expected, abs=0.01)


def test_labelers_are_independent_given_the_class():
    votes, truth = simulate(TRUTH, SAYS, 200_000, space=["a", "b", "c"], seed=1)
    codes = votes.codes[truth == "a"]
    both = np.mean((codes[:, 0] == 1) & (codes[:, 1] == 1))
    assert both == pytest.approx(np.mean(codes[:, 0] == 1) * np.mean(codes[:, 1] == 1), abs=0.005)


def test_the_same_seed_draws_the_same_rows():
    one = simulate(TRUTH, SAYS, 50, space=["a", "b", "c"], seed=7, names=["first", "second"])
    two = simulate(TRUTH, SAYS, 50, space=["a", "b", "c"], seed=7, names=["first", "second"])
    assert one.votes == two.votes
    assert one.truth.tolist() == two.truth.tolist()
    assert one.votes.names == ("first", "second")
    assert simulate(TRUTH, SAYS, 0, space=["a", "b", "c"], seed=7).votes.shape == (0, 2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("accuracy", [[0.9, 0.6, 0.7]]),
        ("accuracy", [[0.9, 0.6, 1.7]] * 2),
        ("propensity", [0.5]),
        ("propensity", [np.nan, 0.5]),
        ("balance", [0.5, 0.5]),
        ("balance", [0.5, 0.3, 0.1]),
    ],
)
def test_parameters_that_cannot_be_are_named(name, value):
    arrays = {"accuracy": TRUTH.accuracy, "propensity": TRUTH.propensity, "balance": TRUTH.balance, name: value}
    with pytest.raises(BadFit, match=name):
        simulate(Parameters(**arrays), SAYS, 5, space=["a", "b", "c"], seed=0)
