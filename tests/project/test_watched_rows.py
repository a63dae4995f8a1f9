"""Alarms of `predict`: rare on rows like the certified ones, raised where rows or labelers changed, each once."""

import json

import polars as pl
import pytest

from shortlist.project import Project
from shortlist.project.certified import KEPT
from tests.cli.shell import call
from tests.project.news import WORDS, edit, make, rows

M = 900


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    """A project of which rows were certified."""
    made = make(tmp_path_factory.mktemp("certified") / "news", m=M)
    assert len(made.certify(0.8, all_random=True).certificate.rows)
    return made.folder


@pytest.fixture
def project(certified, monkeypatch):
    """The same for each test, with nothing seen yet."""
    monkeypatch.chdir(certified)
    kept = (certified / ".shortlist" / KEPT).read_text()
    yield Project(certified)
    (certified / ".shortlist" / KEPT).write_text(kept)


def shifted(m, seed):
    """Rows in which words that tell a topic stand for another one."""
    old, new = WORDS["sports"][0], WORDS["business"][1]
    swapped = rows(m, seed)["body"].str.replace_all(old, "_").str.replace_all(new, old).str.replace_all("_", new)
    return rows(m, seed).with_columns(body=swapped)


def predict(project, frame, name):
    frame.write_csv(name)
    return project.predict(name, path="predicted.csv")


def test_no_alarm_on_rows_like_the_certified_ones(project):
    """Forty new files of 100 rows in one sequence: at most 5 % of such sequences raise any alarm."""
    facts = [predict(project, rows(100, seed), f"new{seed}.csv") for seed in range(1, 41)]
    assert [one["alarms"] for one in facts] == [[]] * 40
    assert facts[0]["watched"] == 5  # four labelers and the classifier
    assert facts[0]["false_alarms"] == 0.05


def test_other_rows_raise_an_alarm_once(project, capfd):
    shifted(600, 7).write_csv("shifted.csv")
    ended = call(capfd, "predict", "shifted.csv", "--to", "predicted.csv")
    assert ended.code == 0, ended.err
    assert "ALARM: these rows differ from those that were certified. " in ended.out
    assert "would be false in at most 5% of projects (5 scores watched)" in ended.out
    again = json.loads(call(capfd, "predict", "shifted.csv", "--to", "predicted.csv", "--json").out)
    assert again["alarms"] == []
    assert again["alarms_so_far"] == len(ended.out.splitlines()) - 4
    assert "A further alarm would be" in call(capfd, "predict", "shifted.csv", "--to", "p.csv").out


def test_rows_of_several_files_count_once(project):
    for seed in (50, 51):
        rows(60, seed).write_csv(f"part{seed}.csv")
    project.predict("part50.csv", "part51.csv", path="predicted.csv")
    seen = json.loads((project.folder / ".shortlist" / KEPT).read_text())["watch"]["new"]
    project.predict("part51.csv", "news.csv", path="predicted.csv")  # seen before, and rows of the project itself
    assert json.loads((project.folder / ".shortlist" / KEPT).read_text())["watch"]["new"] == seen
    assert max(sum(counts) for counts in seen.values()) == 120


def test_only_the_classifier_is_watched_where_columns_are_missing(tmp_path, monkeypatch, capfd):
    reads_n = '@labeler(says=["sports"])\ndef odd(text, n):\n    pass\n\n\npolls = '
    project = make(tmp_path / "news", m=M)
    monkeypatch.chdir(project.folder)
    edit(project.folder / "labelers.py", "polls = ", reads_n)
    project.certify(0.8, all_random=True)
    rows(50, 9).select("id", "body").write_csv("few.csv")
    ended = call(capfd, "predict", "few.csv", "--to", "predicted.csv")
    assert ended.code == 0, ended.err
    assert "labelers are not compared on these rows" in ended.err
    seen = json.loads((project.folder / ".shortlist" / KEPT).read_text())["watch"]["new"]
    assert [sum(counts) > 0 for name, counts in seen.items()] == ["classifier" in name for name in seen]


@pytest.mark.parametrize("frame", [rows(1, 3), rows(3, 3).with_columns(body=pl.lit(""))])
def test_few_and_empty_rows(project, frame):
    assert predict(project, frame, "small.csv")["alarms"] == []


@pytest.mark.parametrize("content", ["", "[]", '{"format": 1}', '{"format": 9}', "\x00"])
def test_a_damaged_file_counts_as_no_certificate(project, content):
    (project.folder / ".shortlist" / KEPT).write_text(content)
    assert "alarms" not in predict(project, rows(40, 5), "new.csv")


def test_silence_where_nothing_was_certified(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(make(tmp_path / "news").folder)
    rows(40, 5).write_csv("new.csv")
    ended = call(capfd, "predict", "new.csv", "--to", "predicted.csv")
    assert ended.out.count("\n") == 1
    assert "certified" not in ended.out + ended.err


def test_labelers_that_changed_are_not_compared(project, capfd):
    rows(40, 5).write_csv("new.csv")
    edit(project.folder / "labelers.py", '"president" in text', '"premier" in text')
    ended = call(capfd, "predict", "new.csv", "--to", "predicted.csv")
    edit(project.folder / "labelers.py", '"premier" in text', '"president" in text')
    assert "certified" not in ended.out
    assert "alarms" in predict(project, rows(40, 6), "more.csv")
