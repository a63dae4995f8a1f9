"""Faults on real clusters: a job goes on, or it names the part that is bad; and nothing that was done is done again."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from shortlist.errors import BadFile, PieceLost
from tests.cli.shell import environment
from tests.engines.articles import TOML, make, outputs
from tests.engines.clusters import CLUSTERS, started

CODE = '''"""Labelers that take down whom they are asked about, and that do harm while a file says so."""

import os
import signal
from pathlib import Path

from shortlist import labeler

HERE = Path({here!r})


@labeler(says=["sports", "politics"])
def watched(row):
    if row.id == "3-doc30":
        harm()
    with (HERE / "asked.txt").open("a") as file:
        file.write(row.id + "\\n")
    return "sports" if "goal" in row.body else "politics" if "minister" in row.body else None


def harm():
    if (HERE / "kill once").exists():
        (HERE / "kill once").unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    if (HERE / "kill always").exists():
        os.kill(os.getpid(), signal.SIGKILL)
    if (HERE / "disk full").exists():
        os.fsync = on_a_full_disk


def on_a_full_disk(file, sync=os.fsync):
    if (HERE / "disk full").exists():
        raise OSError(28, "No space left on device")
    sync(file)
'''
ROWS = 350


@pytest.fixture(scope="module", params=CLUSTERS)
def engine(request):
    with started(request.param) as engine:
        yield engine


def watched(folder, **options):
    return make(folder, labelers=CODE.format(here=str(folder)), **options)


def slowly_watched(folder, **options):
    """A project with time to do something while it runs: a row takes 20 ms."""
    slow = CODE.replace("    if row.id ==", '    __import__("time").sleep(0.02)\n    if row.id ==')
    return make(folder, labelers=slow.format(here=str(folder)), **options)


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    project = watched(tmp_path_factory.mktemp("reference") / "news")
    project.run()
    return outputs(project)


def asked(project):
    """How often the labeler was asked about each row."""
    return Counter((project.folder / "asked.txt").read_text().split())


def results(found):
    """Without what depends on the folder: the labeler names it."""
    return {name: content for name, content in found.items() if name.startswith(("labels", "votes/"))}


def test_a_worker_that_is_killed_in_the_middle(engine, tmp_path, reference):
    project = watched(tmp_path / "news")
    (project.folder / "kill once").touch()
    project.run(engine=engine)
    assert results(outputs(project)) == results(reference)
    assert len(asked(project)) == ROWS
    again = {name for name, count in asked(project).items() if count > 1}
    assert len(again) < ROWS / 2  # what other workers had done was not done again


def test_a_row_that_kills_its_worker_each_time(engine, tmp_path, reference):
    project = watched(tmp_path / "news")
    (project.folder / "kill always").touch()
    with pytest.raises(PieceLost, match=r"rows 150 to 189 \(a3.parquet\) could not be voted on") as error:
        project.run(engine=engine)
    assert error.value.rows == (150, 189)
    until_quiet(project.folder / "asked.txt")  # pieces of Ray that were under way finish
    kept = list((project.folder / ".shortlist" / "votes").glob("*/*.parquet"))
    (project.folder / "kill always").unlink()
    (project.folder / "asked.txt").write_text("")
    project.run(engine=engine)
    assert results(outputs(project)) == results(reference)
    assert set(asked(project).values()) == {1}
    assert len(asked(project)) <= ROWS - 10 * len(kept)  # parts have 10 rows or more


def test_a_part_that_is_corrupt_is_named(engine, tmp_path, reference):
    project = watched(tmp_path / "news")
    path = project.folder / "rows" / "a4.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:40] + b"\xff" * 400 + whole[440:])  # the list of its columns, at its end, is sound
    with pytest.raises(BadFile, match=r"a4.parquet") as error:
        project.run(engine=engine)
    assert error.value.file.endswith("a4.parquet")
    path.write_bytes(whole)
    project.run(engine=engine)
    assert results(outputs(project)) == results(reference)


def test_a_full_disk_ends_the_run_and_the_next_one_goes_on(engine, tmp_path, reference):
    project = watched(tmp_path / "news")
    (project.folder / "disk full").touch()
    with pytest.raises(OSError, match="No space left"):
        project.run(engine=engine)
    assert not list(project.folder.rglob("part-00006.parquet"))
    (project.folder / "disk full").unlink()
    (project.folder / "asked.txt").write_text("")
    project.run(engine=engine)
    assert results(outputs(project)) == results(reference)


class Doubling:
    """A cluster that does every piece twice, at the same time: it is retried, or was thought to be lost."""

    elsewhere, workers = True, 2

    def map(self, function, pieces):
        with ThreadPoolExecutor(2) as pool:
            for number, piece in pieces:
                first, _second = pool.map(function, [piece, piece])
                yield number, first


def test_a_piece_that_is_done_twice_counts_once(tmp_path, reference):
    project = watched(tmp_path / "news")
    project.run(engine=Doubling())
    assert results(outputs(project)) == results(reference)
    assert set(asked(project).values()) == {2}
    assert not list(project.folder.rglob("*.tmp*"))


@pytest.mark.parametrize("kind", CLUSTERS)
def test_ctrl_c_ends_all_and_the_next_run_goes_on(kind, tmp_path, reference):
    project, driver = started_run(kind, tmp_path / "news")
    try:
        until(lambda: len(kept_votes(project)) >= 3, driver)
        begun = psutil.Process(driver.pid).children(recursive=True)
        os.killpg(driver.pid, signal.SIGINT)  # as a terminal does
        _out, err = driver.communicate(timeout=100)
    finally:
        if driver.poll() is None:
            os.killpg(driver.pid, signal.SIGKILL)
    assert driver.returncode == 130, err
    assert "Traceback" not in err
    assert not psutil.wait_procs(begun, timeout=30)[1]  # nobody works on
    check_goes_on(project, reference)


@pytest.mark.parametrize("kind", CLUSTERS)
def test_a_driver_that_is_killed_and_started_again(kind, tmp_path, reference):
    project, driver = started_run(kind, tmp_path / "news")
    try:
        until(lambda: len(kept_votes(project)) >= 3, driver)
    finally:
        os.killpg(driver.pid, signal.SIGKILL)
        driver.communicate()
    until_quiet(project.folder / "asked.txt")  # workers of Spark outlive the driver by the part they have in hand
    check_goes_on(project, reference)


RUN = [sys.executable, "-m", "shortlist", "run"]


def started_run(kind, folder):
    """A project, and a process that runs it on a cluster of its own."""
    toml = TOML.replace("[engine]", f'[engine]\nkind = "{kind}"\nworkers = 2')
    project = slowly_watched(folder, toml=toml)
    driver = subprocess.Popen(RUN, cwd=folder, env=environment(), start_new_session=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    return project, driver


def kept_votes(project):
    return list((project.folder / ".shortlist" / "votes").glob("*/*.parquet"))


def check_goes_on(project, reference):
    """Another run does what is left, each row once, and what comes out is the same."""
    kept = len(kept_votes(project))
    (project.folder / "asked.txt").write_text("")
    ended = subprocess.run(RUN, cwd=project.folder, env=environment(), capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    assert results(outputs(project)) == results(reference)
    assert set(asked(project).values()) == {1}
    assert len(asked(project)) <= ROWS - 10 * kept


def until_quiet(file):
    """Nobody has written to a file for two seconds."""
    while time.time() - file.stat().st_mtime < 2:
        time.sleep(0.1)


def until(what, driver):
    start = time.monotonic()
    while not what():
        assert driver.poll() is None, "it ended too early"
        assert time.monotonic() - start < 200
        time.sleep(0.05)
