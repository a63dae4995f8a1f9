"""The rows of a project by number: from all of its files, whatever their format."""

import gzip

import numpy as np
import polars as pl
import pytest

from shortlist import Project
from shortlist.errors import BadFile, BadRows, UnknownClass
from shortlist.project.gold import class_positions
from shortlist.project.rows import check_different
from shortlist.project.toml import BadProject
from shortlist.project.watch import Watch
from tests.project import part_files
from tests.project.news import TOML, edit, make, rows

FILES = '"news.csv", "b.parquet", "c.jsonl", "d.tsv", "e.csv.gz"'


@pytest.fixture
def project(tmp_path):
    """Five files of five formats; one has a column more, one has no text on some rows."""
    make(tmp_path, toml=TOML.replace('"news.csv"', FILES).replace('id = "id"\n', ""), m=40)
    rows(50, seed=1).with_columns(more=pl.lit(1)).write_parquet(tmp_path / "b.parquet", row_group_size=9)
    rows(30, seed=2).with_columns(body=pl.when(pl.col("n") > 2).then("body")).write_ndjson(tmp_path / "c.jsonl")
    rows(20, seed=3).write_csv(tmp_path / "d.tsv", separator="\t")
    (tmp_path / "e.csv.gz").write_bytes(gzip.compress(rows(10, seed=4).write_csv().encode()))
    return Project(tmp_path)


def whole(project, columns):
    return pl.concat([segment.frame.select(columns) for segment in project.rows.segments()])


@pytest.mark.parametrize("keep", [False, True])
def test_rows_by_number_are_those_of_all_files(keep, project):
    columns = ["id", "body", "label", "n"]
    assert project.rows.columns == columns
    project.rows.in_memory = keep
    every = whole(project, columns)
    assert len(every) == 150
    assert every["body"].null_count() > 5
    every = every.with_columns(pl.col("body").fill_null(""))  # to people, a missing text is an empty one
    numbers = np.random.default_rng(0).integers(0, 150, 60)
    assert project.rows.take(numbers).equals(every[numbers])
    assert project.rows.take([149, 0, 39, 40], ["n", "id"]).equals(every[[149, 0, 39, 40]].select("n", "id"))
    assert project.rows.take([], ["n"]).equals(every.select("n").head(0))
    for row in (-1, 150):
        with pytest.raises(BadRows, match=f"there is no row {row}: there are 150 rows"):
            project.rows.take([3, row])


def test_what_a_killed_run_left_half_written_is_swept_away(project):
    project.rows.take([0])
    project.run()
    drafts = [project.folder / name / f".x.parquet.{'0' * 32}.tmp" for name in (".shortlist", "out", "out/votes")]
    for draft in drafts:
        draft.parent.mkdir(exist_ok=True)
        draft.touch()
    project.run()
    assert not any(draft.exists() for draft in drafts)


def test_what_people_are_shown(project):
    assert project.rows.to_show().take([41]).to_dicts() == [{"body": rows(50, seed=1)["body"][1]}]
    edit(project.folder / "shortlist.toml", 'text = "body"', 'features = ["n"]')
    shown = Project(project.folder).rows.to_show()
    assert shown.take([41]).columns == ["id", "body", "n"]  # all but the known classes
    assert len(shown) == 150


def test_the_report_and_the_watch_take_rows_by_number(tmp_path):
    project = make(tmp_path)
    page = project.report().read_text()
    shown = [text for text in rows()["body"].to_list() if text in page]
    assert 5 < len(shown) < 100
    watch = Watch(tmp_path)
    watch.look()
    watch.session.rows.in_memory = False
    watch.session.rows._frames.clear()
    assert watch.session.rows.take([7, 3])["body"].to_list() == rows()["body"][[7, 3]].to_list()


@pytest.fixture
def toml(tmp_path):
    return part_files.make(tmp_path / "p").settings.toml


def checked(values, toml, size=3):
    series = values if isinstance(values, pl.Series) else pl.Series("id", values)
    parts = [series[start : start + size] for start in range(0, len(series), size)]
    check_different(lambda: iter(parts), "id", toml)


@pytest.mark.parametrize("values", [[], [1, 2, 9, 10], [5, 3, 4, 1], ["b", "a", "c", "d"], [0.5, 0.25, 2.0, 1.0]])
def test_different_ids_are_no_matter(values, toml):
    checked(values, toml)


@pytest.mark.parametrize(
    ("values", "rows"),
    [
        ([1, 2, 3, 3], "3 is on rows 2 and 3"),  # on both sides of a cut
        ([4, 1, 2, 9, 4], "4 is on rows 0 and 4"),
        (["b", "a", "b"], "'b' is on rows 0 and 2"),
        ([7, 8, 8, 8], "8 is on rows 1 and 2"),
    ],
)
def test_an_id_on_two_rows_is_told_with_both(values, rows, toml):
    with pytest.raises(BadProject, match=rows):
        checked(values, toml)


def test_a_missing_id_is_told_with_its_row(toml):
    with pytest.raises(BadProject, match="row 4 has none"):
        checked(["a", "b", "c", "d", None], toml)


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_the_answer_does_not_depend_on_parts(size, toml):
    values = np.random.default_rng(0).permutation(500)
    checked(pl.Series("id", values), toml, size)
    values[491] = values[17]
    with pytest.raises(BadProject, match=f"{values[17]} is on rows 17 and 491"):
        checked(pl.Series("id", values), toml, size)


def test_the_same_hash_is_not_the_same_id(toml, monkeypatch):
    monkeypatch.setattr(pl.Series, "hash", lambda self, seed=0: pl.Series(np.zeros(len(self), np.uint64)))
    checked(["b", "a", "c", "d"], toml)
    with pytest.raises(BadProject, match="'a' is on rows 1 and 3"):
        checked(["b", "a", "c", "a"], toml)


def test_a_word_that_is_no_class_is_named_with_its_row_and_the_nearest_class():
    with pytest.raises(UnknownClass) as caught:
        class_positions(pl.Series("label", ["sports", None, "", "sport", "politics"]), ["politics", "sports"], 40)
    error = caught.value
    assert (error.word, error.row, error.column) == ("sport", 43, "label")
    assert "'sports'" in error.message


def test_classes_blanks_and_nothing_are_no_mistake():
    found = class_positions(pl.Series("label", ["sports", None, "", "politics"]), ["politics", "sports"], 0)
    assert found.tolist() == [1, -1, -1, 0]


@pytest.mark.parametrize("in_memory", [False, True])
@pytest.mark.parametrize("lines", [1, -1])
def test_rows_that_come_or_go_while_they_are_read_are_told(tmp_path, in_memory, lines):
    """attack.md 23: "60000 rows need 60000 ids; got an array of shape (60500,)"."""
    with make(tmp_path, m=100).open(in_memory=in_memory) as session:
        assert len(session.rows) == 100
        text = (tmp_path / "news.csv").read_text().splitlines(keepends=True)
        (tmp_path / "news.csv").write_text("".join([*text, "more,goal,,1\n"] if lines > 0 else text[:-1]))
        with pytest.raises(BadFile, match=r"news.csv changed while it was read"):
            session.rows.ids()


def test_leading_zeros_of_ids_are_kept(tmp_path):
    """`04190260` came out as 4190260, and 007 and 7 were said to be the same id."""
    project = make(tmp_path / "news")
    ids = ["007", "07", "7", *(f"{a:08}" for a in range(3, 300))]
    rows().with_columns(id=pl.Series(ids)).write_csv(tmp_path / "news" / "news.csv")
    assert project.labels["id"].to_list() == ids
