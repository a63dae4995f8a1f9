"""The device path on CPU tensors: "cpu:0" is a torch device, "cpu" is NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist import LabelModel, Votes, simulate
from shortlist.errors import BadFit
from shortlist.labelmodel import Parameters
from shortlist.labelmodel.kernel import DeviceKernel, Kernel
from shortlist.labelmodel.layout import Layout
from shortlist.labelmodel.likelihood import Emission, emission
from tests.labelmodel.reference import some_parameters, some_votes

torch = pytest.importorskip("torch")
from benchmarks import gpu  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_torch_thread")


@given(st.data())
def test_the_device_kernel_is_the_kernel(data):
    votes = data.draw(some_votes())
    layout = Layout.of(votes.codomains, votes.space)
    table = emission(Parameters(*data.draw(some_parameters(votes))), layout)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    table = Emission(table.votes, table.abstain, table.balance, rng.uniform(0.5, 1, layout.n))
    weights = rng.uniform(0.1, 5, len(votes))
    here = Kernel(votes.codes, weights, layout)
    there = DeviceKernel(votes.codes.T.copy(), weights, layout, device="cpu")
    for precision, rel in ((np.float64, 1e-9), (np.float32, 1e-3)):
        a, b = here(table, precision), there(table, precision)
        assert a.votes == pytest.approx(b.votes, rel=rel, abs=rel)
        assert a.mass == pytest.approx(b.mass, rel=rel, abs=rel)
        assert a.log_likelihood == pytest.approx(b.log_likelihood, rel=rel)
    assert there.vote_counts == pytest.approx(here.vote_counts)
    assert there.posterior(table) == pytest.approx(here.posterior(table), abs=1e-12)


@pytest.fixture(scope="module")
def votes():
    rng = np.random.default_rng(0)
    truth = Parameters(rng.uniform(0.6, 0.9, (5, 4)), rng.uniform(0.5, 0.9, 5), np.full(4, 0.25))
    return simulate(truth, [["a", "b", {"c", "d"}, {"b", "d"}]] * 5, 20_000, space=list("abcd"), seed=2).votes


def test_a_model_fitted_on_a_device_is_the_model(votes, monkeypatch):
    here = LabelModel(estimator="likelihood", balance="learn").fit(votes)
    monkeypatch.setattr(DeviceKernel, "cells", 50_000)  # several blocks
    there = LabelModel(estimator="likelihood", balance="learn", device="cpu:0").fit(votes)
    assert there.accuracy_ == pytest.approx(here.accuracy_, abs=1e-6)
    assert there.predict_proba(votes) == pytest.approx(here.predict_proba(votes), abs=1e-6)


@pytest.mark.parametrize("bits", [0, 26])  # by sorting, by table
def test_patterns_counted_on_a_device(votes, bits):
    columns = torch.as_tensor(votes.codes.T.copy())
    found, counts = gpu.count_patterns(columns, votes.sizes, table_bits=bits, rows=3000)
    codes, expected = votes.pattern_counts()
    assert np.array_equal(found.numpy(), codes.T)
    assert np.array_equal(counts.numpy(), expected)
    assert counts.sum() == 20_000


def test_counted_patterns_are_votes_with_weights(votes):
    columns, counts = gpu.count_patterns(torch.as_tensor(votes.codes.T.copy()), votes.sizes)
    unique = Votes(columns.T.numpy(), votes.codomains, votes.space, votes.names)
    model = LabelModel(device="cpu:0").fit(unique, weights=counts.numpy())
    assert model.accuracy_ == pytest.approx(LabelModel().fit(votes).accuracy_, abs=1e-6)


def test_rows_of_too_many_bits_are_refused():
    with pytest.raises(BadFit, match="64 bits"):
        gpu.count_patterns(torch.zeros((32, 5), dtype=torch.uint8), [3] * 32)


def test_a_device_that_is_not_there_is_named(votes):
    with pytest.raises(BadFit, match="'cuda:99'"):
        LabelModel(device="cuda:99").fit(votes)


@pytest.mark.parametrize("shortlists", [0, 7])
def test_the_benchmark_on_cpu_tensors(shortlists):
    """What runs on a large device runs here, small: it recovers what it drew and agrees with NumPy."""
    panel = gpu.some_panel(6, 4, shortlists)
    columns = gpu.some_votes(panel, 10_000, "cpu")
    fit, seconds, patterns = gpu.fit_on_device(panel, columns, "cpu")
    assert fit.converged
    assert patterns <= 10_000
    assert min(seconds) > 0
    same_fit, other_fit = gpu.compared(panel, columns[:, :5000], fit, "cpu")
    assert same_fit < 1e-9
    assert other_fit < 1e-5
