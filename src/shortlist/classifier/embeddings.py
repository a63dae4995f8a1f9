"""Embeddings: vectors of texts by a pretrained encoder, which reads each text once. Needs transformers.

with vectors_kept_in(path):
    embed("sentence-transformers/all-MiniLM-L6-v2", texts)      # (m, width), of unit length
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from shortlist.archive import read_archive, write_archive
from shortlist.classifier.finetuning import Encoder, Vectors, load_encoder, mean_vectors
from shortlist.errors import BadFile

Hashes: TypeAlias = npt.NDArray[np.uint64]
KIND = "vectors of texts"  # in the header of the file
Halves: TypeAlias = npt.NDArray[np.float16]
_file: ContextVar[Path | None] = ContextVar("file", default=None)


@contextmanager
def vectors_kept_in(path: Path) -> Iterator[None]:
    """Keep the vectors of the texts that are read meanwhile, and take known ones from this file."""
    token = _file.set(path)
    try:
        yield
    finally:
        _file.reset(token)


def embed(encoder: str, texts: Sequence[str]) -> Vectors:
    """(m, width): vectors of unit length, as files hold them: in half precision."""
    path, hashes = _file.get(), np.array([_hash(text) for text in texts], np.uint64)
    known, vectors = _read(path, encoder)
    new = np.flatnonzero(~np.isin(hashes, known)).tolist()
    if new or not len(known):
        made = mean_vectors(_loaded(encoder), [texts[a] for a in new]).astype(np.float16)
        known, vectors = (
            np.concatenate([known, hashes[new]]),
            np.concatenate([vectors.reshape(-1, made.shape[1]), made]),
        )
    order = np.argsort(known, kind="stable")
    places = order[np.searchsorted(known[order], hashes)]
    if path is not None and new:
        arrays = {"hashes": hashes, "vectors": vectors[places]}
        write_archive(path, kind=KIND, version=1, header={"encoder": encoder}, arrays=arrays)
    return vectors[places].astype(np.float32)


def _read(path: Path | None, encoder: str) -> tuple[Hashes, Halves]:
    """Hashes of known texts, and their vectors; nothing from a file of another encoder, or that cannot be read."""
    nothing: tuple[Hashes, Halves] = np.zeros(0, np.uint64), np.zeros((0, 0), np.float16)
    if path is None or not path.exists():
        return nothing
    try:
        header, arrays = read_archive(path, kind=KIND, version=1)
    except BadFile:
        return nothing
    return (arrays["hashes"], arrays["vectors"]) if header["encoder"] == encoder else nothing


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


@lru_cache(maxsize=1)
def _loaded(name: str) -> Encoder:
    return load_encoder(name)
