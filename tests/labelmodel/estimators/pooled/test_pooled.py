import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from shortlist import LabelModel, MajorityVote, NearestClass, Votes, datasets, simulate
from shortlist.errors import BadFit, FewLabelers, LittleTrust, NotConverged, NotFitted
from shortlist.labelmodel import Parameters, Pooled
from shortlist.labelmodel.estimators.pooled.guard import agreement, unanimous
from shortlist.labelmodel.estimators.pooled.heldout import TEMPERATURES, best_temperature, vote_scores
from shortlist.labelmodel.estimators.pooled.propensity import Judgement, class_propensities
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission
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


def two_keywords():
    """x is said on 30 of 100 rows, y on 20, never together; z is the class nobody names."""
    return Votes([[1, 0]] * 30 + [[0, 1]] * 20 + [[0, 0]] * 50, [["x"], ["y"]], ["x", "y", "z"])


@quiet
def test_two_labelers_with_one_thing_to_say_by_hand():
    model = LabelModel(estimator=Pooled(unanimity=0)).fit(two_keywords())
    # β_1j = c (4, 1, 1) with mean 0.3: c = 0.15; β_2j = c (1, 4, 1) with mean 0.2: c = 0.1. No two votes meet, so
    # nobody judges anybody
    assert model.class_propensity_ == pytest.approx(np.array([[0.6, 0.15, 0.15], [0.1, 0.4, 0.1]]))
    assert model.propensity_ == pytest.approx([0.3, 0.2])
    # No accuracy is learned, so nothing differs from what was declared
    assert (model.estimate_.trust, model.estimate_.temperature) == (1, 1)
    assert model.accuracy_.tolist() == [[1, 0, 0], [0, 1, 0]]
    by_hand = np.array([[4, 1, 1], [1, 4, 1], [2, 2, 2]]) / 6  # abstaining says nothing
    assert model.predict_proba(two_keywords())[[0, 30, 50]] == pytest.approx(by_hand)


def test_a_labeler_is_judged_by_the_others_by_hand():
    """One labeler says x or y; the rule of the second, {x, y}, goes with x more often than with y."""
    codes = [[1, 1]] * 60 + [[2, 1]] * 20 + [[1, 0]] * 40 + [[2, 0]] * 80
    votes = Votes(codes, [["x", "y"], [{"x", "y"}]], ["x", "y", "z"])
    layout = Layout.of(votes.codomains, votes.space)
    naming = [[0.98, 0.01, 0.01], [0.01, 0.98, 0.01], [0.01, 0.01, 0.98]]  # the third is a dummy
    table = Emission(np.log([*naming, *[[1 / 3] * 3] * 2]), np.zeros((2, 3)), np.log(np.full(3, 1 / 3)), np.ones(2))
    second, alike = np.array([False, True]), np.eye(2, dtype=bool)
    judged = Judgement.of(Evidence.gather(votes), table, layout, second, np.full((2, 3), 0.4), alike)
    rows = 100 * np.array([0.98 + 0.01, 0.01 + 0.98, 0.02])
    voted = np.array([60 * 0.98 + 20 * 0.01, 60 * 0.01 + 20 * 0.98, 80 * 0.01])  # alike on all classes by now
    assert judged.rows[0].tolist() == [0, 0, 0]
    assert judged.rows[1] == pytest.approx(rows)
    assert judged.voted[1] == pytest.approx(voted)
    named = np.array([[True, True, False], [True, True, False]])
    lift = judged.lift(named, 4.0, 1e-9, 1e-9)  # no prior to speak of: rates are what was seen
    assert lift[1] / lift[1, 0] == pytest.approx((voted / rows) / (voted / rows)[0])
    stiff = judged.lift(named, 4.0, 1e12, 1e12)
    assert stiff[1] / stiff[1, 2] == pytest.approx([4, 4, 1])
    assert lift[0].tolist() == [4, 4, 1]  # nobody judged the first
    # Once it is known to vote on x only, all 80 rows that it votes on were of class x
    only_x = Judgement.of(Evidence.gather(votes), table, layout, second, np.array([[0.4] * 3, [0.4, 0, 0]]), alike)
    assert only_x.voted[1] == pytest.approx([80, 0, 0])
    # As a copy of the first it has nobody to judge it
    copies = Judgement.of(Evidence.gather(votes), table, layout, second, np.full((2, 3), 0.4), np.ones((2, 2), bool))
    assert not copies.rows[1].any()
    assert not copies.voted[1].any()


@quiet
def test_others_find_how_much_more_often_a_rule_votes_on_a_class_though_they_are_unsure():
    """EM takes the others' doubt into account: a third as often is found although their beliefs are soft."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 100_000)
    soft = 1 + np.where(rng.random(100_000) < 0.7, truth, 1 - truth)  # right 7 times of 10
    rule = rng.random(100_000) < np.array([0.3, 0.1])[truth]
    votes = Votes(np.column_stack([soft, rule]), [["a", "b"], ["a"]], ["a", "b"])
    layout = Layout.of(votes.codomains, votes.space)
    table = Emission(
        np.log([[0.7, 0.3], [0.3, 0.7], [0.2, 0.2], [0.2, 0.2]]), np.zeros((2, 2)), np.log([0.5, 0.5]), np.ones(2)
    )
    propensity, named = np.full((2, 2), 0.2), np.array([[True, True], [True, False]])
    for _ in range(200):
        said = Judgement.of(
            Evidence.gather(votes), table, layout, np.array([False, True]), propensity, np.eye(2, dtype=bool)
        )
        propensity = class_propensities(
            np.array([1.0, rule.mean()]), said.lift(named, 1.0, 1e-9, 1e-9), named, np.full(2, 0.5)
        )
    assert propensity[1] == pytest.approx([0.3, 0.1], abs=0.01)


@quiet
def test_others_say_which_of_its_classes_a_rule_means():
    """A rule says {a, b} and fires on a nine times as often as on b: rows with its vote alone are taken for a."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 6000)
    naming = np.where(rng.random(6000) < 0.5, np.where(rng.random(6000) < 0.9, truth, rng.integers(0, 3, 6000)) + 1, 0)
    rule = rng.random(6000) < np.array([0.45, 0.05, 0.01])[truth]
    votes = Votes(np.column_stack([naming, rule]), [list("abc"), [{"a", "b"}]], list("abc"))
    model = LabelModel().fit(votes)
    alone = model.predict_proba(Votes([[0, 1]], votes.codomains, votes.space, votes.names))[0]
    assert alone[0] > 2 * alone[1]
    assert alone[2] < 0.2
    nobody = model.predict_proba(Votes([[0, 0]], votes.codomains, votes.space, votes.names))[0]
    assert nobody == pytest.approx(1 / 3)


@quiet
def test_unanimous_votes_keep_their_share():
    kept = LabelModel(estimator=Pooled(unanimity=0.9)).fit(two_keywords()).predict_proba(two_keywords())
    free = LabelModel(estimator=Pooled(unanimity=0)).fit(two_keywords()).predict_proba(two_keywords())
    assert free[0, 0] < 0.9
    assert kept[0] == pytest.approx([0.9, *(0.1 * free[0, 1:] / free[0, 1:].sum())])
    assert kept[50] == pytest.approx(free[50])  # nobody voted: there is nothing to keep


def test_unanimity_is_about_classes_in_common():
    layout = Layout((2, 2), np.array([[1, 1, 0], [0, 0, 1], [0, 1, 1], [1, 0, 0]], bool))
    beliefs = np.array([[0.5, 0.2, 0.3], [0.5, 0.2, 0.3], [0.1, 0.7, 0.2], [0.5, 0.2, 0.3]])
    codes = np.array([[1, 1], [2, 2], [1, 1], [0, 0]])  # in common: the second class; nothing; the second; no vote
    expected = np.array([[0.4 * 5 / 8, 0.6, 0.4 * 3 / 8], [0.5, 0.2, 0.3], [0.1, 0.7, 0.2], [0.5, 0.2, 0.3]])
    assert unanimous(beliefs, codes, layout, 0.6) == pytest.approx(expected)


def test_class_propensities_have_the_observed_mean():
    named = np.array([[True, False, False], [True, True, True], [False, True, True], [True, False, False]])
    balance = np.array([0.5, 0.3, 0.2])
    rate = np.array([0.2, 0.4, 0.1, 1.0])
    beta = class_propensities(rate, np.where(named, 4.0, 1.0), named, balance)
    assert beta @ balance == pytest.approx(rate)
    assert beta[0, 0] / beta[0, 1] == pytest.approx(4)
    assert (beta[1] == 0.4).all()
    assert (beta[3] == 1).all()
    assert (class_propensities(np.array([0.9]), np.where(named[:1], 4.0, 1.0), named[:1], balance) < 1).all()


# -- parameters ----------------------------------------------------------------------------------------------


def test_parameters_are_recovered():
    truth, votes, classes = some()
    model = LabelModel().fit(votes)
    assert model.converged_
    assert np.abs(model.accuracy_ - truth.accuracy).max() < 0.05
    assert np.abs(model.estimate_.labeler_accuracy - truth.accuracy.mean(axis=1)).max() < 0.05
    assert model.propensity_ == pytest.approx(truth.propensity, abs=0.02)
    assert model.class_propensity_ == pytest.approx(np.broadcast_to(truth.propensity[:, None], (4, 3)), abs=0.02)
    assert model.estimate_.trust > 0.7
    assert model.score(votes, classes) > NearestClass().fit(votes).score(votes, classes)
    assert model.score(votes) < 0


def test_evidence_is_discounted_where_rows_are_hard_for_all_at_once():
    names = list("abc")
    good, bad = (Parameters(np.full((10, 3), a), np.full(10, 0.8), np.full(3, 1 / 3)) for a in (0.8, 0.4))
    easy = simulate(good, [names] * 10, 2000, space=names, seed=0).votes
    hard = simulate(bad, [names] * 10, 2000, space=names, seed=1).votes
    assert LabelModel().fit(easy).estimate_.temperature > 0.6
    assert LabelModel().fit([easy, hard]).estimate_.temperature < 0.6


def test_held_out_labelers_by_hand():
    """Two labelers that name one of two classes: from the vote of one follows what the other will say."""
    votes = Votes([[1, 1], [1, 2], [2, 2]], [["x", "y"]] * 2, ["x", "y"])
    with pytest.warns(FewLabelers):
        table = replace(LabelModel().fit(votes).estimate_.guard.prior, exponent=np.ones(2))
    same = [0.8**g / (0.8**g + 0.2**g) for g in TEMPERATURES]  # P(class of the other's vote), tempered
    says = [np.log([p * 0.8 + (1 - p) * 0.2, p * 0.2 + (1 - p) * 0.8]) for p in same]
    counted = [(2 * agree + 1 * differ) / 3 for agree, differ in says]
    layout = Layout((2, 2), np.array([[1, 0], [0, 1]] * 2, bool))
    # shortlists are voted unequally, but each class has one right and one wrong shortlist
    assert vote_scores(votes.codes, np.ones(3), table, layout, TEMPERATURES) == pytest.approx(counted, abs=1e-9)
    assert best_temperature(votes.codes, np.ones(3), table, layout) == TEMPERATURES[np.argmax(counted)]


@quiet
def test_gold_labels_count_as_what_they_are():
    _, votes, classes = some(300)
    flipped = {"business": "sports", "sports": "world", "world": "business"}
    gold = [flipped[c] for c in classes]
    told = LabelModel().fit(votes, gold)
    assert told.estimate_.trust > 0.8  # the fit is right about these rows, and the labelers' word is not
    assert told.estimate_.unanimity < 0.3
    # all rows are known: the accuracy is the share right, drawn toward the mean of the labeler
    code, j, i = votes.codes[:, 0], CLASSES.index("world"), 0
    known = np.array(gold) == "world"
    hits, all_ = (code[known] == j + 1).sum(), (code[known] > 0).sum()
    expected = (hits + 30 * told.estimate_.labeler_accuracy[i]) / (all_ + 30)
    assert told.accuracy_[i, j] == pytest.approx(expected)
    assert told.accuracy_[0].mean() < LabelModel().fit(votes).accuracy_[0].mean() - 0.3


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
    assert list(why.moves) == [*votes.names, "pooling"]
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
    model = clone(LabelModel(balance=balance, estimator=Pooled(propensity_ratio=2))).fit(votes)
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
        ("propensity_ratio", 0.5),
        ("accuracy_mean", 1),
        ("labeler_votes", 0),
        ("class_votes", -1),
        ("propensity_votes", 0),
        ("spread_votes", np.inf),
        ("unanimity", 1),
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
    assert "pooling" in str(model.explain(votes, 0))


def test_no_rows_are_an_error():
    with pytest.raises(BadFit, match="nothing to learn from"):
        LabelModel().fit(two_keywords()[:0])


@quiet
def test_what_was_never_said_is_still_read_when_it_is():
    votes = Votes([[1, 1, 1], [2, 1, 2], [1, 2, 2]] * 5, [["x", "y", "z"], ["x", "y"], ["x", "y"]], ["x", "y", "z"])
    model = LabelModel().fit(votes)
    new = Votes([[3, 1, 1]], votes.codomains, votes.space, votes.names)
    assert np.isfinite(model.predict_proba(new)).all()
    assert np.isfinite(list(model.explain(new, 0, of="x", against="y").moves.values())).all()


# -- trust ---------------------------------------------------------------------------------------------------


def test_agreement_shares_ties():
    one = np.array([[0.5, 0.5, 0], [1, 0, 0], [0, 1, 0], [0, 0.5, 0.5]])
    other = np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [1, 0, 0], [0.5, 0.5, 0]])
    # a tie is contradicted by none of its classes; of two ties, half in common is half agreed
    assert agreement(one, other, np.array([1.0, 2.0, 1.0, 3.0])) == pytest.approx((1 + 2 * 1 + 0 + 3 / 2) / 7)
    assert agreement(one, other, np.zeros(4)) == 1


def mislabeled(wrong: int):
    """Nine good labelers over five classes, of which some declare their classes in another order."""
    names = list("abcde")
    truth = Parameters(np.full((9, 5), 0.85), np.full(9, 0.7), np.full(5, 0.2))
    votes, classes = simulate(truth, [names] * 9, 4000, space=names, seed=1)
    turned = [np.roll(names, 1 + i % 4).tolist() if i < wrong else names for i in range(9)]
    return Votes(votes.codes, turned, names), classes


def test_trust_falls_when_most_tables_are_wrong():
    right, _ = mislabeled(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        good = LabelModel().fit(right)
    assert good.estimate_.trust > 0.9
    wrong, _ = mislabeled(8)
    with pytest.warns(LittleTrust, match="fall back toward counting"):
        bad = LabelModel().fit(wrong)
    assert bad.estimate_.trust < 0.6
    assert np.abs(bad.predict_proba(wrong) - MajorityVote().fit(wrong).predict_proba(wrong)).mean() < 0.15


def test_a_fit_that_had_to_stop_says_so():
    _, votes, _ = some(500)
    with pytest.warns(NotConverged, match="max_iter"):
        model = LabelModel(max_iter=1).fit(votes)
    assert (model.n_iter_, model.converged_) == (1, False)


# -- real votes ----------------------------------------------------------------------------------------------


@quiet
@pytest.mark.parametrize(
    "name", ["awa2", "crowd/dog", "crowd/rte", "crowd/web", "wrench/trec", "wrench/youtube", "lad/A0"]
)
def test_never_worse_than_counting_on_real_votes(name, data_home):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = datasets.load(name, data_home)
    splits = list(data.splits)
    fitted, scored = data["train" if "train" in splits else splits[0]], data["test" if "test" in splits else splits[0]]
    gold = data.space.positions(scored.gold)
    known = (gold >= 0) & scored.votes.covered

    def right(model):
        beliefs = model.fit(fitted.votes).predict_proba(scored.votes)[known]
        top = beliefs >= beliefs.max(axis=1, keepdims=True) - 1e-9
        return (top / top.sum(axis=1, keepdims=True))[np.arange(known.sum()), gold[known]].mean()

    assert right(LabelModel()) > max(right(NearestClass()), right(MajorityVote())) - 0.005
