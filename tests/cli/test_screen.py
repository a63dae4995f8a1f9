"""What is written on a terminal, and elsewhere."""

import io
import json
import subprocess
import sys

import pytest
from rich.console import Console

from shortlist.cli.screen import Screen
from tests.cli.shell import COMMAND, environment, run
from tests.project.news import TOML, make


@pytest.mark.parametrize(
    ("terminal", "lines"),
    [(True, ["   One reason and", "   [another] one."]), (False, ["   One reason and [another] one."])],
)
def test_a_long_line_keeps_its_indent_on_a_terminal_and_is_one_line_elsewhere(terminal, lines):
    """On a terminal, only the first line was indented."""
    screen = Screen()
    screen.out = Console(file=io.StringIO(), width=18, force_terminal=terminal, color_system=None)
    screen.text("   One reason and [another] one.")
    assert [line.rstrip() for line in screen.out.file.getvalue().splitlines()] == lines


SMALL = """
import resource, signal, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)), resource.RLIM_INFINITY))
from shortlist.cli import main
main()
"""  # no file may grow beyond a size: what a full disk does to who writes


@pytest.fixture
def project(tmp_path):
    make(tmp_path, toml=TOML.replace('kind = "linear"', 'kind = "none"'))
    return tmp_path


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
def test_signs_that_cannot_be_written_do_not_end_the_run(project, encoding):
    """Attack C2: exit 1 after the first stage, `unexpected UnicodeEncodeError`."""
    env = {**environment(), "PYTHONIOENCODING": encoding}
    ended = subprocess.run([*COMMAND, "run"], cwd=project, capture_output=True, env=env)
    assert ended.returncode == 0, ended.stderr
    assert b"?  vote" in ended.stdout
    exported = subprocess.run([*COMMAND, "export", "--json"], cwd=project, capture_output=True, env=env)
    assert json.loads(exported.stdout.decode("ascii"))["status"] == "up to date"


@pytest.mark.parametrize("arguments", [["vote"], ["vote", "--json"], ["fit"], ["run", "--force"]])
def test_nobody_reading_on_is_no_error(project, arguments):
    """Attack C3: rich ended the command with exit 1."""
    pipe = subprocess.PIPE
    with subprocess.Popen([*COMMAND, *arguments], cwd=project, stdout=pipe, stderr=pipe, env=environment()) as process:
        process.stdout.close()
        told = process.stderr.read().decode()
    assert process.returncode == 0
    assert all(line.startswith("note: ") for line in told.splitlines())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/dev/full is Linux's")
@pytest.mark.parametrize("arguments", [["vote"], ["vote", "--json"], ["run", "--json"]])
def test_a_full_output_is_told_in_one_line(project, arguments):
    """Attack C3: a traceback."""
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [*COMMAND, *arguments], cwd=project, stdout=full, stderr=subprocess.PIPE, text=True, env=environment()
        )
    assert ended.stderr == "error: standard output: No space left on device\n"
    assert ended.returncode == 3


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/dev/full is Linux's")
def test_a_mistake_that_cannot_be_written_as_json_is_told_on_the_other_stream(tmp_path):
    """Attack C3: a traceback."""
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [*COMMAND, "vote", "--json"],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
    assert ended.stderr.startswith("error: ")
    assert len(ended.stderr.splitlines()) == 1
    assert ended.returncode == 3


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits there")
@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("stage", ["vote", "fit", "check", "export", "report"])
def test_a_disk_that_is_full_names_the_file_and_leaves_nothing_behind(project, stage, form):
    """Attack C5: `a file: …`, exit 1 where polars wrote, and half of a JSON file."""
    if form != "parquet" and stage != "export":
        pytest.skip("only labels have a format")
    with open(project / "shortlist.toml", "a") as toml:
        toml.write(f'[output]\nformat = "{form}"\n')
    before = {"vote": [], "export": ["fit"], "report": ["fit", "check"]}.get(stage, ["vote"])
    for earlier in before:
        assert run(project, earlier).returncode == 0
    output = {"vote": "", "fit": "label_model.npz", "check": "", "export": f"labels.{form}", "report": "report.html"}
    room = "900" if stage == "vote" else "3000"  # bytes: the digests of older files need more than 900
    ended = subprocess.run(
        [sys.executable, "-B", "-c", SMALL, room, stage],
        cwd=project,
        capture_output=True,
        text=True,
        env=environment(),
    )
    assert ended.returncode == 3, ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    assert ended.stderr.startswith("error: ")
    assert output[stage] in ended.stderr
    assert "a file:" not in ended.stderr
    assert not list(project.rglob("*.tmp"))
    assert run(project, stage).returncode == 0
