"""`py.typed` keeps its promise: type checkers read a user's script, pass what is right and name what is wrong."""

import subprocess
import sys

import pytest

SCRIPT = """
from pathlib import Path

import numpy as np

from shortlist import JointModel, LabelModel, NoiseAwareClassifier, Not, Project, Votes
from shortlist import apply, keywords, labeler, pattern


@labeler(says=["person", "place", {"description", "number"}])
def first_word(question: str) -> str | set[str] | None:
    return {"who": "person", "where": "place"}.get(question.split()[0])


rules = [
    first_word,
    pattern(r"how (many|much)", yes="number", no=Not("number"), name="how_many"),
    keywords(["mean", "meaning"], says="description", name="meaning"),
]
questions = ["who wrote hamlet", "how many moons has mars"]
votes: Votes = apply(rules, questions)
model: LabelModel = LabelModel().fit(votes)
beliefs: np.ndarray = model.predict_proba(votes)
joint: JointModel = JointModel().fit(votes, questions)
reader: NoiseAwareClassifier = NoiseAwareClassifier().fit(questions, beliefs, classes=votes.space)


def numbers_of(folder: Path) -> dict[str, float]:
    numbers: dict[str, float] = {}
    Project(folder).run(on_stage=lambda outcome: numbers.update(outcome.metrics))
    return numbers
"""
WRONG = """
from shortlist import LabelModel

LabelModel(max_iter="many")
LabelModel().fit(3)
"""
CHECKERS = {"mypy": ["mypy", "--strict"], "pyright": ["pyright", "--pythonpath", sys.executable]}


@pytest.mark.parametrize("checker", ["mypy", pytest.param("pyright", marks=pytest.mark.heavy)])
def test_a_users_script(checker, tmp_path):
    pytest.importorskip(checker)

    def check(code):
        (tmp_path / "script.py").write_text(code)
        command = [sys.executable, "-m", *CHECKERS[checker], "script.py"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    right, wrong = check(SCRIPT), check(WRONG)
    assert right.returncode == 0, right.stdout + right.stderr
    assert wrong.returncode == 1
    assert wrong.stdout.count("error:") == 2
    assert "script.py:4" in wrong.stdout
    assert "script.py:5" in wrong.stdout
