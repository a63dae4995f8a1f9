"""How fast are rows found by number? 100 random rows of a file of 1,000,000, the first time and the second.

    PYTHONPATH=src python3 benchmarks/rows.py

A project of one file (an id, a text of some 250 characters, a number), in csv, jsonl and parquet. "First" counts the
rows and, of csv and jsonl, makes the copy. "Second" and "50 in a row" are by the same `Project`, as in a watch; "anew"
is by another one, as in another process, which finds out again what the columns hold. "All" reads all rows and keeps
those asked for, as was done before. Every way gives the same rows, or the exit code is 1.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from shortlist import Project
from shortlist.rows import RowFile

M, ASKED = 1_000_000, 100
WRITE = {
    "csv": pl.DataFrame.write_csv,
    "jsonl": pl.DataFrame.write_ndjson,
    "parquet": pl.DataFrame.write_parquet,
}
TOML = 'version = 1\nclasses = ["a", "b"]\n[data]\nfiles = ["rows.{}"]\ntext = "text"\nid = "id"\n'


def table() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{word}" for word in rng.integers(0, 5_000, 45)) for _ in range(5_000)]
    return pl.DataFrame({"id": range(M), "text": [f"{texts[a % 5_000]} {a}" for a in range(M)], "x": rng.random(M)})


def timed(work) -> tuple[float, pl.DataFrame]:
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def main() -> int:
    frame, numbers = table(), np.random.default_rng(1).integers(0, M, ASKED)
    heads = ("file MB", "copy MB", "all s", "first s", "second s", "50 in a row s", "anew s")
    print(" " * 8 + "".join(f"{head:>15}" for head in heads))
    right = True
    for kind, write in WRITE.items():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "shortlist.toml").write_text(TOML.format(kind))
            write(frame, folder / f"rows.{kind}")
            (folder / ".shortlist").mkdir()
            time.sleep(3)  # a digest is remembered once the file has settled
            whole, expected = timed(lambda path=folder / f"rows.{kind}": RowFile(path).read()[numbers])
            project = Project(folder)
            project.digests.of(folder / f"rows.{kind}")  # as any stage does before
            first, one = timed(lambda project=project: project.rows.take(numbers))
            second, two = timed(lambda project=project: project.rows.take(numbers))
            near, _ = timed(lambda project=project: project.rows.take(range(500_000, 500_050)))
            project.digests.save()
            anew, _ = timed(lambda folder=folder: Project(folder).rows.take(numbers))
            right &= one.equals(expected) and two.equals(expected)
            size = (folder / f"rows.{kind}").stat().st_size / 1e6
            copy = sum(path.stat().st_size for path in folder.glob(".shortlist/rows/*")) / 1e6
            print(
                f"{kind:8}{size:15.0f}{copy:15.0f}" + "".join(f"{s:15.2f}" for s in (whole, first, second, near, anew))
            )
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
