"""How long `LabelModel()` takes: against `likelihood`, Snorkel's LabelModel and crowd-kit's Dawid–Skene, in one run.

    python benchmarks/speed.py --default             # part of speed.py
    python benchmarks/speed.py --default --quick     # a tenth of the rows, without the largest shape and the peers

Processor time of `fit` on one thread each. The two take turns, and the fastest of some turns counts. Partitions: each
labeler divides the classes in two to four groups. Single classes: each labeler names one class. Rules: each says one
shortlist or two, and mostly abstains.
"""

from __future__ import annotations

import importlib.util
import logging
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))  # experiments/ lies beside benchmarks/

from experiments import datasets
from shortlist import LabelModel, ShortlistError, Votes
from shortlist.errors import BadVotes

ENOUGH = 20.0  # seconds: a turn that takes longer is not repeated
TURNS = 3
RELEVANCE = "crowd/relevance"


def partition_votes(m: int, n: int, k: int, *, seed: int = 0) -> Votes:
    """Labelers that divide the classes, vote on three rows in five, and are right on four in five of them."""
    rng = np.random.default_rng(seed)
    space = [f"class_{j}" for j in range(k)]
    truth, columns, says = rng.integers(k, size=m), [], []
    for i in range(n):
        groups = 2 + i % 3
        side = rng.permutation(np.arange(k) % groups)
        says.append([{space[j] for j in np.flatnonzero(side == group)} for group in range(groups)])
        said = np.where(rng.random(m) < 0.8, side[truth], rng.integers(groups, size=m))
        columns.append(np.where(rng.random(m) < 0.6, said + 1, 0))
    return Votes(np.stack(columns, axis=1), says, space)


def class_votes(m: int, n: int, k: int, *, seed: int = 0) -> Votes:
    """Labelers that name one class of many, vote on three rows in five, and are right on seven in ten of them."""
    rng = np.random.default_rng(seed)
    space, truth = [f"class_{j}" for j in range(k)], rng.integers(k, size=(m, 1))
    said = np.where(rng.random((m, n)) < 0.7, truth, rng.integers(k, size=(m, n))) + 1
    return Votes(np.where(rng.random((m, n)) < 0.6, said, 0), [space] * n, space)


def rule_votes(m: int, n: int, k: int, *, seed: int = 0) -> Votes:
    """Rules as people write them for text: each says one thing or two, and fires where it is right, mostly."""
    rng = np.random.default_rng(seed)
    classes = rng.choice(k, m, p=rng.dirichlet(np.full(k, 8.0))).astype(np.int16)
    codes, says = np.zeros((m, n), np.uint8, order="F"), []
    for i in range(n):
        drawn = (rng.choice(k, rng.integers(1, 3), replace=False) for _ in range(rng.integers(1, 3)))
        said = list(dict.fromkeys(frozenset(shortlist.tolist()) for shortlist in drawn))
        says.append([{f"class_{j}" for j in shortlist} for shortlist in said])
        for code, shortlist in enumerate(said, start=1):
            right, wrong = rng.uniform(0.05, 0.3), rng.uniform(0.001, 0.02)
            fires = rng.random(m, np.float32) < np.where(np.isin(classes, list(shortlist)), right, wrong)
            codes[fires & (codes[:, i] == 0), i] = code
    return Votes(codes, says, [f"class_{j}" for j in range(k)])


SHAPES: list[tuple[str, Callable[..., Votes], int, int, int, float]] = [
    ("partitions", partition_votes, 100_000, 10, 10, 5),
    ("rules", rule_votes, 100_000, 50, 10, 5),
    ("rules", rule_votes, 20_000, 200, 10, 5),
    ("single classes", class_votes, 2_000, 5, 500, 4),
    ("rules", rule_votes, 1_000_000, 50, 10, 5),
]


def shapes(quick: bool) -> Iterator[tuple[str, Votes, float]]:
    """Name, votes, and how many times as long as `likelihood` is allowed."""
    part = 10 if quick else 1
    for kind, make, m, n, k, allowed in SHAPES[: -1 if quick else None]:
        yield f"{m // part:,} × {n} × {k}, {kind}", make(m // part, n, k), allowed
    if quick:
        return
    if (relevance := shown_set(RELEVANCE)) is not None:
        yield RELEVANCE, relevance, 5


def shown_set(name: str) -> Votes | None:
    """The votes of a data set; None where it is not there."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return next(iter(datasets.load(name).splits.values())).votes
    except ShortlistError:
        return None


def by_turns(works: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """The fastest of some turns of each, in seconds of processor time; one turn of what takes long."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(TURNS):
        for name, work in works.items():
            if turn and min(seconds[name]) > ENOUGH:
                continue
            began = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                work()
            seconds[name].append(time.process_time() - began)
    return {name: min(each) for name, each in seconds.items()}


def default(votes: Votes) -> Callable[[], Any]:
    return lambda: LabelModel(threads=1).fit(votes)


def likelihood(votes: Votes) -> Callable[[], Any]:
    return lambda: LabelModel(estimator="likelihood", threads=1).fit(votes)


# -- peers: they know single classes only -----------------------------------------------------------------------


def dawid_skene(votes: Votes) -> Callable[[], Any]:
    import pandas as pd
    from crowdkit.aggregation import DawidSkene

    L = votes.to_snorkel()
    rows, workers = np.nonzero(L >= 0)
    answers = pd.DataFrame({"task": rows, "worker": workers, "label": L[rows, workers]})
    return lambda: DawidSkene().fit(answers)


def snorkel(votes: Votes) -> Callable[[], Any]:
    import torch
    from snorkel.labeling.model import LabelModel as Snorkel

    torch.set_num_threads(1)
    L, k = votes.to_snorkel(), len(votes.space)
    return lambda: Snorkel(cardinality=k, verbose=False).fit(L, seed=0, progress_bar=False)


PEERS = {"Snorkel": ("snorkel", snorkel), "crowd-kit Dawid–Skene": ("crowdkit", dawid_skene)}


# -- tables -----------------------------------------------------------------------------------------------------


def against_likelihood(quick: bool) -> bool:
    """Print the first table; whether every requirement is met."""
    print("| votes | default s | likelihood s | default / likelihood | required |")
    print("|---|---:|---:|---:|---:|")
    met = True
    for name, votes, required in shapes(quick):
        took = by_turns({"default": default(votes), "likelihood": likelihood(votes)})
        ratio = took["default"] / took["likelihood"]
        met &= ratio <= required
        print(f"| {name} | {took['default']:.2f} | {took['likelihood']:.2f} | {ratio:.1f} | ≤ {required} |", flush=True)
    return met


def against_peers() -> None:
    """Every set whose votes are single classes: how many times as long the peers take."""
    logging.disable(logging.WARNING)
    peers = {name: make for name, (package, make) in PEERS.items() if importlib.util.find_spec(package)}
    if not peers:
        return
    print("\n| set | default s |" + "".join(f" {name} s | default / {name} |" for name in peers))
    print("|---|---:|" + "---:|---:|" * len(peers))
    for name in datasets.available():
        votes = shown_set(name)
        try:
            works = {"default": default(votes), **{peer: make(votes) for peer, make in peers.items()}} if votes else {}
        except BadVotes:  # longer shortlists
            continue
        if works:
            took = by_turns(works)
            cells = [f" {took[peer]:.2f} | {took['default'] / took[peer]:.3g} |" for peer in peers]
            print(f"| {name} | {took['default']:.2f} |" + "".join(cells), flush=True)


def slopes(quick: bool) -> None:
    """How the time of a fit grows: the exponent of a power law, 1 for linear."""
    m = 5_000 if quick else 50_000
    ways: dict[str, list[tuple[int, Votes]]] = {
        "rows": [(s * m, rule_votes(s * m, 20, 10)) for s in (1, 2, 4, 8)],
        "labelers": [(n, rule_votes(m // 5, n, 10)) for n in (25, 50, 100, 200)],
        "classes": [(k, partition_votes(m // 5, 10, k)) for k in (25, 50, 100, 200)],
        "classes, each named by itself": [(k, class_votes(2_000, 5, k)) for k in (62, 125, 250, 500)],
    }
    print()
    for what, sizes in ways.items():
        seconds = [by_turns({"default": default(votes)})["default"] for _, votes in sizes]
        exponent = np.polyfit(np.log([size for size, _ in sizes]), np.log(seconds), 1)[0]
        times = ", ".join(f"{size:,}: {s:.2f} s" for (size, _), s in zip(sizes, seconds, strict=True))
        print(f"The default grows with {what}: exponent {exponent:.2f} ({times})", flush=True)


def memory() -> None:
    """Of a process that makes a million rows, fits and predicts, and of one that makes them only."""
    held = [int(subprocess.check_output([sys.executable, __file__, what])) for what in ("votes", "fit", "predict")]
    print(
        "\nThe most memory that a process holds, 1,000,000 × 50 × 10, in MB: with the votes "
        f"{held[0]:,}, with a fit {held[1]:,}, with a fit and the beliefs of all rows {held[2]:,}",
        flush=True,
    )


def held_by(what: str) -> int:
    votes = rule_votes(1_000_000, 50, 10)
    if what != "votes":
        warnings.simplefilter("ignore")
        model = LabelModel().fit(votes)
        if what == "predict":
            model.predict_proba(votes)
    return most_held()


def most_held() -> int:
    """In MB. What getrusage tells would hold the memory of the process that started this one, too."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))


def report(quick: bool) -> bool:
    """All tables; whether every requirement is met."""
    met = against_likelihood(quick)
    if not quick:
        against_peers()
        memory()
    slopes(quick)
    return met


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    print(held_by(sys.argv[1]))
