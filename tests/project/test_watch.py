"""What an edit changed, by hand and by watching."""

import warnings

import numpy as np
import polars as pl
import pytest

from shortlist import Analysis, LabelModel, NearestClass, Votes
from shortlist.analysis.labeler_tables import only_known
from shortlist.errors import FitWarning
from shortlist.project.changes import Change, Snapshot
from shortlist.project.watch import Watch
from tests.project.news import edit, make, rows

SPACE = ["a", "b"]


def snapshot(codes, marks, gold=None, names=("x", "y")):
    votes = Votes(codes, [SPACE] * len(names), SPACE, names)
    analysis = Analysis(votes, NearestClass().fit(votes))
    analysis.gold = None if gold is None else np.array(gold)
    return Snapshot.of(analysis, dict(zip(names, marks, strict=True)), ("data",))


def test_a_change_by_hand():
    """Four rows; labeler y changes its mind on row 1, falls silent on row 2 and speaks on row 3."""
    before = snapshot([[1, 1], [0, 1], [0, 2], [0, 0]], ["1", "1"], gold=[0, 1, 1, -1])
    after = snapshot([[1, 1], [0, 2], [0, 0], [0, 1]], ["1", "2"], gold=[0, 1, 1, -1])
    change = Change(before, after)
    assert change.edits == {"y": "edited"}
    assert change.flipped.tolist() == [1, 2, 3]
    assert change.flips() == [("a", "b", 1), ("b", "no label", 1), ("no label", "a", 1)]
    assert change.before.totals["covered"] == 0.75
    assert change.after.totals["in conflict"] == 0
    assert before.totals["right on gold rows with a vote"] == pytest.approx(2 / 3)
    assert (before.totals["gold rows with a vote"], after.totals["gold rows with a vote"]) == (1, pytest.approx(2 / 3))
    assert change.figures("y")["coverage"] == (0.75, 0.75)
    assert change.figures("y")["gold_accuracy"] == (pytest.approx(2 / 3), 1.0)
    assert change.label(after, 2) == "no label"
    assert change.to_dict()["flipped"] == 3


def test_labelers_come_and_go():
    before = snapshot([[1, 1]], ["1", "1"])
    after = snapshot([[1, 1]], ["1", "1"], names=("x", "z"))
    change = Change(before, after)
    assert change.edits == {"z": "new", "y": "gone"}
    assert change.figures("y")["coverage"] == (1.0, None)
    assert change.flips() == []


def test_other_rows_are_not_compared():
    before = snapshot([[1, 1]], ["1", "1"])
    votes = Votes([[2, 2], [1, 1]], [SPACE] * 2, SPACE, ["x", "y"])
    after = Snapshot.of(Analysis(votes, NearestClass().fit(votes)), {"x": "1", "y": "1"}, ("other",))
    change = Change(before, after)
    assert not change.same_rows
    assert change.flipped.tolist() == []
    assert change.to_dict()["flips"] == []


@pytest.fixture
def watch(tmp_path):
    make(tmp_path)
    found = Watch(tmp_path)
    assert found.look() is None
    return found


def test_watching_gives_what_a_project_gives(watch):
    """Kept in memory or read from files, labels are the same."""
    edit(watch.project.folder / "labelers.py", 'WORDS = ["goal", "match"]', 'WORDS = ["goal"]')
    change = watch.look()
    assert set(change.edits) == {"sport", "power"}
    labels = watch.project.labels["class"].to_list()
    classes = [*watch.last.classes, None]
    assert [classes[position] for position in watch.last.labels] == labels


@pytest.mark.parametrize("use_gold", ["false", "true"])
def test_the_model_is_the_one_that_fit_makes(watch, use_gold):
    """To the last digit, with gold rows and without; and so are beliefs."""
    gold = f"[label_model]\nuse_gold = {use_gold}\n\n"
    edit(watch.project.folder / "shortlist.toml", "[classifier]", f"{gold}[classifier]")
    watch.look()
    session = watch.session
    assert session.settings.gold_fits == (use_gold == "true")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        expected = LabelModel().fit(session.votes, session.gold if session.settings.gold_fits else None)
    assert (session.results["fit"].accuracy_ == expected.accuracy_).all()
    assert (session.analysis.beliefs == expected.predict_proba(session.votes)).all()


def test_an_accuracy_that_votes_cannot_tell_is_not_told(watch):
    """69.1 % for a labeler of which `fit` and the report said "not known"."""
    edit(watch.project.folder / "labelers.py", 'WORDS = ["goal", "match"]', 'WORDS = ["goal"]')
    change = watch.look()
    fitted = only_known(watch.session.analysis.labelers())
    for line in fitted.iter_rows(named=True):
        assert change.figures(line["labeler"])["accuracy"][1] == line["accuracy"]
    assert dict(fitted.select("labeler", "accuracy").iter_rows())["sport"] is None
    assert change.figures("power")["accuracy"][1] is not None


def test_a_module_that_is_written_later_is_watched(watch):
    """What a file imports is remembered for as long as the file says the same; what there is of it is not."""
    folder = watch.project.folder
    edit(
        folder / "labelers.py",
        "WORDS =",
        "import contextlib\n\nwith contextlib.suppress(ImportError):\n    import words\n\nWORDS =",
    )
    watch.look()
    assert not watch.changed()
    (folder / "words.py").write_text("MORE = []\n")
    assert watch.changed()


def test_only_what_matters_wakes_it(watch):
    folder = watch.project.folder
    (folder / "notes.txt").write_text("nothing to do with it")
    watch.project.run(["export"])
    assert not watch.changed()
    (folder / "labelers.py").write_text((folder / "labelers.py").read_text())  # saved, and the same
    assert watch.changed()
    assert watch.look().edits == {}
    assert not watch.changed()
    rows(100).write_csv(folder / "news.csv")
    assert watch.changed()
    assert not watch.look().same_rows
    assert len(watch.last.labels) == 100


def test_a_mistake_and_its_mending_wake_it(watch):
    file = watch.project.folder / "labelers.py"
    good = file.read_text()
    file.write_text("def (")
    assert watch.changed()
    with pytest.raises(Exception, match=r"labelers.py, line 1"):
        watch.look()
    assert not watch.changed()
    file.write_text(good)
    assert watch.changed()
    assert watch.look().edits == {}


def test_data_that_goes_away_and_comes_back(watch):
    data = watch.project.folder / "news.csv"
    frame = pl.read_csv(data)
    data.unlink()
    assert watch.changed()
    with pytest.raises(Exception, match=r"news.csv does not exist"):
        watch.look()
    frame.write_csv(data)
    assert watch.changed()
    assert watch.look().flipped.tolist() == []
    assert watch.session.rows.take([3, 7])["body"][1] == frame["body"][7]
