"""Checkpoint: the file that an interrupted training goes on from, to the same result.

One safetensors file holds the numbers and the tensors of the training (`Trainer.snapshot`). It is replaced in one step,
so that a whole file is there whenever the process is killed. Where several trainings follow one another, the file says
which phase it is in, and holds what earlier phases left for later ones.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from shortlist.errors import BadFile
from shortlist.tensors import Tensors, put_under, read_tensors, under, write_tensors

KIND = "shortlist checkpoint"
FORMAT = 2  # 1 had neither phases nor its number
EVERY = 60.0  # seconds between checkpoints within an epoch
PHASE = "stage"  # what format 2 calls the phase
Numbers: TypeAlias = dict[str, Any]


class Checkpoint:
    """A path, and the fingerprint that tells this training from others."""

    def __init__(self, path: str | os.PathLike[str], fingerprint: str) -> None:
        self.path, self.fingerprint = Path(path), fingerprint
        self.phase = "training"
        self.kept: Tensors = {}  # what earlier phases left for later ones
        self.saved = time.monotonic()

    def due(self) -> bool:
        """Whether the last file is old enough to write the next."""
        return time.monotonic() - self.saved >= EVERY

    def save(self, numbers: Numbers, tensors: Tensors) -> None:
        """Replace the file."""
        header = numbers | {"version": FORMAT, "fingerprint": self.fingerprint, PHASE: self.phase}
        write_tensors(self.path, KIND, header, tensors | put_under("kept", self.kept))
        self.saved = time.monotonic()

    def reached(self) -> str | None:
        """The phase that the file is in; None where there is no file. Also reads `kept` from the file."""
        if not self.path.exists():
            return None
        numbers, tensors = read_tensors(self.path, KIND, "kept.")
        self.kept = under("kept", tensors)
        return self._pop_phase(numbers)

    def load(self) -> tuple[Numbers, Tensors] | None:
        """What `save` was given in this phase; None where there is no file, or one of another phase."""
        if not self.path.exists():
            return None
        numbers, tensors = read_tensors(self.path, KIND)
        return (numbers, tensors) if self._pop_phase(numbers) == self.phase else None

    def _pop_phase(self, numbers: Numbers) -> str:
        """Take the entries of the checkpoint itself out of the numbers. A file of another training is refused."""
        version = numbers.pop("version", 1)
        if version != FORMAT:
            raise BadFile(
                f"{self.path} is a checkpoint of format {version}; this shortlist goes on from format {FORMAT}. Delete "
                "it to start afresh, or name another file"
            )
        if numbers.pop("fingerprint") != self.fingerprint:
            raise BadFile(
                f"{self.path} is the checkpoint of another training (other rows, beliefs or options). Delete it to "
                "start afresh, or name another file"
            )
        return str(numbers.pop(PHASE))


def fingerprint(parts: Iterable[Any]) -> str:
    """A hash of arrays, texts and options. Two trainings with the same fingerprint have the same result."""
    digest = hashlib.sha256()
    for part in parts:
        data = np.ascontiguousarray(part).tobytes() if isinstance(part, np.ndarray) else repr(part).encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()
