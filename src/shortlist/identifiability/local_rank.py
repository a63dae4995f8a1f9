"""Local identifiability: which parameters the votes determine near given values, fitted or random.

The Fisher information of the votes the model expects is compared with the information if every class were known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats, Positions
from shortlist.labelmodel.evidence import Gold
from shortlist.labelmodel.layout import Layout, Panel
from shortlist.labelmodel.likelihood import Emission, Parameters, emission, equal_split, log_joint, log_marginal
from shortlist.labelmodel.m_step import Assumptions, vote_counts
from shortlist.labelmodel.simulate import draw_codes
from shortlist.uncertainty.information import (
    ABSENT,
    Coordinates,
    Fitted,
    blocks,
    complete_information,
    evidence_of,
    scores,
)
from shortlist.votes import Codomain, Votes

if TYPE_CHECKING:
    from shortlist.labelmodel.model import LabelModel


NONE = 1e-9  # shares of information below this count as zero


@dataclass(frozen=True, eq=False, repr=False)
class LocalDiagnosis:
    """The rank of Fisher's information at the fitted values, and its flat directions in words.

    `shares` are the shares of the information if the classes were known, in increasing order.
    """

    parameters: int
    rank: int
    shares: Floats
    trading_places: tuple[tuple[str, str], ...]  # classes that can be swapped without a change in any vote
    findings: list[str]

    @property
    def identifiable(self) -> bool:
        """True if votes determine every direction, and no two classes can trade places."""
        return self.rank == self.parameters and not self.trading_places

    def __repr__(self) -> str:
        return "\n  - ".join(self.findings)


def diagnose_fit(
    model: LabelModel,
    votes: Votes | Iterable[Votes] | None = None,
    *,
    gold: Gold | None = None,
    weights: npt.ArrayLike | None = None,
) -> LocalDiagnosis:
    """Find the parameters of a fitted LabelModel that votes determine, and those that only a prior or a given balance
    does. Without votes, those it was fitted on.

    >>> from shortlist import LabelModel, Votes
    >>> votes = Votes([[1, 1, 1], [2, 2, 1], [1, 2, 2], [2, 2, 2], [1, 1, 2]] * 9, [["cat", "dog"]] * 3, ["cat", "dog"])
    >>> diagnose_fit(LabelModel().fit(votes))
    Near the fitted values, the votes determine all 6 parameters.
    """
    fitted = Fitted.of(model, evidence_of(model, votes, gold, weights))
    information = VoteInformation.of(expected_patterns(fitted))
    pairs = tuple(_trading_places(fitted))
    findings = list(_findings(fitted, information, pairs))
    return LocalDiagnosis(information.parameters, information.rank, information.shares, pairs, findings)


# -- findings ------------------------------------------------------------------------------------------


def _findings(fitted: Fitted, information: VoteInformation, pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    flat = information.parameters - information.rank
    if not flat:
        yield f"Near the fitted values, the votes determine all {information.parameters} parameters."
    else:
        yield (
            f"Near the fitted values, the votes determine {information.rank} of {information.parameters} parameters. "
            f"In {flat} direction{'s' if flat > 1 else ''} nothing changes for them, and only the prior decides."
        )
    for a, b in pairs:
        yield f"{a} and {b} can trade places: no vote says which is which."
    if flat:
        swaps = [step for pair in pairs for step in _swaps(fitted, *pair) if information.is_flat(step)]
        unseen = [step for step in np.eye(fitted.coordinates.size) if information.is_flat(step)]
        names = _coordinate_names(fitted)
        if unseen:
            yield f"No vote bears on {_listed([names[int(step.argmax())] for step in unseen])}."
        directions = information.flat_directions([*swaps, *unseen])
        yield from (f"{_sentence(direction, names)}." for direction in directions[:8])
        if len(directions) > 8:
            yield f"There are {len(directions) - 8} more such directions."


def _trading_places(fitted: Fitted) -> Iterator[tuple[str, str]]:
    """Pairs of classes that no vote separates, and the balance and gold labels do not either."""
    layout, pi = fitted.layout, fitted.assumptions.balance
    voted = vote_counts(fitted.codes.T, np.ones(len(fitted.codes)), layout) > 0
    member, known = layout.member[voted], set(fitted.gold[fitted.gold >= 0].tolist())
    for c, d in combinations(range(layout.k), 2):
        alike = fitted.assumptions.learn_balance or bool(np.isclose(pi[c], pi[d]))
        if alike and (member[:, c] == member[:, d]).all() and not known & {c, d}:
            yield fitted.panel.space[c], fitted.panel.space[d]


def _swaps(fitted: Fitted, a: str, b: str) -> Iterator[Floats]:
    """Steps that raise a parameter of one class and lower that of the other."""
    c, d = fitted.panel.space.position(a), fitted.panel.space.position(b)
    coordinates = fitted.coordinates
    for index in (coordinates.accuracy, coordinates.propensity, coordinates.balance[None, :]):
        for up, down in index[:, [c, d]]:
            if ABSENT not in (up, down) and up != down:
                step = np.zeros(coordinates.size)
                step[up], step[down] = 1.0, -1.0
                yield step


def _coordinate_names(fitted: Fitted) -> list[str]:
    names = [""] * fitted.coordinates.size
    space, coordinates = fitted.panel.space, fitted.coordinates
    for parameter, index in (("accuracy", coordinates.accuracy), ("propensity", coordinates.propensity)):
        shared = parameter == "accuracy" and fitted.assumptions.shared_accuracy
        for i, j in zip(*np.nonzero(index != ABSENT), strict=True):
            of_class = "" if shared else f" on {space[int(j)]}"
            names[index[i, j]] = f"the {parameter} of {fitted.panel.names[i]}{of_class}"
    for j, at in enumerate(coordinates.balance):
        if at != ABSENT:
            names[at] = f"the balance of {space[j]}"
    return names


def _sentence(direction: Floats, names: list[str]) -> str:
    """One flat direction, by the parameters that move most in it."""
    order = np.argsort(-np.abs(direction), kind="stable")
    moving = [p for p in order if abs(direction[p]) > 0.05 * np.abs(direction).max()]
    if len(moving) == 1:
        return f"No vote bears on {names[moving[0]]}"
    sentence = f"{_listed([names[p] for p in sorted(moving[:4]) + moving[4:]])} trade off"
    return sentence[0].upper() + sentence[1:]


def _listed(words: Sequence[str]) -> str:
    if len(words) > 4:
        return f"{', '.join(words[:4])} and {len(words) - 4} more"
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


# -- Fisher's information of the votes -----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class VoteInformation:
    """Information of the votes, and of votes and classes, in all coordinates and without the prior."""

    seen: Floats  # (size, size)
    known: Floats  # (size,): if the classes were known; the diagonal is enough to set the scale
    basis: Floats  # (size, P)

    @classmethod
    def of(cls, fitted: Fitted) -> VoteInformation:
        size = fitted.coordinates.size
        seen = np.zeros((size, size))
        for block in blocks(fitted):
            slope = scores(block, fitted)
            seen += slope.T @ (block.weights[:, None] * slope)
        known = complete_information(fitted, prior=False).diagonal().copy()
        never = known < 1e-6  # votes
        known[never], seen[never], seen[:, never] = 0.0, 0.0, 0.0
        return cls(seen, known, fitted.coordinates.basis)

    @cached_property
    def _scale(self) -> Floats:
        """(P,): 1 / √(information if the classes were known)."""
        known = np.einsum("ij,i,ij->j", self.basis, self.known, self.basis)
        return np.asarray(1 / np.sqrt(np.where(known > 0, known, np.inf)))

    @cached_property
    def _scaled(self) -> Floats:
        return np.asarray(self._scale[:, None] * (self.basis.T @ self.seen @ self.basis) * self._scale)

    @cached_property
    def shares(self) -> Floats:
        """(P,): share of information left in each direction, in increasing order."""
        return np.asarray(np.maximum(np.linalg.eigvalsh(self._scaled), 0.0), np.float64)

    @property
    def parameters(self) -> int:
        return int(self.basis.shape[1])

    @property
    def rank(self) -> int:
        return int((self.shares > NONE).sum())

    def is_flat(self, direction: Floats) -> bool:
        """True if a step in this direction (of all coordinates) changes the probability of no pattern."""
        return bool(direction @ self.seen @ direction <= NONE * (direction**2 @ self.known))

    def flat_directions(self, besides: list[Floats]) -> Floats:
        """(f, size): flat directions outside the span of `besides`, each of few coordinates."""
        values, vectors = np.linalg.eigh(self._scaled)
        scale = np.where(self._scale > 0, self._scale, 1.0)
        null = vectors[:, values <= NONE].T * scale @ self.basis.T
        if besides and len(null):
            span = _orthonormal(np.array(besides))
            null = _orthonormal(null - null @ span.T @ span)
        return _sparse(null)


def _orthonormal(rows: Floats) -> Floats:
    """Orthonormal basis of the span of rows."""
    if not rows.size:
        return rows
    _, values, vectors = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(vectors[values > 1e-6 * max(1.0, values.max())])


def _sparse(rows: Floats) -> Floats:
    """Basis of the span of rows with many zeros: echelon form, pivoting on the largest entry."""
    rows = rows.copy()
    for r in range(len(rows)):
        rest = np.abs(rows[r:])
        best, column = divmod(int(rest.argmax()), rest.shape[1])
        rows[[r, r + best]] = rows[[r + best, r]]
        rows[r] /= rows[r, column]
        others: npt.NDArray[np.bool_] = np.arange(len(rows)) != r
        rows[others] -= np.outer(rows[others, column], rows[r])
    rows[np.abs(rows) < 1e-6] = 0.0
    return rows


# -- expected patterns ---------------------------------------------------------------------------------


def expected_patterns(fitted: Fitted, *, most: int = 20_000, per_parameter: int = 24) -> Fitted:
    """The model with the patterns it expects in as many rows, or a sample of them; gold rows stay as they are."""
    known = fitted.gold >= 0
    sizes = np.array(fitted.layout.sizes) + 1
    if float(np.prod(sizes, dtype=np.float64)) <= most:
        codes = np.indices(sizes.tolist()).reshape(len(sizes), -1).T.astype(np.int64)
        shares = np.exp(log_marginal(log_joint(codes, fitted.table, fitted.layout)))
    else:
        n = fitted.layout.n
        each = max(1, most // (4 * n), per_parameter * fitted.coordinates.size // (2 * n))
        codes, shares = _sampled_patterns(fitted, each)
    unknown = float(fitted.weights[~known].sum())
    return replace(
        fitted,
        codes=np.concatenate([codes, fitted.codes[known]]),
        weights=np.concatenate([shares * unknown, fitted.weights[known]]),
        gold=np.concatenate([np.full(len(codes), -1), fitted.gold[known]]),
    )


def _sampled_patterns(fitted: Fitted, each: int) -> tuple[Positions, Floats]:
    """Half of the patterns from the model; half from the model with one labeler after the other mostly wrong.

    Otherwise, a labeler that hardly ever errs would have no errors in the sample. The weights make up for it.
    """
    rng, layout = np.random.default_rng(0), fitted.layout
    tables = [_erring(fitted, i) for i in range(layout.n)]
    drawn = [draw_codes(table, layout, each, rng)[1] for table in tables]
    codes = np.concatenate([draw_codes(fitted.table, layout, each * layout.n, rng)[1], *drawn])
    joint = log_joint(codes, fitted.table, layout)
    mine = log_marginal(joint)
    other = _mixture(codes, joint, fitted.table, tables, layout)
    return codes, np.exp(mine - np.logaddexp(mine, other)) / (each * layout.n)


def _erring(fitted: Fitted, i: int) -> Emission:
    """The model with equal classes, in which labeler i votes often and mostly wrong."""
    p, k = fitted.parameters, fitted.layout.k
    accuracy, propensity = p.accuracy.copy(), p.propensity.copy()
    accuracy[i] = np.where(fitted.layout.free[i], 0.1, p.accuracy[i])
    propensity[i] = 0.7
    return emission(Parameters(accuracy, propensity, np.full(k, 1 / k), p.split), fitted.layout)


def _mixture(codes: Positions, joint: Floats, table: Emission, tables: list[Emission], layout: Layout) -> Floats:
    """Log of the mean probability of each pattern under the tables, each of which differs in one labeler."""
    total: Floats = np.full(len(codes), -np.inf)
    for i, other in enumerate(tables):
        more = layout.by_code(i, other.votes - table.votes, other.abstain - table.abstain)
        total = np.logaddexp(total, log_marginal(joint + other.balance - table.balance + more[codes[:, i]]))
    total -= np.log(len(tables))
    return total


# -- rank at random values -----------------------------------------------------------------------------


class Rank(NamedTuple):
    """Number of parameters that votes determine: free accuracies, and the balance."""

    rank: int
    parameters: int


def generic_rank(panel: Panel, *, most: int = 400) -> Rank | None:
    """Rank of the information at random values, for labelers that never vote a dummy. None above `most` parameters.

    Theorem 1 is sufficient, not necessary. The rank at random values is the rank almost everywhere: full rank means
    that votes determine the parameters near almost all values; less, that no number of rows determines them.
    """
    speaking = [(name, Codomain(c.says)) for name, c in zip(panel.names, panel.codomains, strict=True) if c.says]
    panel = Panel(panel.space, tuple(name for name, _ in speaking), tuple(c for _, c in speaking))
    if not speaking or panel.layout.free.sum() + len(panel.space) > most:
        return None
    information = VoteInformation.of(expected_patterns(_at_random(panel, np.random.default_rng(0))))
    return Rank(information.rank, information.parameters)


def _at_random(panel: Panel, rng: np.random.Generator) -> Fitted:
    """The paper's model of these labelers, with a learned balance and no prior, at random values."""
    layout = panel.layout
    n, k = layout.n, layout.k
    balance, propensity = rng.dirichlet(np.full(k, 5.0)), rng.uniform(0.3, 0.8, n)
    assumptions = Assumptions(
        layout, False, False, True, balance, propensity, equal_split(layout),
        accuracy_mean=0.7, accuracy_votes=0.0, propensity_rows=0.0, balance_rows=0.0,
    )  # fmt: skip
    accuracy = assumptions.settled(rng.uniform(0.55, 0.95, (n, k)))
    parameters = Parameters(accuracy, propensity, balance, assumptions.split)
    codes, coordinates = np.zeros((1, n), np.uint8), Coordinates.of(assumptions)
    table = emission(parameters, layout)
    return Fitted(panel, assumptions, parameters, table, codes, np.ones(1), np.full(1, -1), coordinates)
