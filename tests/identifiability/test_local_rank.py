"""Local identifiability: hand-counted ranks, flat directions in words, and what Theorem 1 promises, checked."""

import numpy as np
import pytest
from hypothesis import given, settings

from experiments import datasets
from shortlist import LabelModel, Votes, diagnose, simulate
from shortlist.errors import FitWarning, NotFitted
from shortlist.identifiability import diagnose_fit
from shortlist.identifiability.diagnosis import decide
from shortlist.identifiability.local_rank import VoteInformation, expected_patterns, generic_rank
from shortlist.identifiability.theorem import Deadline
from shortlist.labelmodel import Parameters
from shortlist.labelmodel.layout import Panel
from shortlist.uncertainty.information import Fitted
from tests.identifiability.structures import structure, structures
from tests.labelmodel.reference import likelihood

pytestmark = pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")


def drawn(says, classes, m=1500, seed=0, accuracy=None):
    rng = np.random.default_rng(seed)
    n, k = len(says), len(classes)
    accuracy = rng.uniform(0.6, 0.9, (n, k)) if accuracy is None else accuracy
    parameters = Parameters(accuracy, rng.uniform(0.4, 0.9, n), np.full(k, 1 / k))
    return simulate(parameters, says, m, space=classes, seed=rng).votes


# Two classes, labelers that say a or b. What can be seen of two labelers that both vote is one 2 × 2 table, which has
# three degrees of freedom; of three labelers, a 2 × 2 × 2 table with seven, which is four accuracies more.
@pytest.mark.parametrize(
    ("n", "options", "rank", "parameters"),
    [
        (2, {}, 3, 4),
        (2, {"balance": "learn"}, 3, 5),
        (2, {"accuracy": "labeler"}, 1, 2),
        (3, {}, 6, 6),
        (3, {"balance": "learn"}, 7, 7),
        (3, {"accuracy": "labeler", "balance": "learn"}, 4, 4),
        (1, {"balance": "learn"}, 1, 3),
    ],
)
def test_ranks_counted_by_hand(n, options, rank, parameters):
    model = likelihood(**options) if options else LabelModel()
    found = diagnose_fit(model.fit(drawn([["a", "b"]] * n, ["a", "b"])))
    assert (found.rank, found.parameters) == (rank, parameters)
    assert found.identifiable == (rank == parameters)
    assert found.shares.shape == (parameters,)


def test_classes_that_can_trade_places():
    votes = drawn([[{"DESC", "ENTY"}, "ABBR"]] * 4, ["ABBR", "DESC", "ENTY"])
    found = diagnose_fit(LabelModel().fit(votes))
    assert found.trading_places == (("DESC", "ENTY"),)
    assert not found.identifiable
    assert found.parameters - found.rank == 4  # one for each labeler: its accuracy on DESC up, on ENTY down
    assert found.findings[1:] == ["DESC and ENTY can trade places: no vote says which is which."]
    known = {0: "DESC", 1: "ENTY"}
    assert diagnose_fit(LabelModel().fit(votes, known)).trading_places == ()
    assert diagnose_fit(LabelModel(balance=[0.2, 0.3, 0.5]).fit(votes)).trading_places == ()


def test_flat_directions_in_words():
    one = diagnose_fit(likelihood(accuracy="labeler").fit(drawn([["a", "b"]] * 2, ["a", "b"])))
    assert one.findings[1:] == ["The accuracy of labeler_1 and the accuracy of labeler_2 trade off."]
    balance = diagnose_fit(likelihood(balance="learn").fit(drawn([["a", "b"]], ["a", "b"])))
    assert all("the balance of a" in words for words in balance.findings[1:])
    assert "1 of 3 parameters" in balance.findings[0]


def test_a_labeler_that_never_votes_is_not_seen():
    votes = drawn([["a", "b"]] * 4, ["a", "b"])
    codes = votes.codes.copy()
    codes[:, 3] = 0
    mute = Votes(codes, votes.codomains, votes.space, ["x", "y", "z", "mute"])
    found = diagnose_fit(LabelModel(estimator="likelihood").fit(mute))
    assert found.rank == 6
    assert found.findings[1] == "No vote bears on the accuracy of mute on a and the accuracy of mute on b."


def test_labelers_that_are_never_wrong_are_seen_all_the_same():
    votes = drawn([["a", "b"]] * 12, ["a", "b"], m=300, accuracy=np.full((12, 2), 0.995))
    found = diagnose_fit(LabelModel().fit(votes))
    assert found.rank == found.parameters == 24


def test_a_sample_of_patterns_sees_what_all_of_them_do():
    model = likelihood(balance="learn").fit(drawn([["a", "b", "c"], [{"a", "b"}, "c"]] * 3, list("abc")))
    fitted = Fitted.of(model, model.evidence_)
    everything = VoteInformation.of(expected_patterns(fitted))
    sample = VoteInformation.of(expected_patterns(fitted, most=40, per_parameter=4000))
    assert sample.rank == everything.rank == everything.parameters
    assert np.abs(sample.shares - everything.shares).max() < 0.05
    np.testing.assert_allclose(sample.known, everything.known, rtol=0.05)


def test_the_information_is_that_of_the_rows_at_hand_when_the_model_is_true():
    """Fisher's information by enumeration, against the scores of a hundred thousand rows."""
    votes = drawn([["a", "b"], [{"a"}, {"b", "c"}], ["a", "b", "c"]], list("abc"), m=100_000)
    model = likelihood(split="equal", accuracy_votes=0).fit(votes)
    fitted = Fitted.of(model, model.evidence_)
    expected, observed = VoteInformation.of(expected_patterns(fitted)).seen, VoteInformation.of(fitted).seen
    scale = np.sqrt(np.diag(expected))
    assert np.abs((expected - observed) / scale / scale[:, None]).max() < 0.05


# -- Theorem 1 and the rank at random values -----------------------------------------------------------


@given(structures(most_labelers=5))
@settings(max_examples=60)
def test_what_theorem_1_promises_the_rank_confirms(votes):
    said = decide(Panel.of(votes), Deadline.after(30), dummies=False)
    found = generic_rank(Panel.of(votes))
    assert found.rank <= found.parameters
    if said.identifiable:
        assert found.rank == found.parameters


def test_where_theorem_1_is_silent_the_rank_tells_more():
    """Two labelers of two classes make a 2 × 2 table, three numbers, for four accuracies and a balance."""
    two = diagnose(structure("a|b", "a|b"))
    assert two.generic == (3, 5)
    assert two.findings[0].startswith("Not identifiable")
    assert diagnose(structure("a|b", "a|b", "a|b")).generic is None  # Theorem 1 says it all


def test_real_structures(data_home):
    found = diagnose(datasets.load("lad/H1", data_home)["all"].votes)
    assert found.generic == (71, 71)  # 11 detectors × 6 classes, and 5 for the balance
    assert found.status == "not guaranteed"
    assert found.findings[0].startswith("Not guaranteed")


# -- at the door ---------------------------------------------------------------------------------------


def test_a_model_that_is_not_fitted():
    with pytest.raises(NotFitted):
        diagnose_fit(LabelModel())


def test_text():
    with pytest.warns(FitWarning):
        model = LabelModel().fit(drawn([["a", "b"]] * 2, ["a", "b"]))
    found = diagnose_fit(model)
    assert str(found) == repr(found)
    assert str(found).startswith(found.findings[0])
