"""How fast the label model is, against the ways the paper describes. One command, one table:

    python benchmarks/speed.py            # everything, some minutes: the paper's optimiser takes most of them
    python benchmarks/speed.py --busy     # on a busy machine: processor time, one thread each
    python benchmarks/speed.py --quick    # a tenth of the rows and epochs, to see that it runs
    python benchmarks/speed.py --default  # only how long `LabelModel()` takes (default_speed.py), against others

(a) the naive three loops over rows, labelers and classes, on a small slice, scaled;
(b) the paper's vectorised tensors (AI, N, PI, A, B, ZA, ZB) in torch with its published defaults (Adam, learning
    rate 0.1, 200 epochs, batches of 8192, double precision), at the thread count that is fastest here;
(c) `LabelModel.paper().fit(votes)`, votes in, parameters out; and the same only until it first passes (b)'s
    likelihood, which is what the requirements are about.

All on the same votes in the same run, by the clock on the wall. (b) and (c) take turns, three times (b) and seven times
(c) after each; medians are compared, and the ratio of the fastest runs is printed beside them. The exit code is 1 when
a requirement is missed.

On a busy machine neither the clock nor several threads tell much (threads that wait for one another use processor time,
too): with --busy, (b) and (c) run on one thread each and processor time counts.
"""

from __future__ import annotations

import argparse
import sys
import time
import tracemalloc
import warnings
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent))

import default_speed

from experiments.gradient import Gradient
from shortlist import LabelModel, Votes, simulate
from shortlist.errors import FitWarning
from shortlist.labelmodel import Likelihood, Parameters, Problem
from shortlist.labelmodel.e_step import Expectation
from shortlist.labelmodel.em import Optimum, maximise
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.kernel import Kernel, one_blas_thread
from shortlist.labelmodel.layout import Layout, Panel
from shortlist.labelmodel.likelihood import Emission, emission
from shortlist.labelmodel.m_step import Assumptions

EPOCHS = 200
TURNS = 3  # of (b), each followed by ...
TIMES = 7  # ... so many of (c)


class Clock:
    """What time is measured in, and on how many threads; None for as many as are best."""

    now: Callable[[], float] = time.perf_counter
    threads: int | None = None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows and epochs; nothing is required")
    parser.add_argument("--busy", action="store_true", help="processor time, one thread each")
    parser.add_argument("--default", action="store_true", help="the default estimator, against others")
    given = parser.parse_args()
    quick = given.quick
    if given.default:
        return int(not default_speed.report(quick) and not quick)
    if given.busy:
        Clock.now, Clock.threads = time.process_time, 1
    m, epochs = (10_000, 20) if quick else (100_000, EPOCHS)
    warnings.simplefilter("ignore", FitWarning)  # text-like votes are one-sided: that is the point
    print("| what | (a) loops | (b) torch | (c) ours | × | (c) to (b)'s likelihood | × | of the fastest | required |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    missed = False
    for name, votes, required in (
        (f"{m:,} × 10 × 10", some_votes(m, 10, 10, propensity=(0.3, 0.9)), 300),
        (f"{m:,} × 10 × 10, text-like", text_votes(m, 10, 10), 2000),
    ):
        race = Race(votes, epochs)
        race.run()
        print(race.line(name, required), flush=True)
        missed |= race.ratio() < required or race.memory() >= 100
    print()
    ratio, line = one_iteration(100_000 if quick else 1_000_000)
    print(line)
    print(slopes(20_000 if quick else 200_000) + "\n")
    missed |= not default_speed.report(quick)
    return int((missed or ratio > 2) and not quick)


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


@dataclass
class Race:
    """(b) against (c) on the same votes, by turns."""

    votes: Votes
    epochs: int
    torch_seconds: list[float] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    goal_seconds: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        # un-deduplicated, as the paper has them
        self.rows = Evidence(self.votes, np.ones(len(self.votes)), np.full(len(self.votes), -1))
        self.panel = Panel.of(self.votes)
        self.expectation = Expectation(self.rows, self.panel.layout)
        self.assumptions = as_in_the_paper(self.panel, self.expectation)
        start = self.assumptions.start()
        self.start = Parameters(start.accuracy, np.full(self.panel.layout.n, 0.5), start.balance, start.split)

    def run(self) -> None:
        problem = Problem(panel=self.panel, evidence=self.rows, expectation=self.expectation, max_iter=self.epochs)
        self.threads = Clock.threads or best_threads(problem, self.assumptions, self.start)
        for turn in range(TURNS):
            seconds, found = vectorised(problem, self.assumptions, self.start, self.threads)
            self.torch_seconds.append(seconds)
            if not turn:
                self.theirs = self.likelihood(found)
                self.iterations = iterations_to(self.votes, self.theirs)
            for _ in range(TIMES):
                self.fit_seconds.append(seconds_of(self.fit))
                self.goal_seconds.append(seconds_of(self.fit_to_goal))

    def fit(self) -> LabelModel:
        return LabelModel.paper(threads=Clock.threads).fit(self.votes)

    def fit_to_goal(self) -> None:
        assert fit_for(self.votes, self.iterations).history[-1] >= self.theirs

    def likelihood(self, parameters: Parameters) -> float:
        """Per row, over rows that are not de-duplicated."""
        table = emission(parameters, self.panel.layout)
        return self.expectation(table).log_likelihood / self.expectation.total

    def memory(self) -> float:
        """Peak extra memory of a fit, in MB."""
        return peak_memory(self.fit) / 1e6

    def ratio(self, of: Callable[[list[float]], Any] = np.median) -> float:
        return float(of(self.torch_seconds) / of(self.goal_seconds))

    def line(self, name: str, required: int) -> str:
        model = self.fit()
        ours = self.likelihood(model.parameters_)
        naive = three_loops(self.votes, self.panel.layout, self.start) * len(self.votes) * self.epochs
        tensors, whole, goal = (float(np.median(s)) for s in (self.torch_seconds, self.fit_seconds, self.goal_seconds))
        every = ", ".join(f"{s:.1f}" for s in self.torch_seconds)
        return (
            f"| {name} | {naive:,.0f} s | {tensors:.1f} s | {whole * 1e3:.1f} ms | {tensors / whole:,.0f} "
            f"| {goal * 1e3:.1f} ms | {self.ratio():,.0f} | {self.ratio(min):,.0f} | ≥ {required:,} |\n"
            f"<!-- {name}: {len(model.evidence_.weights):,} patterns; log-likelihood a row: (b) {self.theirs:.7f}, "
            f"(c) {ours:.7f} in {model.n_iter_} iterations, past (b) after {self.iterations}; (b) on {self.threads} "
            f"thread(s): {every} s; (c) {min(self.fit_seconds) * 1e3:.1f} to {max(self.fit_seconds) * 1e3:.1f} ms, to "
            f"(b)'s likelihood {min(self.goal_seconds) * 1e3:.1f} to {max(self.goal_seconds) * 1e3:.1f} ms; "
            f"(c) peak extra memory {self.memory():.0f} MB -->"
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


def as_in_the_paper(panel: Panel, expectation: Expectation) -> Assumptions:
    """What `LabelModel.paper()` assumes about these votes."""
    k = panel.layout.k
    counts, total = expectation.vote_counts, expectation.total
    return Likelihood.paper().assume(panel, counts, total, np.full(k, 1 / k), learn_balance=True)


def best_threads(problem: Problem, assumptions: Assumptions, start: Parameters) -> int:
    """How many threads make the paper's optimiser fastest here."""
    brief = replace(problem, max_iter=2)
    most = torch.get_num_threads()
    counts = sorted({most, *(2**i for i in range(most.bit_length()))})
    return min(counts, key=lambda n: min(vectorised(brief, assumptions, start, n)[0] for _ in range(2)))


def vectorised(problem: Problem, assumptions: Assumptions, start: Parameters, threads: int) -> tuple[float, Parameters]:
    """(seconds, what was found) of the paper's optimiser."""
    torch.set_num_threads(threads)
    began = Clock.now()
    fit = Gradient(smallest=0.0).maximise(problem, assumptions, start)
    return Clock.now() - began, fit.parameters


def iterations_to(votes: Votes, goal: float) -> int:
    """E steps, those that gained nothing among them, until the fit first passes a likelihood."""
    most = LabelModel.paper(threads=Clock.threads).fit(votes).n_iter_
    return bisect_left(range(1, 4 * most), goal, key=lambda i: fit_for(votes, i).history[-1]) + 1


def fit_for(votes: Votes, iterations: int) -> Optimum:
    """What `LabelModel.paper().fit` does, so many iterations long: votes in, parameters out."""
    panel, evidence = Panel.of(votes), Evidence.gather(votes)
    expectation = Expectation(evidence, panel.layout, threads=Clock.threads)
    assumptions = as_in_the_paper(panel, expectation)
    return maximise(expectation, assumptions, assumptions.start(), max_iter=iterations, tol=0.0)


def peak_memory(work: Callable[[], Any]) -> int:
    tracemalloc.start()
    work()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


# -- one iteration ---------------------------------------------------------------------------------------


def one_iteration(m: int) -> tuple[float, str]:
    """An E step over rows not de-duplicated, against its two matrix products alone; one thread, processor time."""
    rows, table = unsorted_rows(m, 20, 10)
    step, products = [], []
    with one_blas_thread():
        for _ in range(9):  # by turns, so that both see the same machine
            step.append(seconds_of(lambda: rows(table, np.float32), time.process_time))
            products.append(seconds_of(lambda: two_products(rows), time.process_time))
    ratio = min(step) / min(products)
    return ratio, (
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
    X = rows.encoded(rows.blocks[0], np.float32)
    slopes, joint = np.ones((rows.layout.k, len(X)), np.float32), np.empty((rows.layout.k, X.shape[1]), np.float32)
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
                seconds.append(min(seconds_of(partial(rows, table, np.float32), time.process_time) for _ in range(7)))
        sizes = [shape[("rows", "labelers", "classes").index(what)] for shape in shapes]
        exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
        times = ", ".join(f"{size:,}: {s * 1e3:.0f} ms" for size, s in zip(sizes, seconds, strict=True))
        lines.append(f"Slope in {what}: time ~ {what}^{exponent:.2f} ({times})")
    return "\n".join(lines)


def seconds_of(work: Callable[[], Any], now: Callable[[], float] | None = None) -> float:
    now = now or Clock.now
    began = now()
    work()
    return now() - began


if __name__ == "__main__":
    sys.exit(main())
