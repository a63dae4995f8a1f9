"""LabelModel: how accurate each labeler is and what the classes are, estimated from votes alone."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadFit
from shortlist.labelmodel import file
from shortlist.labelmodel.assumptions import Assumptions
from shortlist.labelmodel.diagnosis import diagnose
from shortlist.labelmodel.em import Fit, highest, maximise
from shortlist.labelmodel.evidence import Evidence, Gold, merged
from shortlist.labelmodel.expectation import Expectation, kernel
from shortlist.labelmodel.explanation import Explanation, explain
from shortlist.labelmodel.gradient import Gradient, descend
from shortlist.labelmodel.layout import Floats
from shortlist.labelmodel.likelihood import Emission, Parameters, emission, log_joint, log_marginal
from shortlist.labelmodel.options import Balance, assume, starting_points
from shortlist.labelmodel.panel import Panel
from shortlist.labelmodel.predictor import Predictor
from shortlist.labelmodel.simulate import Simulated, draw
from shortlist.votes import Votes
from shortlist.votes.patterns import Codes


class LabelModel(Predictor):
    """The generative model of Section 3.2 of the paper, exact for overlapping shortlists.

    >>> from shortlist import LabelModel, Votes
    >>> votes = Votes([[1, 1, 0], [2, 2, 1], [1, 0, 1], [2, 2, 2]] * 25,
    ...               [["cat", "dog"], ["cat", "dog"], ["cat", "dog"]], ["cat", "dog"])
    >>> LabelModel().fit(votes).predict(votes[:2]).tolist()
    ['cat', 'dog']

    Parameters
    ----------
    accuracy : "class" (the paper: α_ij) or "labeler" (one for all classes: for few votes or many classes)
    propensity : "labeler" (the paper: β_i) or "class" (for labelers whose news is that they vote at all)
    split : how right votes spread over right shortlists, and wrong ones over wrong ones: "frequency", as each is
        voted, or "equal" (the paper)
    balance : "uniform", "learn", or a share for every class, by position or by name
    accuracy_mean, accuracy_votes : prior on every accuracy: its mean, and how many votes it is worth
    propensity_rows : with propensity="class", how many rows of each class the overall propensity is worth
    balance_rows : with balance="learn", how many rows the uniform balance is worth
    solver : "em", or the paper's "gradient" (needs torch); a `Gradient(...)` has that solver's own settings
    max_iter, tol : the solver stops when a step gains less than `tol` of the penalised likelihood, twice running
    n_starts, seed : the best of several starting points is kept
    device : "cpu", or a torch device such as "cuda"
    threads : how many cores to use on the CPU; None for all. The answer does not depend on it.

    Attributes (once fitted)
    ------------------------
    accuracy_ (n, k), propensity_ (n,) or (n, k), class_balance_ (k,), classes_ (k,), parameters_, emission_,
    history_ (penalised log-likelihood per row), converged_, n_iter_
    """

    def __init__(
        self,
        *,
        accuracy: Literal["class", "labeler"] = "class",
        propensity: Literal["labeler", "class"] = "labeler",
        split: Literal["frequency", "equal"] = "frequency",
        balance: Balance = "uniform",
        accuracy_mean: float = 0.7,
        accuracy_votes: float = 10.0,
        propensity_rows: float = 30.0,
        balance_rows: float = 10.0,
        solver: Literal["em", "gradient"] | Gradient = "em",
        max_iter: int = 1000,
        tol: float = 1e-8,
        n_starts: int = 1,
        seed: int = 0,
        device: str = "cpu",
        threads: int | None = None,
    ) -> None:
        self.accuracy = accuracy
        self.propensity = propensity
        self.split = split
        self.balance = balance
        self.accuracy_mean = accuracy_mean
        self.accuracy_votes = accuracy_votes
        self.propensity_rows = propensity_rows
        self.balance_rows = balance_rows
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.n_starts = n_starts
        self.seed = seed
        self.device = device
        self.threads = threads

    @classmethod
    def paper(cls, **options: Any) -> Self:
        """The paper's model to the letter: α_ij, β_i, an equal split, a learned balance, no prior.

        The paper lets the balance be given instead: `LabelModel.paper(balance="uniform")`, or any other.
        """
        return cls(**{"split": "equal", "balance": "learn", "accuracy_votes": 0.0, "balance_rows": 0.0, **options})

    # -- estimation ------------------------------------------------------------------------------------

    def fit(
        self, votes: Votes | Iterable[Votes], gold: Gold | None = None, *, weights: npt.ArrayLike | None = None
    ) -> Self:
        """Estimate from Votes, or from chunks of Votes that are read once and never held together.

        `gold` are known classes, by row (None where unknown) or as a mapping from row to class; they enter the
        likelihood exactly. `weights` say how often each row counts: unique rows and their counts are enough.
        """
        return self._learn(Evidence.gather(votes, gold, weights), start=None)

    def partial_fit(
        self, votes: Votes | Iterable[Votes], gold: Gold | None = None, *, weights: npt.ArrayLike | None = None
    ) -> Self:
        """Estimate again with more rows, from where the last fit arrived. All rows count, however they came."""
        more = Evidence.gather(votes, gold, weights)
        if not hasattr(self, "evidence_"):
            return self._learn(more, start=None)
        evidence = merged([self.evidence_, more])
        same = Panel.of(evidence.votes) == self.panel_
        return self._learn(evidence, start=self.parameters_ if same else None)

    def _learn(self, evidence: Evidence, start: Parameters | None) -> Self:
        panel = Panel.of(evidence.votes)
        if not evidence.total or not panel.names:
            raise BadFit(f"there is nothing to learn from: {len(evidence.weights)} rows × {len(panel.names)} labelers")
        expectation = Expectation(evidence, panel.layout, device=self.device, threads=self.threads)
        assumptions = assume(self.get_params(deep=False), panel, expectation.often, expectation.total)
        known = expectation.known_counts()
        starts = starting_points(assumptions, panel, self.n_starts, self.seed, known)
        if start is not None:
            starts[0] = Parameters(start.accuracy, start.propensity, start.balance, assumptions.split)
        fits = [self._solve(evidence, expectation, assumptions, first) for first in starts]
        best = highest(fits)
        self._set(panel, best.parameters, emission(best.parameters, panel.layout))
        self.history_, self.converged_, self.n_iter_ = best.history, best.converged, best.n_iter
        self.evidence_ = evidence
        for warning in diagnose(best, assumptions, panel, expectation.often):
            warnings.warn(warning, stacklevel=3)
        return self

    def _solve(self, evidence: Evidence, expectation: Expectation, assumptions: Assumptions, start: Parameters) -> Fit:
        if self.solver == "em":
            return maximise(expectation, assumptions, start, max_iter=self.max_iter, tol=self.tol)
        solver = Gradient() if self.solver == "gradient" else self.solver
        if not isinstance(solver, Gradient):
            raise BadFit(f'solver is "em", "gradient" or Gradient(...); got {self.solver!r}')
        return descend(evidence, assumptions, start, solver, max_iter=self.max_iter, seed=self.seed, device=self.device)

    def _set(self, panel: Panel, parameters: Parameters, table: Emission) -> None:
        self.panel_, self.parameters_, self.emission_ = panel, parameters, table
        self.accuracy_: Floats = parameters.accuracy
        self.propensity_: Floats = parameters.propensity
        self.class_balance_ = parameters.balance

    # -- beliefs ---------------------------------------------------------------------------------------

    def _beliefs(self, codes: Codes) -> Floats:
        rows = kernel(codes, np.ones(len(codes)), self.panel_.layout, device=self.device, threads=self.threads)
        return rows.posterior(self.emission_)

    def score(self, votes: Votes, gold: Gold | None = None) -> float:
        """With gold labels, the share of them that is predicted right; without, log P(votes) per row."""
        if gold is not None:
            return super().score(votes, gold)
        codes = self._panel().codes(votes)
        if not len(codes):
            raise BadFit("there are no rows to score")
        return float(log_marginal(log_joint(codes, self.emission_, self.panel_.layout)).mean())

    def explain(self, votes: Votes, row: int = 0, *, of: str | None = None, against: str | None = None) -> Explanation:
        """How much each labeler moved the belief about a row, in log-odds of one class against another."""
        return explain(self._panel().codes(votes)[row], self.emission_, self.panel_, of, against)

    def sample(self, m: int, *, seed: int | np.random.Generator) -> Simulated:
        """m rows that the fitted model could have seen, with their classes."""
        panel = self._panel()
        shape = Votes(np.zeros((0, len(panel.names)), np.uint8), panel.codomains, panel.space, panel.names)
        return draw(self.emission_, shape, m, np.random.default_rng(seed))

    # -- files -----------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one file: options, parameters, table and the unique rows seen, so that `partial_fit` can go on."""
        self._panel()
        file.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote."""
        return file.load(cls, path)
