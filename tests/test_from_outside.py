"""The five seams in one project run: everything that varies comes from a package that shortlist does not know.

The package is installed for these tests only (`tests/outside.py` with entry points), and is looked up by the names that
stand in shortlist.toml. The engine is handed in.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.outside import ENTRY_POINTS
from tests.project.news import TOML, edit, make, rows

HERE = Path(__file__).parent
STAGES = ["vote", "fit", "tally", "train", "check", "export"]
LONGER = '\n[[labeler]]\nkind = "longer"\nthan = 45\nsays = ["sports", "politics"]\n'
RUN = """
import json
import outside
from shortlist import Project

project, engine = Project("."), outside.Backwards()
outcomes = project.run(engine=engine)
print(json.dumps({
    "stages": {one.stage: one.status for one in outcomes}, "pieces": engine.pieces,
    "tally": project.session.result("tally"),
    "estimator": type(project.model.estimator).__name__, "classifier": type(project.classifier).__name__,
}))
"""


@pytest.fixture
def project(tmp_path):
    """The news project, whose shortlist.toml names things of the package."""
    toml = TOML.replace('kind = "linear"', 'kind = "letters"') + LONGER
    toml += f'\n[label_model.estimator]\nkind = "alike"\naccuracy = 0.8\n\n[output]\nstages = {json.dumps(STAGES)}\n'
    make(tmp_path / "news")
    (tmp_path / "news" / "shortlist.toml").write_text(
        toml, "utf-8"
    )  # not read here, where the package is not installed
    return tmp_path / "news"


@pytest.fixture
def python(project, tmp_path):
    """Runs Python in the project, where the package is installed; what it printed comes back."""
    about = tmp_path / "site" / "outside-1.0.dist-info"
    about.mkdir(parents=True)
    shutil.copy(HERE / "outside.py", tmp_path / "site")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRY_POINTS)
    path = os.pathsep.join([str(tmp_path / "site"), *filter(None, [os.environ.get("PYTHONPATH")])])

    def run(*arguments):
        command, environment = [sys.executable, *arguments], {**os.environ, "PYTHONPATH": path}
        ran = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    return run


def test_one_run_with_a_stage_an_estimator_an_engine_a_classifier_and_a_labeler_from_outside(python, project):
    found = json.loads(python("-c", RUN))
    assert found["stages"] == dict.fromkeys(STAGES, "done")
    assert found["pieces"] > 1
    assert (found["estimator"], found["classifier"]) == ("Alike", "Letters")
    assert 0 < found["tally"]["votes"]["longer"] == (rows()["body"].str.len_chars() > 45).sum()
    assert pl.read_parquet(project / "out" / "labels.parquet")["class"].null_count() == 0
    python("-m", "shortlist", "export", "--votes-only", "--to", "by_votes.parquet")
    labels = pl.read_parquet(project / "by_votes.parquet")
    mass = labels.select(pl.col("^belief_.*$")).mean().row(0)
    assert np.allclose(list(found["tally"]["classes"].values()), mass, atol=0.001)
    assert json.loads((project / "out" / "classifier.json").read_text())["classes"] == [
        "business",
        "politics",
        "sports",
    ]


def test_an_engine_from_outside_finds_the_same_votes_as_ours(python, project):
    python("-c", RUN)
    theirs = (project / "out" / "votes" / "part-00000.parquet").read_bytes()
    shutil.rmtree(project / ".shortlist")
    python("-m", "shortlist", "vote")
    assert (project / "out" / "votes" / "part-00000.parquet").read_bytes() == theirs


def test_a_stage_from_outside_is_a_command_and_is_done_again_only_when_it_is_out_of_date(python, project):
    assert "Count votes and classes." in python("-m", "shortlist", "tally", "--help")
    first = json.loads(python("-m", "shortlist", "tally", "--json"))
    assert (first["status"], first["outputs"]) == ("done", ["out/tally.json"])
    assert json.loads(python("-m", "shortlist", "tally", "--json"))["status"] == "up to date"
    edit(project / "shortlist.toml", "than = 45", "than = 42")
    again = json.loads(python("-m", "shortlist", "tally", "--json"))
    assert again["status"] == "done"
    assert again["votes"] > first["votes"]
    assert f"{again['votes']:,} votes" in python("-m", "shortlist", "tally")
