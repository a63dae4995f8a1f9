"""The comparison of text features runs from end to end on a few rows; nothing is scored on rows it learns from."""

import importlib.machinery
import json
import sys

import numpy as np
import pytest

from experiments import linear, tokens
from experiments.tasks import SPLITS, Task
from experiments.tokens import TokenMeans, token_counts
from shortlist import NoiseAwareClassifier
from shortlist.classifier.evaluation import score

TEXTS = ["the cat purrs", "a dog barks", "cats purr", "dogs bark"] * 3
COVERED = np.array([True] * 10 + [False] * 2)


@pytest.fixture
def package(tmp_path):
    """A folder as experiments.tasks writes it; the last two training rows have no vote, and a wrong belief."""
    beliefs = np.array([[0.9, 0.1], [0.2, 0.8]] * 5 + [[0.0, 1.0], [1.0, 0.0]])
    Task(
        "trec",
        ["cat", "dog"],
        dict.fromkeys(SPLITS, TEXTS),
        dict.fromkeys(SPLITS, np.array([0, 1] * 6)),
        {("ours", split): beliefs for split in SPLITS},
        {("ours", split): COVERED for split in SPLITS},
    ).save(tmp_path)
    return tmp_path


def run(monkeypatch, package, *more):
    out = package / "linear.json"
    command = ["linear", "--package", str(package), "--tasks", "trec", "--out", str(out), *more]
    monkeypatch.setattr(sys, "argv", command)
    linear.main()
    return json.loads(out.read_text())


def test_the_command(package, monkeypatch, capsys):
    kept = run(monkeypatch, package, "--methods", "supervised", "ours", "ceiling", "--recipes", "default", "words-C3")
    scored = {(r["method"], r["recipe"]): [s for s in ("dev", "rest", "test") if s in r] for r in kept["runs"]}
    for recipe in ("default", "words-C3"):
        assert scored["supervised", recipe] == ["test"]
        assert scored["ours", recipe] == ["dev", "rest", "test"]
        assert scored["ceiling", recipe] == ["dev", "test"]
    assert "ours words-C3" in capsys.readouterr().out
    monkeypatch.setattr(linear.Reader, "run", lambda *_: pytest.fail("a finished run is repeated"))
    again = run(monkeypatch, package, "--methods", "ours", "--recipes", "default")
    assert again["runs"] == kept["runs"]


def test_the_default_recipe_is_the_default_classifier(package):
    task = Task.load(package, "trec")
    noisy = task.beliefs["ours", "train"].copy()
    noisy[:3] = [[0.4, 0.6], [0.6, 0.4], [0.3, 0.7]]  # so that not everything is right
    task.beliefs["ours", "train"] = noisy
    model = NoiseAwareClassifier().fit(TEXTS, noisy, covered=COVERED, classes=range(2))
    expected = score(task.gold["test"], model.predict(TEXTS).astype(np.int64), 2)
    assert linear.Reader(task).run("ours", "default")["test"] == expected


def test_tokens_are_counted_row_by_row():
    assert token_counts([[2, 0, 2], [], [1]], 4).toarray().tolist() == [[1, 0, 2, 0], [0, 0, 0, 0], [0, 1, 0, 0]]


def test_a_text_is_the_mean_of_its_tokens(tmp_path, monkeypatch):
    safetensors = pytest.importorskip("safetensors.numpy")
    tokenizers = pytest.importorskip("tokenizers")
    for file in (tokens.TOKENIZER, tokens.WEIGHTS):
        (tmp_path / file).parent.mkdir()
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "b": 1, "?": 2}, unk_token="?"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    words.enable_padding(length=5)
    words.save(str(tmp_path / tokens.TOKENIZER))
    table = np.array([[1, 0], [0, 1], [-1, 0]], np.float16)
    safetensors.save_file({"any name": table}, tmp_path / tokens.WEIGHTS)
    spec = importlib.machinery.ModuleSpec("wordllama", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(tokens.importlib.util, "find_spec", lambda name: spec)
    found = TokenMeans().fit_transform(["a b", "a a a b b b b", ""])
    np.testing.assert_allclose(found, [[0.5**0.5, 0.5**0.5], [0.6, 0.8], [0, 0]])


@pytest.mark.heavy
def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(tokens.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="pip install wordllama"):
        TokenMeans().fit(["a"])
