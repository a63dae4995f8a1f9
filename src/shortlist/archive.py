"""Archive: named arrays and a versioned JSON header in one npz file, written atomically, never pickled."""

from __future__ import annotations

import io
import json
import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadFile

Arrays = Mapping[str, npt.NDArray[Any]]
_HEADER = "header.json"


def write_archive(
    path: str | os.PathLike[str], *, kind: str, header: Mapping[str, Any], arrays: Mapping[str, Any], version: int = 1
) -> None:
    """Write arrays under a header with the kind of file and the version of its format."""
    text = json.dumps({**header, "kind": kind, "version": version}, allow_nan=False)
    packed: dict[str, npt.NDArray[Any]] = {_HEADER: np.frombuffer(text.encode("ascii"), np.uint8)}
    for name, array in arrays.items():
        packed[name] = np.asarray(array)
        if packed[name].dtype.hasobject:  # numpy would pickle it, and that is never read back
            raise TypeError(f"array {name!r} holds Python objects; only numbers and text can be kept in a file")
    with atomic(path) as file:
        np.savez_compressed(file, **packed)  # type: ignore[arg-type]


@contextmanager
def atomic(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that takes its name only once it is written; a failure leaves the old one alone."""
    target = Path(path)
    if not target.parent.is_dir():
        raise BadFile(f"{target} cannot be written: there is no folder {target.parent}")
    if target.is_dir():
        raise BadFile(f"{target} cannot be written: it is a folder; add a file name")
    draft = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
    try:
        with draft.open("xb") as file:
            with suppress(OSError):  # a new file, or a file system without permissions
                os.chmod(draft, target.stat().st_mode & 0o777)  # a private file stays private
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except BaseException as error:
        draft.unlink(missing_ok=True)
        if _of_polars(error):  # it has no number for a full disk, only a message
            raise BadFile(f"cannot be written: {' '.join(str(error).split())[:200]}", file=str(target)) from error
        if isinstance(error, OSError):  # the disk is full, or the folder may not be written to
            error.filename = str(target)
        raise


def put_same(source: Path, target: Path) -> None:
    """Give a file a second name, in one step, or copy it where the file system has no links.

    That is safe for files that are replaced and never written to.
    """
    draft = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
    try:
        os.link(source, draft)
    except OSError:  # another disk, or one that knows no links
        with atomic(target) as file:
            file.write(source.read_bytes())
    else:
        os.replace(draft, target)
        draft.unlink(missing_ok=True)  # it stays where the target already was the same file


def _of_polars(error: BaseException) -> bool:
    """True for an error of polars: a class of polars, or an OSError without a number."""
    return type(error).__module__.startswith("polars") or (isinstance(error, OSError) and error.strerror is None)


def read_archive(path: str | os.PathLike[str], *, kind: str, version: int = 1) -> tuple[dict[str, Any], Archive]:
    """Read what `write_archive` wrote: (header, arrays). Anything else is a BadFile that says why.

    An array is unpacked when it is first used, so that a small file cannot fill the memory with arrays nobody reads.
    """
    with damage_as_bad_file(path):
        with open(path, "rb") as file:
            content = np.load(io.BytesIO(file.read()), allow_pickle=False)
        known = _HEADER in content.files
        header: dict[str, Any] = json.loads(content[_HEADER].tobytes().decode()) if known else {}
        check_header(path, header, kind, version)
        return header, Archive(path, content)


def check_header(path: str | os.PathLike[str], header: Mapping[str, Any], kind: str, version: int = 1) -> None:
    """Raise a BadFile where a header is of another kind of file, or of a newer version of its format."""
    if not header:
        raise BadFile(f"{path} was not written by shortlist: it has no header")
    if header.get("kind") != kind:
        raise BadFile(f"{path} holds {header.get('kind')!r}, not {kind!r}")
    if header["version"] > version:
        raise BadFile(
            f"{path} was written by a newer shortlist (format {header['version']}; this one reads up to {version}): "
            "upgrade shortlist to read it"
        )


@contextmanager
def damage_as_bad_file(path: str | os.PathLike[str]) -> Iterator[None]:
    """Raise a BadFile for any error that a missing, foreign or damaged file causes."""
    try:
        yield
    except FileNotFoundError:
        raise BadFile(f"{path} does not exist") from None
    except BadFile:
        raise
    except OSError as error:
        raise BadFile(f"{path} cannot be read ({error})") from error
    except Exception as error:  # a foreign or damaged file can trip numpy, zipfile, polars and json in any way
        raise BadFile(f"{path} is truncated or not a shortlist file ({type(error).__name__})") from error


class Archive(Arrays):
    """The arrays of a file by name, unpacked when they are first used."""

    def __init__(self, path: str | os.PathLike[str], content: Any, prefix: str = "") -> None:
        self._path, self._content = path, content
        names = [name for name in content.files if name.startswith(prefix) and name != _HEADER]
        self._names = {name.removeprefix(prefix): name for name in names}

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        stored = self._names[name]
        with damage_as_bad_file(self._path):
            array = self._content[stored]
            if not isinstance(array, np.ndarray):
                raise BadFile(f"{self._path} is truncated or not a shortlist file ({name} is no array)")
        return array

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of an array, which is not unpacked for that."""
        stored = self._names[name]
        with damage_as_bad_file(self._path), self._content.zip.open(f"{stored}.npy") as file:
            old = np.lib.format.read_magic(file) == (1, 0)
            read = np.lib.format.read_array_header_1_0 if old else np.lib.format.read_array_header_2_0
            return tuple(read(file)[0])

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def under(self, prefix: str) -> Archive:
        """The arrays whose names begin with the prefix, by the rest of their names."""
        return Archive(self._path, self._content, prefix)
