import numpy as np
import pytest

from shortlist import LabelModel, Votes, simulate
from shortlist.archive import read_archive, write_archive
from shortlist.errors import BadFile, NotFitted
from shortlist.labelmodel import Gradient, Parameters


@pytest.fixture(scope="module")
def votes():
    truth = Parameters(np.full((4, 3), 0.8), np.full(4, 0.7), np.array([0.5, 0.3, 0.2]))
    return simulate(truth, [["ä", {"b", "c c"}, "b"]] * 4, 2000, space=["ä", "b", "c c"], seed=0).votes


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"balance": {"ä": 1, "b": 2, "c c": 3}, "propensity": "class"},
        {"balance": np.array([0.2, 0.3, 0.5]), "solver": Gradient(lr=0.05), "max_iter": 3, "tol": np.float64(1e-6)},
    ],
)
@pytest.mark.filterwarnings("ignore::shortlist.errors.NotConverged")
def test_a_model_comes_back_whole(options, votes, tmp_path):
    model = LabelModel(**options).fit(votes)
    model.save(tmp_path / "model.npz")
    again = LabelModel.load(tmp_path / "model.npz")
    assert np.array_equal(again.predict_proba(votes), model.predict_proba(votes))
    for name in ("accuracy_", "propensity_", "class_balance_", "history_"):
        assert np.array_equal(getattr(again, name), getattr(model, name))
    assert (again.converged_, again.n_iter_, again.panel_) == (model.converged_, model.n_iter_, model.panel_)
    assert again.get_params().keys() == model.get_params().keys()
    assert again.solver == model.solver
    assert str(again.explain(votes, 1)) == str(model.explain(votes, 1))


def test_a_loaded_model_goes_on_learning(votes, tmp_path):
    LabelModel(tol=1e-12).fit(votes[:1000]).save(tmp_path / "half.npz")
    whole = LabelModel.load(tmp_path / "half.npz").partial_fit(votes[1000:])
    assert whole.accuracy_ == pytest.approx(LabelModel(tol=1e-12).fit(votes).accuracy_, abs=1e-4)


def test_nothing_in_a_file_is_pickled(votes, tmp_path):
    LabelModel().fit(votes).save(tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz", allow_pickle=False) as file:
        assert all(file[name].dtype != object for name in file.files)


def test_files_that_cannot_be_read_say_why(votes, tmp_path):
    votes.save(tmp_path / "votes.npz")
    with pytest.raises(BadFile, match="'votes', not 'label model'"):
        LabelModel.load(tmp_path / "votes.npz")
    LabelModel().fit(votes).save(tmp_path / "model.npz")
    header, arrays = read_archive(tmp_path / "model.npz", kind="label model", version=2)
    del header["kind"], header["version"]
    write_archive(tmp_path / "new.npz", kind="label model", version=99, header=header, arrays=arrays)
    with pytest.raises(BadFile, match="newer"):
        LabelModel.load(tmp_path / "new.npz")
    unknown = {**header, "options": {**header["options"], "patience": 3}}
    write_archive(tmp_path / "odd.npz", kind="label model", version=2, header=unknown, arrays=arrays)
    with pytest.raises(BadFile, match="patience"):
        LabelModel.load(tmp_path / "odd.npz")
    write_archive(tmp_path / "less.npz", kind="label model", version=2, header=header, arrays={})
    with pytest.raises(BadFile, match="parameters"):
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
