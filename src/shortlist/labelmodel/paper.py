"""Likelihood: the paper's family of models (Section 3.2), by maximum penalised likelihood."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from shortlist.arrays import Floats
from shortlist.errors import FitWarning
from shortlist.labelmodel import remarks
from shortlist.labelmodel.em import EM, Optimum, Solver, highest
from shortlist.labelmodel.estimator import Estimate, Estimator, Problem, State
from shortlist.labelmodel.layout import Panel
from shortlist.labelmodel.likelihood import Parameters, emission, equal_split, frequency_split
from shortlist.labelmodel.m_step import Assumptions
from shortlist.labelmodel.model_options import from_table, resolve
from shortlist.registry import check_amount, check_choice, check_probability, check_whole


@dataclass(frozen=True)
class Likelihood(Estimator):
    """The model of the paper, exact for overlapping shortlists.

    accuracy : "class" (the paper: α_ij) or "labeler" (one for all classes: for few votes or many classes)
    propensity : "labeler" (the paper: β_i) or "class" (for one-sided rules)
    split : shares of right shortlists among right votes, and of wrong ones among wrong votes: "frequency", as often as
        each is voted, or "equal" (the paper)
    accuracy_mean, accuracy_votes : prior on every accuracy: its mean, and its weight in votes
    propensity_rows : with propensity="class", weight of the overall propensity as a prior, in rows of each class
    balance_rows : with balance="learn", weight of the uniform balance as a prior, in rows
    n_starts : number of starting points, of which the best result is kept
    solver : `EM()`, or another `Solver`: the paper's optimiser is in experiments/gradient.py
    """

    kind: ClassVar[str] = "likelihood"
    accuracy: Literal["class", "labeler"] = "class"
    propensity: Literal["labeler", "class"] = "labeler"
    split: Literal["frequency", "equal"] = "frequency"
    accuracy_mean: float = 0.7
    accuracy_votes: float = 10.0
    propensity_rows: float = 30.0
    balance_rows: float = 10.0
    n_starts: int = 1
    solver: Solver | Literal["em"] = field(default_factory=EM)

    def __post_init__(self) -> None:
        check_choice("accuracy", self.accuracy, ("class", "labeler"))
        check_choice("propensity", self.propensity, ("labeler", "class"))
        check_choice("split", self.split, ("frequency", "equal"))
        check_probability("accuracy_mean", self.accuracy_mean)
        for name in ("accuracy_votes", "propensity_rows", "balance_rows"):
            check_amount(name, getattr(self, name), "the weight of a prior")
        check_whole("n_starts", self.n_starts)
        resolve(Solver.kinds(), self.solver, Solver, "solver")

    @classmethod
    def paper(cls, **options: Any) -> Self:
        """The paper to the letter: α_ij, β_i, an equal split, no prior."""
        letter: dict[str, Any] = {"accuracy": "class", "propensity": "labeler", "split": "equal"}
        return cls(**{**letter, "accuracy_votes": 0.0, "balance_rows": 0.0, **options})

    @classmethod
    def from_plain(cls, options: Mapping[str, Any]) -> Self:
        if "solver" in options:
            options = {**options, "solver": from_table(Solver.kinds(), options["solver"], "solver")}
        return super().from_plain(options)

    def fit(self, problem: Problem) -> LikelihoodEstimate:
        """Maximise the penalised likelihood from each starting point, and keep the best result."""
        k, step = problem.layout.k, problem.expectation
        balance = np.full(k, 1 / k) if problem.balance is None else problem.balance
        assumptions = self.assume(problem.panel, step.vote_counts, step.total, balance, problem.learn_balance)
        solver = resolve(Solver.kinds(), self.solver, Solver, "solver")
        starts = self._starts(problem, assumptions)
        best = highest([solver.maximise(problem, assumptions, start) for start in starts])
        return LikelihoodEstimate(
            panel=problem.panel,
            **vars(best),
            emission=emission(best.parameters, problem.layout),
            remarks=self._remarks(problem, best),
            settings=self,
            given_balance=balance,
            learn_balance=problem.learn_balance,
        )

    def assume(
        self, panel: Panel, vote_counts: Floats, total: float, balance: Floats, learn_balance: bool
    ) -> Assumptions:
        """Assumptions about votes of which each shortlist has `vote_counts` (S,) in `total` rows."""
        layout = panel.layout
        # One vote more for each shortlist, so that one without votes stays possible
        split = equal_split(layout) if self.split == "equal" else frequency_split(layout, vote_counts + 1)
        return Assumptions(
            layout=layout,
            shared_accuracy=self.accuracy == "labeler",
            learn_class_propensity=self.propensity == "class",
            learn_balance=learn_balance,
            balance=balance,
            propensity=layout.per_labeler(vote_counts) / total,
            split=split,
            accuracy_mean=float(self.accuracy_mean),
            accuracy_votes=float(self.accuracy_votes),
            propensity_rows=float(self.propensity_rows),
            balance_rows=float(self.balance_rows),
        )

    def _starts(self, problem: Problem, assumptions: Assumptions) -> list[Parameters]:
        """Starting points; an earlier fit takes the place of the first."""
        known, common = problem.expectation.known, assumptions.start()
        first = common if problem.start is None else as_start(problem.start, assumptions)
        from_gold = [assumptions.estimate(known)] if known else []
        seeds = ((problem.seed, s) for s in range(1, self.n_starts))
        return [first, *from_gold, *(scattered(assumptions, common, problem.panel, seed) for seed in seeds)]

    def _remarks(self, problem: Problem, best: Optimum) -> tuple[FitWarning, ...]:
        consequence = (
            "The accuracy stays at its prior (accuracy_mean, accuracy_votes). What such labelers know is in whether "
            'they vote: propensity="class" reads that, and so does the default estimator.'
        )
        fixed = self.propensity == "labeler" and remarks.one_sided(problem.panel, problem.vote_counts, consequence)
        lost = problem.learn_balance and remarks.collapsed(best.parameters.balance, problem.panel)
        return tuple(warning for warning in (fixed, lost) if warning)

    def restore(self, panel: Panel, state: State) -> LikelihoodEstimate:
        balance, learned = state.arrays["given_balance"], state.facts["learn_balance"]
        return LikelihoodEstimate.restored(panel, state, settings=self, given_balance=balance, learn_balance=learned)


@dataclass(frozen=True, eq=False, kw_only=True)
class LikelihoodEstimate(Estimate):
    """An estimate of the paper's family, with its assumptions."""

    settings: Likelihood
    given_balance: Floats  # (k,): the balance, or its starting point when learned
    learn_balance: bool

    def assumptions(self, vote_counts: Floats, total: float) -> Assumptions:
        return self.settings.assume(self.panel, vote_counts, total, self.given_balance, self.learn_balance)

    def state(self) -> State:
        facts, arrays = super().state()
        arrays = {**arrays, "given_balance": np.asarray(self.given_balance)}
        return State({**facts, "learn_balance": self.learn_balance}, arrays)


def scattered(assumptions: Assumptions, first: Parameters, panel: Panel, seed: tuple[int, int]) -> Parameters:
    """A random start that does not depend on the order of labelers and classes."""
    accuracy = np.empty_like(first.accuracy)
    by_name = np.argsort(np.array(panel.space.names))
    for i, name in enumerate(panel.names):
        rng = np.random.default_rng([*seed, zlib.crc32(name.encode())])
        drawn = rng.beta(10 * assumptions.accuracy_mean, 10 * (1 - assumptions.accuracy_mean), len(by_name))
        accuracy[i, by_name] = drawn[0] if assumptions.shared_accuracy else drawn
    return Parameters(assumptions.settled(accuracy), first.propensity, first.balance, first.split)


def as_start(parameters: Parameters, assumptions: Assumptions) -> Parameters:
    """Parameters of an earlier fit in the form of these assumptions."""
    propensity = parameters.propensity if assumptions.learn_class_propensity else parameters.overall_propensity()
    return replace(parameters, propensity=propensity, split=assumptions.split, silence=1.0)
