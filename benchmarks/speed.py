"""How fast the label model is, against the ways the paper describes. One command, one table:

    python benchmarks/speed.py            # everything, some minutes: the paper's optimiser takes most of them
    python benchmarks/speed.py --wall     # by the clock on the wall, (c) on all cores: for a quiet machine
    python benchmarks/speed.py --quick    # a tenth of the rows and epochs, to see that it runs

(a) the naive three loops over rows, labelers and classes, on a small slice, scaled;
(b) the paper's vectorised tensors (AI, N, PI, A, B, ZA, ZB) in torch with its published defaults (Adam, learning
    rate 0.1, 200 epochs, batches of 8192, double precision), at the thread count that is fastest here;
(c) `LabelModel.paper(threads=1).fit(votes)`, votes in, parameters out; and the same only until it first passes (b)'s
    likelihood.

All on the same votes in the same run, in processor time, so that ratios mean something on a busy machine too: (c) on
one thread, (b) on as many as make it fastest, its processor time divided by them.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from shortlist import LabelModel, Votes, simulate
from shortlist.labelmodel import Gradient, Parameters
from shortlist.labelmodel.assumptions import Assumptions
from shortlist.labelmodel.em import maximise
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.expectation import Expectation
from shortlist.labelmodel.gradient import descend
from shortlist.labelmodel.kernel import Kernel, one_blas_thread
from shortlist.labelmodel.layout import Layout
from shortlist.labelmodel.likelihood import Emission, emission
from shortlist.labelmodel.options import assume
from shortlist.labelmodel.panel import Panel

EPOCHS = 200


class Clock:
    """What time is measured in, and on how many threads (c) runs."""

    now: Callable[[], float] = time.process_time
    threads: int | None = 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows and epochs")
    parser.add_argument("--wall", action="store_true", help="wall-clock time, all cores")
    given = parser.parse_args()
    quick = given.quick
    if given.wall:
        Clock.now, Clock.threads = time.perf_counter, None
    m, epochs = (10_000, 20) if quick else (100_000, EPOCHS)
    print("| what | (a) three loops | (b) torch | (c) ours | times faster | (c) to (b)'s likelihood | times faster |")
    print("|---|---|---|---|---|---|---|")
    for name, votes in (
        (f"{m:,} × 10 × 10", some_votes(m, 10, 10, propensity=(0.3, 0.9))),
        (f"{m:,} × 10 × 10, text-like", text_votes(m, 10, 10)),
    ):
        print(compared(name, votes, epochs), flush=True)
    print()
    print(one_iteration(100_000 if quick else 1_000_000))
    print(slopes(20_000 if quick else 200_000))


def some_votes(m: int, n: int, k: int, *, propensity: tuple[float, float], seed: int = 0) -> Votes:
    """Labelers with two to four shortlists each, overlapping as they come."""
    rng = np.random.default_rng(seed)
    space = [f"class_{j}" for j in range(k)]
    says = [some_shortlists(space, (2, 3, 4, 3)[i % 4], rng) for i in range(n)]
    beta = rng.uniform(*propensity, n)
    return simulate(
        Parameters(rng.uniform(0.55, 0.9, (n, k)), beta, np.full(k, 1 / k)), says, m, space=space, seed=rng
    ).votes


def some_shortlists(space: list[str], size: int, rng: np.random.Generator) -> list[set[str]]:
    """So many random shortlists that hold every class somewhere and none everywhere, as the paper asks."""
    while True:
        member = rng.random((size, len(space))) < 0.4
        if member.any(axis=0).all() and not member.all(axis=0).any() and member.any(axis=1).all():
            return [{name for name, inside in zip(space, row, strict=True) if inside} for row in member]


def text_votes(m: int, n: int, k: int, *, seed: int = 0) -> Votes:
    """Rules as people write them for text: each says one thing or two, and fires where it is right, mostly."""
    rng = np.random.default_rng(seed)
    classes = rng.choice(k, m, p=rng.dirichlet(np.full(k, 8.0)))
    codes, says = np.zeros((m, n), np.uint8), []
    for i in range(n):
        drawn = (rng.choice(k, rng.integers(1, 3), replace=False) for _ in range(rng.integers(1, 3)))
        said = list(dict.fromkeys(frozenset(shortlist.tolist()) for shortlist in drawn))
        says.append([{f"class_{j}" for j in shortlist} for shortlist in said])
        for code, shortlist in enumerate(said, start=1):
            right, wrong = rng.uniform(0.05, 0.3), rng.uniform(0.001, 0.02)
            fires = rng.random(m) < np.where(np.isin(classes, list(shortlist)), right, wrong)
            codes[fires & (codes[:, i] == 0), i] = code
    return Votes(codes, says, [f"class_{j}" for j in range(k)])


# -- (a), (b), (c) ---------------------------------------------------------------------------------------


def compared(name: str, votes: Votes, epochs: int) -> str:
    rows = Evidence(votes, np.ones(len(votes)), np.full(len(votes), -1))  # un-deduplicated, as the paper has them
    panel = Panel.of(votes)
    expectation = Expectation(rows, panel.layout, device="cpu", threads=None)
    assumptions = assume(LabelModel.paper().get_params(), panel, expectation.often, expectation.total)
    start = assumptions.start()
    start = Parameters(start.accuracy, np.full(panel.layout.n, 0.5), start.balance, start.split)

    naive = three_loops(votes, panel.layout, start) * len(votes) * epochs
    threads, tensors, found = vectorised(rows, assumptions, start, epochs)
    theirs = mean_likelihood(expectation, found, panel.layout)
    seconds, model = repeated(lambda: LabelModel.paper(threads=Clock.threads).fit(votes))
    ours = mean_likelihood(expectation, model.parameters_, panel.layout)
    assert ours >= theirs, f"ours {ours} is worse than theirs {theirs}"
    sooner, iterations = to_likelihood(votes, theirs)
    memory = peak_memory(lambda: LabelModel.paper(threads=Clock.threads).fit(votes)) / 1e6
    print(
        f"<!-- {name}: {len(model.evidence_.weights):,} patterns; log-likelihood a row: (b) {theirs:.6f}, "
        f"(c) {ours:.6f} in {model.n_iter_} iterations, past (b) after {iterations}; (b) on {threads} thread(s); "
        f"(c) peak extra memory {memory:.0f} MB -->"
    )
    return (
        f"| {name} | {naive:,.0f} s | {tensors:.1f} s | {seconds * 1e3:.0f} ms | {tensors / seconds:,.0f} "
        f"| {sooner * 1e3:.0f} ms | {tensors / sooner:,.0f} |"
    )


def three_loops(votes: Votes, layout: Layout, start: Parameters, rows: int = 20) -> float:
    """Seconds a row for the likelihood and its gradient, one row, labeler and class after another."""
    alpha = torch.tensor(start.accuracy, requires_grad=True)
    beta = torch.tensor(start.propensity, requires_grad=True)
    member = np.split(layout.member, layout.starts[1:])
    began = Clock.now()
    total = torch.zeros(())
    for row in votes.codes[:rows]:
        joint = []
        for j in range(layout.k):
            log = torch.zeros(())
            for i, code in enumerate(row):
                if not code:
                    log = log + torch.log(1 - beta[i])
                elif member[i][code - 1, j]:
                    log = log + torch.log(beta[i] * alpha[i, j] / member[i][:, j].sum())
                else:
                    log = log + torch.log(beta[i] * (1 - alpha[i, j]) / (~member[i][:, j]).sum())
            joint.append(log)
        total = total + torch.logsumexp(torch.stack(joint), dim=0)
    total.backward()  # type: ignore[no-untyped-call]
    return (Clock.now() - began) / rows


def vectorised(
    rows: Evidence, assumptions: Assumptions, start: Parameters, epochs: int
) -> tuple[int, float, Parameters]:
    """(threads, seconds, what was found) of the paper's optimiser at its best thread count."""
    settings = Gradient(smallest=0.0)

    def run(threads: int, epochs: int) -> tuple[float, Parameters]:
        torch.set_num_threads(threads)
        began = Clock.now()
        fit = descend(rows, assumptions, start, settings, max_iter=epochs, seed=0, device="cpu")
        return (Clock.now() - began) / (threads if Clock.threads == 1 else 1), fit.parameters

    counts = sorted({1, torch.get_num_threads()})
    best = min(counts, key=lambda threads: min(run(threads, 2)[0] for _ in range(2)))
    return best, *run(best, epochs)


def mean_likelihood(expectation: Expectation, parameters: Parameters, layout: Layout) -> float:
    return expectation(emission(parameters, layout)).log_likelihood / expectation.total


def to_likelihood(votes: Votes, goal: float) -> tuple[float, int]:
    """Seconds and iterations until the fit first passes a likelihood."""
    history = LabelModel.paper(threads=Clock.threads).fit(votes).history_
    iterations = int(np.argmax(history >= goal)) + 1

    def run() -> None:
        panel, evidence = Panel.of(votes), Evidence.gather(votes)
        expectation = Expectation(evidence, panel.layout, device="cpu", threads=Clock.threads)
        assumptions = assume(LabelModel.paper().get_params(), panel, expectation.often, expectation.total)
        maximise(expectation, assumptions, assumptions.start(), max_iter=iterations, tol=0.0)

    return repeated(run)[0], iterations


def repeated(work: Callable[[], Any], times: int = 7) -> tuple[float, Any]:
    """(median seconds, last result)."""
    seconds, result = [], None
    for _ in range(times):
        began = Clock.now()
        result = work()
        seconds.append(Clock.now() - began)
    return float(np.median(seconds)), result


def peak_memory(work: Callable[[], Any]) -> int:
    tracemalloc.start()
    work()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


# -- one iteration ---------------------------------------------------------------------------------------


def one_iteration(m: int) -> str:
    """An E step over rows that are not de-duplicated, against its two matrix products alone; one thread."""
    rows, table = unsorted_rows(m, 20, 10)
    step, products = [], []
    with one_blas_thread():
        for _ in range(9):  # by turns, so that both see the same machine
            step.append(seconds_of(lambda: rows(table, np.float32)))
            products.append(seconds_of(lambda: two_products(rows)))
    ratio = min(step) / min(products)
    return (
        f"One EM iteration on {m:,} × 20 × 10, not de-duplicated, one thread: {min(step) * 1e3:.0f} ms; its two "
        f"matrix products alone: {min(products) * 1e3:.0f} ms; ratio {ratio:.2f}."
    )


def unsorted_rows(m: int, n: int, k: int, size: int = 3) -> tuple[Kernel, Emission]:
    rng = np.random.default_rng(0)
    layout = Layout((size,) * n, rng.random((size * n, k)) < 0.4)
    codes = np.asfortranarray((rng.integers(1, size + 1, (m, n)) * (rng.random((m, n)) < 0.3)).astype(np.uint8))
    table = Emission(rng.normal(-2, 1, (size * n, k)), rng.normal(-1, 0.1, (n, k)), np.zeros(k), np.ones(n))
    return Kernel(codes, np.ones(m), layout, threads=1), table


def two_products(rows: Kernel) -> None:
    X, joint = rows._one_hot(rows.blocks[0], 0, np.float32)
    slopes = np.ones((joint.shape[0], X.shape[0]), np.float32)
    for _ in rows.blocks:
        np.matmul(slopes, X, out=joint)
        X @ joint.T


def slopes(m: int) -> str:
    """How the time of an iteration grows: the exponent of a power law, 1 for linear; and the cost a unit adds."""
    lines = []
    for what, shapes in (
        ("rows", [(s * m, 20, 10) for s in (1, 2, 4, 8)]),
        ("labelers", [(m, s * 10, 10) for s in (1, 2, 4, 8)]),
        ("classes", [(m, 20, s * 10) for s in (1, 2, 4, 8)]),
    ):
        seconds = []
        for shape in shapes:
            rows, table = unsorted_rows(*shape)
            with one_blas_thread():
                seconds.append(min(seconds_of(partial(rows, table, np.float32)) for _ in range(7)))
        sizes = [shape[("rows", "labelers", "classes").index(what)] for shape in shapes]
        exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
        times = ", ".join(f"{size:,}: {s * 1e3:.0f} ms" for size, s in zip(sizes, seconds, strict=True))
        lines.append(f"Slope in {what}: time ~ {what}^{exponent:.2f} ({times})")
    return "\n".join(lines)


def seconds_of(work: Callable[[], Any]) -> float:
    began = Clock.now()
    work()
    return Clock.now() - began


if __name__ == "__main__":
    main()
