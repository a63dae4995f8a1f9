"""How fast are votes on many rows, on one machine and on the workers of an engine?

    PYTHONPATH=src python3 benchmarks/scale.py --turns 3             # 1, 3 and 10 million rows
    PYTHONPATH=src python3 benchmarks/scale.py --rows 300000 1000000 --engines local dask
    PYTHONPATH=src python3 benchmarks/scale.py --workers 1 --before ../another-checkout/src

Generated texts in 64 parquet files, 20 declarative labelers. Every way runs in a process of its own, one after the
other, in each of several turns; medians are shown, ratios are taken within a turn.

bare scan   `pl.scan_parquet(rows).select(20 × str.contains).collect_batches()`: it reads the same files, works out the
            same expressions, and writes nothing
local       `shortlist run` (vote, fit, export) on this machine
dask, ray   the same with one worker and with two; "× local" is the vote stage over that of `local`
before      the same with the code of another checkout, in the same turns; "× local" is over its own `local`

What an engine needs to start, with the imports of its workers, is told apart. The vote stage reads every file for its
digest, too, and writes the votes. Seconds are of the clock; processor seconds of driver and workers while they vote are
beside them, and as a multiple of the bare scan's, since the machine may be busy. Memory is the peak of the driver, and
of the largest worker. At the end: how the seconds of the bare scan, of voting and of all stages grow with the rows (an
exponent of 1 is linear). The labels of all ways are equal, or the exit code is 1.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import polars as pl
from projects import head, patterns

FILES = 64
BEFORE = " before"
CLASSES = ["a", "b", "c", "d"]
WORDS = [f"key{i}x" for i in range(20)]  # one a labeler
STAGES = """[classifier]
kind = "none"
[output]
partitioned = true
stages = ["vote", "fit", "export"]
"""


def write_rows(folder: Path, m: int) -> None:
    """Texts in which the words of a class are more frequent on its rows."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(3000)])
    texts = []
    for a in range(40_000):
        own = [word for i, word in enumerate(WORDS) if rng.random() < (0.3 if i % 4 == a % 4 else 0.02)]
        texts.append(" ".join(rng.permutation([*rng.choice(words, 22), *own])))
    pool = pl.Series(texts)
    folder.mkdir()
    for number in range(FILES):
        rows = pool.gather(rng.integers(0, len(pool), m // FILES))
        pl.DataFrame({"text": rows}).write_parquet(folder / f"{number:02}.parquet")


def write_project(folder: Path, rows: Path) -> None:
    folder.mkdir()
    toml = head(CLASSES, f"{rows}/*.parquet", text="text") + STAGES + patterns(WORDS, CLASSES)
    (folder / "shortlist.toml").write_text(toml)


# -- what one process does -------------------------------------------------------------------------------


def bare(rows: Path) -> dict:
    """The expressions alone, and nothing kept."""
    start, begun, count = time.perf_counter(), time.process_time(), 0
    plan = [pl.col("text").str.contains(word).alias(word) for word in WORDS]
    for batch in pl.scan_parquet(rows / "*.parquet").select(plan).collect_batches(chunk_size=131_072):
        count += len(batch)
    seconds = {"vote": time.perf_counter() - start, "vote cpu": time.process_time() - begun}
    return {**seconds, "rows": count, "worker MB": 0}


def project(folder: Path, kind: str, workers: int) -> dict:
    import shortlist.project.voting  # noqa: F401  what is imported once is no part of the work
    from shortlist.engines import make_engine
    from shortlist.project import Project

    start = time.perf_counter()
    engine = make_engine(kind, workers=workers)
    if kind != "local":
        list(engine.map(imported, enumerate(range(workers))))
    up = time.perf_counter() - start
    watch = Largest()
    begun = time.process_time() + workers_cpu()
    outcomes = {one.stage: one for one in Project(folder).run(["vote"], engine=engine)}
    used = time.process_time() + workers_cpu() - begun
    outcomes |= {one.stage: one for one in Project(folder).run(engine=engine) if one.stage != "vote"}
    memory = watch.stop()
    if hasattr(engine, "close"):
        engine.close()
    labels = hashlib.sha256()
    for path in sorted((folder / "out" / "labels").iterdir()):
        labels.update(path.read_bytes())
    seconds = {name: one.seconds for name, one in outcomes.items()}
    return {"start": up, **seconds, "vote cpu": used, "rows": outcomes["vote"].facts["rows"], "worker MB": memory,
            "labels": labels.hexdigest()}  # fmt: skip


def imported(_piece: int) -> float:
    """What a worker needs before its first piece; it lasts a moment, so that every worker gets one."""
    import shortlist.project.voting  # noqa: F401

    time.sleep(0.5)
    return time.time()


def worker_processes() -> list:
    """The processes of Python that this one has started."""
    import psutil

    found = []
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "python" in child.name().lower() or "ray::" in " ".join(child.cmdline()[:1]):
                found.append(child)
    return found


def workers_cpu() -> float:
    """The processor seconds of the workers so far."""
    times = [child.cpu_times() for child in worker_processes()]
    return sum(one.user + one.system for one in times)


class Largest:
    """The peak of the memory of the largest process that this one has started."""

    def __init__(self) -> None:
        self.peak, self.going = 0, True
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def _look(self) -> None:
        import psutil

        while self.going:
            for child in worker_processes():
                with suppress(psutil.Error):  # it has just ended
                    self.peak = max(self.peak, child.memory_info().rss)
            time.sleep(0.2)

    def stop(self) -> int:
        self.going = False
        self.thread.join()
        return self.peak >> 20


def alone(arguments: list[str], source: str | None = None) -> dict:
    """What another process finds, with the code of this checkout or of another."""
    print(f"  {time.strftime('%H:%M:%S')} {' '.join(arguments)} {source or ''}", file=sys.stderr, flush=True)
    env = os.environ if source is None else {**os.environ, "PYTHONPATH": source}
    out = subprocess.run([sys.executable, __file__, *arguments], check=True, stdout=subprocess.PIPE, text=True, env=env)
    return json.loads(out.stdout.splitlines()[-1])


# -- the comparison --------------------------------------------------------------------------------------

Way = tuple[str, int, str | None]  # kind of engine, workers, where another checkout has its code
COLUMNS = {"start": 1, "vote": 2, "× bare": 2, "× local": 2, "rows/s": 0, "vote cpu": 2, "cpu × bare": 2, "fit": 1,
           "export": 1, "driver MB": 0, "worker MB": 0}  # fmt: skip


def compared(m: int, ways: list[Way], turns: int) -> tuple[dict, bool]:
    """The medians of each way, and whether all made the same labels."""
    print(f"\n{m:,} rows × {len(WORDS)} labelers in {FILES} files, {turns} turns, seconds")
    print(f"{'':15}" + "".join(f"{head:>11}" for head in COLUMNS))
    found: dict[str, list[dict]] = {}
    with tempfile.TemporaryDirectory() as name:
        write_rows(Path(name) / "rows", m)
        for turn in range(turns):
            one = one_turn(Path(name), ways, turn)
            for way, cells in one.items():
                found.setdefault(way, []).append(cells)
    labels = {cells["labels"] for some in found.values() for cells in some if "labels" in cells}
    medians = {way: {head: statistics.median(one.get(head, 0) for one in some) for head in COLUMNS}
               for way, some in found.items()}  # fmt: skip
    for way, cells in medians.items():
        print(f"{way:15}" + "".join(f"{cells[head]:11,.{n}f}" for head, n in COLUMNS.items()), flush=True)
    return medians, len(labels) == 1


def one_turn(base: Path, ways: list[Way], turn: int) -> dict[str, dict]:
    """Each way once."""
    found = {"bare scan": alone(["--bare", str(base / "rows")])}
    for kind, workers, source in ways:
        folder = base / f"{kind}{workers}-{turn}"
        write_project(folder, base / "rows")
        name = f"{kind} {workers}{BEFORE if source else ''}"
        found[name] = alone(["--one", str(folder), kind, str(workers)], source)
        shutil.rmtree(folder)
    for way, cells in found.items():
        local = found.get(f"local 1{BEFORE}" if way.endswith(BEFORE) else "local 1")
        cells["rows/s"] = cells["rows"] / cells["vote"]
        cells["× bare"] = cells["vote"] / found["bare scan"]["vote"]
        cells["cpu × bare"] = cells["vote cpu"] / found["bare scan"]["vote cpu"]
        cells["× local"] = cells["vote"] / local["vote"] if local else 0
    return found


def show_slopes(sizes: dict[int, dict]) -> None:
    """How seconds grow with rows: the exponent of the power that fits best."""
    rows = np.log(list(sizes))
    local = [medians["local 1"] for medians in sizes.values()]
    seconds = {
        "the bare scan": [medians["bare scan"]["vote"] for medians in sizes.values()],
        "voting": [one["vote"] for one in local],
        "voting, fit and export": [one["vote"] + one["fit"] + one["export"] for one in local],
    }
    print()
    for what, given in seconds.items():
        print(f"seconds of {what} grow as rows^{np.polyfit(rows, np.log(given), 1)[0]:.2f}")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 3_000_000, 10_000_000])
    parser.add_argument("--engines", nargs="+", default=["local", "dask", "ray"])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="of the engines other than local")
    parser.add_argument("--before", help="the folder src of another checkout")
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--bare")
    parser.add_argument("--one", nargs=3)
    given = parser.parse_args()
    if given.bare or given.one:
        found = bare(Path(given.bare)) if given.bare else project(Path(given.one[0]), given.one[1], int(given.one[2]))
        found["driver MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(json.dumps(found))
        return 0
    sources = [None, given.before] if given.before else [None]
    ways = [(kind, n, source) for kind in given.engines for n in ([1] if kind == "local" else given.workers)
            for source in sources]  # fmt: skip
    sizes, equal = {}, []
    for m in sorted(given.rows):
        sizes[m], same = compared(
            m, ways if m == max(given.rows) else [way for way in ways if way[0] == "local"], given.turns
        )
        equal.append(same)
    if len(sizes) > 1 and "local" in given.engines:
        show_slopes(sizes)
    return 0 if all(equal) else 1


if __name__ == "__main__":
    sys.exit(main())
