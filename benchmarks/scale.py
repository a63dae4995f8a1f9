"""How fast are votes on many rows, on one machine and on the workers of an engine?

    PYTHONPATH=src python3 benchmarks/scale.py                       # 10,000,000 rows; slopes over 1, 3 and 10 million
    PYTHONPATH=src python3 benchmarks/scale.py --rows 3000000 --engines local dask

Generated texts in 64 parquet files, 20 declarative labelers. Every way runs in a process of its own, one after the
other: a bare polars scan with the same expressions; `shortlist run` (vote, fit, export) on this machine; the same on
Dask and on Ray with one worker and with two. Start-up of a cluster is told apart. Seconds are of the clock; processor
seconds, of the process and of all that it started, are beside them, since the machine may be busy with something else.
Memory is the peak of the driver, and of the largest worker. The labels of all ways are equal, or the exit code is 1.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import polars as pl

FILES, LABELERS = 64, 20
CLASSES = ["a", "b", "c", "d"]
TOML = """version = 1
classes = ["a", "b", "c", "d"]
[data]
files = ["{rows}/*.parquet"]
text = "text"
[classifier]
kind = "none"
[output]
partitioned = true
stages = ["vote", "fit", "export"]
"""


def patterns() -> list[str]:
    return [f"key{i}x" for i in range(LABELERS)]


def write_rows(folder: Path, m: int) -> None:
    """Texts in which the words of a class are more frequent on its rows."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(3000)])
    texts = []
    for a in range(40_000):
        own = [f"key{i}x" for i in range(LABELERS) if rng.random() < (0.3 if i % 4 == a % 4 else 0.02)]
        texts.append(" ".join(rng.permutation([*rng.choice(words, 22), *own])))
    pool = pl.Series(texts)
    folder.mkdir()
    for number in range(FILES):
        rows = pool.gather(rng.integers(0, len(pool), m // FILES))
        pl.DataFrame({"text": rows}).write_parquet(folder / f"{number:02}.parquet")


def write_project(folder: Path, rows: Path) -> None:
    folder.mkdir()
    labelers = "".join(
        f'[[labeler]]\nkind = "pattern"\nname = "{word}"\nregex = "{word}"\nyes = "{CLASSES[i % 4]}"\n'
        for i, word in enumerate(patterns())
    )
    (folder / "shortlist.toml").write_text(TOML.format(rows=rows) + labelers)


# -- what one process does -------------------------------------------------------------------------------


def bare(rows: Path) -> dict:
    """The expressions alone, and nothing kept."""
    start, count = time.perf_counter(), 0
    plan = [pl.col("text").str.contains(word).alias(word) for word in patterns()]
    for batch in pl.scan_parquet(rows / "*.parquet").select(plan).collect_batches(chunk_size=131_072):
        count += len(batch)
    return {"vote": time.perf_counter() - start, "rows": count, "worker_mb": 0}


def project(folder: Path, kind: str, workers: int) -> dict:
    from shortlist.engines import make_engine
    from shortlist.project import Project

    start = time.perf_counter()
    engine = make_engine(kind, workers=workers)
    up = time.perf_counter() - start
    watch = Largest()
    outcomes = {one.stage: one for one in Project(folder).run(engine=engine)}
    memory = watch.stop()
    if hasattr(engine, "close"):
        engine.close()
    labels = hashlib.sha256()
    for path in sorted((folder / "out" / "labels").iterdir()):
        labels.update(path.read_bytes())
    seconds = {name: one.seconds for name, one in outcomes.items()}
    return {"start": up, **seconds, "rows": outcomes["vote"].facts["rows"], "worker_mb": memory,
            "labels": labels.hexdigest()}  # fmt: skip


class Largest:
    """The peak of the memory of the largest process that this one has started."""

    def __init__(self) -> None:
        self.peak, self.going = 0, True
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def _look(self) -> None:
        import psutil

        while self.going:
            for child in psutil.Process().children(recursive=True):
                try:
                    if "python" in child.name().lower() or "ray::" in " ".join(child.cmdline()[:1]):
                        self.peak = max(self.peak, child.memory_info().rss)
                except psutil.Error:
                    continue
            time.sleep(0.2)

    def stop(self) -> int:
        self.going = False
        self.thread.join()
        return self.peak >> 20


def alone(arguments: list[str]) -> dict:
    """What another process finds, with the processor time of it and of all that it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(
        [sys.executable, __file__, *arguments], check=True, capture_output=True, text=True, env=os.environ
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = json.loads(out.stdout.splitlines()[-1])
    found["cpu"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return found


# -- the comparison --------------------------------------------------------------------------------------


def compared(m: int, ways: list[tuple[str, int]]) -> bool:
    heads = ("start s", "vote s", "× bare", "rows/s", "fit s", "export s", "cpu s", "driver MB", "worker MB")
    print(f"\n{m:,} rows × {LABELERS} labelers in {FILES} files\n{'':10}" + "".join(f"{head:>11}" for head in heads))
    labels = set()
    with tempfile.TemporaryDirectory() as name:
        rows = Path(name) / "rows"
        write_rows(rows, m)
        floor = alone(["--bare", str(rows)])
        show("bare scan", floor, floor["vote"])
        for kind, workers in ways:
            folder = Path(name) / f"{kind}{workers}"
            write_project(folder, rows)
            found = alone(["--one", str(folder), kind, str(workers)])
            show(f"{kind} {workers}", found, floor["vote"])
            labels.add(found["labels"])
    return len(labels) <= 1


def show(name: str, found: dict, floor: float) -> None:
    cells = [found.get("start", 0), found["vote"], found["vote"] / floor, found["rows"] / found["vote"]]
    cells += [found.get("fit", 0), found.get("export", 0), found["cpu"], found["driver_mb"], found["worker_mb"]]
    places = (1, 1, 2, 0, 1, 1, 1, 0, 0)
    print(f"{name:10}" + "".join(f"{cell:11,.{n}f}" for cell, n in zip(cells, places, strict=True)), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 3_000_000, 10_000_000])
    parser.add_argument("--engines", nargs="+", default=["local", "dask", "ray"])
    parser.add_argument("--bare")
    parser.add_argument("--one", nargs=3)
    given = parser.parse_args()
    if given.bare or given.one:
        found = bare(Path(given.bare)) if given.bare else project(Path(given.one[0]), given.one[1], int(given.one[2]))
        found["driver_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(json.dumps(found))
        return 0
    *small, large = given.rows
    ways = [(kind, n) for kind in given.engines for n in ((1,) if kind == "local" else (1, 2))]
    for m in small:
        compared(m, [("local", 1)])
    return 0 if compared(large, ways) else 1


if __name__ == "__main__":
    sys.exit(main())
