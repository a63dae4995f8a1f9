"""Estimate: what an estimator found. It is all that a `LabelModel` asks, whichever estimator it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.errors import FitWarning
from shortlist.labelmodel.estep.expectation import posteriors
from shortlist.labelmodel.formulae.assumptions import Assumptions
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission, Parameters, emission, log_joint, posterior
from shortlist.labelmodel.formulae.panel import Panel
from shortlist.votes.patterns import Codes

TABLE = ("votes", "abstain", "balance", "exponent")  # the arrays of an Emission


class State(NamedTuple):
    """What a file keeps of an estimate."""

    facts: dict[str, Any]  # as JSON holds them
    arrays: Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimate:
    """Parameters, and the table of log P(vote | class) that beliefs come from.

    This class is enough where beliefs are Bayes' rule under the table. An estimator that does more has a subclass.
    """

    panel: Panel
    parameters: Parameters
    emission: Emission
    history: Floats  # what was maximised, per row, one entry a step
    converged: bool
    n_iter: int
    remarks: tuple[FitWarning, ...] = ()  # what the user should be warned of

    # What beliefs add to the table, as explanations call it: a name, and words. None: nothing
    adjustment: ClassVar[tuple[str, str] | None] = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", self.parameters.by_class())

    @property
    def accuracy(self) -> Floats:
        """(n, k): how often a labeler is right about each class, as it is told to users."""
        return self.parameters.accuracy

    def overall_propensity(self, evidence: Evidence) -> Floats:  # noqa: ARG002
        """(n,): how often each labeler votes on all rows."""
        return self.parameters.overall_propensity()

    @property
    def labeler_accuracy(self) -> Floats | None:
        """(n,): how often a labeler is right in all. None: the mean of its accuracies over the classes it votes on."""
        return None

    def labeler_interval(self, level: float) -> tuple[Floats, Floats] | None:  # noqa: ARG002
        """(n,) both: the ends of an interval for that, 0 and 1 where votes cannot tell. None: by the information."""
        return None

    def accuracy_interval(self, level: float) -> tuple[Floats, Floats] | None:  # noqa: ARG002
        """(n, k) both: the same of accuracies by class."""
        return None

    @property
    def layout(self) -> Layout:
        return self.panel.layout

    def beliefs(self, codes: Codes, *, device: str = "cpu", threads: int | None = None) -> Floats:
        """P(class | votes) of rows of codes, (m, k)."""
        return posteriors(codes, self.layout, self.emission, device=device, threads=threads)[0]

    def beliefs_without(self, codes: Codes, i: int) -> Floats:
        """The same, had labeler i not been asked."""
        own = self.layout.by_code(i, *self.emission.tempered(self.layout))[codes[:, i]]
        return posterior(log_joint(codes, self.emission, self.layout) - own)

    def generator(self) -> Emission:
        """log P(vote | class), abstaining included, as the parameters have it: what rows are drawn from."""
        return emission(replace(self.parameters, silence=1.0), self.layout)

    def assumptions(self, vote_counts: Floats, total: float) -> Assumptions | None:  # noqa: ARG002
        """What was assumed, for votes of which each shortlist has `vote_counts` (S,) in `total` rows.

        None where the table is not made from accuracies and propensities as in the paper: such a likelihood cannot be
        differentiated.
        """
        return None

    # -- files -----------------------------------------------------------------------------------------

    def state(self) -> State:
        """All of it but the panel; `restored` makes it an estimate again."""
        facts: dict[str, Any] = {"converged": bool(self.converged), "n_iter": int(self.n_iter)}
        facts["silence"] = float(self.parameters.silence)
        arrays = {"history": self.history, **table_arrays("table", self.emission)}
        for name in ("accuracy", "propensity", "balance", "split"):
            if getattr(self.parameters, name) is not None:
                arrays[f"parameters.{name}"] = getattr(self.parameters, name)
        return State(facts, arrays)

    @classmethod
    def restored(cls, panel: Panel, state: State, **more: Any) -> Self:
        """From what `state` gave; `more` are the fields of a subclass."""
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
    """A table as arrays of a file."""
    return {f"{name}.{part}": np.asarray(getattr(table, part)) for part in TABLE}


def table_from(arrays: Mapping[str, npt.NDArray[Any]], name: str) -> Emission:
    """The table that was kept under a name."""
    return Emission(*(arrays[f"{name}.{part}"] for part in TABLE))
