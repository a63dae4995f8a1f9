"""One run at a time, and what a killed one left behind."""

import os

import pytest

from shortlist.project.kept.lock import locked, sweep


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
