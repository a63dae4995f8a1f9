"""Labels in a file of one's own: more columns, fewer rows, names that a database takes."""

import polars as pl
import pytest

from shortlist.beliefs import TIE
from shortlist.errors import BadFile, ShortlistError
from tests.project.news import TOML, edit, make, rows


@pytest.fixture
def project(tmp_path):
    return make(tmp_path / "news")


def test_columns_are_joined(project, tmp_path):
    project.export(tmp_path / "labels.parquet", columns=["body", "n", "body", "id"])
    found = pl.read_parquet(tmp_path / "labels.parquet")
    assert found.columns[:4] == ["id", "body", "n", "class"]
    assert found.drop("body", "n").equals(project.labels)
    assert found.select("id", "body", "n").equals(rows().select("id", "body", "n"))


def test_one_column_and_no_id(tmp_path):
    project = make(tmp_path / "news", toml=TOML.replace('id = "id"\n', ""))
    found = pl.read_csv(project.export(tmp_path / "labels.csv", columns="body"))
    assert found.columns[:3] == ["row", "body", "class"]
    assert found["body"].to_list() == rows()["body"].to_list()


def test_only_rows_believed_enough(project, tmp_path):
    labels = project.labels
    least = float(labels["belief"].median())
    found = pl.read_parquet(project.export(tmp_path / "a.parquet", columns=["body"], min_belief=least))
    wanted = labels.filter(pl.col("class").is_not_null(), pl.col("belief") >= least - TIE)
    assert 0 < len(wanted) < len(labels)
    assert found.drop("body").equals(wanted)
    assert found.join(rows(), on="id").filter(pl.col("body") != pl.col("body_right")).is_empty()


def test_rows_without_a_vote_are_not_believed(project, tmp_path):
    assert project.labels["class"].null_count() == 0
    edit(project.folder / "news.csv", (project.folder / "news.csv").read_text().splitlines()[1], "doc0,nothing,,1")
    labels = project.labels
    assert labels["class"].null_count() == 0
    assert labels.filter(pl.col("id") == "doc0")["source"].item() == "text alone"
    by_votes = pl.read_parquet(project.export(tmp_path / "a.parquet", votes_only=True))
    assert by_votes.filter(pl.col("class").is_null()).select("id", "source").rows() == [("doc0", None)]
    assert len(pl.read_parquet(project.export(tmp_path / "a.parquet", votes_only=True, min_belief=0))) == 299
    assert set(by_votes["source"].drop_nulls()) == {"votes"}


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_no_row_at_all_is_a_table_too(project, tmp_path, suffix):
    path = project.export(tmp_path / f"labels.{suffix}", columns=["body"], min_belief=1, votes_only=True)
    assert "doc" not in path.read_bytes().decode("latin-1")


def test_parts_and_several_files_do_not_show(tmp_path):
    whole = make(tmp_path / "whole").export(tmp_path / "whole.parquet", columns=["n", "body"], min_belief=0.7)
    toml = TOML.replace("[classifier]", "[engine]\npart_rows = 70\n\n[classifier]").replace("news.csv", "*.parquet")
    cut = make(tmp_path / "cut", toml=toml)
    (cut.folder / "news.csv").unlink()
    rows()[:100].write_parquet(cut.folder / "a.parquet")
    rows()[100:].with_columns(pl.col("n").cast(pl.Int8)).write_parquet(cut.folder / "b.parquet")
    found = pl.read_parquet(cut.export(tmp_path / "cut.parquet", columns=["n", "body"], min_belief=0.7))
    assert found.equals(pl.read_parquet(whole))


def test_a_column_that_labels_need_is_called_otherwise(tmp_path):
    toml = TOML.replace('gold = "label"', 'gold = "class"')
    project = make(tmp_path / "news", toml=toml)
    rows().rename({"label": "class", "n": "data_class"}).write_csv(project.folder / "news.csv")
    found = pl.read_csv(project.export(tmp_path / "labels.csv", columns=["class", "data_class"]))
    assert found.columns[:4] == ["id", "data_data_class", "data_class", "class"]
    assert found["data_data_class"].to_list() == rows()["label"].to_list()


@pytest.mark.parametrize("least", [-0.1, 1.1, 80, float("nan"), float("inf")])
def test_a_belief_that_cannot_be_is_told_before_the_work(project, tmp_path, least):
    with pytest.raises(ShortlistError, match="beliefs go from 0 to 1") as told:
        project.export(tmp_path / "labels.csv", min_belief=least)
    assert told.value.option == ("min_belief",)
    assert ("write 0.8" in str(told.value)) == (least == 80)
    assert not (project.folder / "out").exists()


def test_a_column_that_is_not_there_is_told_before_the_work(project, tmp_path):
    with pytest.raises(BadFile, match=r"has no column 'bod'\. Did you mean 'body'\?") as told:
        project.export(tmp_path / "labels.csv", columns=["n", "bod"])
    assert told.value.column == "bod"
    assert not (project.folder / "out").exists()


def test_a_separator_that_is_not_found_out_is_used_for_all_that_is_read(tmp_path):
    project = make(tmp_path / "news", toml=TOML.replace('text = "body"', 'text = "body"\nseparator = "#"'))
    rows().write_csv(project.folder / "news.csv", separator="#")
    found = pl.read_csv(project.export(tmp_path / "labels.csv", columns="body"))
    assert found.select("id", "body").equals(rows().select("id", "body"))
