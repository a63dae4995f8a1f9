"""Votes in parts: the same fit as in one place, whoever counts; a sample depends on the votes alone."""

from dataclasses import replace

import numpy as np
import pytest

from shortlist import LabelModel, Votes, simulate
from shortlist.engines import Local, Threads
from shortlist.errors import BadFit
from shortlist.labelmodel import Likelihood, Parameters, Pooled, Problem, map_reduce
from shortlist.labelmodel.e_step import Expectation
from shortlist.labelmodel.evidence import Evidence, EvidenceSum, unique
from shortlist.labelmodel.kernel import Kernel
from shortlist.labelmodel.layout import Panel
from shortlist.labelmodel.likelihood import emission
from shortlist.labelmodel.map_reduce import PartsEStep
from shortlist.votes.vote_parts import VotePart, VoteParts

SPACE = ["a", "b", "c"]
CODOMAINS = [["a", "b", "c"], ["a", {"b", "c"}], [{"a", "b"}, "c"], ["a", "b", "c"], ["b", {"a", "c"}]]


def votes(m=900, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, m)
    sizes = np.array([3, 2, 2, 3, 2])
    codes = rng.integers(0, sizes + 1, (m, 5))
    right = rng.random((m, 5)) < 0.7
    codes[:, 0] = np.where(right[:, 0], truth + 1, codes[:, 0])
    codes[:, 3] = np.where(right[:, 3], truth + 1, codes[:, 3])
    return Votes(codes, CODOMAINS, SPACE)


def in_parts(whole, folder, cuts):
    """The same votes in files; `cuts` are the rows where one ends."""
    (folder / "votes").mkdir(parents=True)
    parts = []
    for number, rows in enumerate(np.split(np.arange(len(whole)), cuts)):
        part = whole[rows]
        part.save(folder / "votes" / f"{number}.parquet")
        parts.append(VotePart(f"votes/{number}.parquet", len(part), int(part.covered.sum()), f"{folder}{number}"))
    VoteParts(folder, whole[:0], tuple(parts)).save(folder / "votes.json")
    return VoteParts.open(folder / "votes.json")


def gold_of(m):
    return {a: SPACE[a % 3] for a in range(0, m, 50)}


@pytest.mark.parametrize("engine", [Local(1), Threads(3)], ids=["one", "three"])
@pytest.mark.parametrize("known", [False, True])
def test_counted_by_workers_the_fit_is_the_same(engine, known, tmp_path):
    whole = votes()
    gold = gold_of(len(whole)) if known else None
    parts = in_parts(whole, tmp_path, [100, 101, 600])
    mine, theirs = LabelModel().fit(parts, gold, engine=engine), LabelModel().fit(whole, gold)
    assert np.array_equal(mine.accuracy_, theirs.accuracy_)
    assert np.array_equal(mine.predict_proba(whole), theirs.predict_proba(whole))


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("cuts", [[450], [10, 200, 500, 501, 899]])
def test_em_over_the_parts_gives_the_same_numbers(known, cuts, tmp_path, monkeypatch):
    monkeypatch.setattr(map_reduce.count_parts, "__defaults__", (50,))
    whole = votes()
    gold = gold_of(len(whole)) if known else None
    parts = in_parts(whole, tmp_path, cuts)
    assert map_reduce.count_parts(parts, gold, Local(1)).sampled
    for estimator in (Likelihood(), Likelihood.paper(propensity="class")):
        model = LabelModel(estimator=estimator)
        mine, theirs = model.fit(parts, gold, engine=Threads(2)), LabelModel(estimator=estimator).fit(whole, gold)
        for name in ("accuracy_", "class_propensity_", "class_balance_"):
            assert np.abs(getattr(mine, name) - getattr(theirs, name)).max() < 1e-9, name
        assert np.abs(mine.predict_proba(whole) - theirs.predict_proba(whole)).max() < 1e-9


def test_a_sample_depends_on_the_votes_alone():
    whole = votes(4000)
    found = []
    for cuts in ([], [5, 1000, 1001], [2000], range(100, 4000, 100)):
        for order in (1, -1):
            total = EvidenceSum(60)
            for rows in np.split(np.arange(len(whole)), cuts)[::order]:
                total.add(unique(whole[rows], None, None))
            found.append(total.total())
    first = found[0]
    assert len(first.weights) <= 60
    assert first.total == pytest.approx(4000)
    for other in found:
        assert np.array_equal(first.votes.codes, other.votes.codes)
        assert np.array_equal(first.weights, other.weights)


def test_counts_of_a_sample_are_in_the_proportions_of_all():
    whole = votes(4000)
    total = EvidenceSum(60)
    total.add(unique(whole, None, None))
    sample, exact = total.total(), Evidence.gather(whole)
    rows = {codes.tobytes(): weight for codes, weight in zip(exact.votes.codes, exact.weights, strict=True)}
    ratio = [weight / rows[codes.tobytes()] for codes, weight in zip(sample.votes.codes, sample.weights, strict=True)]
    assert max(ratio) == pytest.approx(min(ratio))


def test_the_default_estimator_fits_a_sample(tmp_path, monkeypatch):
    monkeypatch.setattr(map_reduce.count_parts, "__defaults__", (600,))
    whole = votes(3000)
    one = LabelModel().fit(in_parts(whole, tmp_path / "one", [1000]), engine=Local(1))
    other = LabelModel().fit(in_parts(whole, tmp_path / "other", [7, 2000, 2500]), engine=Threads(2))
    assert np.array_equal(one.accuracy_, other.accuracy_)
    assert np.abs(one.accuracy_ - LabelModel().fit(whole).accuracy_).max() < 0.15


def test_an_engine_needs_parts():
    with pytest.raises(BadFit, match="VoteParts"):
        LabelModel().fit(votes(), engine=Local(1))


# -- the E step over parts, through engines ------------------------------------------------------------


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
    parts = PartsEStep(list(parts_of(votes, gold, layout)), engine)
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
    found = [PartsEStep(list(parts_of(votes, gold, layout)), engine)(table) for engine in ENGINES]
    for other in found[1:]:
        assert np.array_equal(other.votes, found[0].votes)
        assert other.log_likelihood == found[0].log_likelihood


@pytest.mark.parametrize("estimator", [Likelihood(), Pooled()])
def test_an_estimator_fits_over_parts_what_it_fits_over_all_rows(estimator, drawn):
    votes, gold = drawn
    panel, evidence = Panel.of(votes), Evidence.gather(votes, gold)
    problem = Problem(panel=panel, evidence=evidence, expectation=Expectation(evidence, panel.layout))
    parts = PartsEStep(list(parts_of(votes, gold, panel.layout)), Threads(2))
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
