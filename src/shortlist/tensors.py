"""Tensors: torch on a device, and tensors in files.

torch is optional: `torch_on` imports it where it is needed. A file of tensors is a safetensors file with a JSON header.
It is written atomically, and nothing is pickled.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from shortlist.archive import atomic, damage_as_bad_file
from shortlist.errors import BadFile, BadFit, require

Tensor: TypeAlias = Any
Module: TypeAlias = Any  # a torch.nn.Module
Tensors: TypeAlias = dict[str, Tensor]


# -- torch on a device ---------------------------------------------------------------------------------


def torch_on(device: str) -> tuple[Any, str]:
    """(torch, the device to compute on): "auto" is CUDA where there is one, else the CPU."""
    torch: Any = require("torch", extra="torch")
    if device == "auto":
        return torch, "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise BadFit(f"torch cannot compute on device {device!r} here ({str(error).splitlines()[0]})") from error
    return torch, device


def autocast(torch: Any, device: str, *, enabled: bool) -> Any:
    """Context in which matrix products are bfloat16, where that is wanted."""
    return torch.autocast(device.split(":")[0], torch.bfloat16, enabled=enabled)


@contextmanager
def own_randomness(torch: Any, seed: int, device: str) -> Iterator[None]:
    """Context in which torch is seeded. Afterwards its random state is restored."""
    devices = [torch.device(device)] if device.startswith("cuda") else []
    with torch.random.fork_rng([d.index or 0 for d in devices]):
        torch.manual_seed(seed)
        yield


# -- tensors in files ----------------------------------------------------------------------------------


def write_tensors(path: str | os.PathLike[str], kind: str, header: dict[str, Any], tensors: Tensors) -> None:
    """Write tensors and a JSON header as one safetensors file, atomically."""
    dump = require("safetensors.torch", extra="torch").save
    plain = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    with atomic(path) as file:
        file.write(dump(plain, metadata={"kind": kind, "header": json.dumps(header)}))


def read_tensors(path: str | os.PathLike[str], kind: str) -> tuple[dict[str, Any], Tensors]:
    """Read (header, tensors) of a file that `write_tensors` wrote; else a BadFile."""
    safe_open = require("safetensors", extra="torch").safe_open
    if not Path(path).is_file():
        raise BadFile(f"{path} does not exist")
    with damage_as_bad_file(path), safe_open(path, framework="pt") as file:
        metadata = file.metadata() or {}
        if metadata.get("kind") != kind:
            raise BadFile(f"{path} holds {metadata.get('kind')!r}, not {kind!r}")
        return json.loads(metadata["header"]), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


def under(prefix: str, tensors: Tensors) -> Tensors:
    """The tensors named `prefix.…`, without the prefix."""
    return {name.removeprefix(f"{prefix}."): t for name, t in tensors.items() if name.startswith(f"{prefix}.")}


def put_under(prefix: str, tensors: Tensors) -> Tensors:
    """The tensors as `prefix.…`."""
    return {f"{prefix}.{name}": tensor for name, tensor in tensors.items()}
