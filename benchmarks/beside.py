"""Is this source as fast, and as small in memory, as another one? The same jobs with both, in turn.

    PYTHONPATH=src python benchmarks/beside.py OTHER/src [--rounds 3] [--rows 100000] [JOB …]

Each job runs in a process of its own, once with the other source and once with this one, again and again. Time is
processor time of the job alone (all threads and processes), memory the most that the process held. A short job is done
several times in a process, and the fastest counts. The table has the medians of the rounds, and the ratio of the
fastest.
The exit code is 1 where a job takes a tenth more time or memory.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
MORE = 1.1  # times as much as before, which is too much
CLASSES = list("abcdefghij")
WORDS = [f"word{i}" for i in range(400)]
TOML = f"""version = 1
classes = {json.dumps(CLASSES)}

[data]
files = ["rows.parquet"]
text = "text"
gold = "gold"

[output]
stages = ["vote", "fit", "check", "export"]
"""
LABELERS = """from shortlist import keywords, labeler

CLASSES = "abcdefghij"
rules = [keywords([f"word{i}", f"word{i + 200}"], says=CLASSES[i % 10], name=f"rule{i}") for i in range(12)]


@labeler(says=[{"a", "b", "c"}, {"d", "e"}])
def long(text):
    return {"a", "b", "c"} if len(text) > 100 else {"d", "e"} if len(text) < 70 else None
"""


def votes(m: int, *, abstaining: float) -> Any:
    """Ten labelers with two to four shortlists each over ten classes, right four times in five."""
    import numpy as np

    from shortlist import Votes

    draw = np.random.default_rng(0)
    truth, columns, codomains = draw.integers(0, 10, m), [], []
    for i in range(10):
        ways = 2 + i % 3
        side = draw.integers(0, ways, 10)
        side[:ways] = range(ways)
        codomains.append([{CLASSES[j] for j in np.flatnonzero(side == way)} for way in range(ways)])
        said = np.where(draw.random(m) < 0.8, side[truth], draw.integers(0, ways, m)) + 1
        columns.append(np.where(draw.random(m) < abstaining, 0, said))
    return Votes(np.stack(columns, axis=1), codomains, CLASSES)


def texts(m: int) -> list[str]:
    draw = random.Random(0)
    return [" ".join(draw.choices(WORDS, k=draw.randrange(8, 20))) for _ in range(m)]


# -- jobs: each makes what it needs, and gives what is timed ---------------------------------------------------


def fit_paper(m: int) -> Callable[[], Any]:
    from shortlist import LabelModel

    given = votes(m, abstaining=0.4)
    return lambda: LabelModel.paper().fit(given)


def fit_default(m: int) -> Callable[[], Any]:
    from shortlist import LabelModel

    given = votes(m, abstaining=0.9)
    return lambda: LabelModel().fit(given).predict_proba(given)


def apply_patterns(m: int) -> Callable[[], Any]:
    from shortlist import apply, pattern

    rows, rules = texts(m), [pattern(rf"\bword{i}\d?\b", yes=CLASSES[i], name=f"p{i}") for i in range(10)]
    return lambda: apply(rules, rows, space=CLASSES)


def apply_functions(m: int) -> Callable[[], Any]:
    from shortlist import apply, labeler

    def rule(i: int) -> Any:
        @labeler(says=[CLASSES[i]], name=f"f{i}")
        def found(text: str) -> str | None:
            return CLASSES[i] if f"word{i}" in text else None

        return found

    rows, rules = texts(m), [rule(i) for i in range(10)]
    return lambda: apply(rules, rows, space=CLASSES)


def project(m: int) -> Any:
    import polars as pl

    from shortlist import Project

    draw = random.Random(1)
    gold = [draw.choice(CLASSES) if a % 10 == 0 else None for a in range(m)]
    pl.DataFrame({"text": texts(m), "gold": gold}).write_parquet("rows.parquet")
    Path("shortlist.toml").write_text(TOML)
    Path("labelers.py").write_text(LABELERS)
    return Project(".")


def run_project(m: int) -> Callable[[], Any]:
    made = project(m)
    return lambda: made.run()


def run_again(m: int) -> Callable[[], Any]:
    """All labelers are known; the model, the check and the labels are made again."""
    from shortlist import Project

    project(m).run()
    return lambda: Project(".").run(["fit", "check", "export"], force=True)


# Job → what makes it, and how often it is done in a process. The fastest counts.
JOBS: dict[str, tuple[Callable[[int], Callable[[], Any]], int]] = {
    "fit-paper": (fit_paper, 10),
    "fit-default": (fit_default, 10),
    "apply-patterns": (apply_patterns, 3),
    "apply-functions": (apply_functions, 3),
    "run-project": (run_project, 1),
    "run-again": (run_again, 1),
}


def processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def do(job: str, m: int) -> dict[str, float]:
    """Seconds and megabytes of a job with the source we were started with."""
    warnings.simplefilter("ignore")
    make, times = JOBS[job]
    timed, took = make(m), []
    for _ in range(times):
        start = processor_seconds()
        timed()
        took.append(processor_seconds() - start)
    return {"s": min(took), "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def measure(job: str, m: int, source: Path) -> dict[str, float]:
    environment = {**os.environ, "PYTHONPATH": str(source.resolve())}
    command = [sys.executable, str(Path(__file__).resolve()), str(source), "--do", job, "--rows", str(m)]
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE)
    figures: dict[str, float] = json.loads(ran.stdout)
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="the source folder of another version")
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=f"some of {', '.join(JOBS)}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--do", choices=list(JOBS), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.do:
        print(json.dumps(do(given.do, given.rows)))
        return 0
    print("| job | before s | now s | now / before | of the fastest | before MB | now MB |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    missed = [job for job in given.jobs or JOBS if not compare(job, given.rows, given.rounds, given.other)]
    return int(bool(missed))


def compare(job: str, m: int, rounds: int, other: Path) -> bool:
    """Print the line of a job; whether it takes no more than before."""
    turns = [(measure(job, m, other), measure(job, m, ROOT / "src")) for _ in range(rounds)]
    before, now = ({unit: [one[unit] for one in side] for unit in ("s", "MB")} for side in zip(*turns, strict=True))
    (then_s, then_mb), (s, mb) = ([statistics.median(side[unit]) for unit in ("s", "MB")] for side in (before, now))
    fastest = min(now["s"]) / min(before["s"])
    print(
        f"| {job} | {then_s:.3f} | {s:.3f} | {s / then_s:.2f} | {fastest:.2f} | {then_mb:.0f} | {mb:.0f} |", flush=True
    )
    return fastest <= MORE and mb <= MORE * then_mb


if __name__ == "__main__":
    sys.exit(main())
