"""Pooling: the assumptions of the default estimator, found from the votes themselves (docs/the-model.md).

How accurate labelers are in general, and how much more often they vote where they can be right, is settled first, by
turns with beliefs. What is settled then is a prior, and the accuracies of labelers on classes are estimated under it as
in any other fit: by EM, to the top of a penalised likelihood. Where no balance is given, that is done for equal classes
and for classes as often as counting votes finds them, and held-out labelers choose.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from shortlist.arrays import Floats, Mask
from shortlist.errors import BadFit
from shortlist.labelmodel.estep.expectation import Expectation
from shortlist.labelmodel.estep.kernel import one_blas_thread
from shortlist.labelmodel.estimators.pooled.balance import counted_balance, selective
from shortlist.labelmodel.estimators.pooled.dependence import Kin
from shortlist.labelmodel.estimators.pooled.heldout import clearly, foretold
from shortlist.labelmodel.estimators.pooled.propensity import Judgement, propensities, telling
from shortlist.labelmodel.formulae.assumptions import Assumptions
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission, Parameters, emission, frequency_split
from shortlist.labelmodel.solvers.em import Fit, maximise

UNHEARD = 1e-12  # the share of a shortlist that was never voted
STILL = 1e-4  # accuracies and propensities that move by less have come to rest
MANY = 20_000  # unique rows that are enough to judge labelers by
FEW = 8_192  # unique rows that are enough to choose a balance by


@dataclass(frozen=True)
class Pooled:
    """The settings of the default estimator. One setting is meant for all votes.

    accuracy_mean : a0, how often a labeler is right before any vote is seen
    labeler_votes, class_votes : W and w, how many votes a0 is worth to a labeler, and a labeler's mean to its classes
    firing_ratio : ρ, how many times as often a labeler votes on classes it can be right about, before others judge it
    firing_votes, spread_votes : how many votes ρ is worth, and how many it is worth that classes on one side are alike
    unanimity : where all votes of a row have classes in common, the least belief that these keep
    """

    accuracy_mean: float = 0.8
    labeler_votes: float = 10.0
    class_votes: float = 30.0
    firing_ratio: float = 4.0
    firing_votes: float = 300.0
    spread_votes: float = 100.0
    unanimity: float = 0.6

    def __post_init__(self) -> None:
        if not 0 < self.accuracy_mean < 1:
            raise BadFit(f"accuracy_mean is a probability between 0 and 1; got {self.accuracy_mean!r}")
        if not 1 <= self.firing_ratio < np.inf:
            raise BadFit(f"firing_ratio is 1 or more; got {self.firing_ratio!r}")
        if not 0 <= self.unanimity < 1:
            raise BadFit(f"unanimity is a share of belief, below 1; got {self.unanimity!r}")
        for name in (field.name for field in fields(self) if field.name.endswith("_votes")):
            if not 0 < getattr(self, name) < np.inf:
                raise BadFit(f"{name} says how many votes a prior is worth, above 0; got {getattr(self, name)!r}")

    def declared(self, expectation: Expectation, layout: Layout, balance: Floats) -> Assumptions:
        """Labelers at their word: all as accurate as a0, firing ρ times as often where they can be right.

        Dummies, and shortlists that were declared but never voted, take no part.
        """
        heard = layout.only(expectation.often > 0)
        rate, named = layout.per_labeler(expectation.often) / expectation.total, named_by(heard)
        firing = propensities(rate, np.where(named, self.firing_ratio, 1.0), named, balance)
        means = np.full(layout.n, self.accuracy_mean)
        return self._assuming(heard, balance, firing, heard_split(heard, expectation.often), means)

    def fit(
        self,
        evidence: Evidence,
        expectation: Expectation,
        layout: Layout,
        balance: Floats | None,
        *,
        max_iter: int,
        tol: float,
    ) -> Finding:
        """The fit under a balance; under equal classes if there is none, unless the other votes on a row foretell what
        labelers do clearly better where classes are as often as counting finds them, and counting can find that."""
        k = layout.k
        named = named_by(layout.only(expectation.often > 0))
        jury = evidence.some(MANY)

        def under(shares: Floats) -> Finding:
            kin = Kin.of(jury, layout, named, shares)
            return self._under(shares, expectation, layout, jury, kin, max_iter=max_iter, tol=tol)

        if balance is not None:
            return under(balance)
        equal = under(np.full(k, 1 / k))
        if selective(jury, named):
            return equal
        few = evidence.some(FEW)
        counted = under(counted_balance(few, layout, equal.fit.parameters.propensity, equal.kin.sizes))
        gain = counted.foretold(few, layout, counted.kin.parts) - equal.foretold(few, layout, counted.kin.parts)
        return counted if clearly(gain, few.weights * few.votes.codes.any(axis=1), k - 1) else equal

    def _under(
        self,
        balance: Floats,
        expectation: Expectation,
        layout: Layout,
        jury: Evidence,
        kin: Kin,
        *,
        max_iter: int,
        tol: float,
    ) -> Finding:
        """The highest penalised likelihood under a balance and what the votes settle.

        Rows of known class give a second start; the likelier of both fits is kept.
        """
        declared = self.declared(expectation, layout, balance)
        starts = [declared.start()]
        if expectation.told:
            starts.append(declared.estimate(expectation.known_counts()))
        found = []
        for first in starts:
            assumptions, start, settled = self.settle(declared, first, jury, expectation, kin, max_iter=max_iter)
            fit = maximise(expectation, assumptions, start, max_iter=max_iter, tol=tol)
            fit = replace(fit, converged=fit.converged and settled)
            found.append((expectation(emission(fit.parameters, layout)).log_likelihood, fit, assumptions))
        _, best, assumptions = max(found, key=lambda each: each[0])
        return Finding(best, assumptions, emission(declared.start(), layout), kin)

    def settle(
        self,
        declared: Assumptions,
        start: Parameters,
        jury: Evidence,
        expectation: Expectation,
        kin: Kin,
        *,
        max_iter: int,
    ) -> tuple[Assumptions, Parameters, bool]:
        """The same assumptions with each labeler's own mean accuracy a_i and judged propensities β_ij, the parameters
        that were reached on the way, and whether all came to rest."""
        here, given = start, declared
        named, rate = named_by(given.layout), given.layout.per_labeler(expectation.often) / expectation.total
        judged = telling(rate, named)
        with one_blas_thread():
            for _ in range(max_iter):
                table = emission(here, given.layout)
                counts, before = expectation(table), given
                given = replace(given, accuracy_mean=self._means(given.layout, counts.votes))
                if judged.any():
                    said = Judgement.of(jury, table, given.layout, judged, given.rate, kin.peers)
                    lift = said.lift(named, self.firing_ratio, self.firing_votes, self.spread_votes)
                    given = replace(given, rate=propensities(rate, lift, named, given.balance))
                here = given.estimate(counts)
                if stands(before, given):
                    return given, here, True
        return given, here, False

    def fitted(self, parameters: Parameters, means: Floats, layout: Layout) -> Assumptions:
        """The assumptions a fit ended with, from what is kept of it."""
        split = np.asarray(parameters.split)
        heard: Mask = np.any(split > np.log(2 * UNHEARD), axis=1)
        return self._assuming(layout.only(heard), parameters.balance, parameters.propensity, split, means)

    def _assuming(self, heard: Layout, balance: Floats, firing: Floats, split: Floats, means: Floats) -> Assumptions:
        """Accuracies near each labeler's mean, in votes; all else settled. Silence is no evidence."""
        return Assumptions(
            layout=heard,
            shared_accuracy=False,
            class_propensity=False,
            learn_balance=False,
            balance=balance,
            rate=firing,
            split=split,
            accuracy_mean=means[:, None],
            accuracy_votes=self.class_votes,
            propensity_rows=0.0,
            balance_rows=0.0,
            silence=False,
        )

    def _means(self, layout: Layout, votes: Floats) -> Floats:
        """a_i = (Σ_j right_ij + W a0) / (Σ_j votes_ij + W), over classes where the accuracy is a parameter: (n, 1)."""
        right, voted = layout.per_labeler(votes * layout.member), layout.per_labeler(votes)
        right, voted = ((x * layout.free).sum(axis=1, keepdims=True) for x in (right, voted))
        means: Floats = (right + self.labeler_votes * self.accuracy_mean) / (voted + self.labeler_votes)
        return means


@dataclass(frozen=True, eq=False)
class Finding:
    """A fit under one balance: with what it assumes, labelers at their word, and who is like whom."""

    fit: Fit
    assumptions: Assumptions
    declared: Emission
    kin: Kin

    def foretold(self, evidence: Evidence, layout: Layout, parts: Mask) -> Floats:
        """(rows,): how well the other votes on a row foretell what labelers do, parts of one another apart."""
        parameters = self.fit.parameters
        table = emission(parameters, layout)
        with one_blas_thread():
            return foretold(evidence.votes.codes, table, parameters.propensity, layout, parts)


def named_by(heard: Layout) -> Mask:
    """(n, k): j ∈ U_i, the union of what labeler i was heard to say."""
    said = heard.member & heard.part[:, None] if heard.part is not None else heard.member
    named: Mask = heard.per_labeler(said.astype(np.float64)) > 0
    return named


def heard_split(heard: Layout, often: Floats) -> Floats:
    """(S, k): the log share of a shortlist among those as right (or as wrong) about a class, as often as voted."""
    with np.errstate(divide="ignore", invalid="ignore"):
        split = frequency_split(heard, often)
    return np.where((often > 0)[:, None], split, np.log(UNHEARD))


def stands(before: Assumptions, now: Assumptions) -> bool:
    """Whether what is being settled has come to rest."""
    means = np.abs(now.accuracy_mean - before.accuracy_mean).max(initial=0)
    rates = np.abs(now.rate - before.rate).max(initial=0)
    return bool(means <= STILL and rates <= STILL)
