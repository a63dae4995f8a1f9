"""classifier.on: the columns of text that the classifier reads, and what is done again when they change."""

import numpy as np
import polars as pl
import pytest

from shortlist import JointModel, Project
from shortlist.joint.joint_model import default_classifier
from shortlist.project.stages.train import ClassifierInputs, make_classifier
from shortlist.project.toml import BadProject
from tests.project.news import CLASSES, TOML, edit, make, rows

# Only the titles tell the topic, on two rows in three; the labeler reads them.
TITLES = {"business": "markets", "politics": "parliament", "sports": "football"}
LABELERS = """from shortlist import labeler

NAMES = {"markets": "business", "parliament": "politics", "football": "sports"}


@labeler(says=["business", "politics", "sports"])
def section(title):
    return NAMES.get(title)
"""


def titled(m=300, seed=0):
    """Rows whose text says nothing."""
    topics = [CLASSES[a % 3] for a in range(m)]
    titles = [TITLES[topic] if a % 9 < 6 else (None, "")[a % 2] for a, topic in enumerate(topics)]
    body = pl.Series("body", [f"w{a * 7 % 11} w{a * 5 % 13}" for a in range(seed, seed + m)])
    return rows(m, seed).with_columns(body, pl.Series("title", titles), pl.Series("label", topics))


@pytest.fixture
def project(tmp_path):
    made = make(tmp_path / "news", toml=TOML.split("\n[[labeler]]")[0], labelers=LABELERS)
    titled().write_csv(made.folder / "news.csv")
    return made


def read(project, on):
    edit(project.folder / "shortlist.toml", 'kind = "linear"', f'kind = "linear"\non = {on}')


def did(project):
    return [one.stage for one in project.run() if one.status == "done"]


def test_only_the_classifier_is_made_again(project):
    did(project)
    read(project, '["title", "body"]')
    assert did(project) == ["train", "check", "export", "report"]
    assert did(project) == []
    edit(project.folder / "shortlist.toml", '["title", "body"]', '["body", "title"]')
    assert did(project) == ["train", "check", "export", "report"]


def test_it_reads_what_the_labelers_read(project, tmp_path):
    """And is the one that Python makes of the same rows."""
    before = project.run(["train"])[-1].facts["right"]["text alone"]
    read(project, '["title", "body"]')
    assert project.run(["train"])[-1].facts["right"]["text alone"] > before
    frame, joint = titled(), default_classifier().set_params(on=["title", "body"])
    gold = [label or None for label in frame["label"].to_list()]
    model = JointModel(classifier=joint).fit(project.votes, frame, gold)
    np.testing.assert_allclose(project.classifier.predict_proba(frame), model.predict_proba(frame), atol=1e-9)
    titled(40, seed=5).write_parquet(tmp_path / "new.parquet")
    assert project.predict(tmp_path / "new.parquet", path=tmp_path / "new.csv")["accuracy"] > 0.8
    assert pl.read_csv(tmp_path / "new.csv")["class"].to_list() == model.predict(titled(40, seed=5)).tolist()


@pytest.mark.parametrize("on", ['"body"', '["body"]'])
def test_the_text_column_by_its_name_is_the_default(on, project):
    expected = project.classifier.predict_proba(titled()["body"].to_list())
    read(project, on)
    np.testing.assert_array_equal(project.classifier.predict_proba(titled()), expected)


def test_a_project_may_name_its_columns_there_alone(project):
    edit(project.folder / "shortlist.toml", 'text = "body"\n', "")
    read(project, '["title", "body"]')
    assert len(project.labels) == 300


def test_a_column_that_is_empty_in_one_of_the_files(project):
    frame = titled(30).with_columns(pl.lit(None).alias("title"), pl.format("more{}", pl.col("id")).alias("id"))
    frame.write_parquet(project.folder / "more.parquet")
    frame = titled(30, seed=3).with_columns(pl.col("title").cast(pl.Categorical), pl.format("x{}", "id").alias("id"))
    frame.write_parquet(project.folder / "third.parquet")
    edit(project.folder / "shortlist.toml", '"news.csv"', '"news.csv", "more.parquet", "third.parquet"')
    read(project, '["title", "body"]\nuncovered = "keep"')
    assert len(project.labels) == 360
    assert project.classifier.on == ["title", "body"]


def test_numbers_are_read_where_they_are_said_to_be_text(project):
    read(project, '["n", "body"]\n[data.types]\nn = "text"')
    assert project.classifier.predict(pl.DataFrame({"n": ["1"], "body": ["w1"]})).shape == (1,)


def test_another_file_without_the_column(project, tmp_path):
    read(project, '["title", "body"]')
    titled(5).rename({"title": "titel"}).write_csv(tmp_path / "new.csv")
    with pytest.raises(BadProject, match=r"line 12: new.csv has no column 'title'. Did you mean 'titel'\?"):
        project.predict(tmp_path / "new.csv", path=tmp_path / "out.csv")


def test_no_classifier_reads_nothing(project):
    read(project, '["title", "body"]')
    edit(project.folder / "shortlist.toml", 'kind = "linear"', 'kind = "none"')
    assert did(project) == ["vote", "fit", "check", "export", "report"]


def test_a_transformer_is_told_too(project):
    """Without data.text, as well."""
    edit(project.folder / "shortlist.toml", 'text = "body"\n', "")
    read(project, '["title", "body"]\nsteps = 3')
    edit(project.folder / "shortlist.toml", 'kind = "linear"', 'kind = "transformer"')
    settings = Project(project.folder).settings
    made = make_classifier(settings)
    assert (made.on, made.steps, ClassifierInputs.of(settings).columns) == (["title", "body"], 3, ["title", "body"])
