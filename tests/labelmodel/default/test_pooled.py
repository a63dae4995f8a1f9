import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from shortlist import LabelModel, NearestClass, Votes, simulate
from shortlist.errors import BadFit, NotConverged, NotFitted
from shortlist.labelmodel import Parameters, Pooled, Problem
from shortlist.labelmodel.default.pooled import Fitting
from shortlist.labelmodel.e_step import Expectation
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.layout import Panel
from tests.labelmodel.reference import some_votes

CLASSES = ["business", "sports", "world"]
SAYS = [
    ["business", "sports", "world"],
    ["business", {"sports", "world"}],
    [{"business", "sports"}, "world"],
    ["sports", {"business", "world"}],
]
quiet = pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")


def some(m=20_000, seed=0):
    truth = Parameters(
        np.array([[0.9, 0.8, 0.7], [0.8, 0.8, 0.8], [0.7, 0.8, 0.9], [0.85, 0.75, 0.85]]),
        np.array([0.9, 0.7, 0.8, 0.6]),
        np.full(3, 1 / 3),
    )
    return truth, *simulate(truth, SAYS, m, space=CLASSES, seed=seed)


# -- a known answer ------------------------------------------------------------------------------------------


def three_keywords():
    """x is said on 30 of 100 rows, y on 20, z on 10, never together; w is the class nobody names."""
    codes = [[1, 0, 0]] * 30 + [[0, 1, 0]] * 20 + [[0, 0, 1]] * 10 + [[0, 0, 0]] * 40
    return Votes(codes, [["x"], ["y"], ["z"]], ["x", "y", "z", "w"])


@quiet
def test_labelers_with_one_answer_by_hand():
    model = LabelModel().fit(three_keywords())
    # ρ = 1 + .6 / (.4 · ¼) = 7. β_1j = c (7, 1, 1, 1) with mean 0.3: c = 0.12; c = 0.08 and 0.04 for the others.
    # No two votes meet, so nobody judges anybody. None names every class, so none shows how frequent classes are
    assert model.propensity_ == pytest.approx([0.3, 0.2, 0.1])
    assert model.class_balance_ == pytest.approx([1 / 4] * 4)
    assert (model.estimate_.trust, model.estimate_.temperature) == (0.9, 1)
    assert model.accuracy_.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
    propensity = np.outer([0.12, 0.08, 0.04], [1, 1, 1, 1]) * np.where(np.eye(3, 4) > 0, 7, 1)
    assert model.class_propensity_ == pytest.approx(propensity)
    # P(vote | class) in proportion to β_ij; accuracies 0 and 1 are read as .001 and .999
    by_hand = np.array([7 * 0.999, 0.999, 0.999, 0.999])
    counted = np.array([5, 1, 1, 1]) / 8  # a vote, and one that is spread over all classes
    expected = 0.9 * by_hand / by_hand.sum() + 0.1 * counted
    assert model.predict_proba(three_keywords())[0] == pytest.approx(expected)
    assert model.predict_proba(three_keywords())[-1] == pytest.approx([1 / 4] * 4)


@quiet
def test_two_labelers_are_counted():
    votes = Votes([[1, 2]] * 9 + [[1, 1]] * 30 + [[2, 2]] * 30, [["x", "y"]] * 2, ["x", "y"])
    model = LabelModel().fit(votes)
    assert model.estimate_.trust == 0
    assert model.predict_proba(votes)[[0, 9]] == pytest.approx(np.array([[1 / 2, 1 / 2], [5 / 6, 1 / 6]]))


# -- parameters ----------------------------------------------------------------------------------------------


def test_parameters_are_recovered():
    truth, votes, classes = some()
    model = LabelModel().fit(votes)
    assert model.converged_
    assert np.abs(model.accuracy_ - truth.accuracy).mean() < 0.06
    low, high = model.estimate_.labeler_interval(0.9)
    assert ((low < truth.accuracy.mean(axis=1)) & (truth.accuracy.mean(axis=1) < high)).all()
    assert (high - low).max() < 0.25
    assert model.propensity_ == pytest.approx(truth.propensity, abs=0.02)
    assert model.class_propensity_ == pytest.approx(np.broadcast_to(truth.propensity[:, None], (4, 3)), abs=0.02)
    assert model.estimate_.trust > 0.7
    assert model.score(votes, classes) > NearestClass().fit(votes).score(votes, classes)
    assert model.score(votes) < 0


@quiet
def test_gold_labels_count_as_what_they_are():
    _, votes, classes = some(300)
    flipped = {"business": "sports", "sports": "world", "world": "business"}
    gold = [flipped[c] for c in classes]
    told, untold = LabelModel().fit(votes, gold), LabelModel().fit(votes)
    assert (told.estimate_.labeler_accuracy < untold.estimate_.labeler_accuracy - 0.2).all()
    space = list(votes.space)
    right = [
        np.mean([g in votes.codomains[i].shortlists[c - 1] for g, c in zip(gold, votes.codes[:, i], strict=True) if c])
        for i in range(4)
    ]
    assert told.estimate_.labeler_accuracy == pytest.approx(right, abs=0.02)
    assert (told.predict_proba(votes).argmax(axis=1) == [space.index(g) for g in gold]).mean() > 0.7


# -- laws ----------------------------------------------------------------------------------------------------


@quiet
@settings(max_examples=60)
@given(some_votes(), st.randoms(use_true_random=False))
def test_beliefs_are_distributions_whatever_the_order(votes, rng):
    model = LabelModel(threads=1).fit(votes)
    beliefs = model.predict_proba(votes)
    assert np.isfinite(beliefs).all()
    assert (beliefs > 0).all()
    assert beliefs.sum(axis=1) == pytest.approx(1)
    rows, columns = rng.sample(range(len(votes)), len(votes)), rng.sample(range(len(votes.names)), len(votes.names))
    mixed = Votes(
        votes.codes[rows][:, columns],
        [votes.codomains[i] for i in columns],
        votes.space,
        [votes.names[i] for i in columns],
    )
    again = LabelModel(threads=1).fit(mixed)
    assert again.estimate_.trust == pytest.approx(model.estimate_.trust, abs=1e-9)
    assert again.estimate_.temperature == pytest.approx(model.estimate_.temperature)
    assert again.predict_proba(mixed) == pytest.approx(beliefs[rows], abs=1e-6)


@quiet
@settings(max_examples=40)
@given(some_votes(), st.data())
def test_moves_add_up_to_the_log_odds(votes, data):
    model = LabelModel(threads=1).fit(votes)
    a = data.draw(st.integers(0, len(votes) - 1))
    of, against = data.draw(st.permutations(list(votes.space)))[:2]
    beliefs = model.predict_proba(votes)[a]
    odds = np.log(beliefs[votes.space.position(of)]) - np.log(beliefs[votes.space.position(against)])
    why = model.explain(votes, a, of=of, against=against)
    assert why.log_odds == pytest.approx(odds, abs=1e-6)
    assert list(why.moves) == [*votes.names, "shrinkage"]
    first = model.explain(votes, a)
    assert beliefs[votes.space.position(first.of)] == pytest.approx(beliefs.max())
    assert first.of != first.against


def test_weights_count_rows():
    _, votes, _ = some(200)
    counts = np.arange(200) % 3
    by_weight = LabelModel().fit(votes, weights=counts)
    by_row = LabelModel().fit([votes[np.repeat(np.arange(200), counts)]])
    assert by_weight.predict_proba(votes) == pytest.approx(by_row.predict_proba(votes))


def test_the_verbs_and_options_of_an_estimator():
    _, votes, classes = some(500)
    balance = {"business": 0.2, "sports": 0.2, "world": 0.6}
    model = clone(LabelModel(balance=balance, estimator=Pooled(propensity_votes=50))).fit(votes)
    assert model.class_balance_.tolist() == pytest.approx([0.2, 0.2, 0.6])
    assert model.classes_.tolist() == CLASSES
    assert set(model.predict(votes)) <= set(CLASSES)
    assert all(model.predict_set(votes[:5], coverage=0.99))
    assert model.score(votes, classes) > 0.6
    with pytest.raises(NotFitted, match="LabelModel"):
        LabelModel().predict(votes)
    with pytest.raises(BadFit, match="no rows to score"):
        model.score(votes[:0])


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("accuracy_mean", 1),
        ("labeler_votes", 0),
        ("class_votes", -1),
        ("propensity_votes", 0),
    ],
)
def test_settings_that_cannot_be(option, value):
    with pytest.raises(BadFit, match=option) as error:
        Pooled(**{option: value})
    assert error.value.option == (option,)


def test_a_balance_cannot_be_learned_by_this_estimator():
    _, votes, _ = some(300)
    with pytest.raises(BadFit, match='estimator="likelihood"') as error:
        LabelModel(balance="learn").fit(votes)
    assert error.value.option == ("balance",)


# -- hardly any votes ----------------------------------------------------------------------------------------


@quiet
@pytest.mark.parametrize(
    ("codes", "says"),
    [
        ([[0, 0]] * 3, [["x"], ["y", {"x", "z"}]]),
        ([[1], [2], [0]], [["x", {"y", "z"}]]),
        ([[1, 2]], [["x"], ["y", {"x", "z"}]]),
        ([[1, 0]], [["x"], []]),
        ([[1, 1]] * 4, [["x"], ["y", {"x", "z"}]]),
    ],
    ids=["nobody votes", "one labeler", "one row", "a labeler without a word", "always the same"],
)
def test_hardly_any_votes(codes, says):
    votes = Votes(codes, says, ["x", "y", "z"])
    model = LabelModel().fit(votes)
    beliefs = model.predict_proba(votes)
    assert np.isfinite(beliefs).all()
    assert beliefs.sum(axis=1) == pytest.approx(1)
    if not votes.covered.any():
        assert beliefs == pytest.approx(1 / 3)
    assert "shrinkage" in str(model.explain(votes, 0))


def test_no_rows_are_an_error():
    with pytest.raises(BadFit, match="nothing to learn from"):
        LabelModel().fit(three_keywords()[:0])


@quiet
def test_what_was_never_said_is_still_read_when_it_is():
    votes = Votes([[1, 1, 1], [2, 1, 2], [1, 2, 2]] * 5, [["x", "y", "z"], ["x", "y"], ["x", "y"]], ["x", "y", "z"])
    model = LabelModel().fit(votes)
    new = Votes([[3, 1, 1]], votes.codomains, votes.space, votes.names)
    assert np.isfinite(model.predict_proba(new)).all()
    assert np.isfinite(list(model.explain(new, 0, of="x", against="y").moves.values())).all()


def test_a_fit_that_had_to_stop_says_so():
    _, votes, _ = some(500)
    with pytest.warns(NotConverged, match="max_iter"):
        model = LabelModel(max_iter=1).fit(votes)
    assert (model.n_iter_, model.converged_) == (1, False)


# -- the fixed point -----------------------------------------------------------------------------------------


@quiet
def test_it_is_the_same_from_different_starts():
    """One step from the prior of another accuracy ends at the same numbers: the equations have no memory."""
    _, votes, _ = some(3000)
    evidence, panel = Evidence.gather(votes), Panel.of(votes)
    problem = Problem(panel=panel, evidence=evidence, expectation=Expectation(evidence, panel.layout))
    ends = [Fitting(Pooled(), problem).settle(start=np.full((4, 3), a)) for a in (0.6, 0.8, 0.95)]
    for other in ends[1:]:
        assert other.parameters.accuracy == pytest.approx(ends[0].parameters.accuracy, abs=0.01)
        assert other.parameters.balance == pytest.approx(ends[0].parameters.balance, abs=0.01)


def test_changes_are_reported_and_come_to_rest():
    _, votes, _ = some(3000)
    model = LabelModel().fit(votes)
    assert model.converged_
    assert len(model.history_) == model.n_iter_
    assert model.history_[-1] < 1e-2 < model.history_[0]


# -- what was declared ---------------------------------------------------------------------------------------


def keyword_votes(says, m=2000, seed=0):
    """Six one-sided rules about three classes, two for each."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, m)
    about = np.repeat([0, 1, 2], 2)
    codes = (rng.random((m, 6)) < np.where(truth[:, None] == about, 0.5, 0.1)).astype(int)
    return Votes(codes, says(about), CLASSES), truth


@quiet
def test_answers_that_are_never_given_change_nothing():
    plain, _ = keyword_votes(lambda about: [[CLASSES[j]] for j in about])
    dummy, _ = keyword_votes(lambda about: [[CLASSES[j], set(CLASSES) - {CLASSES[j]}] for j in about])
    every, _ = keyword_votes(lambda about: [[CLASSES[j], *(c for c in CLASSES if c != CLASSES[j])] for j in about])
    one, *others = (LabelModel().fit(votes).predict_proba(votes) for votes in (plain, dummy, every))
    for other in others:
        assert other == pytest.approx(one)


@quiet
def test_three_answers_may_miss_a_class_by_chance():
    """A worker with few answers is no rule, whatever they are."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 400)
    said = 1 + np.where(rng.random((400, 6)) < 0.8, truth[:, None], rng.integers(0, 3, (400, 6)))
    said[3:, 5] = 0
    said[:3, 5] = 1
    votes = Votes(said, [CLASSES] * 6, CLASSES)
    model = LabelModel().fit(votes)
    assert (model.accuracy_[5] > 0.5).all()


@quiet
def test_what_all_rules_share_is_not_taken_for_a_class():
    """Rules of two classes vote together on active rows. Activity is a better explanation of votes than the class."""
    rng = np.random.default_rng(1)
    truth, active = rng.integers(0, 2, 4000), rng.random(4000) < 0.4
    rate = np.where(active[:, None], 0.7, 0.05) * np.where(truth[:, None] == np.repeat([0, 1], [3, 6]), 1.0, 0.5)
    votes = Votes((rng.random((4000, 9)) < rate).astype(int), [["x"]] * 3 + [["y"]] * 6, ["x", "y"])
    covered = votes.covered
    found = LabelModel().fit(votes).predict_proba(votes)[covered].argmax(axis=1)
    assert (found == truth[covered]).mean() > 0.6


@quiet
def test_how_often_a_labeler_votes_is_what_was_seen():
    """A rule that votes on nearly all rows of its class: its propensities by class have a bound."""
    truth = np.random.default_rng(0).integers(0, 4, 400)
    codes = np.column_stack([truth == 0, (truth == 1) | (np.arange(400) % 3 == 0), truth == 2, truth + 1]).astype(int)
    votes = Votes(codes, [["a"], ["b"], ["c"], list("abcd")], list("abcd"))
    assert LabelModel().fit(votes).propensity_ == pytest.approx(votes.coverage)


def test_the_order_of_classes_changes_nothing_where_rows_are_sampled():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 9000)
    said = np.where(rng.random((9000, 10)) < 0.6, truth[:, None], rng.integers(0, 3, (9000, 10)))
    said[rng.random(said.shape) < 0.3] = -1
    one, other = (
        Votes.from_snorkel(said, list("abc")),
        Votes.from_snorkel(np.where(said < 0, -1, 2 - said), list("cba")),
    )
    assert len(LabelModel().fit(one).evidence_.weights) > 4000  # otherwise nothing is sampled
    beliefs = [LabelModel().fit(votes).predict_proba(votes) for votes in (one, other)]
    assert beliefs[0] == pytest.approx(beliefs[1][:, ::-1], abs=1e-9)
