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
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from shortlist.errors import BadFit
from shortlist.labelmodel.em import Optimum, maximise
from shortlist.labelmodel.kernel import DeviceKernel, Kernel
from shortlist.labelmodel.layout import Layout, Panel
from shortlist.labelmodel.likelihood import Parameters, emission
from shortlist.labelmodel.paper import Likelihood
from shortlist.labelspace import LabelSpace
from shortlist.votes import Codomain
from shortlist.votes.patterns import widths

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


def fit_on_device(panel: Panel, columns: Any, device: str) -> tuple[Optimum, tuple[float, float], int]:
    """(fit, (seconds for the patterns, seconds for EM), number of patterns), from votes on the device."""
    began = now(device)
    unique, counts = count_patterns(columns, panel.layout.sizes)
    counted = now(device)
    fit = fitted(panel, DeviceKernel(unique, counts, panel.layout, device=device))
    return fit, (counted - began, now(device) - counted), len(counts)


def fitted(panel: Panel, rows: Kernel | DeviceKernel) -> Optimum:
    k = panel.layout.k
    assumptions = Likelihood.paper().assume(panel, rows.vote_counts, rows.total, np.full(k, 1 / k), learn_balance=True)
    return maximise(rows, assumptions, assumptions.start(), max_iter=MAX_ITER, tol=TOL)


def compared(panel: Panel, columns: Any, fit: Optimum, device: str) -> tuple[float, float]:
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


def count_patterns(columns: Any, sizes: Sequence[int], *, table_bits: int = 26, rows: int = 1 << 27) -> tuple[Any, Any]:
    """Count unique rows of votes on a device: (n, u) and counts (u,), from the votes of each labeler (n, m).

    Patterns of up to `table_bits` are counted in a table, longer ones by sorting, so many `rows` at a time.
    """
    bits = widths(sizes)
    if sum(bits) > 62:
        raise BadFit(f"{len(sizes)} labelers need {sum(bits)} bits a row; at most 62 are counted on a device")
    count = _by_table if sum(bits) <= table_bits else _by_sorting
    keys, counts = count(columns.split(rows, dim=1), bits, columns.device)
    return _unpacked(keys, bits, columns.dtype), counts


def _packed(columns: Any, bits: Sequence[int]) -> Any:
    """Pack each row into one integer."""
    keys = torch.zeros(columns.shape[1], dtype=torch.int32 if sum(bits) < 32 else torch.int64, device=columns.device)
    shift = 0
    for column, width in zip(columns, bits, strict=True):
        keys |= column.to(keys.dtype) << shift
        shift += width
    return keys


def _by_table(parts: Sequence[Any], bits: Sequence[int], device: Any) -> tuple[Any, Any]:
    table = torch.zeros(1 << sum(bits), dtype=torch.int64, device=device)
    for part in parts:
        table += torch.bincount(_packed(part, bits), minlength=len(table))
    keys = table.nonzero()[:, 0]
    return keys, table[keys]


def _by_sorting(parts: Sequence[Any], bits: Sequence[int], _device: Any) -> tuple[Any, Any]:
    counted = [torch.unique(_packed(part, bits), return_counts=True) for part in parts]
    if len(counted) == 1:
        return counted[0]  # type: ignore[no-any-return]
    all_keys, counts = (torch.cat(pieces) for pieces in zip(*counted, strict=True))
    keys, inverse = torch.unique(all_keys, return_inverse=True)
    return keys, torch.zeros_like(keys, dtype=torch.int64).index_add_(0, inverse, counts)


def _unpacked(keys: Any, bits: Sequence[int], dtype: Any) -> Any:
    shifts = np.cumsum([0, *bits[:-1]])
    columns = [((keys >> int(shift)) & ((1 << width) - 1)).to(dtype) for shift, width in zip(shifts, bits, strict=True)]
    return torch.stack(columns) if columns else torch.zeros((0, len(keys)), dtype=dtype, device=keys.device)


if __name__ == "__main__":
    main()
