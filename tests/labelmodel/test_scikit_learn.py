"""Label models inside scikit-learn's tools: splitting, searching, cloning, scoring."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, train_test_split
from sklearn.utils import get_tags, resample, shuffle
from sklearn.utils.metadata_routing import get_routing_for_object

from shortlist import LabelModel, MajorityVote, NoiseAwareClassifier, Votes, simulate
from shortlist.classifier import TextFeatures
from shortlist.errors import BadFit, FewLabelers, NotFitted
from shortlist.labelmodel import Likelihood, Parameters, held_out_score

CLASSES = ["business", "sports", "world"]


@pytest.fixture(scope="module")
def drawn():
    says = [CLASSES, ["sports", {"business", "world"}], [{"sports", "world"}, "business"], CLASSES, CLASSES]
    right = np.tile([[0.9], [0.8], [0.85], [0.6], [0.75]], 3)
    parameters = Parameters(accuracy=right, propensity=np.full(5, 0.7), balance=np.full(3, 1 / 3))
    return simulate(parameters, says, 600, space=CLASSES, seed=1)


@pytest.fixture(scope="module")
def votes(drawn):
    return drawn.votes


@pytest.fixture(scope="module")
def gold(drawn):
    return drawn.truth


def test_votes_are_split_as_arrays_are(votes, gold):
    assert votes[[5, 2], ...] == votes[[5, 2]]
    parts = train_test_split(votes, gold, np.arange(600), stratify=gold, random_state=0)
    for part, names, rows in (parts[::2], parts[1::2]):
        assert part == votes[rows]
        assert names.tolist() == gold[rows].tolist()
    for again, rows in (
        resample(votes, np.arange(600), random_state=0, n_samples=50),
        shuffle(votes, np.arange(600), random_state=0),
    ):
        assert again == votes[rows]


def test_scores_and_predictions_by_cross_validation(votes, gold):
    partly = np.where(np.arange(600) % 3 == 0, gold, None)
    assert cross_val_score(LabelModel(), votes, partly, cv=3).mean() > 0.75
    by_hand = [LabelModel().fit(votes[a], gold[a]).score(votes[b], gold[b]) for a, b in two_folds()]
    assert cross_val_score(LabelModel(), votes, gold, cv=two_folds()).tolist() == by_hand
    labels = cross_val_predict(LabelModel(), votes, cv=3)
    assert np.mean(labels == gold) > 0.8
    assert cross_val_predict(LabelModel(), votes, cv=3, method="predict_proba").shape == (600, 3)


def two_folds():
    return [(np.arange(0, 600, 2), np.arange(1, 600, 2)), (np.arange(1, 600, 2), np.arange(0, 600, 2))]


@pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")
def test_options_of_the_estimator_are_searched(votes, gold):
    options = {"estimator__accuracy_votes": [1.0, 1e6]}  # the second one sets all accuracies to 0.4
    model = LabelModel(estimator=Likelihood(accuracy_mean=0.4))
    search = GridSearchCV(model, options, cv=2, scoring=held_out_score).fit(votes)
    assert search.best_params_ == {"estimator__accuracy_votes": 1.0}
    assert search.best_estimator_.score(votes, gold) > 0.8
    search = GridSearchCV(LabelModel(), {"estimator": ["pooled", "likelihood"]}, cv=2).fit(votes, gold)
    assert search.best_score_ > 0.8


def test_options_within_options():
    before = Likelihood(accuracy="labeler")
    model = LabelModel(estimator=before).set_params(estimator__n_starts=3, max_iter=7)
    assert (model.estimator, model.max_iter) == (Likelihood(accuracy="labeler", n_starts=3), 7)
    assert before == Likelihood(accuracy="labeler")  # it is not changed
    assert model.get_params()["estimator__n_starts"] == 3
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(BadFit, match=r"Likelihood has no option 'acuracy'\. Did you mean 'accuracy'"):
        model.set_params(estimator__acuracy="labeler")


def test_a_held_out_score_by_hand():
    """Two labelers with an accuracy of 0.8 each: what one says, predicted from the other."""
    says = Votes([[1, 1], [1, 2], [2, 0], [0, 0]], [["cat", "dog"]] * 2, ["cat", "dog"])
    sure = Likelihood(accuracy_mean=0.8, accuracy_votes=1e9)
    with pytest.warns(FewLabelers):
        model = LabelModel(estimator=sure).fit(says)
    agree = np.log(0.8 * 0.8 + 0.2 * 0.2)
    assert held_out_score(model, says) == pytest.approx((2 * agree + 2 * np.log(0.8 * 0.2 * 2)) / 4)
    assert held_out_score(model, says[:1]) == pytest.approx(agree)
    with pytest.raises(BadFit, match="two labelers"):
        held_out_score(model, says[2:])


def test_a_held_out_score_prefers_the_better_model(votes, gold):
    """Without a gold label, it ranks a model above one of permuted votes, as gold does."""
    rng = np.random.default_rng(0)
    mixed = Votes(np.stack([rng.permutation(c) for c in votes.codes.T]).T, votes.codomains, votes.space, votes.names)
    good, none = LabelModel().fit(votes[:300]), LabelModel(estimator="likelihood").fit(mixed)
    rest = votes[300:]
    assert good.score(rest, gold[300:]) > none.score(rest, gold[300:]) + 0.02
    assert held_out_score(good, rest) > held_out_score(none, rest) + 0.02


@pytest.mark.parametrize("model", [LabelModel, MajorityVote, NoiseAwareClassifier, TextFeatures])
def test_unfitted_models_raise_the_error_of_scikit_learn(model, votes):
    ask = model().transform if model is TextFeatures else model().predict
    with pytest.raises(NotFittedError, match="fit") as caught:
        ask(np.zeros((2, 2)))
    assert isinstance(caught.value, NotFitted)


def test_only_metadata_is_routed_as_metadata():
    requests = {model: model().get_metadata_routing() for model in (NoiseAwareClassifier, TextFeatures)}
    assert sorted(requests[NoiseAwareClassifier].fit.requests) == ["classes", "covered", "sample_weight"]
    assert not requests[TextFeatures].fit.requests
    assert get_tags(TextFeatures()).input_tags.string
    with config_context(enable_metadata_routing=True):
        assert clone(LabelModel(seed=3)).seed == 3
        assert get_routing_for_object(LabelModel()).fit.requests == {}
