"""How much memory does `shortlist run` take, and does that grow with the rows?

    PYTHONPATH=src python3 benchmarks/memory.py                      # 2,000,000 and 8,000,000 rows
    PYTHONPATH=src python3 benchmarks/memory.py --rows 50000000      # some 7 minutes and 2 GB of disk

Generated rows in parquet files of a million: an id (text, in no order), a text of some eight words, and a known class
on one row of a thousand. Eight patterns; votes, fit, check, labels in one file, report. `shortlist run` is a process of
its own. Its memory and that of all processes it starts is looked at 50 times a second, and the highest sum is told.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import polars as pl
import psutil
from projects import head, patterns

FILE, POOL = 1_000_000, 20_000
CLASSES = ["a", "b", "c", "d"]
WORDS = [f"k{i}x" for i in range(8)]  # one a labeler
TOML = head(CLASSES, "rows/*.parquet", text="text", id="id", gold="label") + '[classifier]\nkind = "none"\n'


def write_project(folder: Path, m: int) -> None:
    rng = np.random.default_rng(0)
    texts, classes = pool(rng)
    (folder / "rows").mkdir(parents=True)
    for start in range(0, m, FILE):
        count = min(FILE, m - start)
        chosen = rng.integers(0, POOL, count)
        known = pl.Series(rng.random(count) < 0.001)
        frame = pl.select(
            id="row-" + pl.Series(np.arange(start, start + count) * 7919 % m).cast(pl.String),  # 7919 is prime
            text=texts.gather(chosen),
            label=pl.when(known).then(classes.gather(chosen)),
        )
        frame.write_parquet(folder / "rows" / f"{start // FILE:04}.parquet")
    (folder / "shortlist.toml").write_text(TOML + patterns(WORDS, CLASSES))


def pool(rng: np.random.Generator) -> tuple[pl.Series, pl.Series]:
    """Texts in which the words of a class are more frequent on its rows, and their classes."""
    words, texts = [f"w{i}" for i in range(500)], []
    for a in range(POOL):
        own = [word for i, word in enumerate(WORDS) if rng.random() < (0.5 if i % 4 == a % 4 else 0.05)]
        texts.append(" ".join([*own, *rng.choice(words, 5)]))
    return pl.Series(texts), pl.Series([CLASSES[a % 4] for a in range(POOL)])


def watched(folder: Path) -> tuple[float, float]:
    """The seconds and the peak memory, in MB, of `shortlist run`."""
    start, peak = time.perf_counter(), 0
    process = psutil.Popen([sys.executable, "-m", "shortlist", "run", "-C", str(folder)], stdout=subprocess.DEVNULL)
    while process.poll() is None:
        with suppress(psutil.Error):  # one has just ended
            peak = max(peak, sum(one.memory_info().rss for one in (process, *process.children(recursive=True))))
        time.sleep(0.02)
    if process.returncode:
        raise SystemExit(process.returncode)
    return time.perf_counter() - start, peak / 2**20


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="+", default=[2_000_000, 8_000_000])
    print(f"{'rows':>12}{'seconds':>10}{'peak MB':>10}")
    for m in parser.parse_args().rows:
        with tempfile.TemporaryDirectory() as name:
            write_project(Path(name) / "project", m)
            seconds, peak = watched(Path(name) / "project")
        print(f"{m:12,}{seconds:10.0f}{peak:10.0f}", flush=True)


if __name__ == "__main__":
    main()
