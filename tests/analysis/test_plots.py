"""Pictures for notebooks hold what the tables hold."""

import sys

import numpy as np
import pytest

from shortlist import Analysis
from shortlist.analysis.measures import Calibration
from shortlist.errors import BadFit, MissingPackage
from tests.analysis.worked import quietly_fitted
from tests.reporting.showing import drawn

pytest.importorskip("matplotlib").use("Agg")
pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture
def analysis():
    votes, truth = drawn()
    return Analysis(votes, quietly_fitted(votes), gold=list(truth))


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def test_accuracies_with_gold(analysis):
    ax, table = analysis.plot.labelers(), analysis.labelers()
    estimated, gold = ax.lines[0], ax.lines[-1]
    assert np.allclose(estimated.get_xdata(), table["accuracy"])
    assert np.allclose(gold.get_xdata(), table["gold_accuracy"])
    assert [label.get_text() for label in ax.get_yticklabels()] == table["labeler"].to_list()


def test_coverage_without_a_model(analysis):
    ax = Analysis(analysis.votes).plot.labelers()
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(analysis.votes.coverage.tolist())


def test_overlap_and_conflict(analysis):
    (image,) = analysis.plot.overlap().images
    shown, pairs = np.asarray(image.get_array()), analysis.pairs()
    first = pairs.row(0, named=True)  # labelers 0 and 1
    assert shown[1, 0] == pytest.approx(first["overlap"])
    assert -shown[0, 1] == pytest.approx(first["conflict"] / first["overlap"])


def test_calibration(analysis):
    ax = analysis.plot.calibration()
    right = analysis.guess == analysis.gold
    bins = Calibration.of(analysis.beliefs.max(axis=1), right).bins
    assert np.allclose(ax.lines[1].get_ydata(), [b.right for b in bins])
    with pytest.raises(BadFit, match="gold"):
        Analysis(analysis.votes).plot.calibration()


def test_axes_of_ones_own(analysis):
    _, (one, other) = pyplot.subplots(2)
    assert analysis.plot.labelers(ax=one) is one
    assert analysis.plot.overlap(ax=other) is other


def test_without_matplotlib_the_extra_is_named(analysis, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingPackage, match=r"pip install '\.\[plots\]'"):
        analysis.plot.overlap()
