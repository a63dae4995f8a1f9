"""States of a project after each change, for comparison. The last one is saved for the next session."""

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


@dataclass(frozen=True)
class State:
    """A snapshot of the project, with its number, its time and the change that led to it."""

    number: int
    at: str
    title: str
    snapshot: Snapshot

    def to_dict(self) -> dict[str, Any]:
        totals, labelers = self.snapshot.totals, len(self.snapshot.fingerprints)
        return {"number": self.number, "at": self.at, "title": self.title, "totals": totals, "labelers": labelers}


class States:
    """The states of this session; number 0 is the last state of the session before."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / ".shortlist" / "studio" / "last.npz"  # runs clean up the other folders
        self.all: list[State] = []
        self._number = 0
        self._writing = threading.Lock()
        self.all += _load(self.path)

    def add(self, title: str, snapshot: Snapshot) -> None:
        """Add a state, unless it equals the last one."""
        if self.all and _same(self.all[-1].snapshot, snapshot):
            return
        self._number += 1
        state = State(self._number, datetime.now().astimezone().isoformat(timespec="seconds"), title, snapshot)
        self.all.append(state)
        del self.all[1:-40]  # the first one stays, as it was when the session began
        threading.Thread(target=self._keep, args=(state,), name="state").start()

    def _keep(self, state: State) -> None:
        """Save the last state, in the background."""
        with self._writing:
            if state is self.all[-1]:
                with suppress(OSError, BadFile):  # on a full disk, only "since last time" is lost
                    self.path.parent.mkdir(parents=True, exist_ok=True)
                    _save(self.path, state)

    def find(self, number: int) -> State:
        for state in self.all:
            if state.number == number:
                return state
        raise BadFile(f"state {number} is no longer available")


def _same(one: Snapshot, other: Snapshot) -> bool:
    same = all(getattr(one, name) == getattr(other, name) for name in ("fingerprints", "totals", "sources", "classes"))
    return same and np.array_equal(one.labels, other.labels)


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
    write_archive(path, kind="studio state", version=1, header=header, arrays={"labels": labels})


def _load(path: Path) -> list[State]:
    """The last state of the session before; none if the file is missing or damaged."""
    try:
        header, arrays = read_archive(path, kind="studio state", version=1)
        snapshot = Snapshot(
            dict(header["fingerprints"]), tuple(header["classes"]), tuple(header["sources"]),
            pl.DataFrame(header["labelers"]), dict(header["totals"]), arrays["labels"].astype(np.int64),
        )  # fmt: skip
        return [State(0, str(header["at"]), "last time", snapshot)]
    except (BadFile, KeyError, TypeError, ValueError, pl.exceptions.PolarsError):
        return []
