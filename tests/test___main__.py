"""`python -m shortlist` is the command line."""

import json
import subprocess
import sys

from tests.cli.shell import environment
from tests.project.news import make


def test_python_runs_the_package(tmp_path):
    """It said: No module named shortlist.__main__."""
    make(tmp_path)
    command = [sys.executable, "-m", "shortlist", "vote", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["stage"] == "vote"
