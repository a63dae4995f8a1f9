"""Pooled: the default estimator, a fixed point of labelers that judge one another (docs/label-model.md).

    P(vote t of labeler i | class j) = β_ij · (α_ij if j ∈ t else 1 − α_ij) · share of t on its side
    α_ij = (right_ij + w a_i) / (votes_ij + w),  a_i = (right_i + W a0) / (votes_i + W)
    β_ij ∝ how often i votes on class j, for rules only, as the other labelers judge, with P votes of the prior
    P(j) = mean belief, as far as labelers that name every class by itself vote; else equal
    beliefs = κ · fit^κ prior^(1−κ) + (1 − κ) · counting, with the power g of the evidence

The numbers right_ij and votes_ij are sums over votes that are judged by the rest of their row (`Rows.judged`). The
prior is the same formula before any vote is seen: α_ij = a0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import betaincinv

from shortlist.arrays import Floats, row_largest
from shortlist.beliefs import Said, leading, recalibrated, recalibration
from shortlist.errors import BadFit, FitWarning
from shortlist.labelmodel import remarks
from shortlist.labelmodel.default.answers import EDGE, SLIGHT, Answers
from shortlist.labelmodel.default.rows import Judged, Rows, judge
from shortlist.labelmodel.e_step import posteriors
from shortlist.labelmodel.estimator import Estimate, Estimator, Problem, State, table_arrays, table_from
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.kernel import one_blas_thread
from shortlist.labelmodel.layout import Panel
from shortlist.labelmodel.likelihood import TINY, Emission, Parameters, emission
from shortlist.labelmodel.m_step import Counts
from shortlist.labelmodel.predictor import counting
from shortlist.registry import check_amount, check_probability
from shortlist.votes.patterns import Codes

FEWEST_ROWS, MOST_ROWS = 10_000, 20_000  # unique rows that are learned from, if there are so many
AT_REST = 1e-2  # convergence tolerance of log P(vote | class)


class Fit(NamedTuple):
    """A fixed point."""

    parameters: Parameters
    judged: Floats  # (n, k): votes that accuracies rest on
    history: Floats  # (steps,): largest change of log P(vote | class) in each step


@dataclass(frozen=True)
class Pooled(Estimator):
    """The default estimator. One setting is meant for all votes.

    accuracy_mean : a0, the prior mean of accuracies; for a rule, that it is right between two classes
    labeler_votes, class_votes : W and w, how many votes a0 is worth to a labeler, and a labeler's mean to its classes
    propensity_votes : P, how many votes the prior of how often a rule votes on each class is worth
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
        """Accuracies and propensities; then the balance, the temperature and the trust."""
        if problem.learn_balance:
            raise BadFit(
                'balance="learn" is for estimator="likelihood". Leave it out: the default estimates the balance where '
                "votes show it. Or give the share of each class.",
                option=("balance",),
            )
        with one_blas_thread():
            return Fitting(self, problem).estimate()

    def restore(self, panel: Panel, state: State) -> PooledEstimate:
        """The estimate that was kept in a file."""
        facts, arrays = state
        reliability = Reliability(*(arrays[f"reliability.{name}"] for name in Reliability._fields))
        kept = {"trust": facts["trust"], "temperature": facts["temperature"], "by_gold": arrays.get("by_gold")}
        prior = table_from(arrays, "prior")
        return PooledEstimate.restored(panel, state, settings=self, prior=prior, reliability=reliability, **kept)


class Fitting:
    """One fit: the rows and answers that all steps read."""

    def __init__(self, settings: Pooled, problem: Problem) -> None:
        self.settings, self.problem, self.layout = settings, problem, problem.layout
        self.answers = Answers.of(problem.panel, problem.vote_counts, problem.evidence.total)
        wanted = settings.class_votes * self.layout.k * self.layout.n / max(self.answers.propensity.sum(), TINY)
        self.rows = Rows.of(problem.evidence.sample(int(np.clip(wanted, FEWEST_ROWS, MOST_ROWS))), self.layout)
        self.blocks = self.rows.blocks()
        evidence, known = problem.evidence, problem.evidence.gold >= 0
        self.gold = Counts.of(evidence.votes.codes[known], evidence.gold[known], evidence.weights[known], self.layout)
        self.few = remarks.few_labelers(problem.panel, problem.vote_counts) is not None
        self.silence = self.rows.share(self.answers.weighs) if self.answers.rules.sum() > 1 else 0.0
        self.shown = self.rows.share(self.answers.singles, remarks.FEWEST)
        self.prior_lift = self.answers.lift(settings.accuracy_mean)
        self.prior_accuracy = np.full(self.prior_lift.shape, settings.accuracy_mean)
        self.equal = np.full(self.layout.k, 1 / self.layout.k)

    # -- the fixed point -------------------------------------------------------------------------------

    def settle(self, start: Floats | None = None) -> Fit:
        """From the prior, or other accuracies (n, k), until no log P(vote | class) moves."""
        accuracy, lift = self.prior_accuracy if start is None else start, self.prior_lift
        balance = self.equal if self.problem.balance is None else self.problem.balance
        table, history = self.table(self.parameters(accuracy, lift, balance)), list[float]()
        while not history or (history[-1] >= AT_REST and len(history) < self.problem.max_iter):
            judged = judge(self.blocks, table, lift, self.answers.rules)
            (accuracy, votes), lift = self.accuracy(judged), self.lift(judged)
            if self.problem.balance is None:
                balance = self.believed(judged.mass, self.shown)
            before, table = table, self.table(self.parameters(accuracy, lift, balance))
            change = np.abs(table.votes - before.votes)[self.answers.counts > 0]
            history.append(float(change.max(initial=0)))
        return Fit(self.parameters(accuracy, lift, balance), votes, np.array(history))

    def accuracy(self, judged: Judged) -> tuple[Floats, Floats]:
        """α_ij and the votes that it rests on, (n, k) both. A gold vote counts in full beside w votes of all others."""
        layout, settings, w = self.layout, self.settings, self.settings.class_votes
        free = self.answers.named & ~self.answers.always
        right, votes = layout.per_labeler(judged.votes * layout.member), layout.per_labeler(judged.votes)
        total, seen = ((each * free).sum(axis=1, keepdims=True) for each in (right, votes))
        mean = (total + settings.labeler_votes * settings.accuracy_mean) / (seen + settings.labeler_votes)
        accuracy = (right + w * np.clip(mean, *self.answers.plausible)) / (votes + w)
        right, known = layout.per_labeler(self.gold.votes * layout.member), layout.per_labeler(self.gold.votes)
        return (w * accuracy + right) / (w + known), votes

    def lift(self, judged: Judged) -> Floats:
        """How often a rule votes on each class, up to a factor, (n, k). P votes are as the prior has them."""
        share = np.maximum(judged.rows, TINY)
        share = share / share.sum(axis=1, keepdims=True)
        expected, votes = self.prior_lift * share, self.settings.propensity_votes
        expected /= expected.sum(axis=1, keepdims=True)
        lift = (judged.rules + votes * expected) / (judged.rules.sum(axis=1, keepdims=True) + votes) / share
        return np.where(self.answers.rules[:, None], lift, self.prior_lift)

    def believed(self, mass: Floats, taken: float) -> Floats:
        """(k,): shares of classes with so many rows (k,) and w rows of equal classes, so far taken; else equal."""
        rows = mass + self.settings.class_votes * self.equal
        return np.asarray(taken * rows / rows.sum() + (1 - taken) * self.equal)

    def parameters(self, accuracy: Floats, lift: Floats, balance: Floats) -> Parameters:
        """As the table is made of them. With anchored rules, Σ_i β_ij keeps the proportions of the prior."""
        answers, rules = self.answers, self.answers.rules
        propensity = answers.class_propensity(lift, balance)
        if answers.anchored:
            prior = answers.class_propensity(self.prior_lift, self.equal)[rules].sum(axis=0)
            total = propensity[rules].sum(axis=0)
            factor = prior * total.sum() / np.maximum(prior.sum() * total, TINY)
            propensity = np.minimum(propensity * factor, 1 - SLIGHT)
        return Parameters(answers.settled(accuracy), propensity, balance, answers.split, self.silence)

    def table(self, parameters: Parameters) -> Emission:
        """log P(vote | class)."""
        return emission(replace(parameters, accuracy=np.clip(parameters.accuracy, EDGE, 1 - EDGE)), self.layout)

    # -- the estimate ----------------------------------------------------------------------------------

    def agreement(self, table: Emission, prior: Emission) -> float:
        """κ: Cohen's agreement of the classes that fit and prior name (ties contradict none); 0 if below chance."""
        one, other = (leading(self.rows.joint(each)) for each in (table, prior))
        weights = self.rows.weights / max(float(self.rows.weights.sum()), TINY)
        same = weights @ ((one & other).sum(axis=1) / np.minimum(one.sum(axis=1), other.sum(axis=1)))
        shares = (weights @ (each / each.sum(axis=1, keepdims=True)) for each in (one, other))
        chance = float(np.prod(list(shares), axis=0).sum())
        return max(float(same - chance) / (1 - chance), 0.0) if chance < 1 - TINY else 1.0

    def balance(self, fit: Fit, table: Emission, trust: float, g: float) -> Floats:
        """Mean belief, as far as the fit is trusted and labelers that weigh every class vote."""
        joint = self.rows.joint(replace(table, balance=np.log(fit.parameters.balance)), g)
        mass = self.rows.weights @ (joint / joint.sum(axis=1, keepdims=True))
        return self.believed(mass, trust * self.rows.share(self.answers.weighs))

    def estimate(self) -> PooledEstimate:
        start = self.parameters(self.prior_accuracy, self.prior_lift, self.equal)
        prior = self.table(replace(start, silence=0.0))
        fit = self.settle()
        table = self.table(replace(fit.parameters, balance=self.equal))
        g = self.rows.predicting(table)
        trust = 0.0 if self.few else min(1 - SLIGHT, self.agreement(table, prior))
        given = self.problem.balance
        balance = self.balance(fit, table, trust, g) if given is None else given
        log_balance = np.log(np.maximum(balance, TINY))
        table, prior = (
            replace(each, exponent=np.full(self.layout.n, power), balance=log_balance * (power if given is None else 1))
            for each, power in ((table, g), (prior, self.rows.predicting(prior)))
        )
        reliability = self.reliability(fit, table)
        estimate = PooledEstimate(
            panel=self.problem.panel,
            parameters=replace(fit.parameters, balance=balance),
            emission=table,
            history=fit.history,
            converged=bool(fit.history[-1] < AT_REST),
            n_iter=len(fit.history),
            remarks=self.remarks(trust, reliability.overall.mean(axis=0)),
            settings=self.settings,
            prior=prior,
            trust=trust,
            temperature=g,
            reliability=reliability,
        )
        return estimate.corrected_by(self.problem.evidence.known())

    def reliability(self, fit: Fit, table: Emission) -> Reliability:
        """Share of right votes under the tempered table, judged by the others, and by all.

        With gold votes, all others are worth w votes. Of a labeler with one answer, only gold votes tell.
        """
        layout, none = self.layout, np.zeros_like(self.answers.rules)
        votes, abstain = table.tempered(layout)
        table = replace(table, votes=votes, abstain=abstain)
        sides = (judge(self.blocks, table, self.prior_lift, none, own=own, power=0.0).votes for own in (1.0, 0.0))
        given = np.array([[layout.per_labeler(v * s).sum(axis=1) for s in (layout.member, 1.0)] for v in sides])
        share = np.divide(given[:, 0], given[:, 1], out=np.full((2, layout.n), np.nan), where=given[:, 1] > 0)
        known, right = layout.per_labeler(self.gold.votes), layout.per_labeler(self.gold.votes * layout.member)
        judged = fit.judged * (self.answers.named & ~self.answers.always)
        by_class = np.where(known > 0, known + np.minimum(self.settings.class_votes, judged), judged)
        known, judged = known.sum(axis=1), judged.sum(axis=1)
        worth = np.minimum(self.settings.class_votes, judged) + TINY
        overall = (worth * share + right.sum(axis=1)) / (worth + known)
        return Reliability(overall, np.where(known > 0, known + worth, judged), by_class)

    def remarks(self, trust: float, accuracy: Floats) -> tuple[FitWarning, ...]:
        panel, counts = self.problem.panel, self.problem.vote_counts
        found: list[FitWarning | None] = [remarks.one_sided(panel, counts, remarks.JUDGED_BY_OTHERS)]
        if trust < remarks.DOUBTFUL and not self.few and not self.gold:  # gold rows correct the beliefs
            found.append(remarks.little_trust(trust, accuracy, panel))
        return tuple(filter(None, found))


# -- the result ----------------------------------------------------------------------------------------


class Reliability(NamedTuple):
    """How accurate labelers are, and how many votes that rests on: gold votes, and those the others are sure about."""

    overall: Floats  # (2, n): share of right votes, as the others have it, and as all have it; NaN without votes
    votes: Floats  # (n,): that it rests on
    class_votes: Floats  # (n, k): that accuracies by class rest on


def interval(ends: Floats, votes: Floats, level: float) -> tuple[Floats, Floats]:
    """Jeffreys' interval around both ends (2, …), widened by their distance; 0 and 1 where no votes tell."""
    least, most, tail = ends.min(axis=0), ends.max(axis=0), (1 - level) / 2
    reach, votes, known = (most - least) / 2, np.minimum(votes, 1e12), (votes > 0) & np.isfinite(least)
    least, most = np.maximum(least - reach, 0.0), np.minimum(most + reach, 1.0)
    lower = betaincinv(votes * least + 0.5, votes * (1 - least) + 0.5, tail)
    upper = betaincinv(votes * most + 0.5, votes * (1 - most) + 0.5, 1 - tail)
    middle = ends.mean(axis=0)
    return np.where(known, np.minimum(lower, middle), 0.0), np.where(known, np.maximum(upper, middle), 1.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class PooledEstimate(Estimate):
    """A fit, its prior, and how far the fit is trusted."""

    settings: Pooled
    prior: Emission  # with its exponents, as `emission` is
    trust: float  # κ; 0 is counting
    temperature: float  # g
    reliability: Reliability
    by_gold: Floats | None = None  # (1 + n + k,): recalibration: powers of beliefs and of labelers, offsets of classes

    adjustment: ClassVar[tuple[str, str] | None] = ("shrinkage", "toward counting (low trust in the fit)")

    @property
    def labeler_accuracy(self) -> Floats:
        return np.asarray(self.reliability.overall.mean(axis=0))

    def labeler_interval(self, level: float) -> tuple[Floats, Floats]:
        return interval(self.reliability.overall, self.reliability.votes, level)

    def accuracy_interval(self, level: float) -> tuple[Floats, Floats]:
        fixed = (self.accuracy == 0) | (self.accuracy == 1)  # by construction
        ends = interval(self.accuracy[None], self.reliability.class_votes, level)
        return np.where(fixed, self.accuracy, ends[0]), np.where(fixed, self.accuracy, ends[1])

    @property
    def explained(self) -> Emission:
        if self.by_gold is None:
            return self.emission
        power, labelers, offsets = np.split(self.by_gold, [1, -self.layout.k])
        balance = power * self.emission.balance + offsets
        return replace(self.emission, exponent=self.emission.exponent * (power + labelers), balance=balance)

    def overall_propensity(self, evidence: Evidence) -> Floats:
        return np.asarray(evidence.weights @ (evidence.votes.codes > 0) / max(evidence.total, TINY))

    def beliefs(self, codes: Codes, *, device: str = "cpu", threads: int | None = None) -> Floats:
        fit, prior = posteriors(codes, self.layout, self.emission, self.prior, device=device, threads=threads)
        beliefs = pool(fit, prior, counting(codes, self.layout), self.trust)
        if self.by_gold is not None:
            power, labelers, offsets = np.split(self.by_gold, [1, -self.layout.k])
            table = replace(self.emission, exponent=labelers * self.emission.exponent, balance=np.zeros_like(offsets))
            (voted,) = posteriors(codes, self.layout, table, device=device, threads=threads)
            beliefs = recalibrated(np.stack([beliefs, voted]), np.concatenate([power, [1.0], offsets]))
        beliefs[~codes.any(axis=1)] = self.parameters.balance
        return beliefs

    def beliefs_without(self, codes: Codes, i: int) -> Floats:
        rest = np.array(codes)
        rest[:, i] = 0
        return replace(self, emission=self.emission.without(i), prior=self.prior.without(i)).beliefs(rest)

    def corrected_by(self, gold: Evidence) -> PooledEstimate:
        """Beliefs recalibrated by the gold rows with a vote: powers of beliefs and labelers, offsets of classes."""
        rows, codes = Rows.of(gold, self.layout), gold.votes.codes[gold.votes.covered]
        if not len(codes):
            return self
        owner = np.concatenate([self.layout.owner, np.arange(self.layout.n)])
        answers = sparse.hstack([rows.hot, sparse.csr_matrix(codes == 0)], "csr")
        said = Said(answers, np.concatenate(self.emission.tempered(self.layout)), owner)
        return replace(self, by_gold=recalibration(self.beliefs(codes)[None], rows.gold, rows.weights, said))

    def state(self) -> State:
        facts, arrays = super().state()
        facts = {**facts, "trust": self.trust, "temperature": self.temperature}
        kept = {f"reliability.{name}": array for name, array in self.reliability._asdict().items()}
        by_gold = {} if self.by_gold is None else {"by_gold": self.by_gold}
        return State(facts, {**arrays, **kept, **by_gold, **table_arrays("prior", self.prior)})


def pool(fitted: Floats, prior: Floats, counted: Floats, trust: float) -> Floats:
    """B = κ B1 + (1 − κ) counted, with B1 ∝ fitted^κ prior^(1−κ)."""
    B1 = trust * np.log(fitted + TINY) + (1 - trust) * np.log(prior + TINY)
    B1 = np.exp(B1 - row_largest(B1))
    return np.asarray(trust * B1 / B1.sum(axis=1, keepdims=True) + (1 - trust) * counted)
