"""The E step over parts, through engines: the counts are those of the whole, and so is the fit."""

from dataclasses import replace

import numpy as np
import pytest

from shortlist import LabelModel, simulate
from shortlist.engines import Local, Threads
from shortlist.labelmodel import Likelihood, Parameters, Pooled, Problem
from shortlist.labelmodel.estep.expectation import Expectation
from shortlist.labelmodel.estep.kernel import Kernel
from shortlist.labelmodel.estep.parts import Parts
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.likelihood import emission
from shortlist.labelmodel.formulae.panel import Panel

ENGINES = [Threads(1), Threads(2), Local(2)]
every_engine = pytest.mark.parametrize("engine", ENGINES, ids=lambda e: f"{type(e).__name__}({e.workers})")


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(0)
    truth = Parameters(rng.uniform(0.6, 0.9, (5, 3)), rng.uniform(0.5, 0.9, 5), np.array([0.5, 0.3, 0.2]))
    votes, classes = simulate(truth, [["a", "b", "c"], ["a", {"b", "c"}], [{"a", "b"}, "c"]] + [["a", "b", "c"]] * 2,
                              3000, space=["a", "b", "c"], seed=1)  # fmt: skip
    return votes, {a: classes[a] for a in range(0, 3000, 30)}


def parts_of(votes, gold, layout, size=1000):
    """Expectations over a thousand rows each; some rows have a known class."""
    for start in range(0, len(votes), size):
        known = {a - start: name for a, name in gold.items() if start <= a < start + size}
        yield Expectation(Evidence.gather(votes[start : start + size], known), layout, threads=1)


@every_engine
def test_the_counts_of_parts_add_up_to_those_of_the_whole(engine, drawn):
    votes, gold = drawn
    layout = Panel.of(votes).layout
    whole = Expectation(Evidence.gather(votes, gold), layout)
    parts = Parts(list(parts_of(votes, gold, layout)), engine)
    assert parts.total == whole.total == 3000
    assert parts.vote_counts == pytest.approx(whole.vote_counts)
    assert parts.known.mass.tolist() == whole.known.mass.tolist()
    for seed in range(2):  # every step travels anew
        rng = np.random.default_rng(seed)
        table = emission(Parameters(rng.uniform(0.5, 0.9, (5, 3)), rng.uniform(0.4, 0.9, 5), np.full(3, 1 / 3)), layout)
        one, other = whole(table), parts(table)
        assert other.votes == pytest.approx(one.votes, rel=1e-12)
        assert other.mass == pytest.approx(one.mass, rel=1e-12)
        assert other.log_likelihood == pytest.approx(one.log_likelihood, rel=1e-12)


def test_no_engine_changes_a_digit(drawn):
    votes, gold = drawn
    layout = Panel.of(votes).layout
    table = emission(Parameters(np.full((5, 3), 0.7), np.full(5, 0.6), np.full(3, 1 / 3)), layout)
    found = [Parts(list(parts_of(votes, gold, layout)), engine)(table) for engine in ENGINES]
    for other in found[1:]:
        assert np.array_equal(other.votes, found[0].votes)
        assert other.log_likelihood == found[0].log_likelihood


@pytest.mark.parametrize("estimator", [Likelihood(), Pooled()])
def test_an_estimator_fits_over_parts_what_it_fits_over_all_rows(estimator, drawn):
    votes, gold = drawn
    panel, evidence = Panel.of(votes), Evidence.gather(votes, gold)
    problem = Problem(panel=panel, evidence=evidence, expectation=Expectation(evidence, panel.layout))
    parts = Parts(list(parts_of(votes, gold, panel.layout)), Threads(2))
    one, other = estimator.fit(problem), estimator.fit(replace(problem, expectation=parts))
    assert other.parameters.accuracy == pytest.approx(one.parameters.accuracy, abs=1e-6)
    assert other.beliefs(votes.codes[:100]) == pytest.approx(one.beliefs(votes.codes[:100]), abs=1e-6)
    model = LabelModel(estimator=estimator).fit(votes, gold)
    assert np.array_equal(model.parameters_.accuracy, one.parameters.accuracy)


def test_what_was_written_on_the_way_does_not_travel(drawn):
    import pickle

    votes, _ = drawn
    kernel = Kernel(votes.codes, np.ones(3000), Panel.of(votes).layout, threads=1)
    before = len(pickle.dumps(kernel))
    table = emission(Parameters(np.full((5, 3), 0.7), np.full(5, 0.6), np.full(3, 1 / 3)), kernel.layout)
    counts = kernel(table)
    assert len(pickle.dumps(kernel)) < before + 5000
    assert np.array_equal(pickle.loads(pickle.dumps(kernel))(table).votes, counts.votes)
