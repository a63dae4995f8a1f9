"""A print() in a labeler is called on every row: some lines are enough."""

import json

import pytest

from shortlist.project.code.user_output import SHOWN
from tests.cli.shell import run
from tests.project.news import LABELERS, TOML, make

LOUD = LABELERS.replace("def sport(words):\n", 'def sport(words):\n    print("seen", len(words))\n')


@pytest.mark.parametrize("workers", [1, 2])
def test_the_first_lines_are_shown_and_the_others_counted(tmp_path, workers):
    toml = TOML.replace("[classifier]", f"[labelers]\nworkers = {workers}\n\n[classifier]")
    make(tmp_path / "news", toml=toml, labelers=LOUD)
    ended = run(tmp_path / "news", "vote", "--json")
    assert json.loads(ended.stdout)["rows"] == 300
    assert ended.stderr.count("seen 10\n") == SHOWN
    assert f"… {300 - SHOWN} more lines were printed by labelers" in ended.stderr


def test_few_lines_are_all_shown(tmp_path):
    make(tmp_path / "news", labelers=LOUD, m=SHOWN)
    ended = run(tmp_path / "news", "vote")
    assert ended.stderr.count("seen 10\n") == SHOWN
    assert "more line" not in ended.stderr
    assert "seen" not in ended.stdout


@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_printed_before_a_crash_is_shown(tmp_path, workers):
    toml = TOML.replace("[classifier]", f"[labelers]\nworkers = {workers}\n\n[classifier]")
    make(tmp_path / "news", toml=toml, labelers=LOUD.replace("if any(", "if 1 / 0 or any("))
    ended = run(tmp_path / "news", "vote")
    assert ended.returncode == 3
    assert "seen 10\n" in ended.stderr
    assert "division by zero" in ended.stderr


def test_a_debugger_shows_all(capsys):
    import sys

    from shortlist.project.code.user_output import printing

    before = sys.gettrace()
    with printing():
        sys.settrace(lambda *_: None)
        try:
            print("\n".join("abcdefgh"))
        finally:
            sys.settrace(before)
    assert capsys.readouterr().err.startswith("a\nb\nc\nd\ne\nf\ng\nh\n")
