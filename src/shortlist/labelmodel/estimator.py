"""Estimator, its input (Problem) and its result (Estimate), which are all that a LabelModel knows of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.errors import FitWarning
from shortlist.labelmodel.e_step import Expectation, posteriors
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.layout import Layout, Panel
from shortlist.labelmodel.likelihood import Emission, Parameters, emission, log_joint, posterior
from shortlist.labelmodel.m_step import Assumptions
from shortlist.labelmodel.model_options import Configurable
from shortlist.votes.patterns import Codes


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """Input of an estimator: the labelers, the evidence, and the options of the `LabelModel`."""

    panel: Panel
    evidence: Evidence  # unique rows of votes
    expectation: Expectation  # the E step over them
    balance: Floats | None = None  # (k,); None: the estimator's choice
    learn_balance: bool = False  # from the votes
    start: Parameters | None = None  # result of an earlier fit of the same labelers
    max_iter: int = 1000
    tol: float = 1e-8
    seed: int = 0
    device: str = "cpu"

    @property
    def vote_counts(self) -> Floats:
        """(S,): votes for each shortlist."""
        return self.expectation.vote_counts

    @property
    def layout(self) -> Layout:
        return self.panel.layout


class State(NamedTuple):
    """An estimate as a file stores it."""

    facts: dict[str, Any]  # as JSON holds them
    arrays: Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimate:
    """Result of an estimator: parameters, and the table of log P(vote | class).

    This class is enough where beliefs are Bayes' rule under the table. Otherwise, an estimator has a subclass.
    """

    panel: Panel
    parameters: Parameters
    emission: Emission
    history: Floats  # objective per row, one entry a step
    converged: bool
    n_iter: int
    remarks: tuple[FitWarning, ...] = ()

    # Name and description, in explanations, of what beliefs add to the table; None for nothing
    adjustment: ClassVar[tuple[str, str] | None] = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", self.parameters.by_class())

    @property
    def accuracy(self) -> Floats:
        """(n, k): P(the class is in the vote | labeler i votes, class j), as users see it."""
        return self.parameters.accuracy

    def overall_propensity(self, evidence: Evidence) -> Floats:  # noqa: ARG002
        """(n,): P(labeler i votes)."""
        return self.parameters.overall_propensity()

    @property
    def labeler_accuracy(self) -> Floats | None:
        """(n,): accuracy over all classes. None: the mean of its accuracies over the classes it votes on."""
        return None

    def labeler_interval(self, level: float) -> tuple[Floats, Floats] | None:  # noqa: ARG002
        """(n,) both: ends of an interval for `labeler_accuracy`, 0 and 1 if unknown. None: by Fisher's information."""
        return None

    def accuracy_interval(self, level: float) -> tuple[Floats, Floats] | None:  # noqa: ARG002
        """(n, k) both: ends of an interval for `accuracy`. None: by Fisher's information."""
        return None

    @property
    def layout(self) -> Layout:
        return self.panel.layout

    def beliefs(self, codes: Codes, *, device: str = "cpu", threads: int | None = None) -> Floats:
        """P(class | votes) of rows of codes, (m, k)."""
        return posteriors(codes, self.layout, self.emission, device=device, threads=threads)[0]

    def beliefs_without(self, codes: Codes, i: int) -> Floats:
        """(m, k): beliefs without the votes of labeler i."""
        own = self.layout.by_code(i, *self.emission.tempered(self.layout))[codes[:, i]]
        return posterior(log_joint(codes, self.emission, self.layout) - own)

    @property
    def explained(self) -> Emission:
        """The table whose evidence explanations list."""
        return self.emission

    def generator(self) -> Emission:
        """log P(vote | class) under the parameters, abstaining included, to draw rows from."""
        return emission(replace(self.parameters, silence=1.0), self.layout)

    def assumptions(self, vote_counts: Floats, total: float) -> Assumptions | None:  # noqa: ARG002
        """The assumptions about votes of which each shortlist has `vote_counts` (S,) in `total` rows.

        None where the table is not made from accuracies and propensities as in the paper.
        """
        return None

    # -- files -----------------------------------------------------------------------------------------

    def state(self) -> State:
        """All of it but the panel, for `restored`."""
        silence, own = float(self.parameters.silence), vars(self.parameters)
        facts = {"converged": bool(self.converged), "n_iter": int(self.n_iter), "silence": silence}
        arrays = {
            f"parameters.{name}": own[name]
            for name in ("accuracy", "propensity", "balance", "split")
            if own[name] is not None
        }
        return State(facts, {"history": self.history, **table_arrays("table", self.emission), **arrays})

    @classmethod
    def restored(cls, panel: Panel, state: State, **more: Any) -> Self:
        """Make an estimate from its state; `more` are the fields of a subclass."""
        facts, arrays = state
        parameters = Parameters(
            accuracy=arrays["parameters.accuracy"],
            propensity=arrays["parameters.propensity"],
            balance=arrays["parameters.balance"],
            split=arrays.get("parameters.split"),
            silence=float(facts["silence"]),
        )
        return cls(
            panel=panel,
            parameters=parameters,
            emission=table_from(arrays, "table"),
            history=arrays["history"],
            converged=facts["converged"],
            n_iter=facts["n_iter"],
            **more,
        )


def table_arrays(name: str, table: Emission) -> dict[str, npt.NDArray[Any]]:
    """Arrays of a table, as a file stores them under a name."""
    return {f"{name}.{part.name}": np.asarray(getattr(table, part.name)) for part in fields(table)}


def table_from(arrays: Mapping[str, npt.NDArray[Any]], name: str) -> Emission:
    """The table that a file stores under a name."""
    return Emission(*(arrays[f"{name}.{part.name}"] for part in fields(Emission)))


class Estimator(Configurable, ABC):
    """A method to learn from votes: a dataclass of options with a `kind`, its name in files and in shortlist.toml."""

    @abstractmethod
    def fit(self, problem: Problem) -> Estimate:
        """Estimate accuracies, propensities and the table from the evidence."""

    def restore(self, panel: Panel, state: State) -> Estimate:
        """Make an estimate from its state in a file."""
        return Estimate.restored(panel, state)
