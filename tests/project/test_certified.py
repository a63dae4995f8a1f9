"""`certify` in a project: which gold rows test, which teach, what is written and refused."""

import json
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shortlist.cli.label import CLASS_KEYS, LabelingSession
from shortlist.cli.screen import Screen
from shortlist.errors import BadFit, ShortlistError
from shortlist.project import Project, certified
from shortlist.project.gold import entry_for, split_mix
from tests.cli.shell import call
from tests.project.news import CLASSES, WORDS, edit, make, rows

M = 600
ORDER = np.argsort(split_mix(np.arange(M))).tolist()  # as `label --random` shows the rows
HARD = ORDER[:200:7]  # rows that were labelled first, since they help most


def truth() -> list[str]:
    """The topic of every row: its words tell."""
    bodies = [set(body.split()) for body in rows(M)["body"]]
    return [max(CLASSES, key=lambda name: len(body & set(WORDS[name]))) for body in bodies]


@pytest.fixture
def project(tmp_path, monkeypatch):
    made = make(tmp_path / "news", m=M)
    monkeypatch.chdir(tmp_path / "news")
    return made


def label(project, numbers, picked="random", classes=None):
    """Label rows by hand."""
    project.run(["fit"])
    names, session = truth(), project.session
    session.gold_file.add(
        *(entry_for(session.rows, a, [names[a]] if classes is None else classes, picked) for a in numbers)
    )


def test_rows_are_certified_with_random_gold_and_written(project, capfd):
    edit(project.folder / "shortlist.toml", 'gold = "label"\n', "")
    drawn = ORDER[:150]
    label(project, drawn)
    ended = call(capfd, "certify", "--to", "certified.csv")
    assert ended.code == 0, ended.err
    found, names = pl.read_csv("certified.csv"), truth()
    right = [row["class"] == names[int(row["id"].removeprefix("doc"))] for row in found.iter_rows(named=True)]
    assert np.mean(right) >= 0.9
    assert f"of {M} rows" in ended.out
    assert "at least 90 % right, with 95 % certainty" in ended.out
    assert f"{len(found)} rows, gold rows included → certified.csv" in ended.out
    gold = found.filter(pl.col("source") == "gold")
    assert set(gold["id"]) == {f"doc{a}" for a in drawn}
    printed = json.loads(call(capfd, "certify", "--json").out)
    assert printed["rows"] == M
    assert printed["gold_rows"] == 150


def test_gold_that_was_not_drawn_at_random_is_refused_and_can_be_declared(project, capfd):
    ended = call(capfd, "certify")
    assert ended.code != 0
    assert "label --random" in ended.err
    assert "--random" in ended.err
    made = project.certify(all_random=True)
    assert made.certificate.gold_rows == 200 - certified.TRAINING
    assert len(made.drawn.taught) == certified.TRAINING


def test_rows_picked_by_gain_teach_and_are_not_tested(project):
    edit(project.folder / "shortlist.toml", 'gold = "label"\n', "")
    label(project, HARD, picked="gain")
    label(project, [row for row in ORDER if row not in HARD][:60])
    made = project.certify(0.8)
    assert set(made.drawn.taught) == set(HARD)
    assert made.certificate.gold_rows == 60
    assert not set(made.certificate.rows.tolist()) & set(HARD)


def test_skipped_random_rows_count_as_wrong(project):
    edit(project.folder / "shortlist.toml", 'gold = "label"\n', "")
    label(project, ORDER[:60])
    before = project.certify(0.8).certificate
    label(project, ORDER[60:90], classes=[])
    after = project.certify(0.8).certificate
    assert len(after.rows) < len(before.rows)
    assert after.gold_rows == 90


def test_the_model_has_not_seen_the_gold_that_tests_it(project):
    """Other classes for random rows change the certificate, never the beliefs."""
    edit(project.folder / "shortlist.toml", 'gold = "label"\n', "")
    label(project, ORDER[:60])
    first = project.certify(0.8).beliefs
    label(project, ORDER[:60], classes=["sports"])
    assert np.array_equal(project.certify(0.8).beliefs, first)


def test_random_rows_without_an_answer_are_asked_for_first(project, capfd):
    """Review: rows that were added later, or answers that never came back, were taken for rows drawn at random."""
    edit(project.folder / "shortlist.toml", 'gold = "label"\n', "")
    label(project, ORDER[:40] + ORDER[43:60])
    ended = call(capfd, "certify", "--right", "0.8")
    assert ended.code != 0
    assert "3 random rows that should have been labelled before others have no label" in ended.err
    label(project, ORDER[40:43])
    assert project.certify(0.8).certificate.gold_rows == 60
    rows(M + 300).write_csv(project.folder / "news.csv")
    with pytest.raises(ShortlistError, match="rows were added"):
        project.certify(0.8)


def test_rows_that_somebody_labelled_because_they_are_hard_are_not_random(project):
    """Review: if another person drew them at random later, they were tested, while hard rows not drawn were not."""
    edit(project.folder / "shortlist.toml", 'gold = "label"\n', "")
    label(project, HARD, picked="gain")
    label(project, ORDER[:60])
    made = project.certify(0.8)
    assert set(made.drawn.taught) == set(HARD)
    assert made.certificate.gold_rows == 60 - len(set(HARD) & set(ORDER[:60]))


def test_what_is_kept_of_a_certificate(project, capfd):
    edit(project.folder / "shortlist.toml", 'gold = "label"\n', "")
    assert (
        "About 100 random gold rows show it: shortlist label --random (0 so far). Then: shortlist certify."
        in call(capfd, "check").out
    )
    label(project, ORDER[:60])
    made = project.certify(0.8)
    assert f"Certificate: {len(made.certificate.rows)} of {M} rows" in call(capfd, "check").out
    project.report()
    assert "at least 80 % right" in (project.folder / "out" / "report.html").read_text()
    edit(project.folder / "labelers.py", '"president" in text', '"premier" in text')
    assert "Certificate: Which labels can be used" in call(capfd, "check").out


@pytest.mark.slow
def test_from_posts_and_a_hundred_labels_to_a_certificate(tmp_path, monkeypatch, capfd):
    """As typed on docs/certificate.md: label 100 random rows with one key each, then certify."""
    posts = Path(os.environ.get("SHORTLIST_DATA", "")).parent / "projects" / "posts"
    if not (posts / "posts.csv").exists():
        pytest.skip("SHORTLIST_DATA has no folder `projects` beside it")
    (tmp_path / "labelers.py").write_bytes((posts / "labelers.py").read_bytes())
    toml = (posts / "shortlist.toml").read_text()
    (tmp_path / "shortlist.toml").write_text("".join(line for line in toml.splitlines(True) if "gold" not in line))
    table = pl.read_csv(posts / "posts.csv")
    table.drop("known", "truth").write_csv(tmp_path / "posts.csv")
    monkeypatch.chdir(tmp_path)
    project, asked = Project(tmp_path), []
    project.run(["fit"])

    def key():
        row = labeling._next()
        asked.append(row)
        classes = project.settings.classes
        return "q" if len(asked) > 100 else CLASS_KEYS[classes.index(table["truth"][row])]

    labeling = LabelingSession(project.session, Screen(as_json=False), key, "random")
    labeling.run()
    ended = call(capfd, "certify", "--right", "0.9", "--sure", "0.95", "--to", "certified.csv")
    assert ended.code == 0, ended.err
    assert " of 3,000 rows (" in ended.out
    made = pl.read_csv("certified.csv").join(table, on="id")
    assert len(made) > 1_500
    assert (made["class"] == made["truth"]).mean() >= 0.9


def test_labels_by_votes_alone(project):
    edit(project.folder / "shortlist.toml", 'kind = "linear"', 'kind = "none"')
    made = project.certify(0.8, all_random=True)
    covered = project.session.votes.covered
    assert covered[made.certificate.rows].all()
    assert made.certificate.gold_rows <= 170


def test_what_is_refused(project):
    with pytest.raises(BadFit, match=r"write 0\.9"):
        project.certify(90)
    edit(project.folder / "shortlist.toml", 'gold = "label"\n', "")
    with pytest.raises(ShortlistError, match="label --random"):
        project.certify()
