"""The seam: an estimator that shortlist does not know, written as somebody else would."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from shortlist import Analysis, LabelModel, intervals, simulate
from shortlist.errors import BadFile, BadFit, FitWarning
from shortlist.labelmodel import Estimate, Estimator, Likelihood, Parameters, Pooled, Problem
from shortlist.labelmodel.estimator import State
from shortlist.labelmodel.likelihood import emission
from shortlist.labelmodel.model import ESTIMATORS

SAYS = [["a", "b", "c"], ["a", {"b", "c"}], [{"a", "b"}, "c"], ["b", {"a", "c"}]]
TRUTH = Parameters(np.full((4, 3), 0.8), np.array([0.9, 0.7, 0.8, 0.6]), np.array([0.5, 0.3, 0.2]))


@dataclass(frozen=True)
class Alike(Estimator):
    """All labelers are equally accurate; nothing is learned but how often they vote."""

    kind: ClassVar[str] = "alike"
    accuracy: float = 0.75

    def fit(self, problem: Problem) -> Estimate:
        n, k = problem.layout.n, problem.layout.k
        step = problem.expectation
        parameters = Parameters(
            accuracy=np.full((n, k), self.accuracy),
            propensity=problem.layout.per_labeler(step.vote_counts) / step.total,
            balance=np.full(k, 1 / k) if problem.balance is None else problem.balance,
        )
        table = emission(parameters, problem.layout)
        return Estimate(
            panel=problem.panel,
            parameters=parameters,
            emission=table,
            history=np.array([step(table).log_likelihood / step.total]),
            converged=True,
            n_iter=1,
            remarks=(FitWarning("nothing was learned"),),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Halved(Estimate):
    """Beliefs that are half as sure as the table says."""

    doubt: float
    adjustment: ClassVar[tuple[str, str] | None] = ("doubt", "half of it")

    def beliefs(self, codes, *, device="cpu", threads=None):
        return (1 - self.doubt) * super().beliefs(codes, device=device, threads=threads) + self.doubt / self.layout.k

    def state(self) -> State:
        facts, arrays = super().state()
        return State({**facts, "doubt": self.doubt}, arrays)


@dataclass(frozen=True)
class Doubtful(Alike):
    """An estimator with an estimate of its own."""

    kind: ClassVar[str] = "doubtful"
    doubt: float = 0.5

    def fit(self, problem: Problem) -> Halved:
        return Halved(**vars(super().fit(problem)), doubt=self.doubt)

    def restore(self, panel, state) -> Halved:
        return Halved.restored(panel, state, doubt=state.facts["doubt"])


@pytest.fixture(scope="module")
def drawn():
    return simulate(TRUTH, SAYS, 3000, space=["a", "b", "c"], seed=0)


@pytest.fixture
def model(drawn):
    with pytest.warns(FitWarning, match="nothing was learned"):
        return LabelModel(estimator=Alike(0.8), balance=[0.5, 0.3, 0.2]).fit(drawn.votes)


def test_a_foreign_estimator_has_all_the_verbs(model, drawn):
    votes, truth = drawn
    # it was told the truth by accident, so its beliefs are Bayes' rule at the truth
    at_truth = LabelModel(estimator=Likelihood(accuracy_votes=1e12, accuracy_mean=0.8, split="equal"),
                          balance=TRUTH.balance).fit(votes)  # fmt: skip
    assert model.predict_proba(votes) == pytest.approx(at_truth.predict_proba(votes), abs=1e-6)
    assert model.score(votes, truth) > 0.8
    assert model.score(votes) == pytest.approx(model.history_[-1])
    assert model.explain(votes, 0).moves.keys() == set(votes.names)
    assert model.sample(20_000, seed=1).votes.coverage == pytest.approx(TRUTH.propensity, abs=0.02)
    assert (model.accuracy_.shape, model.propensity_.shape) == ((4, 3), (4,))
    assert (model.class_propensity_.shape, model.class_balance_.shape) == ((4, 3), (3,))


def test_what_reads_a_label_model_reads_a_foreign_one(model, drawn):
    votes, truth = drawn
    with pytest.raises(BadFit, match="accuracy_interval"):
        intervals(model)
    assert len(Analysis(votes, model, gold=truth).worth()) == 4


@pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")
@pytest.mark.parametrize("estimator", [Alike(0.7), Doubtful(0.7, 0.25)])
def test_a_file_of_a_foreign_estimator_asks_for_its_class(estimator, drawn, tmp_path, monkeypatch):
    votes, _ = drawn
    model, path = LabelModel(estimator=estimator).fit(votes), tmp_path / "model.npz"
    model.save(path)
    with pytest.raises(BadFile, match=r"'\w+', which is not part of shortlist.*register_estimator"):
        LabelModel.load(path)
    for made in (Alike, Doubtful):
        monkeypatch.setitem(ESTIMATORS.added, made.kind, made)
    again = LabelModel.load(path)
    assert again.estimator == estimator
    assert np.array_equal(again.predict_proba(votes), model.predict_proba(votes))
    assert again.partial_fit(votes).evidence_.total == 6000


@pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")
def test_what_an_estimate_adds_to_its_table_is_one_more_move(drawn):
    votes, _ = drawn
    model = LabelModel(estimator=Doubtful()).fit(votes)
    beliefs, why = model.predict_proba(votes)[0], model.explain(votes, 0)
    odds = np.log(beliefs[votes.space.position(why.of)] / beliefs[votes.space.position(why.against)])
    assert why.log_odds == pytest.approx(odds)
    assert list(why.moves) == [*votes.names, "doubt"]
    assert why.said["doubt"] == "half of it"


@pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")
def test_a_foreign_estimator_from_plain_data(monkeypatch):
    monkeypatch.setitem(ESTIMATORS.added, "alike", Alike)
    made = LabelModel.from_options({"estimator": {"kind": "alike", "accuracy": 0.9}})
    assert made.estimator == Alike(0.9)
    assert made.to_options()["estimator"] == {"kind": "alike", "accuracy": 0.9}
    monkeypatch.delitem(ESTIMATORS.added, "alike")
    with pytest.raises(BadFit, match="Kinds: pooled, likelihood"):
        LabelModel.from_options({"estimator": {"kind": "alike"}})


@pytest.mark.parametrize(
    ("given", "same"), [("pooled", Pooled()), ("likelihood", Likelihood()), ("likelihood", Likelihood(solver="em"))]
)
def test_a_short_name_is_the_estimator_with_its_defaults(given, same, drawn):
    votes, _ = drawn
    one, other = (LabelModel(estimator=estimator).fit(votes) for estimator in (given, same))
    assert np.array_equal(one.predict_proba(votes), other.predict_proba(votes))


def test_options_of_one_estimator_never_choose_another(drawn):
    for option in ("n_starts", "accuracy_mean", "split"):
        with pytest.raises(TypeError, match=option):
            LabelModel(**{option: 1})
    model = LabelModel().fit(drawn.votes)
    assert 0 < model.estimate_.trust <= 1
    assert not hasattr(model.set_params(estimator="likelihood").fit(drawn.votes).estimate_, "trust")


@pytest.mark.parametrize("estimator", [Pooled(), Likelihood(), Likelihood(propensity="class"), Likelihood.paper()])
def test_no_shape_depends_on_the_estimator(estimator, drawn):
    model = LabelModel(estimator=estimator).fit(drawn.votes)
    assert model.accuracy_.shape == model.class_propensity_.shape == model.parameters_.propensity.shape == (4, 3)
    assert (model.propensity_.shape, model.class_balance_.shape) == ((4,), (3,))
    assert model.propensity_ == pytest.approx(model.class_propensity_ @ model.class_balance_, abs=1e-12)
    assert model.propensity_ == pytest.approx(drawn.votes.coverage, abs=0.01)
