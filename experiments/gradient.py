"""The paper's optimiser: stochastic gradient descent on the marginal likelihood, by automatic differentiation.

An example of a solver of your own: `LabelModel.paper(solver=Gradient())`.

The tensors are the paper's (Section 3.2, "Learning"): AI, N and PI are computed once, A and B are the parameters,
ZA and ZB their normalisers. EM reaches the same optimum far sooner; this solver is for comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from scipy.special import expit, logit, softmax

from shortlist.errors import require
from shortlist.labelmodel.em import Optimum, Solver
from shortlist.labelmodel.estimator import Problem
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.likelihood import TINY, Parameters
from shortlist.labelmodel.m_step import Assumptions
from shortlist.registry import check_amount, check_choice, check_whole


@dataclass(frozen=True)
class Gradient(Solver):
    """The paper's stochastic gradient descent, in torch; the defaults are the published ones."""

    kind: ClassVar[str] = "gradient"
    optimiser: Literal["adam", "sgd"] = "adam"
    lr: float = 0.1
    batch_size: int = 8192
    factor: float = 0.1  # the learning rate is multiplied by this ...
    patience: int = 10  # ... after so many epochs without a gain
    smallest: float = 1e-4  # share of `lr` below which it has converged

    def __post_init__(self) -> None:
        check_choice("optimiser", self.optimiser, ("adam", "sgd"))
        check_amount("lr", self.lr, "a learning rate", above=True)
        check_whole("batch_size", self.batch_size)

    def maximise(self, problem: Problem, assumptions: Assumptions, start: Parameters) -> Optimum:
        """Minimise −log P(G) − log prior, per row, from `start`; at most `max_iter` epochs."""
        torch: Any = require("torch", extra="torch")
        objective = _Objective(torch, problem.evidence, assumptions, start, problem.device)
        batches = objective.batches(self.batch_size, np.random.default_rng(problem.seed))
        optimiser, schedule = self._optimiser(torch, objective)
        history: list[float] = []
        converged = False
        while len(history) < problem.max_iter and not converged:
            history.append(-_epoch(objective, optimiser, batches))
            schedule.step(-history[-1])
            converged = optimiser.param_groups[0]["lr"] < self.smallest * self.lr
        return Optimum(objective.parameters(), np.array(history), converged, len(history))

    def _optimiser(self, torch: Any, objective: _Objective) -> tuple[Any, Any]:
        """The optimiser, and what lowers its learning rate."""
        adam = self.optimiser == "adam"
        optimiser = (torch.optim.Adam if adam else torch.optim.SGD)(objective.learned, lr=self.lr)
        schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(
            optimiser, factor=self.factor, patience=self.patience, threshold=1e-7, min_lr=0.0, eps=0.0
        )
        return optimiser, schedule


def _epoch(objective: _Objective, optimiser: Any, batches: list[_Batch]) -> float:
    """Run one epoch; return the mean loss."""
    total = 0.0
    for batch in batches:
        optimiser.zero_grad()
        loss = objective.loss(batch, len(batches))
        loss.backward()
        optimiser.step()
        total += loss.item()
    return total / len(batches)


class _Batch(NamedTuple):
    """Precomputed tensors of some rows."""

    AI: Any  # (b, n, k): +1 where the class is in the vote, −1 where it is not
    N: Any  # (b, n, k): −log |N_ij|, −log |N^C_ij|, or the log share of another split
    PI: Any  # (b, n, 1): 1 where the labeler voted
    closed: Any  # (b, k): −∞ for classes a known label rules out
    weights: Any  # (b,)


class _Objective:
    """The penalised marginal likelihood as a function of A, B and the balance."""

    def __init__(
        self, torch: ModuleType, evidence: Evidence, assumptions: Assumptions, start: Parameters, device: str
    ) -> None:
        self.torch: Any = torch
        self.evidence, self.assumptions, self.device = evidence, assumptions, device
        self.total = evidence.total
        shared = assumptions.shared_accuracy
        alpha = np.clip(start.accuracy[:, :1] if shared else start.accuracy, TINY, 1 - TINY)
        beta = np.clip(start.propensity.reshape(len(alpha), -1), TINY, 1 - TINY)
        self.A = self._tensor(logit(alpha) / 2).requires_grad_()
        self.B = self._tensor(logit(beta)).requires_grad_()
        self.Y = self._tensor(np.log(start.balance)).requires_grad_(assumptions.learn_balance)
        self.free = self._tensor(assumptions.layout.free)
        self.mean = self._tensor(assumptions.propensity[:, None])
        self.uniform = self._tensor(assumptions.balance)
        self.learned = [p for p in (self.A, self.B, self.Y) if p.requires_grad]

    def _tensor(self, array: Any) -> Any:
        return self.torch.as_tensor(np.asarray(array, np.float64), device=self.device)

    def batches(self, size: int, rng: np.random.Generator) -> list[_Batch]:
        """All rows in random order, in batches."""
        order = rng.permutation(len(self.evidence.weights))
        return [self._batch(order[a : a + size]) for a in range(0, len(order), size)]

    def _batch(self, rows: Any) -> _Batch:
        layout, split = self.assumptions.layout, self.assumptions.split
        codes, gold = self.evidence.votes.codes[rows], self.evidence.gold[rows, None]
        cells = layout.rows_of(codes)  # any will do where PI is 0
        return _Batch(
            AI=self._tensor(np.where(layout.member, 1, -1)[cells]),
            N=self._tensor(split[cells]),
            PI=self._tensor(codes[:, :, None] > 0),
            closed=self._tensor(np.where((gold >= 0) & (gold != np.arange(layout.k)), -np.inf, 0.0)),
            weights=self._tensor(self.evidence.weights[rows]),
        )

    def loss(self, batch: _Batch, batches: int) -> Any:
        """−(penalised log-likelihood) per row, estimated from one of the batches."""
        torch = self.torch
        ZA = -torch.logaddexp(self.A, -self.A) * self.free  # (n, k)
        ZB = -torch.nn.functional.softplus(self.B)  # (n, 1) or (n, k)
        T = self.A * self.free * batch.AI + batch.N + self.B + ZA  # (b, n, k)
        conditional = (ZB + batch.PI * T).sum(dim=1)  # log P(G | Y), (b, k)
        joint = conditional + torch.log_softmax(self.Y, dim=0) + batch.closed
        marginal = batch.weights @ torch.logsumexp(joint, dim=1)
        return -(marginal * batches + self._log_prior()) / self.total

    def _log_prior(self) -> Any:
        """`Assumptions.log_prior`, differentiable."""
        given, log_sigmoid = self.assumptions, self.torch.nn.functional.logsigmoid
        right = given.accuracy_votes * given.accuracy_mean
        density = right * log_sigmoid(2 * self.A) + (given.accuracy_votes - right) * log_sigmoid(-2 * self.A)
        once = self.free.amax(dim=1, keepdim=True) if given.shared_accuracy else self.free
        value = (density * once).sum()
        if given.learn_class_propensity:
            rows = self.mean * log_sigmoid(self.B) + (1 - self.mean) * log_sigmoid(-self.B)
            value = value + given.propensity_rows * rows.sum()
        if given.learn_balance:
            value = value + given.balance_rows * (self.uniform @ self.torch.log_softmax(self.Y, dim=0))
        return value

    def parameters(self) -> Parameters:
        """α, β (Eq. 3) and P(Y) of the current A, B and Y."""
        n, k = self.assumptions.layout.n, self.assumptions.layout.k
        A, B, Y = (p.detach().cpu().numpy() for p in (self.A, self.B, self.Y))
        accuracy = self.assumptions.settled(np.broadcast_to(expit(2 * A), (n, k)))
        propensity = expit(B) if self.assumptions.learn_class_propensity else expit(B)[:, 0]
        return Parameters(accuracy, propensity, softmax(Y), self.assumptions.split)
