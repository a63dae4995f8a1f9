"""PooledModel: beliefs from few assumptions that hold up on every kind of votes; see docs/the-model.md."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Self

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadFit, FitWarning, LittleTrust, NotConverged
from shortlist.labelmodel.diagnosis import few_labelers, inseparable
from shortlist.labelmodel.evidence import Evidence, Gold
from shortlist.labelmodel.expectation import Expectation, kernel
from shortlist.labelmodel.explanation import Explanation, explain
from shortlist.labelmodel.heard import Heard
from shortlist.labelmodel.layout import Floats
from shortlist.labelmodel.likelihood import Emission, log_joint, log_marginal
from shortlist.labelmodel.options import Balance, balance_of
from shortlist.labelmodel.panel import Panel
from shortlist.labelmodel.predictor import Predictor
from shortlist.labelmodel.trust import agreement, best_temperature, pool, unanimous, vote_share
from shortlist.votes import Votes
from shortlist.votes.patterns import Codes

DOUBTFUL = 0.6  # trust below this is worth a warning


class PooledModel(Predictor):
    """Partially pooled accuracies, informative abstaining, tempered evidence, and a way back to counting votes.

    >>> from shortlist import PooledModel, Votes
    >>> votes = Votes([[1, 1, 0], [2, 2, 1], [1, 0, 1], [2, 2, 2]] * 25,
    ...               [["cat", "dog"], ["cat", "dog"], ["cat", "dog"]], ["cat", "dog"])
    >>> PooledModel().fit(votes).predict(votes[:2]).tolist()
    ['cat', 'dog']

    P(G_i = t | j) = β_ij · P(t | voted, j), for the shortlists t that labeler i was heard to say; U_i is their union.

    - whether it votes: β_ij = c_i ρ for j ∈ U_i, c_i for j ∉ U_i, and on average the observed rate;
    - what it says: right with probability α_ij; among right (and among wrong) shortlists, as often as each is voted;
    - accuracies: α_ij = (right_ij + w a_i) / (votes_ij + w), a_i = (Σ right_ij + W a0) / (Σ votes_ij + W).

    Parameters
    ----------
    balance : "uniform", or a share for every class, by position or by name
    firing_ratio : ρ, how many times as often a labeler votes on classes it can be right about
    accuracy_mean : a0, how often a labeler is right before any vote is seen
    labeler_votes, class_votes : W and w, how many votes a0 is worth to a labeler, and a labeler's mean to its classes
    unanimity : where all votes of a row have classes in common, the least belief that these keep
    max_iter, tol : EM stops when no belief moves by more than `tol`
    threads : how many cores to use; None for all. The answer does not depend on it.

    Attributes (once fitted)
    ------------------------
    accuracy_ (n, k), labeler_accuracy_ (n,), propensity_ (n, k), class_balance_ (k,), classes_ (k,), emission_,
    declared_ (the same table with every accuracy at a0), temperature_, trust_, converged_, n_iter_
    """

    def __init__(
        self,
        *,
        balance: Balance = "uniform",
        firing_ratio: float = 4.0,
        accuracy_mean: float = 0.8,
        labeler_votes: float = 10.0,
        class_votes: float = 30.0,
        unanimity: float = 0.6,
        max_iter: int = 300,
        tol: float = 1e-4,
        threads: int | None = None,
    ) -> None:
        self.balance = balance
        self.firing_ratio = firing_ratio
        self.accuracy_mean = accuracy_mean
        self.labeler_votes = labeler_votes
        self.class_votes = class_votes
        self.unanimity = unanimity
        self.max_iter = max_iter
        self.tol = tol
        self.threads = threads

    def fit(
        self, votes: Votes | Iterable[Votes], gold: Gold | None = None, *, weights: npt.ArrayLike | None = None
    ) -> Self:
        """Estimate from Votes, or from chunks of Votes; `gold` and `weights` as in `LabelModel.fit`."""
        self._check()
        evidence = Evidence.gather(votes, gold, weights)
        panel = Panel.of(evidence.votes)
        if not evidence.total or not panel.names:
            raise BadFit(f"there is nothing to learn from: {len(evidence.weights)} rows × {len(panel.names)} labelers")
        balance = balance_of(self.balance, panel.space)
        expectation = Expectation(evidence, panel.layout, device="cpu", threads=self.threads)
        heard = Heard.of(expectation.often, expectation.total, panel.layout, balance, self.firing_ratio)
        declared = heard.table(np.full((panel.layout.n, panel.layout.k), self.accuracy_mean))
        fitted = self._maximise(expectation, heard, declared)
        self.panel_, self.class_balance_, self.propensity_ = panel, balance, heard.propensity
        self._pool(evidence, fitted, declared)
        for warning in self._diagnose(expectation.often):
            warnings.warn(warning, stacklevel=2)
        return self

    def _check(self) -> None:
        if isinstance(self.balance, str) and self.balance != "uniform":
            raise BadFit(f'balance is "uniform", or a share for every class; got {self.balance!r}')
        if not 1 <= self.firing_ratio < np.inf:
            raise BadFit(f"firing_ratio is 1 or more; got {self.firing_ratio!r}")
        if not 0 < self.accuracy_mean < 1:
            raise BadFit(f"accuracy_mean is a probability between 0 and 1; got {self.accuracy_mean!r}")
        for name in ("labeler_votes", "class_votes"):
            if not 0 < getattr(self, name) < np.inf:
                raise BadFit(f"{name} says how many votes a prior is worth, above 0; got {getattr(self, name)!r}")
        if not 0 <= self.unanimity < 1:
            raise BadFit(f"unanimity is a share of belief, below 1; got {self.unanimity!r}")
        if self.max_iter < 1 or not self.tol >= 0:
            raise BadFit(f"max_iter is 1 or more and tol 0 or more; got {self.max_iter!r} and {self.tol!r}")
        if self.threads is not None and not self.threads >= 1:
            raise BadFit(f"threads is a whole number from 1, or None for all cores; got {self.threads!r}")

    def _maximise(self, expectation: Expectation, heard: Heard, declared: Emission) -> Emission:
        """EM from the declared table until beliefs stand still. Rows of known class count as what they are."""
        table, beliefs = declared, expectation.kernel.posterior(declared)
        self.n_iter_, self.converged_ = 0, False
        while self.n_iter_ < self.max_iter and not self.converged_:
            votes = expectation(table).votes
            alpha, each = heard.pooled(votes, self.accuracy_mean, self.labeler_votes, self.class_votes)
            table = heard.table(alpha)
            before, beliefs = beliefs, expectation.kernel.posterior(table)
            self.converged_ = bool(np.abs(beliefs - before).max(initial=0) <= self.tol)
            self.n_iter_ += 1
        self.accuracy_, self.labeler_accuracy_ = heard.settled(alpha), each
        return table

    def _pool(self, evidence: Evidence, fitted: Emission, declared: Emission) -> None:
        """The temperatures of both tables, and how far the fit still means what was declared."""
        codes, weights, layout = evidence.votes.codes, evidence.weights, self.panel_.layout
        voted = weights * codes.any(axis=1)
        self.trust_ = agreement(self._posterior(codes, fitted), self._posterior(codes, declared), voted)
        self.temperature_ = best_temperature(codes, weights, fitted, layout)
        cool = best_temperature(codes, weights, declared, layout)
        self.emission_ = replace(fitted, exponent=np.full(layout.n, self.temperature_))
        self.declared_ = replace(declared, exponent=np.full(layout.n, cool))

    def _diagnose(self, often: Floats) -> Iterator[FitWarning]:
        yield from filter(None, (few_labelers(self.panel_, often), inseparable(self.panel_, often)))
        if not self.converged_:
            yield NotConverged(
                f"the fit stopped after {self.n_iter_} iterations and beliefs still moved. Raise max_iter, or tol if "
                "this is good enough."
            )
        if self.trust_ < DOUBTFUL:
            doubted = ", ".join(self.panel_.names[i] for i in np.argsort(self.labeler_accuracy_, kind="stable")[:3])
            yield LittleTrust(
                f"on {1 - self.trust_:.0%} of the rows with a vote, the fit names another class than the labelers do "
                "when they are taken at their word. It may have found other groups than your classes, so beliefs "
                f"fall back toward counting votes. Look at the labelers it finds least accurate first: {doubted}."
            )

    # -- beliefs ---------------------------------------------------------------------------------------

    def _beliefs(self, codes: Codes) -> Floats:
        layout = self.panel_.layout
        counted = vote_share(codes, layout, self.class_balance_)
        fitted, declared = self._posterior(codes, self.emission_), self._posterior(codes, self.declared_)
        return unanimous(pool(fitted, declared, counted, self.trust_), codes, layout, self.unanimity)

    def _posterior(self, codes: Codes, table: Emission) -> Floats:
        rows = kernel(codes, np.ones(len(codes)), self.panel_.layout, device="cpu", threads=self.threads)
        return rows.posterior(table)

    def score(self, votes: Votes, gold: Gold | None = None) -> float:
        """With gold labels, the share of them that is predicted right; without, log P(votes) per row."""
        if gold is not None:
            return super().score(votes, gold)
        panel = self._panel()
        codes = panel.codes(votes)
        if not len(codes):
            raise BadFit("there are no rows to score")
        plain = replace(self.emission_, exponent=np.ones(panel.layout.n))
        return float(log_marginal(log_joint(codes, plain, panel.layout)).mean())

    def explain(self, votes: Votes, row: int = 0, *, of: str | None = None, against: str | None = None) -> Explanation:
        """How much each labeler moved the belief about a row, in log-odds of one class against another.

        A labeler's move is its evidence at the fitted temperature. What trust and unanimity add is the move "pooling".
        """
        panel = self._panel()
        codes = panel.codes(votes)[row]
        beliefs = self._beliefs(codes[None])[0]
        names = list(panel.space)
        of = names[int(np.argmax(beliefs))] if of is None else of
        if against is None:
            against = names[int(np.argmax(np.where([name == of for name in names], -1, beliefs)))]
        why = explain(codes, self.emission_, panel, of, against)
        odds = np.log(beliefs[panel.space.position(of)]) - np.log(beliefs[panel.space.position(against)])
        last = "pooling" if "pooling" not in panel.names else "pooling (of the model)"
        said = {**why.said, last: f"trust {self.trust_:.2f}, and unanimity"}
        return replace(why, moves={**why.moves, last: float(odds - why.log_odds)}, said=said)
