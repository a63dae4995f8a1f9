"""Pooled: the default estimator. How it works, and why: docs/label-model.md.

Accuracies of labelers on classes are pooled twice: toward the mean of the labeler, and that toward a common mean. They
are found together with how often a labeler votes on rows of each class, by turns: each vote is judged by the rest of
its row. Then the balance, how far to believe the evidence, and how far the fit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shortlist.arrays import Floats
from shortlist.errors import BadFit, FitWarning
from shortlist.labelmodel import remarks
from shortlist.labelmodel.e_step import posteriors
from shortlist.labelmodel.estimator import Estimator, Problem, State, table_from
from shortlist.labelmodel.estimators.pooled.balance import balance_weight, balance_with_gold, believed_balance
from shortlist.labelmodel.estimators.pooled.copies import first_copies
from shortlist.labelmodel.estimators.pooled.estimate import RELIABILITY, PooledEstimate
from shortlist.labelmodel.estimators.pooled.gold import GoldVotes
from shortlist.labelmodel.estimators.pooled.gold_rows import GoldRows
from shortlist.labelmodel.estimators.pooled.guard import Guard, agreement
from shortlist.labelmodel.estimators.pooled.judged import Judge
from shortlist.labelmodel.estimators.pooled.reliability import Reliability
from shortlist.labelmodel.estimators.pooled.sample import Sample
from shortlist.labelmodel.estimators.pooled.says import Says
from shortlist.labelmodel.estimators.pooled.settle import Settled, parameters_of, prior_parameters, settle
from shortlist.labelmodel.estimators.pooled.temperature import predicted, temperature
from shortlist.labelmodel.kernel import one_blas_thread
from shortlist.labelmodel.layout import Panel
from shortlist.labelmodel.likelihood import Parameters, emission
from shortlist.registry import check_amount, check_probability

CLASS_VOTES = 800.0  # of each labeler on rows of each class: more teach nothing that matters
MOST_ROWS, FEWEST_ROWS = 20_000, 4_000  # unique rows that are learned from
DOUBTFUL = 0.6  # trust below this is worth a warning
ONE_ANSWER = (
    "How much their voting tells is judged by the other labelers, on rows where these vote too. Gold labels on some of "
    "their rows settle it. A labeler may also say what a row is not, `Not(...)`, but only if it votes on nearly all "
    "rows of its class: on each row it misses, it would rule out the right class."
)


@dataclass(frozen=True)
class Pooled(Estimator):
    """The default estimator. One setting is meant for all votes.

    accuracy_mean : a0, how often a labeler is right before any vote is seen; if it names some classes only, and tells
        something by voting, this is how often it would be right between two classes
    labeler_votes, class_votes : W and w, how many votes a0 is worth to a labeler, and a labeler's mean to its classes
    propensity_votes : how many votes a0 is worth to a labeler that names some classes only, and that these classes (and
        those it does not name) are alike
    """

    kind: ClassVar[str] = "pooled"
    accuracy_mean: float = 0.8
    labeler_votes: float = 10.0
    class_votes: float = 30.0
    propensity_votes: float = 100.0

    def __post_init__(self) -> None:
        check_probability("accuracy_mean", self.accuracy_mean)
        for name in ("labeler_votes", "class_votes", "propensity_votes"):
            check_amount(name, getattr(self, name), "how many votes a prior is worth", above=True)

    def fit(self, problem: Problem) -> PooledEstimate:
        """Accuracies and propensities; then the balance; then how far to believe them."""
        if problem.learn_balance:
            raise BadFit(
                'balance="learn" is for estimator="likelihood". Leave it out: the default estimates the balance where '
                "votes show it. Or give the share of each class.",
                option=("balance",),
            )
        with one_blas_thread():
            return self._fit(problem)

    def _fit(self, problem: Problem) -> PooledEstimate:
        says = Says.of(problem.panel, problem.vote_counts, problem.evidence.total)
        evidence, gold = problem.evidence.sample(enough_rows(problem)), GoldVotes.of(problem.evidence, says.layout)
        rows = Sample.of(evidence, says.layout)
        first = first_copies(rows, says)
        if (first != np.arange(says.layout.n)).any():
            rows = Sample.of(evidence, says.layout, first)
        says = replace(says, weighed_share=rows.share_with(says.weighing), balance_weight=balance_weight(rows, says))
        judge = Judge.of(rows, says, problem.threads)
        settled, says = self._settled(says, judge, gold, rows, problem)
        settled = settled.of_copies(first)
        known = GoldRows.of(problem.evidence)
        weight = 1 / np.bincount(first, minlength=len(first))[first]  # copies share that of one
        counted, trust = self._counted_balance(settled, says, gold, rows)
        balance = problem.balance
        if balance is None:
            balance = self._balance_with_gold(counted, settled, says, rows, weight, known) if known else counted
        fitted, prior = settled.parameters(self, says, gold, balance), prior_parameters(self, says, balance)
        guard = Guard.of(problem, fitted, prior, rows, weight, known, telling=says.telling, most=trust)
        votes, abstain = (each * guard.temperature for each in (guard.fitted.votes, guard.fitted.abstain))
        table = replace(guard.fitted, votes=votes, abstain=abstain)
        found = Reliability.of(self, says, judge, table, settled, first).with_gold(gold, says, self.labeler_votes)
        return PooledEstimate(
            panel=problem.panel,
            parameters=fitted,
            emission=guard.fitted,
            history=settled.history,
            converged=settled.at_rest,
            n_iter=len(settled.history),
            remarks=self._remarks(problem, guard.trust, found.overall),
            settings=self,
            reliability=found,
            guard=guard,
        )

    def _settled(
        self, says: Says, judge: Judge, gold: GoldVotes, rows: Sample, problem: Problem
    ) -> tuple[Settled, Says]:
        """Accuracies and propensities; and whether it is evidence that rules abstain.

        Rules abstain together, so that counts too often. Only labelers that weigh every class can tell: it is evidence
        if what they say is then better predicted by the other votes. It counts as far as they vote: on other rows,
        votes only tell for which classes rules were written. One rule alone has none to abstain with.
        """
        asked = says.weighed_share > 0 and np.count_nonzero(says.telling) > 1
        tried = []
        for kind in (replace(says, silence=says.weighed_share), says)[: 2 if asked else 1]:
            found = settle(self, kind, judge, gold, given=problem.balance, max_iter=problem.max_iter)
            table = emission(found.parameters(self, kind, gold, found.balance), says.layout)
            tried.append((predicted(rows, table, says.weighing) if asked else 0.0, found, kind))
        _, found, kind = max(reversed(tried), key=lambda one: one[0])  # of equal ones, without
        return found, kind

    def _counted_balance(self, settled: Settled, says: Says, gold: GoldVotes, rows: Sample) -> tuple[Floats, float]:
        """As the votes have it, as far as they can tell and the fit is trusted; else equal classes. And that trust.

        They can tell on rows with a vote of a labeler that weighs every class: how often rules vote says for which
        classes rules were written.
        """
        equal = np.full(says.layout.k, 1 / says.layout.k)

        def beliefs(parameters: Parameters) -> Floats:
            return rows.beliefs(emission(parameters, says.layout))

        fit = beliefs(settled.parameters(self, says, gold, equal))
        trust = agreement(fit, beliefs(prior_parameters(self, says, equal)), rows.weights)
        found = beliefs(settled.parameters(self, says, gold, settled.balance)) if says.balance_weight else fit
        taken = trust * says.weighed_share
        return taken * believed_balance(rows.weights @ found) + (1 - taken) * equal, trust

    def _balance_with_gold(
        self, counted: Floats, settled: Settled, says: Says, rows: Sample, weight: Floats, known: GoldRows
    ) -> Floats:
        """Once gold rows are asked, under a table in which they count like all other rows, discounted as in the end."""
        equal = np.full(says.layout.k, 1 / says.layout.k)
        table = emission(parameters_of(settled.accuracy, settled.lift, says, equal), says.layout)
        table = replace(table, exponent=temperature(rows, table, says.telling) * weight)
        (beliefs,) = posteriors(known.codes, says.layout, table)
        return balance_with_gold(counted, beliefs, known.counts)

    def _remarks(self, problem: Problem, trust: float, accuracy: Floats) -> tuple[FitWarning, ...]:
        found = [remarks.one_sided(problem.panel, problem.vote_counts, ONE_ANSWER)]
        if trust < DOUBTFUL and not (problem.evidence.gold >= 0).any():  # known labels have been asked already
            return (*filter(None, found), remarks.little_trust(trust, accuracy, problem.panel))
        return (*filter(None, found),)

    def restore(self, panel: Panel, state: State) -> PooledEstimate:
        """The estimate that was kept in a file."""
        facts, arrays = state
        guard = Guard(
            layout=panel.layout,
            fitted=table_from(arrays, "table"),
            prior=table_from(arrays, "prior"),
            trust=facts["trust"],
            temperature=facts["temperature"],
            balance_chosen=facts["balance_chosen"],
            gold=GoldRows.restored(arrays["gold.codes"], arrays["gold.counts"], panel.layout),
        )
        reliability = Reliability(*(arrays[f"reliability.{name}"] for name in RELIABILITY))
        return PooledEstimate.restored(panel, state, settings=self, guard=guard, reliability=reliability)


def enough_rows(problem: Problem) -> int:
    """How many unique rows to learn from."""
    votes_a_row = float(problem.vote_counts.sum()) / problem.evidence.total
    wanted = CLASS_VOTES * problem.layout.k * problem.layout.n / max(votes_a_row, 1.0)
    return int(np.clip(wanted, FEWEST_ROWS, MOST_ROWS))
