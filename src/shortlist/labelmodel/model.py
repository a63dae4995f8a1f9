"""LabelModel: accuracies of labelers and classes of rows, estimated from votes alone."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields, replace
from itertools import chain
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from shortlist.archive import Archive, read_archive, write_archive
from shortlist.arrays import Floats
from shortlist.errors import BadFile, BadFit, BadVotes, MissingPackage, about_option
from shortlist.labelmodel import remarks
from shortlist.labelmodel.default.pooled import Pooled
from shortlist.labelmodel.e_step import Expectation
from shortlist.labelmodel.estimator import Estimate, Estimator, Problem, State
from shortlist.labelmodel.evidence import Evidence, Gold, checked_weights, merged
from shortlist.labelmodel.explanation import Explanation, explain
from shortlist.labelmodel.layout import Panel
from shortlist.labelmodel.likelihood import Parameters, log_joint, log_marginal
from shortlist.labelmodel.model_options import Balance, check_names, from_table, plain, resolve, shares_of
from shortlist.labelmodel.paper import Likelihood
from shortlist.labelmodel.predictor import Predictor
from shortlist.labelmodel.simulate import Simulated, draw
from shortlist.registry import Registry, attribute_of, check_amount, check_whole
from shortlist.tensors import torch_on
from shortlist.votes import Votes
from shortlist.votes.patterns import Codes, find_patterns
from shortlist.wording import number_of, percent, some_of, text_table

ESTIMATORS: Registry[type[Estimator]] = Registry(
    "estimator",
    "shortlist.estimators",
    attribute_of(Estimator, "kind", classes=True),
    own=[Pooled, Likelihood],
)


class LabelModel(Predictor):
    """Accuracies of labelers and classes of rows, estimated from votes alone.

    >>> from shortlist import LabelModel, Votes
    >>> votes = Votes([[1, 1, 0], [2, 2, 1], [1, 0, 1], [2, 2, 2]] * 25,
    ...               [["cat", "dog"], ["cat", "dog"], ["cat", "dog"]], ["cat", "dog"])
    >>> LabelModel().fit(votes).predict(votes[:2]).tolist()
    ['cat', 'dog']

    `LabelModel()` is the one to use. `LabelModel(estimator=Likelihood(...))` is the model of Section 3.2 of the paper,
    with options. `LabelModel.paper()` is the paper to the letter. See docs/label-model.md.

    Parameters
    ----------
    estimator : `Pooled(...)`, `Likelihood(...)`, or another `Estimator`; "pooled" and "likelihood" for their defaults
    balance : "uniform"; a share for every class, by position or by name, with the sum 1; or "learn" (likelihood only).
        None leaves it to the estimator: equal classes; pooled: as gold rows and votes have it, as far as they can tell
    max_iter : maximum number of steps
    tol : of the likelihood: it stops when a step gains less than this share of it, twice running
    seed : of random starting points and batches
    device : "cpu", or a torch device such as "cuda"
    threads : number of cores to use on the CPU; None for all. The result does not depend on it.

    Attributes (once fitted)
    ------------------------
    accuracy_ (n, k): P(the class is in the vote | labeler i votes, class j)
    propensity_ (n,): P(labeler i votes)
    class_propensity_ (n, k): P(labeler i votes | class j)
    class_balance_ (k,), classes_ (k,)
    history_ (objective per row, step by step), converged_, n_iter_
    parameters_, emission_ (log P(vote | class))
    estimate_: result of the estimator; its class depends on the estimator
    """

    evidence_: Evidence
    estimate_: Estimate

    def __init__(
        self,
        *,
        estimator: Estimator | Literal["pooled", "likelihood"] = "pooled",
        balance: Balance | None = None,
        max_iter: int = 1000,
        tol: float = 1e-8,
        seed: int = 0,
        device: str = "cpu",
        threads: int | None = None,
    ) -> None:
        self.estimator, self.balance = estimator, balance
        self.max_iter, self.tol, self.seed, self.device, self.threads = max_iter, tol, seed, device, threads

    @classmethod
    def paper(cls, **options: Any) -> Self:
        """The paper's model to the letter: α_ij, β_i, an equal split, a learned balance, no prior.

        Options of `Likelihood` and of `LabelModel` change it: the paper lets the balance be given instead,
        `LabelModel.paper(balance="uniform")`, or any other.
        """
        own = {field.name: options.pop(field.name) for field in fields(Likelihood) if field.name in options}
        return cls(**{"estimator": Likelihood.paper(**own), "balance": "learn", **options})

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """Make a model from plain data (JSON, shortlist.toml): an estimator is a name, or a table with its `kind`.

        An error names its option: `error.option` is ("estimator", "accuracy_mean"), for example.
        """
        _check_option_names(options, list(cls().get_params(deep=False)))
        if "estimator" in options:
            estimator = from_table(ESTIMATORS, options["estimator"], "estimator")
            options = {**options, "estimator": estimator}
        return cls(**options)

    def to_options(self) -> dict[str, Any]:
        """The options as plain data, for `from_options`."""
        return {name: plain(value) for name, value in self.get_params(deep=False).items()}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options; with `deep`, those of the estimator too, as `estimator__accuracy_mean`."""
        options = super().get_params(deep=False)
        if deep:
            estimator: Any = resolve(ESTIMATORS, self.estimator, Estimator, "estimator")
            options |= {f"estimator__{field.name}": getattr(estimator, field.name) for field in fields(estimator)}
        return options

    def set_params(self, **params: Any) -> Self:
        """Set options, and those of the estimator: `set_params(estimator__accuracy_mean=0.7)`."""
        nested = {name: value for name, value in params.items() if name.startswith("estimator__")}
        super().set_params(**{name: value for name, value in params.items() if name not in nested})
        if nested:
            estimator: Any = resolve(ESTIMATORS, self.estimator, Estimator, "estimator")
            own = {name.removeprefix("estimator__"): value for name, value in nested.items()}
            check_names(own, [field.name for field in fields(estimator)], type(estimator).__name__)
            self.estimator = replace(estimator, **own)
        return self

    # -- estimation ------------------------------------------------------------------------------------

    def fit(
        self,
        votes: Votes | Iterable[Votes],
        gold: Gold | None = None,
        *,
        weights: npt.ArrayLike | None = None,
    ) -> Self:
        """Estimate from Votes, or from chunks of Votes that are read once and never held together.

        `gold` are known classes, by row (None where unknown) or as a mapping from row to class; they are part of the
        fit. `weights` are the numbers of times that rows count: unique rows and their counts are enough.
        """
        return self._learn(Evidence.gather(votes, gold, weights), start=None)

    def partial_fit(
        self, votes: Votes | Iterable[Votes], gold: Gold | None = None, *, weights: npt.ArrayLike | None = None
    ) -> Self:
        """Estimate again with more rows, starting from the last fit. The rows of all calls count."""
        more = Evidence.gather(votes, gold, weights)
        if not self.__sklearn_is_fitted__():
            return self._learn(more, start=None)
        evidence = merged([self.evidence_, more])
        same = Panel.of(evidence.votes) == self.panel_
        return self._learn(evidence, start=self.parameters_ if same else None)

    def _learn(self, evidence: Evidence, start: Parameters | None) -> Self:
        estimator = resolve(ESTIMATORS, self.estimator, Estimator, "estimator")
        problem = self._problem(evidence, start)
        self._keep(estimator, estimator.fit(problem), evidence)
        panel, counts = problem.panel, problem.vote_counts
        general = (remarks.few_labelers(panel, counts), remarks.inseparable(panel, counts))
        ended = None if self.converged_ else remarks.not_converged(self.n_iter_)
        for remark in filter(None, (*general, *self.estimate_.remarks, ended)):
            warnings.warn(remark, stacklevel=3)
        return self

    def _problem(self, evidence: Evidence, start: Parameters | None) -> Problem:
        self._check_options()
        panel = Panel.of(evidence.votes)
        if not evidence.total or not panel.names:
            raise BadFit(f"there is nothing to learn from: {len(evidence.weights)} rows × {len(panel.names)} labelers")
        _check_memory(panel)
        learn = isinstance(self.balance, str) and self.balance == "learn"
        return Problem(
            panel=panel,
            evidence=evidence,
            expectation=Expectation(evidence, panel.layout, device=self.device, threads=self.threads),
            balance=None if learn or self.balance is None else shares_of(self.balance, panel.space),
            learn_balance=learn,
            start=start,
            max_iter=self.max_iter,
            tol=self.tol,
            seed=self.seed,
            device=self.device,
        )

    def _check_options(self) -> None:
        check_whole("max_iter", self.max_iter)
        check_amount("tol", self.tol, "a share of the likelihood")
        check_whole("seed", self.seed, least=0)
        if self.threads is not None:
            check_whole("threads", self.threads, otherwise=", or None for all cores")
        with about_option("device"):
            if not isinstance(self.device, str) or self.device == "auto":  # only networks choose a device themselves
                raise BadFit(f'device is "cpu" or a torch device such as "cuda", not {self.device!r}')
            if self.device != "cpu":
                torch_on(self.device)

    def _keep(self, estimator: Estimator, estimate: Estimate, evidence: Evidence) -> None:
        """Set the learned attributes."""
        self.estimator_, self.estimate_, self.evidence_ = estimator, estimate, evidence
        self.panel_, self.parameters_, self.emission_ = estimate.panel, estimate.parameters, estimate.emission
        self.accuracy_: Floats = estimate.accuracy
        self.propensity_: Floats = estimate.overall_propensity(evidence)
        self.class_propensity_: Floats = estimate.parameters.propensity
        self.class_balance_ = estimate.parameters.balance
        self.history_, self.converged_, self.n_iter_ = estimate.history, estimate.converged, estimate.n_iter

    # -- beliefs ---------------------------------------------------------------------------------------

    def _beliefs(self, codes: Codes) -> Floats:
        return self.estimate_.beliefs(codes, device=self.device, threads=self.threads)

    def score(self, votes: Votes, gold: Gold | None = None) -> float:
        """With gold labels, the accuracy; without, log P(votes) per row.

        Gold rows without a vote count, too. To leave them out: `score(votes[votes.covered], gold[votes.covered])`.
        """
        if gold is not None:
            return super().score(votes, gold)
        codes = self._panel().codes(votes)
        if not len(codes):
            raise BadFit("there are no rows to score")
        return float(log_marginal(log_joint(codes, self.estimate_.generator(), self.panel_.layout)).mean())

    def explain(self, votes: Votes, row: int = 0, *, of: str | None = None, against: str | None = None) -> Explanation:
        """Contribution of each labeler to the belief about a row, in log-odds of one class against another.

        With the default estimator, contributions are discounted by its temperature, and the move "shrinkage" is that
        toward counting votes.
        """
        codes = self._panel().codes(votes)
        if not isinstance(row, (int, np.integer)) or not -len(codes) <= row < len(codes):
            raise BadVotes(f"row is the number of a row, from 0 to {len(codes) - 1}; got {row!r}")
        return explain(codes[row], self.estimate_, of, against)

    def sample(self, m: int, *, seed: int | np.random.Generator) -> Simulated:
        """Draw m rows with their classes from the fitted model."""
        panel = self._panel()
        shape = Votes(np.zeros((0, len(panel.names)), np.uint8), panel.codomains, panel.space, panel.names)
        return draw(self.estimate_.generator(), shape, m, np.random.default_rng(seed))

    # -- display ---------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        """The options; once fitted, also a table of the labelers."""
        options = super().__repr__()
        if not self.__sklearn_is_fitted__():
            return options
        return f"{options}\n{_summary(self)}\n{text_table(*_table(self))}"

    # -- files -----------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one file with the options, the estimate and the unique rows seen, so that `partial_fit` can go on."""
        panel, evidence, state = self._panel(), self.evidence_, self.estimate_.state()
        header = {"options": self.to_options(), "panel": panel.to_json()}
        header |= {"estimator": plain(self.estimator_), "estimate": state.facts}
        arrays = {"seen.codes": evidence.votes.codes, "seen.weights": evidence.weights, "seen.gold": evidence.gold}
        arrays |= {f"estimate.{name}": array for name, array in state.arrays.items()}
        write_archive(path, kind="label model", header=header, arrays=arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote. An estimator of your own has to be registered (`register_estimator`)."""
        header, arrays = read_archive(path, kind="label model")
        try:
            kind = header["estimator"]["kind"]
            if kind not in ESTIMATORS:
                raise BadFile(
                    f"{path} was fitted by the estimator {kind!r}, which is not part of shortlist: register its class, "
                    "register_estimator(...)"
                )
            model, made = cls.from_options(header["options"]), dict(header["estimator"])
            _restore(model, header, arrays, ESTIMATORS[made.pop("kind")].from_plain(made))
        except (BadFile, MissingPackage):
            raise
        except Exception as error:  # arrays that do not belong together can break any formula
            raise BadFile(f"{path} is no label model this version can read ({error})") from error
        return model


def held_out_score(model: LabelModel, votes: Votes, gold: Any = None) -> float:  # noqa: ARG001  a scorer's signature
    """Score a model without gold labels: each vote is predicted from the votes of the other labelers on its row.

    This is a scorer of scikit-learn: `GridSearchCV(LabelModel(), options, scoring=held_out_score)`. It is the mean
    over votes on rows with another vote, of log P(vote | other votes, the labeler votes). Gold labels are not read.
    """
    panel = model._panel()
    layout, table = panel.layout, model.estimate_.generator().votes
    patterns = find_patterns(panel.codes(votes), layout.sizes)
    codes, total, weight = patterns.codes, 0.0, 0
    several = (codes > 0).sum(axis=1) > 1
    for i in range(layout.n):
        rows = np.flatnonzero(several & (codes[:, i] > 0))
        own = np.exp(layout.by_code(i, table)[1:])  # P(vote, it votes | class)
        chance = (own / own.sum(axis=0))[codes[rows, i] - 1]
        likely = (model.estimate_.beliefs_without(codes[rows], i) * chance).sum(axis=1)
        total += float(patterns.counts[rows] @ np.log(likely))
        weight += int(patterns.counts[rows].sum())
    if not weight:
        raise BadFit("no row has votes of two labelers: there is nothing to predict one from another")
    return total / weight


def register_estimator(estimator: type[Estimator]) -> None:
    """Register an estimator of your own, so that files and shortlist.toml can name it by its `kind`.

    A package can announce one instead, as an entry point of the group `shortlist.estimators`.
    """
    ESTIMATORS.add(estimator)


def _check_option_names(options: Mapping[str, Any], valid: Collection[str]) -> None:
    """Raise for an option that LabelModel does not have; those of an estimator belong in its table."""
    unknown = [name for name in options if name not in valid]
    if not unknown:
        return
    owners = {kind: [field.name for field in fields(made)] for kind, made in ESTIMATORS.items()}  # type: ignore[arg-type]
    for name in unknown:
        if kinds := [kind for kind, names in owners.items() if name in names]:
            forms = " or ".join(f'estimator = {{ kind = "{kind}", {name} = … }}' for kind in kinds)
            raise BadFit(f"{name} is an option of an estimator, not of LabelModel: write {forms}", option=(name,))
    check_names(options, valid, "LabelModel", also=chain.from_iterable(owners.values()))


def _summary(model: LabelModel) -> str:
    """Size of the evidence, convergence, and class balance, in a sentence."""
    ended = "converged" if model.converged_ else "stopped before it converged,"
    balance = zip(model.panel_.space, model.class_balance_.tolist(), strict=True)
    shares = some_of([f"{name} {percent(share, 0)}" for name, share in balance], most=8)
    rows, labelers = number_of(round(model.evidence_.total), "row"), number_of(len(model.panel_.names), "labeler")
    return f"Fitted on {rows} and {labelers}; {ended} after {number_of(model.n_iter_, 'step')}. Class balance: {shares}"


def _table(model: LabelModel) -> tuple[list[str], list[list[str]]]:
    """Propensity and range of accuracies of each labeler, without those that hold by construction."""
    panel, lines = model.panel_, []
    for name, codomain, propensity, accuracy in zip(
        panel.names, panel.codomains, model.propensity_, model.accuracy_, strict=True
    ):
        estimated = accuracy[(accuracy > 0) & (accuracy < 1)] if not codomain.one_sided else accuracy[:0]
        ends = [percent(float(end), 0) for end in (estimated.min(), estimated.max())] if len(estimated) else ["–"] * 2
        lines.append([name, percent(float(propensity)), *ends])
    return ["labeler", "votes on", "accuracy: worst class", "best class"], lines


def _restore(model: LabelModel, header: Mapping[str, Any], arrays: Archive, estimator: Estimator) -> None:
    """Set the learned attributes; raise where they do not fit together."""
    panel = Panel.from_json(header["panel"])
    m, n = arrays.shape("seen.codes")
    if (n, arrays.shape("seen.weights"), arrays.shape("seen.gold")) != (len(panel.names), (m,), (m,)):
        raise BadFit("the rows it has seen do not fit together")
    votes = Votes(arrays["seen.codes"], panel.codomains, panel.space, panel.names)
    weights, gold = checked_weights(arrays["seen.weights"]), arrays["seen.gold"]
    if not np.isin(gold, range(-1, len(panel.space))).all():
        raise BadFit("the rows it has seen do not fit together")
    estimate = estimator.restore(panel, State(header["estimate"], arrays.under("estimate.")))
    model._keep(estimator, estimate, Evidence(votes, weights, gold))
    k, parameters, table = len(panel.space), model.parameters_, model.emission_
    for array, shape in (
        *((array, (n, k)) for array in (parameters.accuracy, parameters.propensity, table.abstain)),
        (parameters.balance, (k,)),
        (table.votes, panel.layout.member.shape),
        (table.exponent, (n,)),
    ):
        if np.shape(array) != shape or np.isnan(array).any():
            raise BadFit("it holds arrays of other labelers or classes")
    if not np.allclose(model._beliefs(votes.codes[:100]).sum(axis=1), 1):
        raise BadFit("its beliefs do not add up to 1")


def _check_memory(panel: Panel) -> None:
    """Refuse a fit whose tables, some 15 of shortlists × classes, are larger than the memory of this machine."""
    shortlists, k = sum(map(len, panel.codomains)), len(panel.space)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else np.inf
    if (needed := 15 * 8 * shortlists * k) > memory:
        raise BadFit(
            f"{k:,} classes and {shortlists:,} shortlists of labelers need about {needed / 1e9:,.0f} GB of memory, and "
            f"this machine has {memory / 1e9:,.0f} GB. Leave out classes that are hardly ever named, or group classes."
        )
