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
from shortlist.project.parts.bundles import bundles
from shortlist.project.parts.part import PartReader
from shortlist.project.rows import Rows

MOST = 1 << 26  # bytes of files that a worker reads in one go


def digest_files(engine: Engine, digests: Digests, paths: Sequence[Path]) -> None:
    """Let `digests` know the content of files, so that it need not read them itself."""
    begun = {str(path.absolute()): look(path) for path in paths}
    pieces = bundles(((name,) for name in begun), lambda name: begun[name].stamp[0], MOST)
    with closing(engine.map(_digests, enumerate(pieces))) as results:
        for _number, found in results:
            for name, content in found:
                digests.learn(Path(name), content, begun[name])


def _digests(names: Sequence[str]) -> list[tuple[str, str]]:
    return [(name, file_digest(Path(name))) for name in names]


def count_files(engine: Engine, rows: Rows) -> list[int]:
    """How many rows each file has."""
    sizes = [path.stat().st_size for path in rows.paths]
    pieces = bundles(((f,) for f in range(len(sizes))), lambda f: sizes[f], MOST)
    with closing(engine.map(CountFiles(PartReader.of(rows)), enumerate(pieces))) as results:
        found = {f: count for _number, counts in results for f, count in counts}
    return [found[f] for f in range(len(sizes))]


@dataclass(frozen=True)
class CountFiles:
    """How many rows files have. It travels once to each worker."""

    reader: PartReader

    def __call__(self, files: Sequence[int]) -> list[tuple[int, int]]:
        return [(f, len(self.reader.open(f))) for f in files]
