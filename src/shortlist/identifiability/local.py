"""Local identifiability: whether the votes determine the parameters near the fitted values, and which they do not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.identifiability.imagined import imagined
from shortlist.identifiability.vote_information import VoteInformation
from shortlist.labelmodel.formulae.counts import vote_counts
from shortlist.labelmodel.formulae.evidence import Gold
from shortlist.uncertainty.coordinates import ABSENT
from shortlist.uncertainty.fitted import Fitted, evidence_of
from shortlist.votes import Votes

if TYPE_CHECKING:
    from shortlist.labelmodel.model import LabelModel

MOST = 4  # parameters named for one flat direction
SHOWN = 8  # flat directions put in words


@dataclass(frozen=True, eq=False, repr=False)
class LocalDiagnosis:
    """The rank of Fisher's information at the fitted values, and its flat directions in words.

    `shares` are the shares of the information that would be there were the classes known, the least first.
    """

    parameters: int
    rank: int
    shares: Floats
    trading_places: tuple[tuple[str, str], ...]  # classes that can be swapped without any vote telling
    findings: list[str]

    @property
    def identifiable(self) -> bool:
        """Whether every direction is seen, and no two classes can trade places."""
        return self.rank == self.parameters and not self.trading_places

    def __str__(self) -> str:
        first, *rest = self.findings
        return "\n".join([first, *(f"  - {finding}" for finding in rest)])

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON holds it."""
        return {
            "identifiable": self.identifiable,
            "parameters": self.parameters,
            "rank": self.rank,
            "shares": self.shares.tolist(),
            "trading_places": [list(pair) for pair in self.trading_places],
            "findings": list(self.findings),
        }


def diagnose_fit(
    model: LabelModel,
    votes: Votes | Iterable[Votes] | None = None,
    *,
    gold: Gold | None = None,
    weights: npt.ArrayLike | None = None,
) -> LocalDiagnosis:
    """Which parameters of a fitted LabelModel the votes (None: those it was fitted on) determine, and which only a
    prior, a given balance or chance do.

    >>> from shortlist import LabelModel, Votes
    >>> votes = Votes([[1, 1, 1], [2, 2, 1], [1, 2, 2], [2, 2, 2], [1, 1, 2]] * 9, [["cat", "dog"]] * 3, ["cat", "dog"])
    >>> diagnose_fit(LabelModel().fit(votes))
    Near the fitted values, the votes determine all 6 parameters.
    """
    fitted = Fitted.of(model, evidence_of(model, votes, gold, weights))
    information = VoteInformation.of(imagined(fitted))
    pairs = tuple(_trading_places(fitted))
    return LocalDiagnosis(
        information.parameters, information.rank, information.shares, pairs, list(_findings(fitted, information, pairs))
    )


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
        swaps = [step for pair in pairs for step in _swaps(fitted, *pair) if information.blind(step)]
        unseen = [step for step in np.eye(fitted.coordinates.size) if information.blind(step)]
        words = _names(fitted)
        if unseen:
            yield f"No vote bears on {_listed([words[int(step.argmax())] for step in unseen])}."
        directions = information.flat([*swaps, *unseen])
        yield from (f"{_sentence(direction, words)}." for direction in directions[:SHOWN])
        if len(directions) > SHOWN:
            yield f"There are {len(directions) - SHOWN} more such directions."


def _trading_places(fitted: Fitted) -> Iterator[tuple[str, str]]:
    """Pairs of classes that no vote given tells apart, and the balance and known classes do not either."""
    layout, pi = fitted.layout, fitted.assumptions.balance
    voted = vote_counts(fitted.codes.T, np.ones(len(fitted.codes)), layout) > 0
    member, known = layout.member[voted], set(fitted.gold[fitted.gold >= 0].tolist())
    for c, d in combinations(range(layout.k), 2):
        alike = fitted.assumptions.learn_balance or bool(np.isclose(pi[c], pi[d]))
        if alike and (member[:, c] == member[:, d]).all() and not known & {c, d}:
            yield fitted.panel.space[c], fitted.panel.space[d]


def _swaps(fitted: Fitted, a: str, b: str) -> Iterator[Floats]:
    """Steps that raise a parameter of one class and lower the same of the other."""
    c, d = fitted.panel.space.position(a), fitted.panel.space.position(b)
    coordinates = fitted.coordinates
    for index in (coordinates.accuracy, coordinates.propensity, coordinates.balance[None, :]):
        for up, down in index[:, [c, d]]:
            if ABSENT not in (up, down) and up != down:
                step = np.zeros(coordinates.size)
                step[up], step[down] = 1.0, -1.0
                yield step


def _names(fitted: Fitted) -> list[str]:
    """Every coordinate in words."""
    words = [""] * fitted.coordinates.size
    space, coordinates = fitted.panel.space, fitted.coordinates
    shared = fitted.assumptions.shared_accuracy
    for what, index in (("accuracy", coordinates.accuracy), ("propensity", coordinates.propensity)):
        for i, j in zip(*np.nonzero(index != ABSENT), strict=True):
            of_class = "" if shared and what == "accuracy" else f" on {space[int(j)]}"
            words[index[i, j]] = f"the {what} of {fitted.panel.names[i]}{of_class}"
    for j, at in enumerate(coordinates.balance):
        if at != ABSENT:
            words[at] = f"the balance of {space[j]}"
    return words


def _sentence(direction: Floats, words: list[str]) -> str:
    """One flat direction, by the parameters that move most in it."""
    order = np.argsort(-np.abs(direction), kind="stable")
    moving = [p for p in order if abs(direction[p]) > 0.05 * np.abs(direction).max()]
    if len(moving) == 1:
        return f"No vote bears on {words[moving[0]]}"
    named = sorted(moving[:MOST]) + moving[MOST:]
    sentence = f"{_listed([words[p] for p in named])} trade off"
    return sentence[0].upper() + sentence[1:]


def _listed(words: Sequence[str]) -> str:
    if len(words) > MOST:
        return f"{', '.join(words[:MOST])} and {len(words) - MOST} more"
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]
