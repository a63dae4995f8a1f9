"""Archive: named arrays and a versioned JSON header in one npz file, written atomically, never pickled.

Votes and models are kept this way. A file is replaced in one step, so a reader sees the old one or the new
one and never half of one.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadFile

Arrays = dict[str, npt.NDArray[Any]]
_HEADER = "header.json"


def write_archive(
    path: str | os.PathLike[str],
    *,
    kind: str,
    version: int,
    header: Mapping[str, Any],
    arrays: Mapping[str, Any],
) -> None:
    """Write arrays under a header that says what this is and which version of the format it has."""
    text = json.dumps({**header, "kind": kind, "version": version}, allow_nan=False)
    packed: Arrays = {_HEADER: np.frombuffer(text.encode("ascii"), np.uint8)}
    for name, array in arrays.items():
        packed[name] = np.asarray(array)
        if packed[name].dtype.hasobject:  # numpy would pickle it, and that is never read back
            raise TypeError(f"array {name!r} holds Python objects; only numbers and text can be kept in a file")
    with atomic(path) as file:
        np.savez_compressed(file, **packed)  # type: ignore[arg-type]


@contextmanager
def atomic(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write to that takes its name only once it is whole; a failure leaves the old one alone."""
    target = Path(path)
    if not target.parent.is_dir():
        raise BadFile(f"{target} cannot be written: there is no folder {target.parent}")
    if target.is_dir():
        raise BadFile(f"{target} cannot be written: it is a folder; add a file name")
    draft = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def read_archive(path: str | os.PathLike[str], *, kind: str, version: int) -> tuple[dict[str, Any], Arrays]:
    """Read what `write_archive` wrote: (header, arrays). Anything else is a BadFile that says why."""
    try:
        with open(path, "rb") as raw, np.load(raw, allow_pickle=False) as file:
            if _HEADER not in file.files:
                raise BadFile(f"{path} was not written by shortlist: it has no header")
            header: dict[str, Any] = json.loads(file[_HEADER].tobytes().decode())
            if header.get("kind") != kind:
                raise BadFile(f"{path} holds {header.get('kind')!r}, not {kind!r}")
            if header["version"] > version:
                raise BadFile(
                    f"{path} was written by a newer shortlist (format {header['version']}; this one reads up "
                    f"to {version}): upgrade shortlist to read it"
                )
            return header, {name: file[name] for name in file.files if name != _HEADER}
    except FileNotFoundError:
        raise BadFile(f"{path} does not exist") from None
    except BadFile:
        raise
    except OSError as error:
        raise BadFile(f"{path} cannot be read ({error})") from error
    except Exception as error:  # a foreign or damaged file can trip numpy, zipfile and json in any way
        raise BadFile(f"{path} is truncated or not a shortlist file ({type(error).__name__})") from error
