"""Gold columns: whole numbers as pandas writes them next to missing values."""

import polars as pl
import pytest

from shortlist import Project
from shortlist.errors import ShortlistError
from shortlist.project.gold.column import as_classes, classes_in
from shortlist.project.starter import not_classes
from shortlist.rows import RowFile


def test_whole_numbers_are_classes_without_their_zero():
    assert classes_in(pl.Series([0.0, 2.0, None, 1.0, 0.0])) == ["0", "1", "2"]
    assert classes_in(pl.Series(["1.0", "", "-2", None])) == ["-2", "1"]


@pytest.mark.parametrize("words", [["0.5", "1.0"], ["1.0", "x"], ["1.00", "2.00"]])
def test_other_words_stay_as_they_are(words):
    assert classes_in(pl.Series(words)) == words


def test_a_class_that_is_written_with_a_zero_stays_one():
    column = pl.Series(["0.0", "1.0", "2.0", "", None, "x"])
    assert as_classes(column, ["0", "1.0"]).to_list() == ["0", "1.0", "2.0", None, None, "x"]


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_a_project_reads_them_in_the_same_way_everywhere(tmp_path, name):
    """pandas: `[0, 1, None]` becomes 0.0, 1.0 and nothing."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"text": ["one zero", "one", "zero", "none"] * 5, "y": [0, 1, 0, None] * 5})
    frame.to_csv(tmp_path / name, index=False) if name.endswith("csv") else frame.to_parquet(tmp_path / name)
    project = Project.init(tmp_path / name, tmp_path, text="text", gold="y")
    assert project.settings.classes == ("0", "1")
    assert not_classes(RowFile(tmp_path / name), "y", project.settings.classes) == {}
    assert project.session.known.classes[:4] == ["0", "1", "0", None]
    project.run(["fit"])
    assert set(project.session.tally.gold.tolist()) == {-1, 0, 1}


def test_an_older_project_may_keep_its_zeros(tmp_path):
    pl.DataFrame({"text": ["a", "b"], "y": [0.0, 1.0]}).write_csv(tmp_path / "rows.csv")
    project = Project.init(tmp_path / "rows.csv", tmp_path, text="text", gold="y", classes=["0.0", "1.0"])
    assert project.session.known.classes == ["0.0", "1.0"]


def test_a_number_that_is_no_class_is_offered_the_same_number(tmp_path):
    pl.DataFrame({"text": ["a", "b"], "y": ["0", "1.0"]}).write_csv(tmp_path / "rows.csv")
    project = Project.init(tmp_path / "rows.csv", tmp_path, text="text", gold="y", classes=["0.0", "1.0"])
    with pytest.raises(ShortlistError, match=r"'0' on row 0 is not a class. Did you mean '0\.0'\?"):
        _ = project.session.known
