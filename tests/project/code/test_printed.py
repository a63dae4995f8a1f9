"""A print() in a labeler goes to standard error: standard output is what the command has to say."""

import json

import pytest

from tests.cli.shell import run
from tests.project.news import LABELERS, TOML, make

LOUD = LABELERS.replace("def sport(words):\n", 'def sport(words):\n    print("seen", len(words))\n')


@pytest.mark.parametrize("workers", [1, 2])
def test_labelers_print_to_standard_error(tmp_path, workers):
    toml = TOML.replace("[classifier]", f"[labelers]\nworkers = {workers}\n\n[classifier]")
    make(tmp_path / "news", toml=toml, labelers=LOUD)
    ended = run(tmp_path / "news", "vote", "--json")
    assert json.loads(ended.stdout)["rows"] == 300
    assert ended.stderr.count("seen 10\n") == 300


@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_printed_before_a_crash_is_shown(tmp_path, workers):
    toml = TOML.replace("[classifier]", f"[labelers]\nworkers = {workers}\n\n[classifier]")
    make(tmp_path / "news", toml=toml, labelers=LOUD.replace("if any(", "if 1 / 0 or any("))
    ended = run(tmp_path / "news", "vote")
    assert ended.returncode == 3
    assert "seen 10\n" in ended.stderr
    assert "division by zero" in ended.stderr
