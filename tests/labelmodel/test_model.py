import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from experiments import datasets
from shortlist import LabelModel, Votes, apply, labeler, simulate
from shortlist.errors import BadFit, BadVotes, FitWarning, NotFitted, UnknownClass
from shortlist.labelmodel import EM, Likelihood, Parameters
from tests.labelmodel.reference import joint, likelihood, some_votes

# The five settings published with the paper: shortlists as 1-based classes, accuracies, balance, propensities
PUBLISHED = {
    "five labelers, balanced": (
        ["1|23", "2|13", "12|3", "12|3", "13|2"],
        [[0.8, 0.7, 0.6], [0.75, 0.65, 0.7], [0.8, 0.7, 0.65], [0.8, 0.8, 0.75], [0.9, 0.7, 0.8]],
        [1 / 3, 1 / 3, 1 / 3],
        [1.0] * 5,
    ),
    "five labelers, unbalanced": (
        ["1|2|3", "1|23", "12|3", "1|2|3", "1|2|3"],
        [[0.8, 0.7, 0.6], [0.8, 0.7, 0.6], [0.5, 0.9, 0.6], [0.8, 0.7, 0.6], [0.9, 0.7, 0.6]],
        [0.5, 0.3, 0.2],
        [1.0] * 5,
    ),
    "six labelers": (
        ["1|2|3", "2|13", "12|3", "1|2|3", "1|2|3", "32|1"],
        [[0.8, 0.7, 0.6], [0.8, 0.8, 0.7], [0.5, 0.7, 0.9], [0.8, 0.6, 0.7], [0.9, 0.7, 0.6], [0.8, 0.5, 0.6]],
        [0.4, 0.2, 0.4],
        [1.0] * 6,
    ),
    "six labelers that abstain": (
        ["1|2|3", "2|13", "12|3", "1|2|3", "1|23", "32|1"],
        [[0.8, 0.7, 0.6], [0.8, 0.7, 0.7], [0.5, 0.7, 0.9], [0.8, 0.6, 0.7], [0.9, 0.8, 0.6], [0.8, 0.5, 0.8]],
        [0.4, 0.2, 0.4],
        [0.8, 0.9, 0.8, 0.7, 0.8, 0.9],
    ),
    "six labelers that abstain, again": (
        ["1|2|3", "2|13", "12|3", "1|2|3", "1|23", "32|1"],
        [[0.8, 0.7, 0.6], [0.8, 0.6, 0.7], [0.5, 0.7, 0.9], [0.8, 0.6, 0.7], [0.9, 0.8, 0.6], [0.8, 0.5, 0.8]],
        [0.4, 0.2, 0.4],
        [0.8, 0.9, 0.8, 0.7, 0.8, 0.9],
    ),
}


def published(name, seed):
    shortlists, accuracy, balance, propensity = PUBLISHED[name]
    parameters = Parameters(np.array(accuracy), np.array(propensity), np.array(balance))
    says = [[set(group) for group in labeler.split("|")] for labeler in shortlists]
    return parameters, simulate(parameters, says, 32_768, space=["1", "2", "3"], seed=seed)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_settings_are_recovered(name):
    truth, (votes, _) = published(name, seed=0)
    model = LabelModel.paper().fit(votes)
    assert model.accuracy_ == pytest.approx(truth.accuracy, abs=0.05)
    assert model.class_balance_ == pytest.approx(truth.balance, abs=0.05)
    assert model.propensity_ == pytest.approx(truth.propensity, abs=0.05)
    assert model.converged_


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_settings_are_recovered_on_average(name):
    """Over ten draws the error is that of sampling: no bias."""
    errors = []
    for seed in range(10):
        truth, (votes, _) = published(name, seed)
        errors.append(LabelModel.paper().fit(votes).accuracy_ - truth.accuracy)
    assert np.abs(np.mean(errors, axis=0)).max() < 0.03


@pytest.fixture(scope="module")
def simulated():
    rng = np.random.default_rng(0)
    parameters = Parameters(rng.uniform(0.65, 0.9, (6, 3)), rng.uniform(0.4, 0.9, 6), np.array([0.5, 0.3, 0.2]))
    says = [
        ["x", "y", "z"],
        ["x", {"y", "z"}],
        [{"x", "y"}, "z"],
        ["y", {"x", "z"}],
        ["x", {"x", "y"}, "z"],
        ["z", "y", "x"],
    ]
    return parameters, simulate(parameters, says, 4000, space=["x", "y", "z"], seed=1)


@pytest.fixture(scope="module")
def votes(simulated):
    return simulated[1].votes


@pytest.fixture(scope="module")
def truth(simulated):
    return simulated[1].truth


@pytest.fixture(scope="module")
def fitted(votes):
    return LabelModel().fit(votes)


# -- beliefs -------------------------------------------------------------------------------------------


def test_beliefs_are_bayes_rule_over_equation_1(votes):
    model = LabelModel.paper().fit(votes)
    both = joint(votes[:200], model.accuracy_, model.propensity_, model.class_balance_)
    assert model.predict_proba(votes[:200]) == pytest.approx(both / both.sum(axis=1, keepdims=True), abs=1e-9)
    assert model.score(votes[:200]) == pytest.approx(np.log(both.sum(axis=1)).mean())


def test_predictions_beat_any_single_labeler(fitted, votes, truth):
    def accuracy(i):
        voted = [t == "xyz"[votes.codes[a, i] - 1] for a, t in enumerate(truth) if votes.codes[a, i]]
        return np.mean(voted)

    assert fitted.score(votes, truth) > accuracy(0)
    assert fitted.score(votes, truth) == pytest.approx(np.mean(fitted.predict(votes) == truth))


def test_rows_without_a_vote_follow_the_balance_or_are_none():
    some = Votes([[0, 0, 0], [1, 1, 1], [2, 2, 2]] * 5, [["x", "y"]] * 3, ["x", "y"])
    model = LabelModel(balance={"x": 0.2, "y": 0.8}).fit(some)
    assert model.predict(some[:2]).tolist() == ["y", "x"]
    assert model.predict(some[:2], uncovered=None).tolist() == [None, "x"]
    assert model.predict_proba(some[:1])[0] == pytest.approx([0.2, 0.8])
    with pytest.raises(BadFit, match="uncovered"):
        model.predict(some, uncovered="random")


def test_a_set_holds_the_belief_asked_for_and_no_class_too_many(fitted, votes):
    beliefs = fitted.predict_proba(votes)
    for coverage in (0.5, 0.9, 1.0):
        for belief, chosen in zip(beliefs, fitted.predict_set(votes, coverage=coverage), strict=True):
            held = [belief["xyz".index(name)] for name in chosen]
            assert sum(held) >= coverage - 1e-8
            assert sum(held) - min(held) < coverage
    with pytest.raises(BadFit, match="coverage"):
        fitted.predict_set(votes, coverage=0)


def test_a_sample_looks_like_the_votes(fitted, votes):
    drawn, classes = fitted.sample(50_000, seed=3)
    assert drawn.names == votes.names
    assert drawn.coverage == pytest.approx(votes.coverage, abs=0.01)
    assert np.mean(classes == "x") == pytest.approx(fitted.class_balance_[0], abs=0.01)
    assert fitted.sample(5, seed=3).votes == fitted.sample(5, seed=3).votes


# -- input ---------------------------------------------------------------------------------------------


def same(a, b, votes, tolerance=1e-6):
    assert a.accuracy_ == pytest.approx(b.accuracy_, abs=tolerance)
    assert a.class_balance_ == pytest.approx(b.class_balance_, abs=tolerance)
    assert a.predict_proba(votes) == pytest.approx(b.predict_proba(votes), abs=tolerance)


def test_patterns_with_counts_chunks_and_weights_are_the_same_votes(votes):
    options = {"balance": "learn", "tol": 1e-12}
    whole = likelihood(**options).fit(votes)
    codes, counts = votes.pattern_counts()
    unique = Votes(codes, votes.codomains, votes.space, votes.names)
    same(likelihood(**options).fit(unique, weights=counts), whole, votes)
    same(likelihood(**options).fit(votes[a : a + 700] for a in range(0, 4000, 700)), whole, votes)
    twice = likelihood(**options).fit(votes, weights=np.full(len(votes), 2.0))
    again = likelihood(**options).fit(Votes.concat([votes, votes]))
    same(twice, again, votes)


def test_votes_that_keep_arriving_count_like_those_that_came_at_once(votes):
    options = {"balance": "learn", "tol": 1e-12}
    model = likelihood(**options)
    for a in range(0, 4000, 1000):
        model.partial_fit(votes[a : a + 1000])
    same(model, likelihood(**options).fit(votes), votes, 1e-4)
    assert model.evidence_.total == 4000
    settled = model.n_iter_
    model.partial_fit(votes[:1])
    assert model.n_iter_ <= settled  # it goes on from where it was


def test_gold_labels_enter_the_likelihood_exactly(votes, truth):
    """All gold: closed form, the share of right votes. Some gold: better than none."""
    model = LabelModel.paper().fit(votes, gold=truth)
    member = [[[name in s for name in "xyz"] for s in c.shortlists] for c in votes.codomains]
    for i in range(6):
        for j, name in enumerate("xyz"):
            rows = (truth == name) & (votes.codes[:, i] > 0)
            right = np.mean([member[i][c - 1][j] for c in votes.codes[rows, i]])
            assert model.accuracy_[i, j] == pytest.approx(right, abs=1e-8)
    assert model.class_balance_ == pytest.approx([np.mean(truth == name) for name in "xyz"])
    some = {a: truth[a] for a in range(300)}
    array = [truth[a] if a < 300 else None for a in range(4000)]
    with_nan = [truth[a] if a < 300 else float("nan") for a in range(4000)]
    by_mapping = LabelModel(tol=1e-12).fit(votes, some)
    for gold in (array, with_nan):
        same(by_mapping, LabelModel(tol=1e-12).fit(votes, gold), votes, 1e-9)
    chunks = [votes[:100], votes[100:1000], votes[1000:]]
    same(by_mapping, LabelModel(tol=1e-12).fit(iter(chunks), array), votes)


def test_a_few_gold_labels_turn_a_world_upside_down_round():
    """Labelers that are mostly wrong look mostly right, with the classes swapped, until somebody says so."""
    wrong = Parameters(np.full((4, 2), 0.2), np.full(4, 0.9), np.full(2, 0.5))
    votes, truth = simulate(wrong, [["x", "y"]] * 4, 4000, space=["x", "y"], seed=0)
    assert LabelModel().fit(votes).score(votes, truth) < 0.2
    assert LabelModel().fit(votes, {a: truth[a] for a in range(400)}).score(votes, truth) > 0.8


# -- laws ----------------------------------------------------------------------------------------------


def quietly(model, votes):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        return model.fit(votes)


def some_model(options, **more):
    return LabelModel(**more) if options is None else likelihood(**options, **more)


MODELS = st.sampled_from([
    None,
    {"accuracy": "labeler", "propensity": "class", "balance": "learn"},
    {"n_starts": 3, "balance": "learn"},
    {"split": "equal", "accuracy_votes": 0.0, "balance": "learn", "balance_rows": 0.0},
])  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(some_votes(), MODELS)
def test_beliefs_are_distributions_whatever_the_votes(votes, options):
    model = quietly(some_model(options, max_iter=200), votes)
    beliefs = model.predict_proba(votes)
    assert np.isfinite(beliefs).all()
    assert (beliefs >= 0).all()
    assert beliefs.sum(axis=1) == pytest.approx(1, abs=1e-12)
    if options is not None:  # the history of the default is how far its numbers moved
        assert np.diff(model.history_, prepend=model.history_[0]).min() >= -1e-12


@settings(max_examples=25, deadline=None)
@given(some_votes(), MODELS, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_labelers_does_not_matter(votes, options, random):
    rows, columns = list(range(len(votes))), list(range(len(votes.names)))
    random.shuffle(rows)
    random.shuffle(columns)
    here = quietly(some_model(options, max_iter=30, tol=0.0), votes)
    there = quietly(some_model(options, max_iter=30, tol=0.0), votes[rows, columns])
    assert here.history_[-1] == pytest.approx(there.history_[-1], abs=1e-6)
    if options is None:  # where other options leave the optimum flat, rounding may lead elsewhere on it
        assert there.predict_proba(votes) == pytest.approx(here.predict_proba(votes), abs=1e-6)


def test_shuffled_rows_and_labelers_and_classes_give_the_same_beliefs(votes):
    rng = np.random.default_rng(0)
    for options in (None, {"balance": "learn", "propensity": "class", "n_starts": 2}):
        model = some_model(options, tol=1e-12).fit(votes)
        shuffled = votes[rng.permutation(len(votes)), rng.permutation(6)]
        again = some_model(options, tol=1e-12).fit(shuffled)
        assert again.predict_proba(votes) == pytest.approx(model.predict_proba(votes), abs=1e-6)
        turned = Votes(votes.codes, votes.codomains, ["z", "x", "y"], votes.names)
        again = some_model(options, tol=1e-12).fit(turned)
        assert again.predict_proba(turned)[:, [1, 2, 0]] == pytest.approx(model.predict_proba(votes), abs=1e-6)


def test_the_number_of_threads_does_not_matter():
    rng = np.random.default_rng(5)
    truth = Parameters(rng.uniform(0.6, 0.9, (9, 4)), rng.uniform(0.5, 0.9, 9), np.full(4, 0.25))
    votes = simulate(truth, [["a", "b", {"c", "d"}, {"b", "d"}]] * 9, 40_000, space=list("abcd"), seed=2).votes
    one = LabelModel(threads=1).fit(votes)
    assert len(one.evidence_.weights) > 20_000  # several blocks
    for threads in (2, 5):
        several = LabelModel(threads=threads).fit(votes)
        assert np.array_equal(one.predict_proba(votes), several.predict_proba(votes))


def test_nothing_of_the_caller_changes(votes, truth):
    weights, gold, balance = np.ones(len(votes)), truth.copy(), np.array([0.2, 0.3, 0.5])
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    model = likelihood(balance=balance, n_starts=2).fit(votes, gold, weights=weights)
    model.predict(votes)
    model.sample(10, seed=0)
    assert (weights == 1).all()
    assert (gold == truth).all()
    assert balance.tolist() == [0.2, 0.3, 0.5]
    assert np.array_equal(np.random.get_state()[1], state)  # noqa: NPY002


# -- options -------------------------------------------------------------------------------------------


def test_paper_is_the_paper_to_the_letter():
    paper = LabelModel.paper()
    letter = paper.estimator
    assert (letter.accuracy, letter.propensity, letter.split, paper.balance) == ("class", "labeler", "equal", "learn")
    assert letter.accuracy_votes == letter.balance_rows == 0
    other = LabelModel.paper(balance="uniform", n_starts=3, tol=1e-3)
    assert (other.balance, other.estimator.n_starts, other.tol) == ("uniform", 3, 1e-3)
    assert other.estimator.split == "equal"


def test_options_shape_what_is_learned(votes):
    shared = likelihood(accuracy="labeler", propensity="class").fit(votes)
    assert np.ptp(shared.accuracy_, axis=1).max() == 0
    assert np.ptp(shared.class_propensity_, axis=1).min() > 0
    given = LabelModel(balance={"z": 0.125, "x": 0.375, "y": 0.5}).fit(votes)
    assert given.class_balance_.tolist() == [3 / 8, 4 / 8, 1 / 8]
    strong = likelihood(accuracy_mean=0.8, accuracy_votes=1e9).fit(votes)
    assert strong.accuracy_ == pytest.approx(0.8, abs=1e-4)
    level = likelihood(balance="learn", balance_rows=1e9).fit(votes)
    assert level.class_balance_ == pytest.approx(1 / 3, abs=1e-4)
    flat = likelihood(propensity="class", propensity_rows=1e9).fit(votes)
    assert flat.class_propensity_ == pytest.approx(np.repeat(votes.coverage[:, None], 3, axis=1), abs=1e-4)


def test_class_propensities_read_whether_a_labeler_fires():
    rng = np.random.default_rng(0)
    fires = np.array([[0.6, 0.1], [0.55, 0.15], [0.1, 0.6], [0.2, 0.5]])
    truth = Parameters(np.full((4, 2), 0.95), fires, np.array([0.5, 0.5]))
    votes, classes = simulate(truth, [["a", "b"]] * 4, 20_000, space=["a", "b"], seed=rng)
    model = likelihood(propensity="class", balance="learn").fit(votes)
    assert model.class_propensity_ == pytest.approx(fires, abs=0.05)
    assert model.propensity_ == pytest.approx(votes.coverage, abs=0.01)
    blind = LabelModel().fit(votes)
    assert model.score(votes, classes) > blind.score(votes, classes) + 0.01


def test_more_starting_points_never_end_lower(votes):
    one = LabelModel.paper(tol=1e-10).fit(votes)
    many = LabelModel.paper(tol=1e-10, n_starts=4, seed=1).fit(votes)
    assert many.history_[-1] >= one.history_[-1]
    again = [likelihood(n_starts=3, seed=5).fit(votes).score(votes) for _ in range(2)]
    assert again[0] == again[1]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("balance", "guess"),
        ("balance", [0.5, 0.5]),
        ("balance", {"x": 1, "y": 1}),
        ("balance", [0.5, 0.5, 0.0]),
        ("balance", [0.5, np.nan, 0.5]),
        ("estimator", "pool"),
        ("estimator", EM()),
        ("max_iter", 0),
        ("max_iter", True),
        ("tol", -1e-3),
        ("tol", "small"),
        ("threads", 0),
        pytest.param("device", "abacus", marks=pytest.mark.heavy),
        ("device", "auto"),
    ],
)
def test_an_option_that_cannot_be_is_named(option, value, votes):
    with pytest.raises(BadFit, match=option) as error:
        LabelModel(**{option: value}).fit(votes)
    assert error.value.option == (option,)


def test_an_unknown_class_in_the_balance_is_named(votes):
    with pytest.raises(UnknownClass, match="'w'") as error:
        LabelModel(balance={"x": 1, "y": 1, "z": 1, "w": 1}).fit(votes)
    assert error.value.option == ("balance",)


# -- bad input -----------------------------------------------------------------------------------------


def test_nothing_to_learn_from_is_an_error(votes):
    with pytest.raises(BadFit, match="0 rows"):
        LabelModel().fit(votes[:0])
    with pytest.raises(BadFit, match="0 labelers"):
        LabelModel().fit(votes[:, []])
    with pytest.raises(BadVotes, match="no votes"):
        LabelModel().fit(iter([]))
    for nonsense in ([[1, 2]], 3, np.ones((3, 2))):
        with pytest.raises(BadVotes, match="expected Votes"):
            LabelModel().fit(nonsense)


def test_who_gives_rows_is_told_to_apply_labelers_first(votes):
    """Newcomer: `model.predict(texts)` named from_snorkel only; `fit(texts)` said "got str"."""
    for call in (LabelModel().fit, LabelModel().fit(votes).predict):
        with pytest.raises(BadVotes, match=r"got list\. apply\(labelers, rows\) makes Votes of rows\."):
            call(["some text", "more text"])


def test_weights_and_gold_that_cannot_be_are_named(votes):
    for weights in ([1.0, 2.0], -np.ones(4000), np.zeros(4000), np.full(4000, np.nan), np.ones((4000, 1))):
        with pytest.raises(BadFit, match="weights"):
            LabelModel().fit(votes, weights=weights)
    with pytest.raises(BadFit, match="weights"):
        LabelModel().fit(votes, weights=np.ones(5000))
    with pytest.raises(BadFit, match="4,000 rows"):
        LabelModel().fit(votes, gold=["x"])
    with pytest.raises(BadFit, match="row 4000"):
        LabelModel().fit(votes, gold={4000: "x"})
    with pytest.raises(UnknownClass, match="'w'"):
        LabelModel().fit(votes, gold={3: "w"})


def test_a_model_that_is_not_fitted_says_so(votes):
    for ask in (LabelModel().predict, LabelModel().predict_proba, LabelModel().explain, LabelModel().score):
        with pytest.raises(NotFitted, match="fit"):
            ask(votes)
    with pytest.raises(NotFitted):
        LabelModel().sample(3, seed=0)


def test_all_rows_abstaining_leaves_the_balance():
    silent = Votes(np.zeros((10, 3), int), [["x", "y"]] * 3, ["x", "y"])
    with pytest.warns(FitWarning):
        model = LabelModel(balance=[0.3, 0.7]).fit(silent)
    assert model.predict_proba(silent) == pytest.approx(np.tile([0.3, 0.7], (10, 1)))
    assert model.accuracy_ == pytest.approx(0.8)


@pytest.mark.parametrize("make", [LabelModel, LabelModel.paper])
def test_labelers_that_never_or_always_vote_do_no_harm(make, votes):
    codes = np.column_stack([votes.codes, np.zeros(4000, int), np.ones(4000, int), np.zeros(4000, int)])
    never = Votes.from_snorkel(np.full((2, 1), -1), ["x", "y", "z"]).codomains[0]
    assert len(never) == 0
    more = Votes(codes, [*votes.codomains, ["x", "y", "z"], ["x", {"y", "z"}], never], votes.space)
    with pytest.warns(FitWarning, match="same answer"):
        model = make().fit(more)
    assert model.propensity_[6:] == pytest.approx([0, 1, 0], abs=1e-6)
    assert np.isfinite(model.predict_proba(more)).all()
    if make is LabelModel.paper:
        assert model.predict_proba(more) == pytest.approx(make().fit(votes).predict_proba(votes), abs=0.02)


def test_a_class_in_no_shortlist_is_still_a_class():
    """k = 3, but no labeler ever says z: the dummies hold it."""
    codes = np.random.default_rng(0).integers(1, 3, (500, 3))
    votes = Votes(codes, [["x", "y"]] * 3, ["x", "y", "z"])
    model = LabelModel().fit(votes)
    beliefs = model.predict_proba(votes)
    assert np.isfinite(beliefs).all()
    assert beliefs[:, 2].max() < 0.5


def test_votes_of_another_space_or_other_labelers_are_refused(fitted, votes):
    other = Votes(votes.codes, [[["x"], ["y"], ["z"]]] * 6, ["x", "y", "z", "w"])
    with pytest.raises(BadVotes, match="'w'"):
        fitted.predict_proba(other)
    with pytest.raises(BadVotes, match="labeler_6"):
        fitted.predict_proba(votes[:, :5])
    assert fitted.predict_proba(votes[:0]).shape == (0, 3)


def test_labelers_are_found_by_name_and_votes_by_what_they_say(fitted, votes):
    turned = votes[:50, ::-1]
    assert fitted.predict_proba(turned) == pytest.approx(fitted.predict_proba(votes[:50]))
    recoded = Votes(
        np.column_stack([votes.codes[:50, :5], np.array([0, 3, 2, 1])[votes.codes[:50, 5]]]),
        [*votes.codomains[:5], ["x", "y", "z"]],
        votes.space,
        votes.names,
    )
    assert fitted.predict_proba(recoded) == pytest.approx(fitted.predict_proba(votes[:50]))
    unheard = Votes([[2]], [[{"x", "z"}, "y", "z"]], votes.space, ["labeler_2"])
    others = Votes(np.zeros((1, 5), int), [votes.codomains[i] for i in (0, 2, 3, 4, 5)], votes.space,
                   [votes.names[i] for i in (0, 2, 3, 4, 5)])  # fmt: skip
    with pytest.raises(BadVotes, match="'labeler_2' says y on row 0"):
        fitted.predict_proba(Votes.beside([unheard, others]))


# -- an estimator people know --------------------------------------------------------------------------


def test_options_are_kept_and_cloned(votes):
    balance = np.array([0.2, 0.3, 0.5])
    model = likelihood(balance=balance, accuracy="labeler", seed=3)
    assert model.get_params()["balance"] is balance
    copy = clone(model)
    assert copy.get_params()["estimator"] == Likelihood(accuracy="labeler")
    assert not hasattr(copy.fit(votes), "never_set")
    assert model.set_params(tol=1e-3).tol == 1e-3
    assert not hasattr(clone(copy), "accuracy_")
    assert copy.fit(votes) is copy


def test_it_works_inside_a_pipeline():
    @labeler(says=["long", "short"])
    def by_length(text):
        return "long" if len(text) > 5 else "short"

    @labeler(says=["long", "short"])
    def by_words(text):
        return "long" if " " in text else None

    @labeler(says=["long", "short"])
    def by_end(text):
        return "short" if text.endswith("!") else None

    labelers = [by_length, by_words, by_end]
    steps = [("vote", FunctionTransformer(lambda rows: apply(labelers, rows))), ("believe", LabelModel())]
    texts = ["hi!", "a long text", "no!", "another long one", "yes!", "and one more"]
    pipeline = Pipeline(steps)
    with pytest.warns(FitWarning, match="by_words, by_end"):
        pipeline.fit(texts)
    assert pipeline.predict(["oh!", "a very long text"]).tolist() == ["short", "long"]
    assert pipeline.predict_proba(texts).shape == (6, 2)
    with pytest.warns(FitWarning):
        semi = Pipeline(steps).fit(texts, ["short", None, None, None, None, "long"])
    assert semi.predict(["oh!"]).tolist() == ["short"]


# -- real votes ----------------------------------------------------------------------------------------


def test_animals_with_attributes(data_home):
    """78 attribute detectors on the ten unseen classes: well above the Nearest Class baseline's 51.2."""
    animals = datasets.load("awa2", data_home)["all"]
    guess = likelihood(split="equal").fit(animals.votes).predict(animals.votes)
    by_class = [np.mean(guess[animals.gold == name] == name) for name in animals.votes.space]
    assert 100 * np.mean(by_class) > 65


@pytest.mark.parametrize(
    ("option", "value"), [("seed", "x"), ("seed", -1), ("seed", None), ("threads", "x"), ("tol", "x"), ("device", 5)]
)
def test_a_wrongly_typed_option_is_told_by_name(option, value, votes):
    """Attack C1: a bare TypeError, which `except ShortlistError` misses."""
    with pytest.raises(BadFit, match=option) as error:
        likelihood(**{option: value}, n_starts=2).fit(votes)
    assert error.value.option == (option,)


def test_sixty_thousand_classes_are_refused_with_what_they_would_need():
    said = np.random.default_rng(0).integers(0, 60_000, (2000, 3))
    votes = Votes.from_snorkel(said, [f"c{j}" for j in range(60_000)], says="all")
    with pytest.raises(BadFit, match=r"60,000 classes and 180,000 shortlists .* about 1,296 GB of memory"):
        LabelModel().fit(votes)
