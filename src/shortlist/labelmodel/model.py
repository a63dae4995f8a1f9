"""LabelModel: how accurate each labeler is and what the classes are, estimated from votes alone."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.errors import BadFit
from shortlist.labelmodel import file
from shortlist.labelmodel.estep.expectation import Expectation, kernel
from shortlist.labelmodel.estimators.pooled.guard import Guard
from shortlist.labelmodel.estimators.pooled.pooled import Finding, Pooled
from shortlist.labelmodel.explanation import Explanation, explain
from shortlist.labelmodel.formulae.assumptions import Assumptions
from shortlist.labelmodel.formulae.evidence import Evidence, Gold, merged
from shortlist.labelmodel.formulae.likelihood import Emission, Parameters, emission, log_joint, log_marginal
from shortlist.labelmodel.formulae.panel import Panel
from shortlist.labelmodel.options import Balance, assume, balance_of, resolve, starting_points
from shortlist.labelmodel.predictor import Predictor
from shortlist.labelmodel.remarks import diagnose
from shortlist.labelmodel.simulate import Simulated, draw
from shortlist.labelmodel.solvers.em import Fit, highest, maximise
from shortlist.labelmodel.solvers.gradient import Gradient, descend
from shortlist.votes import Votes
from shortlist.votes.patterns import Codes


class LabelModel(Predictor):
    """How far each labeler can be trusted, and what the classes are, estimated from votes alone.

    >>> from shortlist import LabelModel, Votes
    >>> votes = Votes([[1, 1, 0], [2, 2, 1], [1, 0, 1], [2, 2, 2]] * 25,
    ...               [["cat", "dog"], ["cat", "dog"], ["cat", "dog"]], ["cat", "dog"])
    >>> LabelModel().fit(votes).predict(votes[:2]).tolist()
    ['cat', 'dog']

    Without options it is the estimator to use: accuracies pooled over classes and labelers, evidence discounted where
    labelers depend on one another, and a way back to counting votes (docs/the-model.md). With any option that belongs
    to estimator="likelihood" it is the model of Section 3.2 of the paper, exact for overlapping shortlists, at the top
    of its penalised likelihood (docs/label-model.md); `LabelModel.paper()` is the paper to the letter.

    Parameters
    ----------
    estimator : "pooled", a `Pooled(...)` with other settings, or "likelihood"; None for "likelihood" if one of its
        options is given, else "pooled"
    balance : "uniform", a share for every class, by position or by name, or "learn" (likelihood); None for equal
        classes, unless held-out labelers speak clearly for classes as often as counting votes finds them (pooled)
    max_iter, tol : the solver stops when a step gains less than `tol` of the penalised likelihood, twice running
    seed : of random starting points and batches
    device : "cpu", or a torch device such as "cuda"
    threads : how many cores to use on the CPU; None for all. The answer does not depend on it.

    Of estimator="likelihood" (None for the first that is named):

    accuracy : "class" (the paper: α_ij) or "labeler" (one for all classes: for few votes or many classes)
    propensity : "labeler" (the paper: β_i) or "class" (for labelers whose news is that they vote at all)
    split : how right votes spread over right shortlists, and wrong ones over wrong ones: "frequency", as each is
        voted, or "equal" (the paper)
    accuracy_mean, accuracy_votes : prior on every accuracy: its mean (0.7), and how many votes it is worth (10)
    propensity_rows : with propensity="class", how many rows of each class the overall propensity is worth (30)
    balance_rows : with balance="learn", how many rows the uniform balance is worth (10)
    solver : "em", or the paper's "gradient" (needs torch); a `Gradient(...)` has that solver's own settings
    n_starts : the best of several starting points is kept (1)

    Attributes (once fitted)
    ------------------------
    accuracy_ (n, k), propensity_ (n,) (or (n, k) with propensity="class"), class_balance_ (k,), classes_ (k,),
    parameters_, emission_, history_ (penalised log-likelihood per row), converged_, n_iter_; and, if pooled, firing_
    (n, k: how often each votes on rows of a class), labeler_accuracy_ (n,), temperature_, trust_, unanimity_,
    declared_ (the table of labelers taken at their word)
    """

    emission_: Emission
    firing_: Floats
    labeler_accuracy_: Floats
    guard_: Guard

    def __init__(
        self,
        *,
        estimator: Literal["pooled", "likelihood"] | Pooled | None = None,
        balance: Balance | None = None,
        accuracy: Literal["class", "labeler"] | None = None,
        propensity: Literal["labeler", "class"] | None = None,
        split: Literal["frequency", "equal"] | None = None,
        accuracy_mean: float | None = None,
        accuracy_votes: float | None = None,
        propensity_rows: float | None = None,
        balance_rows: float | None = None,
        solver: Literal["em", "gradient"] | Gradient | None = None,
        n_starts: int | None = None,
        max_iter: int = 1000,
        tol: float = 1e-8,
        seed: int = 0,
        device: str = "cpu",
        threads: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.balance = balance
        self.accuracy = accuracy
        self.propensity = propensity
        self.split = split
        self.accuracy_mean = accuracy_mean
        self.accuracy_votes = accuracy_votes
        self.propensity_rows = propensity_rows
        self.balance_rows = balance_rows
        self.solver = solver
        self.n_starts = n_starts
        self.max_iter = max_iter
        self.tol = tol
        self.seed = seed
        self.device = device
        self.threads = threads

    @classmethod
    def paper(cls, **options: Any) -> Self:
        """The paper's model to the letter: α_ij, β_i, an equal split, a learned balance, no prior.

        The paper lets the balance be given instead: `LabelModel.paper(balance="uniform")`, or any other.
        """
        letter: dict[str, Any] = {"accuracy": "class", "propensity": "labeler", "split": "equal", "balance": "learn"}
        return cls(**{"estimator": "likelihood", **letter, "accuracy_votes": 0.0, "balance_rows": 0.0, **options})

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
        pooled, options = resolve(self.get_params(deep=False))
        expectation = Expectation(evidence, panel.layout, device=self.device, threads=self.threads)
        if pooled is None:
            best, assumptions = self._likeliest(options, evidence, expectation, panel, start)
            self._set(panel, best.parameters)
        else:
            given = options["balance"]
            balance = None if given is None else balance_of(given, panel.space)
            found = pooled.fit(evidence, expectation, panel.layout, balance, max_iter=self.max_iter, tol=self.tol)
            best, assumptions = found.fit, found.assumptions
            self._set(panel, best.parameters)
            self._protect(found, evidence, pooled.unanimity)
        self.history_, self.converged_, self.n_iter_ = best.history, best.converged, best.n_iter
        self.evidence_ = evidence
        trust = 1.0 if pooled is None or expectation.told else self.trust_  # known labels have been asked already
        for warning in diagnose(best, assumptions, panel, expectation.often, trust):
            warnings.warn(warning, stacklevel=3)
        return self

    def _likeliest(
        self,
        options: Mapping[str, Any],
        evidence: Evidence,
        expectation: Expectation,
        panel: Panel,
        start: Parameters | None,
    ) -> tuple[Fit, Assumptions]:
        """The highest penalised likelihood from the starting points there are."""
        assumptions = assume(options, panel, expectation.often, expectation.total)
        known = expectation.known_counts()
        starts = starting_points(assumptions, panel, options["n_starts"], self.seed, known)
        if start is not None:
            starts[0] = Parameters(start.accuracy, start.propensity, start.balance, assumptions.split)
        fits = [self._solve(options["solver"], evidence, expectation, assumptions, first) for first in starts]
        return highest(fits), assumptions

    def _solve(
        self,
        solver: str | Gradient,
        evidence: Evidence,
        expectation: Expectation,
        assumptions: Assumptions,
        start: Parameters,
    ) -> Fit:
        if solver == "em":
            return maximise(expectation, assumptions, start, max_iter=self.max_iter, tol=self.tol)
        solver = Gradient() if solver == "gradient" else solver
        if not isinstance(solver, Gradient):
            raise BadFit(f'solver is "em", "gradient" or Gradient(...); got {self.solver!r}')
        return descend(evidence, assumptions, start, solver, max_iter=self.max_iter, seed=self.seed, device=self.device)

    def _protect(self, found: Finding, evidence: Evidence, unanimity: float) -> None:
        """How far to believe the evidence, and how far the fit."""
        self.labeler_accuracy_ = np.ravel(found.assumptions.accuracy_mean)
        self.emission_, self.guard_ = Guard.of(
            evidence, self.emission_, found.declared, self.panel_.layout, unanimity, found.kin.sizes, self._posterior
        )

    def _set(self, panel: Panel, parameters: Parameters) -> None:
        self.panel_, self.parameters_ = panel, parameters
        self.emission_ = emission(parameters, panel.layout)
        self.accuracy_: Floats = parameters.accuracy
        self.propensity_: Floats = parameters.propensity
        self.class_balance_ = parameters.balance
        for name in ("firing_", "labeler_accuracy_", "guard_"):  # of another estimator, if it was fitted before
            self.__dict__.pop(name, None)
        if not parameters.silence:  # pooled: how often each labeler votes, and how often on rows of each class
            self.firing_, self.propensity_ = parameters.propensity, parameters.propensity @ parameters.balance

    @property
    def trust_(self) -> float:
        """κ: how far the fit is trusted against labelers at their word (pooled)."""
        return self.guard_.trust

    @property
    def unanimity_(self) -> float:
        """The least belief that the classes which all votes of a row have in common keep (pooled)."""
        return self.guard_.unanimity

    @property
    def declared_(self) -> Emission:
        """log P(vote | class) of labelers at their word (pooled)."""
        return self.guard_.declared

    @property
    def temperature_(self) -> float:
        """g: the exponent of the evidence (pooled)."""
        return self.guard_.temperature

    def assumptions(self, often: Floats, total: float) -> Assumptions:
        """What this model, once fitted, assumes about votes of which each shortlist was voted so `often` in `total`
        rows; what the votes themselves settled stays as it was settled."""
        panel = self._panel()
        pooled, options = resolve(self.get_params(deep=False))
        if pooled is None:
            return assume(options, panel, often, total)
        return pooled.fitted(self.parameters_, self.labeler_accuracy_, panel.layout)

    # -- beliefs ---------------------------------------------------------------------------------------

    def _beliefs(self, codes: Codes) -> Floats:
        if not hasattr(self, "guard_"):
            return self._posterior(codes, self.emission_)
        beliefs = self.guard_.beliefs(codes, self.emission_, self.panel_.layout, self.class_balance_, self._posterior)
        if self.balance is None:  # a balance found from votes says nothing of rows without one
            beliefs[~codes.any(axis=1)] = 1 / self.panel_.layout.k
        return beliefs

    def _posterior(self, codes: Codes, table: Emission) -> Floats:
        rows = kernel(codes, np.ones(len(codes)), self.panel_.layout, device=self.device, threads=self.threads)
        return rows.posterior(table)

    def score(self, votes: Votes, gold: Gold | None = None) -> float:
        """With gold labels, the share of them that is predicted right; without, log P(votes) per row."""
        if gold is not None:
            return super().score(votes, gold)
        codes = self._panel().codes(votes)
        if not len(codes):
            raise BadFit("there are no rows to score")
        return float(log_marginal(log_joint(codes, self.generator(), self.panel_.layout)).mean())

    def explain(self, votes: Votes, row: int = 0, *, of: str | None = None, against: str | None = None) -> Explanation:
        """How much each labeler moved the belief about a row, in log-odds of one class against another.

        Of the pooled estimator, what temperature leaves of a labeler's evidence is its move, and what trust and
        unanimity add is the move "pooling".
        """
        panel = self._panel()
        codes = panel.codes(votes)[row]
        if not hasattr(self, "guard_"):
            return explain(codes, self.emission_, panel, of, against)
        beliefs = self._beliefs(codes[None])[0]
        return explain(codes, self.emission_, panel, of, against, pooled=beliefs)

    def sample(self, m: int, *, seed: int | np.random.Generator) -> Simulated:
        """m rows that the fitted model could have seen, with their classes."""
        panel = self._panel()
        shape = Votes(np.zeros((0, len(panel.names)), np.uint8), panel.codomains, panel.space, panel.names)
        return draw(self.generator(), shape, m, np.random.default_rng(seed))

    def generator(self) -> Emission:
        """log P(vote | class), abstaining included, as the parameters have it."""
        return emission(replace(self.parameters_, silence=True), self.panel_.layout)

    # -- files -----------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one file: options, parameters, table and the unique rows seen, so that `partial_fit` can go on."""
        self._panel()
        file.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote."""
        return file.load(cls, path)
