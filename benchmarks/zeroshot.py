"""How much faster are attribute detectors trained together than one by one? In one run, on one machine.

    PYTHONPATH=src:. python3 benchmarks/zeroshot.py --device cuda         # 80 attributes, 20,000 × 2,048 features
    PYTHONPATH=src:. python3 benchmarks/zeroshot.py --device cpu --rows 2000 --features 64 --hidden 16 --epochs 5

Both ways are `AttributeDetectors.fit` with the same options: the paper's architecture, every width, classes held out
once. Together: all attributes in one call. One by one: a call for each attribute, of which the first `--alone` are
timed and the rest are taken to last as long. The first call on a device, which loads its libraries, is made beforehand
and not counted. Needs numpy, scipy, scikit-learn and torch; not polars. The exit code is 1 when together is less than
ten times as fast, or takes more than a minute.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings

import numpy as np
import torch

from shortlist.errors import BadFit
from shortlist.zeroshot import AttributeDetectors, AttributeTable

MARK, MINUTE = 10.0, 60.0
SEEN, UNSEEN = 40, 10


def make_task(given: argparse.Namespace) -> tuple[np.ndarray, np.ndarray, AttributeTable]:
    """(X, y, table): features that show the attributes of a row's class, under noise."""
    rng = np.random.default_rng(0)
    names = [f"class {j:02}" for j in range(SEEN + UNSEEN)]
    has = rng.random((len(names), given.attributes)) < 0.4
    has[[0, SEEN]], has[[1, SEEN + 1]] = True, False  # every attribute divides seen and unseen classes
    table = AttributeTable(tuple(names), tuple(f"attribute {i:02}" for i in range(given.attributes)), has)
    classes = rng.integers(0, SEEN, given.rows)
    picture = rng.normal(size=(given.attributes, given.features)).astype(np.float32)
    X = has[classes].astype(np.float32) @ picture + rng.normal(size=(given.rows, given.features)).astype(np.float32)
    return X, np.array(names)[classes], table


def seconds(given: argparse.Namespace, X: np.ndarray, y: np.ndarray, table: AttributeTable) -> tuple[float, int]:
    """(wall-clock seconds of a fit, detectors kept)."""
    options = {"hidden": tuple(given.hidden), "epochs": given.epochs, "batch_size": given.batch_size}
    detectors = AttributeDetectors(table, kind="mlp", folds=1, device=given.device, **options)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            kept = len(detectors.fit(X, y).attributes_)
        except BadFit:  # a single detector may be no better than a coin; it was trained all the same
            kept = 0
    return time.perf_counter() - start, kept  # the detectors are arrays by now: nothing is left to wait for


def only(table: AttributeTable, i: int) -> AttributeTable:
    return AttributeTable(table.classes, table.attributes[i : i + 1], table.has[:, i : i + 1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--features", type=int, default=2_048)
    parser.add_argument("--attributes", type=int, default=80)
    parser.add_argument("--hidden", type=int, nargs="+", default=[512, 1024])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--alone", type=int, default=3, help="attributes that are trained one by one")
    parser.add_argument("--device", default="cuda")
    given = parser.parse_args()
    X, y, table = make_task(given)
    seconds(argparse.Namespace(**{**vars(given), "epochs": 1}), X[:1000], y[:1000], only(table, 0))
    together, kept = seconds(given, X, y, table)
    alone = [seconds(given, X, y, only(table, i))[0] for i in range(given.alone)]
    one_by_one = float(np.mean(alone)) * given.attributes
    report(given, kept, together, alone, one_by_one)
    assert "polars" not in sys.modules
    return int(one_by_one / together < MARK or together > MINUTE)


def report(given: argparse.Namespace, kept: int, together: float, alone: list[float], one_by_one: float) -> None:
    name = torch.cuda.get_device_name() if given.device.startswith("cuda") else f"{torch.get_num_threads()} CPU threads"
    size = f"{given.rows:,} × {given.features:,} features, {given.attributes} attributes"
    print(f"{name}, torch {torch.__version__}: {size}")
    print(f"widths {given.hidden}, {given.epochs} epochs, batches of {given.batch_size}; {kept} detectors kept")
    print(f"together     {together:9.2f} s")
    print(f"one by one   {one_by_one:9.2f} s ({given.alone} timed: {', '.join(f'{t:.2f}' for t in alone)} s each)")
    print(f"ratio {one_by_one / together:.1f} (required: at least {MARK:.0f}; on an H200, together within a minute)")


if __name__ == "__main__":
    sys.exit(main())
