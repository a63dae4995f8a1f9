"""Table 1 runs from end to end on a few rows: the package is written and read, results are kept and not repeated."""

import json
import sys

import numpy as np
import pytest

from experiments import table1
from experiments.recipes import RECIPES
from experiments.tasks import NAMES, SPLITS, Task, make_task
from shortlist.classifier import TransformerClassifier

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytestmark = pytest.mark.heavy


@pytest.fixture
def package(tiny_encoder, tmp_path):
    """A folder as experiments.tasks writes it, with twelve rows a split about cats and dogs, three uncovered."""
    (tmp_path / "encoder").symlink_to(tiny_encoder)
    texts = ["the cat purrs", "a dog barks"] * 6
    beliefs = np.array([[0.9, 0.1], [0.2, 0.8]] * 6)
    covered = np.arange(12) < 9
    keys = [(method, split) for method in ("nc", "lfs", "paper", "ours") for split in SPLITS]
    Task(
        "trec",
        ["cat", "dog"],
        dict.fromkeys(SPLITS, texts),
        dict.fromkeys(SPLITS, np.array([0, 1] * 6)),
        dict.fromkeys(keys, beliefs),
        dict.fromkeys(keys, covered),
    ).save(tmp_path)
    return tmp_path


def test_a_task_comes_back_from_its_file(package):
    task = Task.load(package, "trec")
    assert task.texts["dev"][:2] == ["the cat purrs", "a dog barks"]
    assert task.beliefs["nc", "test"].shape == (12, 2)
    assert task.covered["lfs", "train"].dtype == bool


def test_the_command(package, monkeypatch, capsys):
    out = package / "results.json"
    command = ["table1", "--smoke", "--package", str(package), "--tasks", "trec", "--device", "cpu", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", command)
    table1.main()
    kept = json.loads(out.read_text())
    assert [run["method"] for run in kept["runs"]] == list(table1.METHODS)
    assert "--smoke" in kept["commands"][0]
    assert not any("by_votes" in run for run in kept["runs"])  # a few rows say nothing about the teacher
    shown = capsys.readouterr().out
    assert "85.0 ± 0.8 / 85.7 ± 0.7" in shown  # the paper's numbers beside ours
    monkeypatch.setattr(table1, "run", lambda job: pytest.fail("a finished run is repeated"))
    table1.main()
    assert json.loads(out.read_text())["runs"] == kept["runs"]


def test_every_recipe_is_options_of_the_classifier():
    for chosen in RECIPES.values():
        TransformerClassifier(**chosen)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_real_tasks(name, data_home):
    task = make_task(name, data_home)
    rows = {"trec": (5063, 389, 500), "scicite": (8243, 916, 1861), "agnews": (30164, 500, 7600)}
    rows["scicite-titled"] = rows["scicite"]
    assert tuple(len(task.texts[split]) for split in SPLITS) == rows[name]
    for (method, split), beliefs in task.beliefs.items():
        assert beliefs.shape == (len(task.texts[split]), len(task.classes)), method
    nearest, truth = task.beliefs["nc", "test"].argmax(axis=1), task.gold["test"]
    assert (nearest == truth)[task.covered["nc", "test"]].mean() > 0.7
