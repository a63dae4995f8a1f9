"""States: what the project looked like after each change, so that two can be put side by side.

The last one is kept in .shortlist/studio, so that the next start can tell what changed since.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shortlist.archive import read_archive, write_archive
from shortlist.errors import BadFile
from shortlist.project.change import Snapshot

KIND, VERSION = "studio state", 1
MOST = 40  # states that are kept in memory


@dataclass(frozen=True)
class State:
    """A moment of the project: its number, when that was, and what was done just before."""

    number: int
    at: str
    title: str
    snapshot: Snapshot

    def to_dict(self) -> dict[str, Any]:
        totals, labelers = self.snapshot.totals, len(self.snapshot.fingerprints)
        return {"number": self.number, "at": self.at, "title": self.title, "totals": totals, "labelers": labelers}


class States:
    """The states of this sitting, the one at the end of the last sitting first."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / ".shortlist" / "studio" / "last.npz"  # a folder of its own: runs sweep others
        self.all: list[State] = []
        self._number = 0
        self._writing = threading.Lock()
        before = _load(self.path)
        if before is not None:
            self.all.append(before)

    def add(self, title: str, snapshot: Snapshot) -> None:
        """Keep a state, where something is different from the last one."""
        if self.all and _same(self.all[-1].snapshot, snapshot):
            return
        self._number += 1
        state = State(self._number, datetime.now().astimezone().isoformat(timespec="seconds"), title, snapshot)
        self.all.append(state)
        del self.all[1:-MOST]  # the first one stays: what it was when the sitting began
        threading.Thread(target=self._keep, args=(state,), name="state").start()

    def _keep(self, state: State) -> None:
        """Write the last state down, while the page shows it already."""
        with self._writing:
            if state is self.all[-1]:
                with suppress(OSError, BadFile):  # a full disk is no reason to stop: only "since last time" is lost
                    self.path.parent.mkdir(parents=True, exist_ok=True)
                    _save(self.path, state)

    def find(self, number: int) -> State:
        for state in self.all:
            if state.number == number:
                return state
        raise BadFile(f"state {number} is not kept any more")


def _same(one: Snapshot, other: Snapshot) -> bool:
    return (
        one.fingerprints == other.fingerprints
        and one.totals == other.totals
        and one.sources == other.sources
        and one.classes == other.classes
        and np.array_equal(one.labels, other.labels)
    )


def _save(path: Path, state: State) -> None:
    snapshot = state.snapshot
    header = {
        "at": state.at,
        "fingerprints": snapshot.fingerprints,
        "classes": list(snapshot.classes),
        "sources": list(snapshot.sources),
        "totals": snapshot.totals,
        "labelers": snapshot.labelers.to_dicts(),
    }
    labels = snapshot.labels.astype(np.int16 if len(snapshot.classes) < 2**15 else np.int64)
    write_archive(path, kind=KIND, version=VERSION, header=header, arrays={"labels": labels})


def _load(path: Path) -> State | None:
    """The state at the end of the last sitting; a damaged file counts as none."""
    try:
        header, arrays = read_archive(path, kind=KIND, version=VERSION)
        snapshot = Snapshot(
            dict(header["fingerprints"]), tuple(header["classes"]), tuple(header["sources"]),
            pl.DataFrame(header["labelers"]), dict(header["totals"]), arrays["labels"].astype(np.int64),
        )  # fmt: skip
        return State(0, str(header["at"]), "last time", snapshot)
    except (BadFile, KeyError, TypeError, ValueError, pl.exceptions.PolarsError):
        return None
