import numpy as np
import pytest

from experiments.gradient import Gradient, _Objective
from shortlist import LabelModel, Votes, simulate
from shortlist.errors import BadFit
from shortlist.labelmodel import Parameters
from shortlist.labelmodel.e_step import Expectation
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.layout import Panel
from shortlist.labelmodel.likelihood import emission
from shortlist.labelmodel.paper import as_start
from tests.labelmodel.conftest import one_torch_thread  # noqa: F401
from tests.labelmodel.reference import likelihood

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.usefixtures("one_torch_thread")

SAYS = [["a", {"a", "b"}, "c"], [{"b", "c"}, {"a", "c"}, "b"], ["a", "b", "c"], [{"a", "b"}, "c"], ["a", {"b", "c"}]]


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(3)
    truth = Parameters(rng.uniform(0.6, 0.9, (5, 3)), rng.uniform(0.5, 0.95, 5), np.array([0.5, 0.3, 0.2]))
    return simulate(truth, SAYS, 4000, space=["a", "b", "c"], seed=4)


OPTIONS = {
    "paper": {"split": "equal", "balance": "learn", "accuracy_votes": 0.0, "balance_rows": 0.0},
    "default": {},
    "everything else": {"accuracy": "labeler", "propensity": "class", "balance": "learn", "accuracy_votes": 30.0},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_both_solvers_reach_the_same_optimum(name, drawn):
    votes, _ = drawn
    em = likelihood(tol=1e-11, **OPTIONS[name]).fit(votes)
    steep = likelihood(solver=Gradient(batch_size=10**6), **OPTIONS[name]).fit(votes)
    assert steep.converged_
    assert steep.history_[-1] == pytest.approx(em.history_[-1], abs=1e-5)
    assert steep.accuracy_ == pytest.approx(em.accuracy_, abs=5e-3)
    assert steep.class_balance_ == pytest.approx(em.class_balance_, abs=5e-3)
    assert steep.propensity_ == pytest.approx(em.propensity_, abs=5e-3)
    assert steep.predict_proba(votes) == pytest.approx(em.predict_proba(votes), abs=2e-2)


def test_with_gold_labels_too(drawn):
    votes, truth = drawn
    gold = {a: truth[a] for a in range(500)}
    em = LabelModel(estimator="likelihood", tol=1e-11).fit(votes, gold)
    steep = likelihood(solver=Gradient(batch_size=10**6)).fit(votes, gold)
    assert steep.history_[-1] == pytest.approx(em.history_[-1], abs=1e-5)
    assert steep.accuracy_ == pytest.approx(em.accuracy_, abs=5e-3)


@pytest.mark.parametrize("name", OPTIONS)
def test_the_gradient_of_the_papers_objective_vanishes_at_the_em_solution(name, drawn):
    votes, _ = drawn
    model = likelihood(tol=1e-15, max_iter=5000, **OPTIONS[name]).fit(votes)
    panel, evidence = Panel.of(votes), Evidence.gather(votes)
    expectation = Expectation(evidence, panel.layout, threads=1)
    assumptions = model.estimate_.assumptions(expectation.vote_counts, expectation.total)
    reached = as_start(model.parameters_, assumptions)

    def at(parameters):
        objective = _Objective(torch, evidence, assumptions, parameters, "cpu")
        (batch,) = objective.batches(10**6, np.random.default_rng(0))
        loss = objective.loss(batch, 1)
        loss.backward()
        return loss.item(), max(p.grad.abs().max().item() for p in objective.learned)

    value, steepness = at(reached)
    assert steepness < 1e-6
    assert at(assumptions.start())[1] > 1e-3
    direct = expectation(emission(reached, panel.layout)).log_likelihood
    assert -value == pytest.approx((direct + assumptions.log_prior(reached)) / expectation.total)


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
def test_minibatches_get_near(optimiser, drawn):
    votes, _ = drawn
    em = likelihood().fit(votes)
    settings = Gradient(optimiser, lr=0.1 if optimiser == "adam" else 2.0, batch_size=200, patience=2, smallest=0.05)
    steep = likelihood(solver=settings).fit(votes)
    assert steep.score(votes) == pytest.approx(em.score(votes), abs=1e-3)
    again = likelihood(solver=settings).fit(votes)
    assert np.array_equal(steep.accuracy_, again.accuracy_)  # the seed is the model's


def test_a_labeler_without_shortlists_does_no_harm(drawn):
    votes, _ = drawn
    never = Votes.from_snorkel(np.full((4000, 1), -1), ["a", "b", "c"], ["never"])
    both = Votes.beside([never, votes])
    options = {"solver": Gradient(batch_size=10**6)}
    assert likelihood(**options).fit(both).predict_proba(both) == pytest.approx(
        likelihood(**options).fit(votes).predict_proba(votes), abs=1e-2
    )


def test_an_optimiser_that_cannot_be_is_named():
    with pytest.raises(BadFit, match="newton"):
        Gradient("newton")
