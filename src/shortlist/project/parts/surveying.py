"""Surveying: what has to be known of data files before the work begins, found out by the workers of an engine.

Reading all files takes as long for a digest, or for the number of rows of a csv file, as for a vote.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from shortlist.engines import Engine
from shortlist.project.kept.digest import Digests, file_digest, look
from shortlist.project.parts.part import PartReader
from shortlist.project.rows import Rows


def digest_files(engine: Engine, digests: Digests, paths: Sequence[Path]) -> None:
    """Let `digests` know the content of files, so that it need not read them itself."""
    begun = {place: look(path) for place, path in enumerate(paths)}
    pieces = ((place, str(path.absolute())) for place, path in enumerate(paths))
    with closing(engine.map(_digest, pieces)) as results:
        for place, content in results:
            digests.learn(paths[place], content, begun[place])


def _digest(path: str) -> str:
    return file_digest(Path(path))


def count_files(engine: Engine, rows: Rows) -> list[int]:
    """How many rows each file has."""
    with closing(engine.map(CountFile(PartReader.of(rows)), ((f, f) for f in range(len(rows.files))))) as results:
        found = dict(results)
    return [found[f] for f in range(len(rows.files))]


@dataclass(frozen=True)
class CountFile:
    """How many rows a file has. It travels once to each worker."""

    reader: PartReader

    def __call__(self, f: int) -> int:
        return len(self.reader.open(f))
