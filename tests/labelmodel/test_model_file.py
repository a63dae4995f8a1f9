import numpy as np
import pytest

from shortlist import LabelModel, Votes, intervals, simulate
from shortlist.archive import read_archive, write_archive
from shortlist.errors import BadFile, NotFitted
from shortlist.labelmodel import EM, Parameters, Pooled
from shortlist.labelmodel.e_step import Expectation
from tests.labelmodel.reference import likelihood


@pytest.fixture(scope="module")
def votes():
    truth = Parameters(np.full((4, 3), 0.8), np.full(4, 0.7), np.array([0.5, 0.3, 0.2]))
    return simulate(truth, [["ä", {"b", "c c"}, "b"]] * 4, 2000, space=["ä", "b", "c c"], seed=0).votes


@pytest.mark.parametrize(
    "model",
    [
        LabelModel(),
        LabelModel(estimator=Pooled(propensity_votes=50.0), balance=[0.5, 0.3, 0.2]),
        likelihood(balance={"ä": 0.2, "b": 0.3, "c c": 0.5}, propensity="class"),
        likelihood(balance="learn"),
        likelihood(balance=np.array([0.2, 0.3, 0.5]), solver=EM(memory=3), max_iter=3, tol=np.float64(1e-6)),
    ],
)
@pytest.mark.filterwarnings("ignore::shortlist.errors.NotConverged")
def test_a_model_comes_back_whole(model, votes, tmp_path):
    model.fit(votes)
    model.save(tmp_path / "model.npz")
    again = LabelModel.load(tmp_path / "model.npz")
    assert np.array_equal(again.predict_proba(votes), model.predict_proba(votes))
    for name in ("accuracy_", "propensity_", "class_propensity_", "class_balance_", "history_"):
        assert np.array_equal(getattr(again, name), getattr(model, name))
    assert (again.converged_, again.n_iter_, again.panel_) == (model.converged_, model.n_iter_, model.panel_)
    assert again.to_options() == model.to_options()
    assert (again.estimator, again.estimator_) == (model.estimator, model.estimator_)
    assert type(again.estimate_) is type(model.estimate_)
    counts = Expectation(model.evidence_, model.panel_.layout).vote_counts
    here, there = (each.estimate_.assumptions(counts, 2000.0) for each in (model, again))
    if here is not None:  # of the paper's family
        assert here.log_prior(model.parameters_) == there.log_prior(again.parameters_)
    assert np.array_equal(intervals(again).lower, intervals(model).lower)
    assert str(again.explain(votes, 1)) == str(model.explain(votes, 1))


def test_a_loaded_model_goes_on_learning(votes, tmp_path):
    LabelModel(tol=1e-12).fit(votes[:1000]).save(tmp_path / "half.npz")
    whole = LabelModel.load(tmp_path / "half.npz").partial_fit(votes[1000:])
    assert whole.accuracy_ == pytest.approx(LabelModel(tol=1e-12).fit(votes).accuracy_, abs=1e-4)


def test_an_option_that_changed_after_the_fit_is_no_part_of_the_fit(votes, tmp_path):
    model = LabelModel().fit(votes)
    model.set_params(estimator="likelihood").save(tmp_path / "model.npz")
    again = LabelModel.load(tmp_path / "model.npz")
    assert np.array_equal(again.predict_proba(votes), model.predict_proba(votes))
    assert again.estimate_.trust == model.estimate_.trust
    assert again.estimator == "likelihood"  # of the next fit
    assert again.fit(votes).score(votes) == LabelModel(estimator="likelihood").fit(votes).score(votes)


def test_nothing_in_a_file_is_pickled(votes, tmp_path):
    LabelModel().fit(votes).save(tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz", allow_pickle=False) as file:
        assert all(file[name].dtype != object for name in file.files)


def test_files_that_cannot_be_read_say_why(votes, tmp_path):
    votes.save(tmp_path / "votes.npz")
    with pytest.raises(BadFile, match="'votes', not 'label model'"):
        LabelModel.load(tmp_path / "votes.npz")
    LabelModel().fit(votes).save(tmp_path / "model.npz")
    header, arrays = read_archive(tmp_path / "model.npz", kind="label model", version=1)
    del header["kind"], header["version"]
    write_archive(tmp_path / "new.npz", kind="label model", version=99, header=header, arrays=arrays)
    with pytest.raises(BadFile, match="newer"):
        LabelModel.load(tmp_path / "new.npz")
    unknown = {**header, "options": {**header["options"], "patience": 3}}
    write_archive(tmp_path / "odd.npz", kind="label model", version=1, header=unknown, arrays=arrays)
    with pytest.raises(BadFile, match="patience"):
        LabelModel.load(tmp_path / "odd.npz")
    write_archive(tmp_path / "less.npz", kind="label model", version=1, header=header, arrays={})
    with pytest.raises(BadFile, match=r"seen\.codes"):
        LabelModel.load(tmp_path / "less.npz")
    with pytest.raises(NotFitted):
        LabelModel().save(tmp_path / "empty.npz")


def test_votes_of_many_classes_and_labelers_fit_in_a_file(tmp_path):
    codes = np.random.default_rng(0).integers(0, 3, (50, 40))
    space = [f"class {j}" for j in range(300)]
    votes = Votes(codes, [[{space[i], space[i + 1]}, space[i + 2]] for i in range(40)], space)
    with pytest.warns(UserWarning, match="apart"):
        model = LabelModel().fit(votes, {0: "class 299"})
    model.save(tmp_path / "wide.npz")
    assert np.array_equal(LabelModel.load(tmp_path / "wide.npz").predict_proba(votes), model.predict_proba(votes))


MISFITS = {
    "accuracies of other labelers": {"estimate.parameters.accuracy": np.zeros((1, 5))},
    "accuracies of another dimension": {"estimate.parameters.accuracy": np.zeros(3)},
    "a balance that is no number": {"estimate.parameters.balance": np.array([np.nan, 0.5, 0.5])},
    "a balance of other classes": {"estimate.parameters.balance": np.array([0.5, 0.5])},
    "texts": {"estimate.parameters.accuracy": np.full((4, 3), "x")},
    "a table of other votes": {"estimate.table.votes": np.zeros((2, 2))},
    "a table that is no number": {"estimate.table.votes": np.full((8, 3), np.nan)},
    "votes that nobody may say": {"seen.codes": np.full((62, 4), 9)},
    "votes of other labelers": {"seen.codes": np.zeros((2, 9), np.uint8)},
    "weights in words": {"seen.weights": np.full(62, "x")},
}


@pytest.mark.parametrize("kind", ["pooled", "likelihood"])
@pytest.mark.parametrize("change", MISFITS.values(), ids=MISFITS)
def test_a_whole_file_that_does_not_fit_together_is_a_bad_file(votes, tmp_path, kind, change):
    """Attack F1: ValueError, or beliefs that are NaN."""
    LabelModel(estimator=kind).fit(votes).save(tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz") as file:
        np.savez(tmp_path / "m2.npz", **{**file, **change})
    with pytest.raises(BadFile, match=r"m2\.npz"):
        LabelModel.load(tmp_path / "m2.npz")
