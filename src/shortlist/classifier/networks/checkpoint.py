"""Checkpoint: a training on disk, so that one that was killed goes on with the same result.

One safetensors file: the network, the optimiser, the best weights, the random state, and the numbers of the training as
JSON. It is replaced in one step, so a kill at any moment leaves a whole one. Where several trainings follow each other,
the file says which of them it is in, and holds what the earlier ones left for the later.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shortlist.archive import atomic
from shortlist.errors import BadFile, require

if TYPE_CHECKING:
    from shortlist.classifier.networks.training import Trainer

KIND = "shortlist checkpoint"
FORMAT = 2  # 1 had neither stages nor its number
EVERY = 60.0  # seconds between checkpoints within an epoch


class Checkpoint:
    """Where to keep a training, and what tells it from other trainings."""

    def __init__(self, path: str | os.PathLike[str], fingerprint: str) -> None:
        self.path, self.fingerprint = Path(path), fingerprint
        self.stage = "training"
        self.kept: dict[str, Any] = {}
        self.last = time.monotonic()

    def maybe(self, trainer: Trainer) -> None:
        if time.monotonic() - self.last >= EVERY:
            self.save(trainer)

    def save(self, trainer: Trainer) -> None:
        where = {"version": FORMAT, "fingerprint": self.fingerprint, "stage": self.stage}
        kept = {f"kept.{name}": tensor for name, tensor in self.kept.items()}
        write_tensors(self.path, KIND, trainer.numbers() | where, _pack(trainer) | kept)
        self.last = time.monotonic()

    def reached(self) -> str | None:
        """The stage the file is in, None where there is no file; what was left for it is in `kept` from now on."""
        if not self.path.exists():
            return None
        numbers, tensors = read_tensors(self.path, KIND, "kept.")
        self.kept = part(tensors, "kept")
        return self._stage_of(numbers)

    def resume(self, trainer: Trainer) -> bool:
        """Put a trainer where the file says it stood; False where there is no file of its stage."""
        if not self.path.exists():
            return False
        numbers, tensors = read_tensors(self.path, KIND)
        if self._stage_of(numbers) != self.stage:
            return False
        _unpack(trainer, numbers, tensors)
        return True

    def _stage_of(self, numbers: dict[str, Any]) -> str:
        """Take out of the numbers what tells trainings apart, and refuse those of others."""
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
        return str(numbers.pop("stage"))


def fingerprint(parts: Iterable[Any]) -> str:
    """A hash of arrays, texts and options: equal when a training would be the same."""
    digest = hashlib.sha256()
    for part in parts:
        data = np.ascontiguousarray(part).tobytes() if isinstance(part, np.ndarray) else repr(part).encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def _pack(trainer: Trainer) -> dict[str, Any]:
    torch = trainer.torch
    tensors = {f"network.{name}": t for name, t in trainer.network.state_dict().items()}
    tensors |= {f"best.{name}": t for name, t in trainer.best.items()}
    for i, values in trainer.optimiser.state_dict()["state"].items():
        tensors |= {f"optimiser.{i}.{name}": torch.as_tensor(value) for name, value in values.items()}
    tensors["random.cpu"] = torch.get_rng_state()
    if trainer.device.startswith("cuda"):
        tensors["random.cuda"] = torch.cuda.get_rng_state(trainer.device)
    return tensors


def _unpack(trainer: Trainer, numbers: dict[str, Any], tensors: dict[str, Any]) -> None:
    from shortlist.classifier.networks.training import State

    trainer.state = State(**numbers)
    trainer.network.load_state_dict(part(tensors, "network"))
    trainer.best = {name: t.to(trainer.device) for name, t in part(tensors, "best").items()}
    state: dict[int, dict[str, Any]] = {}
    for name, tensor in part(tensors, "optimiser").items():
        i, field = name.split(".", 1)
        state.setdefault(int(i), {})[field] = tensor
    groups = trainer.optimiser.state_dict()["param_groups"]
    trainer.optimiser.load_state_dict({"state": state, "param_groups": groups})
    trainer.torch.set_rng_state(tensors["random.cpu"])
    if "random.cuda" in tensors:
        trainer.torch.cuda.set_rng_state(tensors["random.cuda"], trainer.device)


def part(tensors: dict[str, Any], prefix: str) -> dict[str, Any]:
    """The tensors under a prefix, without it."""
    return {name.removeprefix(f"{prefix}."): t for name, t in tensors.items() if name.startswith(f"{prefix}.")}


def write_tensors(path: str | os.PathLike[str], kind: str, header: dict[str, Any], tensors: dict[str, Any]) -> None:
    """Tensors and a JSON header as one safetensors file, written atomically."""
    dump = require("safetensors.torch", extra="torch").save
    plain = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    with atomic(path) as file:
        file.write(dump(plain, metadata={"kind": kind, "header": json.dumps(header)}))


def read_tensors(path: str | os.PathLike[str], kind: str, prefix: str = "") -> tuple[dict[str, Any], dict[str, Any]]:
    """(header, tensors under a prefix) of what `write_tensors` wrote; anything else is a BadFile that says why."""
    safe_open = require("safetensors", extra="torch").safe_open
    if not Path(path).is_file():
        raise BadFile(f"{path} does not exist")
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            found = metadata.get("kind")
            if found != kind:
                raise BadFile(f"{path} holds {found!r}, not {kind!r}")
            wanted = [name for name in file.keys() if name.startswith(prefix)]  # noqa: SIM118
            return json.loads(metadata["header"]), {name: file.get_tensor(name) for name in wanted}
    except BadFile:
        raise
    except Exception as error:  # a damaged file can trip safetensors and json in any way
        raise BadFile(f"{path} is truncated or not a shortlist file ({type(error).__name__})") from error
