"""The label model on a device: 100,000,000 rows, fitted end to end from votes in device memory.

    PYTHONPATH=src python benchmarks/gpu.py                        # on cuda: 100,000,000 × 10 votes, 10 classes
    PYTHONPATH=src python benchmarks/gpu.py --shortlists 7         # codes of 30 bits: patterns counted by sorting
    PYTHONPATH=src python benchmarks/gpu.py --rows 100000 --device cpu     # to see that it runs

Needs numpy, scipy and torch only. What is timed: counting patterns, and EM until it converges (the paper's model:
an equal split, a learned balance, no prior). Then the device is compared with the CPU on a slice of the rows.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import torch

from shortlist.labelmodel.device import DeviceKernel, count_patterns
from shortlist.labelmodel.em import Fit, maximise
from shortlist.labelmodel.kernel import Kernel
from shortlist.labelmodel.layout import Layout, Panel
from shortlist.labelmodel.likelihood import Parameters, emission
from shortlist.labelmodel.paper import Likelihood
from shortlist.labelspace import LabelSpace
from shortlist.votes import Codomain

MAX_ITER, TOL = 1000, 1e-8
CHUNK = 1 << 24
SLICE = 16_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--labelers", type=int, default=10)
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--shortlists", type=int, default=0, help="per labeler; 0 for two to four")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    panel = some_panel(given.labelers, given.classes, given.shortlists)
    print(f"device: {name_of(given.device)}; torch {torch.__version__}")
    columns = some_votes(panel, given.rows, given.device)
    print(f"votes: {given.rows:,} × {given.labelers}, {given.classes} classes, {columns.numel() / 1e9:.2f} GB there")
    fit_on_device(panel, columns[:, :10_000], given.device)  # wakes the device and its libraries up
    for _ in range(given.repeat):
        fit, seconds, patterns = fit_on_device(panel, columns, given.device)
        print(
            f"fit: {sum(seconds):.3f} s (patterns {seconds[0]:.3f} s, EM {seconds[1]:.3f} s); {patterns:,} patterns, "
            f"{fit.n_iter} iterations, converged: {fit.converged}, log-likelihood a row {fit.history[-1]:.6f}"
        )
    same_fit, other_fit = compared(panel, columns[:, :SLICE], fit, given.device)
    print(f"largest difference of a posterior from the CPU's, on {SLICE:,} rows: {same_fit:.1e} (this fit)")
    print(f"and of two fits on those rows, one on each: {other_fit:.1e}")
    if given.device.startswith("cuda"):
        print(f"peak device memory: {torch.cuda.max_memory_allocated() / 1e9:.1f} GB")


def some_panel(n: int, k: int, shortlists: int) -> Panel:
    """Labelers with overlapping shortlists that hold every class somewhere and none everywhere."""
    rng = np.random.default_rng(0)
    space = LabelSpace([f"class_{j}" for j in range(k)])
    codomains = [Codomain(some_shortlists(space, shortlists or (2, 3, 4, 3)[i % 4], rng)) for i in range(n)]
    return Panel(space, tuple(f"labeler_{i}" for i in range(n)), tuple(codomains))


def some_shortlists(space: LabelSpace, size: int, rng: np.random.Generator) -> tuple[frozenset[str], ...]:
    while True:
        member = rng.random((size, len(space))) < 0.4
        found = tuple(space.from_mask(row) for row in member)
        if member.any(axis=0).all() and not member.all(axis=0).any() and all(found) and len(set(found)) == size:
            return found


def some_votes(panel: Panel, m: int, device: str) -> Any:
    """(n, m) codes on the device, drawn there from Eq. 1 and 2."""
    rng = np.random.default_rng(1)
    layout = panel.layout
    shape = (layout.n, layout.k)
    truth = Parameters(
        rng.uniform(0.55, 0.9, shape), rng.uniform(0.3, 0.9, layout.n), rng.dirichlet(np.full(layout.k, 5.0))
    )
    table = emission(truth, layout)
    generator = torch.Generator(device).manual_seed(0)
    columns = torch.empty((layout.n, m), dtype=torch.uint8, device=device)
    upto_class = torch.tensor(np.cumsum(truth.balance)[:-1], dtype=torch.float32, device=device)
    for a in range(0, m, CHUNK):
        part = columns[:, a : a + CHUNK]
        size = part.shape[1]
        classes = torch.bucketize(torch.rand(size, generator=generator, device=device), upto_class)
        for i in range(layout.n):
            chances = np.exp(layout.by_code(i, table.votes, table.abstain))
            upto = torch.tensor(np.cumsum(chances, axis=0)[:-1], dtype=torch.float32, device=device)  # (c, k)
            drawn = torch.rand(size, generator=generator, device=device)
            part[i] = sum((drawn >= row[classes]).to(torch.uint8) for row in upto)
    return columns


def fit_on_device(panel: Panel, columns: Any, device: str) -> tuple[Fit, tuple[float, float], int]:
    """(fit, (seconds for the patterns, seconds for EM), number of patterns), from votes on the device."""
    began = now(device)
    unique, counts = count_patterns(columns, panel.layout.sizes)
    counted = now(device)
    fit = fitted(panel, DeviceKernel(unique, counts, panel.layout, device=device))
    return fit, (counted - began, now(device) - counted), len(counts)


def fitted(panel: Panel, rows: Kernel | DeviceKernel) -> Fit:
    k = panel.layout.k
    assumptions = Likelihood.paper().assume(panel, rows.vote_counts, rows.total, np.full(k, 1 / k), learn_balance=True)
    return maximise(rows, assumptions, assumptions.start(), max_iter=MAX_ITER, tol=TOL)


def compared(panel: Panel, columns: Any, fit: Fit, device: str) -> tuple[float, float]:
    """The largest difference of a posterior between device and CPU: under one table, and after a fit on each."""
    layout: Layout = panel.layout
    weights = np.ones(columns.shape[1])
    here = Kernel(columns.T.cpu().numpy(), weights, layout)
    there = DeviceKernel(columns, weights, layout, device=device)
    table = emission(fit.parameters, layout)
    same_fit = np.abs(here.posterior(table) - there.posterior(table)).max()
    tables = [emission(fitted(panel, rows).parameters, layout) for rows in (here, there)]
    other_fit = np.abs(here.posterior(tables[0]) - there.posterior(tables[1])).max()
    return float(same_fit), float(other_fit)


def now(device: str) -> float:
    if device.startswith("cuda"):
        torch.cuda.synchronize()
    return time.perf_counter()


def name_of(device: str) -> str:
    return torch.cuda.get_device_name() if device.startswith("cuda") else device


if __name__ == "__main__":
    main()
