"""Pooled: the default estimator. How it works, and why: docs/the-model.md.

First the mean accuracy of each labeler, and how often it votes on rows of each class, are settled by turns with
beliefs. These are a prior. Under it the accuracies of labelers on classes are estimated by EM, to the top of a
penalised likelihood. Without a given balance, this is done for equal classes and for a balance found by counting votes,
and held-out labelers choose.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shortlist.arrays import Floats, Mask
from shortlist.errors import BadFit, FitWarning
from shortlist.labelmodel import remarks
from shortlist.labelmodel.estep.cores import one_blas_thread
from shortlist.labelmodel.estimators.estimate import State, table_from
from shortlist.labelmodel.estimators.estimator import Estimator
from shortlist.labelmodel.estimators.pooled.counting import counted_balance, selective
from shortlist.labelmodel.estimators.pooled.dependence import Dependence
from shortlist.labelmodel.estimators.pooled.estimate import PooledEstimate
from shortlist.labelmodel.estimators.pooled.guard import Guard
from shortlist.labelmodel.estimators.pooled.heldout import clear_gain, held_out_scores
from shortlist.labelmodel.estimators.pooled.settle import classes_named, prior_assumptions, settle
from shortlist.labelmodel.formulae.assumptions import Assumptions
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.likelihood import Emission, emission
from shortlist.labelmodel.formulae.panel import Panel
from shortlist.labelmodel.problem import Problem
from shortlist.labelmodel.solvers.em import maximise
from shortlist.labelmodel.solvers.solver import Fit
from shortlist.options import check_amount, check_probability, is_number

MOST_SETTLED = 20_000  # unique rows, at most, by which accuracies and propensities are settled
MOST_SCORED = 8_192  # unique rows, at most, by which a balance is chosen
DOUBTFUL = 0.6  # trust below this is worth a warning
JUDGED = (
    "How much their voting tells is judged by the other labelers, on rows where these vote too; elsewhere a prior "
    "decides (propensity_ratio, propensity_votes). If they can, let them say something else where they do not vote."
)


@dataclass(frozen=True)
class Pooled(Estimator):
    """The default estimator. One setting is meant for all votes.

    accuracy_mean : a0, how often a labeler is right before any vote is seen
    labeler_votes, class_votes : W and w, how many votes a0 is worth to a labeler, and a labeler's mean to its classes
    propensity_ratio : ρ, how many times as often a labeler votes on classes it names, before others judge it
    propensity_votes, spread_votes : how many votes ρ is worth, and how many it is worth that the classes a labeler
        names (and those it does not name) are alike
    unanimity : where all votes of a row have classes in common, the least belief that these keep
    """

    kind: ClassVar[str] = "pooled"
    accuracy_mean: float = 0.8
    labeler_votes: float = 10.0
    class_votes: float = 30.0
    propensity_ratio: float = 4.0
    propensity_votes: float = 300.0
    spread_votes: float = 100.0
    unanimity: float = 0.6

    def __post_init__(self) -> None:
        check_probability("accuracy_mean", self.accuracy_mean)
        check_amount("propensity_ratio", self.propensity_ratio, "a ratio of propensities", least=1.0)
        if not is_number(self.unanimity) or not 0 <= self.unanimity < 1:
            message = f"unanimity is a share of belief, 0 or more and below 1; got {self.unanimity!r}"
            raise BadFit(message, option=("unanimity",))
        for name in ("labeler_votes", "class_votes", "propensity_votes", "spread_votes"):
            check_amount(name, getattr(self, name), "how many votes a prior is worth", above=True)

    def fit(self, problem: Problem) -> PooledEstimate:
        """The better of the fits there are, with its guard."""
        if problem.learn_balance:
            raise BadFit(
                'the pooled estimator does not learn the balance: leave it out, give it, or use estimator="likelihood"',
                option=("balance",),
            )
        found = self._candidate(problem)
        guard = Guard.of(problem, found.fit.parameters, found.prior, self.unanimity, found.dependence.n_copies)
        labeler_accuracy = np.ravel(found.assumptions.accuracy_mean)
        return PooledEstimate(
            panel=problem.panel,
            parameters=found.fit.parameters,
            emission=guard.fitted,
            history=found.fit.history,
            converged=found.fit.converged,
            n_iter=found.fit.n_iter,
            remarks=self._remarks(problem, guard.trust, labeler_accuracy),
            settings=self,
            labeler_accuracy=labeler_accuracy,
            guard=guard,
        )

    def _remarks(self, problem: Problem, trust: float, accuracy: Floats) -> tuple[FitWarning, ...]:
        found = [remarks.one_sided(problem.panel, problem.expectation.vote_counts, JUDGED)]
        if trust < DOUBTFUL and not problem.expectation.known:  # known labels have been asked already
            return (*filter(None, found), remarks.little_trust(trust, accuracy, problem.panel))
        return (*filter(None, found),)

    def _candidate(self, problem: Problem) -> Candidate:
        """The fit under the balance that is given; without one, under equal classes.

        A counted balance takes their place if it can be counted, and predicts held-out labelers clearly better.
        """
        k, counts = problem.layout.k, problem.expectation.vote_counts
        sample, named = problem.evidence.sample(MOST_SETTLED), classes_named(problem.layout.only(counts > 0))
        if problem.balance is not None:
            return self._under(problem, problem.balance, sample, named)
        equal = self._under(problem, np.full(k, 1 / k), sample, named)
        if selective(sample, named):
            return equal
        scored = problem.evidence.sample(MOST_SCORED)
        shares = counted_balance(scored, problem.layout, equal.fit.parameters.propensity, equal.dependence.n_copies)
        counted = self._under(problem, shares, sample, named)
        subsets = counted.dependence.subsets
        gain = counted.scores(scored, subsets) - equal.scores(scored, subsets)
        return counted if clear_gain(gain, scored.weights * scored.votes.covered, k - 1) else equal

    def _under(self, problem: Problem, balance: Floats, sample: Evidence, named: Mask) -> Candidate:
        """The highest penalised likelihood under a balance and what the votes settle.

        Rows of known class give a second start. The likelier of both fits is kept.
        """
        step, layout = problem.expectation, problem.layout
        dependence = Dependence.of(sample, layout, named, balance)
        at_prior = prior_assumptions(self, step, layout, balance)
        starts = [at_prior.start()]
        if step.known:
            starts.append(at_prior.estimate(step.known.unscored()))
        found = []
        for first in starts:
            reached = settle(self, at_prior, first, sample, step, dependence.co_voters, max_iter=problem.max_iter)
            fit = maximise(step, reached.assumptions, reached.parameters, max_iter=problem.max_iter, tol=problem.tol)
            fit = replace(fit, converged=fit.converged and reached.at_rest)
            found.append((step(emission(fit.parameters, layout)).log_likelihood, fit, reached.assumptions))
        _, best, assumptions = max(found, key=lambda each: each[0])
        return Candidate(best, assumptions, emission(at_prior.start(), layout), dependence)

    def restore(self, panel: Panel, state: State) -> PooledEstimate:
        """The estimate that was kept in a file."""
        facts, arrays = state
        guard = Guard(
            layout=panel.layout,
            balance=arrays["parameters.balance"],
            fitted=table_from(arrays, "table"),
            prior=table_from(arrays, "prior"),
            trust=facts["trust"],
            unanimity=facts["unanimity"],
            temperature=facts["temperature"],
            balance_chosen=facts["balance_chosen"],
        )
        accuracy = arrays["labeler_accuracy"]
        return PooledEstimate.restored(panel, state, settings=self, labeler_accuracy=accuracy, guard=guard)


@dataclass(frozen=True, eq=False)
class Candidate:
    """A fit under one balance: what it assumes, the table of its prior, and which labelers depend on which."""

    fit: Fit
    assumptions: Assumptions
    prior: Emission
    dependence: Dependence

    def scores(self, evidence: Evidence, subsets: Mask) -> Floats:
        """(rows,): the held-out log score of what labelers do, given the votes of those that are no `subsets`."""
        parameters, layout = self.fit.parameters, self.assumptions.layout
        table = emission(parameters, layout)
        with one_blas_thread():
            return held_out_scores(evidence.votes.codes, table, parameters.propensity, layout, subsets)
