"""Digests of files: read once, never trusted too early."""

import os
import time

import pytest

from shortlist.errors import BadFile
from shortlist.project.cache import Digests, digest, file_digest, locked, sweep

OLD = time.time_ns() - 10_000_000_000


def test_content_counts_and_nothing_else(tmp_path):
    (tmp_path / "a").write_text("one")
    (tmp_path / "b").write_text("one")
    assert file_digest(tmp_path / "a") == file_digest(tmp_path / "b")
    (tmp_path / "b").write_text("two")
    assert file_digest(tmp_path / "a") != file_digest(tmp_path / "b")


def test_a_settled_file_is_read_once(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_text("one")
    os.utime(path, ns=(OLD, OLD))
    first = Digests(tmp_path / "memory.json")
    known = first.of(path)
    first.save()
    monkeypatch.setattr("shortlist.project.cache.file_digest", lambda _: "read again")
    assert Digests(tmp_path / "memory.json").of(path) == known
    os.utime(path, ns=(OLD + 1, OLD + 1))
    assert Digests(tmp_path / "memory.json").of(path) == "read again"


def test_a_file_just_written_is_read_again(tmp_path):
    """Two versions of one size within one tick of the clock."""
    path = tmp_path / "a"
    path.write_text("one")
    stamp = time.time_ns()
    os.utime(path, ns=(stamp, stamp))
    digests = Digests(tmp_path / "memory.json")
    before = digests.of(path)
    digests.save()
    path.write_text("two")
    os.utime(path, ns=(stamp, stamp))
    assert Digests(tmp_path / "memory.json").of(path) != before
    assert digests.of(path) == before  # within a run, what was seen first counts
    digests.look_again()
    assert digests.of(path) != before


@pytest.mark.parametrize("content", ["", "[]", '{"a": 1}', "\x00"])
def test_a_damaged_memory_is_forgotten(content, tmp_path):
    (tmp_path / "memory.json").write_text(content)
    (tmp_path / "a").write_text("one")
    assert Digests(tmp_path / "memory.json").of(tmp_path / "a") == file_digest(tmp_path / "a")


def test_missing_files(tmp_path):
    with pytest.raises(BadFile, match="does not exist"):
        Digests(tmp_path / "memory.json").of(tmp_path / "a")


def test_plain_data():
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest(1) != digest("1")
    assert digest([1], 2) != digest([1, 2])
    assert digest({"x", "y"}) == digest({"y", "x"})


def test_the_lock_is_for_one(tmp_path):
    told = []

    class WaitedError(Exception):
        pass

    def waiting(process):
        told.append(process)
        raise WaitedError

    with locked(tmp_path / "lock", waiting):
        with pytest.raises(WaitedError), locked(tmp_path / "lock", waiting):
            pass
        assert told == [str(os.getpid())]
    with locked(tmp_path / "lock", waiting):
        assert len(told) == 1


def test_sweeping_takes_drafts_and_nothing_else(tmp_path):
    draft = f".labels.csv.{'0af1' * 8}.tmp"
    for name in (draft, ".mine.tmp", "labels.csv", ".labels.csv.tmp"):
        (tmp_path / name).write_text("")
    sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".labels.csv.tmp", ".mine.tmp", "labels.csv"]
