"""A run that is killed at any point and started again ends with the same bytes; two at once do not hurt each other."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.shell import COMMAND, environment, run
from tests.project.news import TOML, make

QUICK = TOML.replace("[classifier]", '[output]\nstages = ["vote", "fit", "check", "export"]\n\n[classifier]')
KILLED_WHILE_WRITING = """
import os, signal, sys
from shortlist.cli import main

left, real = int(sys.argv.pop(1)), os.replace


def replace(draft, target):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)  # the draft is whole, and does not yet bear its name
    real(draft, target)


os.replace = replace
main()
"""


def outputs(folder):
    """Every byte that a user sees. The lock and the time stamps of files are not among them."""
    kept = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in ("lock", "digests.json")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in kept if "__pycache__" not in path.parts}


def finished(folder):
    ended = run(folder, "run")
    assert ended.returncode == 0, ended.stderr
    return outputs(folder)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    make(folder, toml=QUICK)
    return finished(folder)


@pytest.mark.parametrize("at", [1, 4, 6, 9])
def test_killed_while_writing(at, tmp_path, undisturbed):
    make(tmp_path, toml=QUICK)
    command = [sys.executable, "-c", KILLED_WHILE_WRITING, str(at), "run"]
    ended = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True)
    assert ended.returncode == -signal.SIGKILL
    assert outputs(tmp_path) != undisturbed
    assert finished(tmp_path) == undisturbed


def test_two_at_once(tmp_path, undisturbed):
    make(tmp_path, toml=QUICK)
    started = [
        subprocess.Popen([*COMMAND, "run"], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]  # fmt: skip
    told = [process.communicate(timeout=120) for process in started]
    assert [process.returncode for process in started] == [0, 0, 0], told
    assert sum("Everything is up to date" in out for out, _ in told) == 2
    assert any("another shortlist (process" in err for _, err in told) or all(not err for _, err in told)
    assert outputs(tmp_path) == undisturbed


def test_a_run_waits_for_the_lock(tmp_path):
    make(tmp_path, toml=QUICK)
    code = (
        "import time\nfrom pathlib import Path\nfrom shortlist.project.cache import locked\n"
        "Path('.shortlist').mkdir()\nwith locked(Path('.shortlist/lock'), print):\n    print('held', flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        waiting = subprocess.Popen([*COMMAND, "vote"], cwd=tmp_path, env=environment(), stderr=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)  # fmt: skip
        line = waiting.stderr.readline()
        assert f"another shortlist (process {holder.pid}) is running in this folder" in line
        assert waiting.poll() is None
        holder.kill()  # the lock goes with its process
        out, _ = waiting.communicate(timeout=60)
    assert waiting.returncode == 0
    assert "4 labelers on 300 rows" in out


SLOW = """
import os, time
from pathlib import Path
from shortlist import labeler

@labeler(says=["sports"])
def slow(text):
    Path(f"worker-{os.getpid()}").touch()
    time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_workers_end_when_their_run_was_killed(tmp_path):
    """attack.md 22: two were there half an hour later."""
    make(tmp_path, toml=QUICK.replace("[classifier]", "[labelers]\nworkers = 2\n[classifier]"), labelers=SLOW)
    with subprocess.Popen([*COMMAND, "vote"], cwd=tmp_path, env=environment(), stderr=subprocess.DEVNULL) as process:
        workers = until(lambda: [int(path.name.split("-")[1]) for path in tmp_path.glob("worker-*")])
        process.kill()
    assert until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))


def until(found, seconds=60.0):
    """The first result that is true."""
    end = time.monotonic() + seconds
    while not (result := found()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return result


def test_old_drafts_in_the_project_folder_are_swept(tmp_path):
    """attack.md 22: `.gold.jsonl.….tmp` of a killed studio stayed for ever."""
    make(tmp_path, toml=QUICK)
    old, new = (tmp_path / f".gold.jsonl.{sign * 32}.tmp" for sign in "ab")
    for draft in (old, new):
        draft.touch()
    os.utime(old, (0, 0))
    finished(tmp_path)
    assert (old.exists(), new.exists()) == (False, True)


@pytest.mark.slow
def test_killed_at_random_points(tmp_path):
    """All stages, killed again and again after a while that is drawn at random, until a run gets through."""
    (tmp_path / "undisturbed").mkdir()
    make(tmp_path / "undisturbed" / "news")  # a report bears the name of its folder
    start = time.monotonic()
    whole = finished(tmp_path / "undisturbed" / "news")
    took = time.monotonic() - start
    draw = random.Random(os.environ.get("KILL_SEED", "0"))
    kills = 0
    for trial in range(5):
        (tmp_path / f"killed {trial}").mkdir()
        folder = tmp_path / f"killed {trial}" / "news"
        make(folder)
        longest = 0.5  # of the first try, which is to be killed even where the undisturbed run was slow by accident
        while True:
            with subprocess.Popen([*COMMAND, "run"], cwd=folder, env=environment(), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as process:  # fmt: skip
                try:
                    process.communicate(timeout=draw.uniform(0.1, longest) * took)
                    assert process.returncode == 0
                    break
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()
                    kills, longest = kills + 1, 1.2
        assert outputs(folder) == whole
    assert kills >= 3
