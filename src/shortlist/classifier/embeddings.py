"""Embeddings: vectors of texts by a pretrained encoder, which reads each text once. Needs transformers.

with vectors_kept_in(folder / "vectors"):                       # folder/vectors-….npz, a file for each encoder
    embed("sentence-transformers/all-MiniLM-L6-v2", texts)      # (m, width), of unit length
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from shortlist.archive import read_archive, write_archive
from shortlist.classifier.finetuning import Encoder, Vectors, load_encoder, mean_vectors
from shortlist.errors import BadFile
from shortlist.progress import Tell, silent, still_wanted
from shortlist.wording import number_of

Hashes: TypeAlias = npt.NDArray[np.uint64]
KIND = "vectors of texts"  # in the header of the file
VECTORS, EXAMPLES = "vectors", "examples"  # files of a project, in its hidden folder: of rows, and of rules
BLOCK = 256  # texts that are read at a time; between two, the work can be stopped
Halves: TypeAlias = npt.NDArray[np.float16]
_kept: ContextVar[tuple[Path | None, Tell]] = ContextVar("kept", default=(None, silent))
_reading = Lock()  # of two threads with the same texts, the second finds what the first has read
_line = [""]  # what the first says meanwhile


@contextmanager
def vectors_kept_in(path: Path | None, tell: Tell = silent) -> Iterator[None]:
    """Take known vectors from `vectors_file(path, …)`, and keep there those of the texts that are read meanwhile.

    `tell` hears the share of them that is done.
    """
    token = _kept.set((path, tell))
    try:
        yield
    finally:
        _kept.reset(token)


def vectors_file(path: Path, encoder: str) -> Path:
    """The file of the vectors of an encoder."""
    return path.with_name(f"{path.name}-{hashes_of([encoder])[0]:016x}.npz")


def embed(encoder: str, texts: Sequence[str]) -> Vectors:
    """(m, width): vectors of unit length, as files hold them: in half precision."""
    (kept, tell), hashes, made = _kept.get(), hashes_of(texts), list[Halves]()
    path = None if kept is None else vectors_file(kept, encoder)
    unique, first = np.unique(hashes, return_index=True)
    with _alone(tell):
        known, vectors = _read(path, encoder)
        new = np.sort(first[~np.isin(unique, known)]).tolist()
        try:
            for start in range(0, max(len(new), not len(known)), BLOCK):
                still_wanted.get()()
                _line[0] = f"reading {number_of(len(new), 'text')} with the encoder: {start / max(1, len(new)):.0%}"
                tell(_line[0])
                block = [texts[a] for a in new[start : start + BLOCK]]
                made.append(mean_vectors(_loaded(encoder), block).astype(np.float16))
        finally:  # if it is stopped, what was read is kept
            if made:
                vectors = np.concatenate([vectors.reshape(len(known), made[0].shape[1]), *made])
                known = np.concatenate([known, hashes[new[: len(vectors) - len(known)]]])
            if path is not None and made:
                arrays = {"hashes": known, "vectors": vectors}
                write_archive(path, kind=KIND, version=1, header={"encoder": encoder}, arrays=arrays)
    order = np.argsort(known, kind="stable")
    return vectors[order[np.searchsorted(known[order], hashes)]].astype(np.float32)


@contextmanager
def _alone(tell: Tell) -> Iterator[None]:
    """Wait until no other thread reads texts."""
    while not _reading.acquire(timeout=0.2):
        still_wanted.get()()
        if _line[0]:
            tell(_line[0])
    try:
        yield
    finally:
        _line[0] = ""
        _reading.release()


def _read(path: Path | None, encoder: str) -> tuple[Hashes, Halves]:
    """Hashes of known texts, and their vectors; nothing from a file that cannot be read."""
    try:
        if path is not None and path.exists():
            written, hashes, vectors = _unpacked(path, path.stat().st_mtime_ns)
            if written == encoder:
                return hashes, vectors
    except (BadFile, FileNotFoundError):  # damaged, or deleted meanwhile
        pass
    return np.zeros(0, np.uint64), np.zeros((0, 0), np.float16)


@lru_cache(maxsize=2)  # of rows, and of examples
def _unpacked(path: Path, _written: int) -> tuple[str, Hashes, Halves]:
    header, arrays = read_archive(path, kind=KIND, version=1)
    return header["encoder"], arrays["hashes"], arrays["vectors"]


def hashes_of(texts: Sequence[str]) -> Hashes:
    """(m,): equal texts have equal ones."""
    digests = (blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts)
    return np.frombuffer(b"".join(digests), np.dtype("<u8")).astype(np.uint64)


@lru_cache(maxsize=1)
def _loaded(name: str) -> Encoder:
    return load_encoder(name)
