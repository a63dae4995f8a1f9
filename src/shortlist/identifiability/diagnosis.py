"""diagnose: whether accuracies can be learned from votes alone, for labelers before or after they have voted."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np

from shortlist.arrays import Floats
from shortlist.errors import BadLabeler, BadVotes, ShortlistError
from shortlist.identifiability import findings
from shortlist.identifiability.theorem import (
    LabelerMasks,
    Names,
    Repair,
    TripleSplit,
    find_repairs,
    find_split,
    masks_of,
    names,
    scarce,
)
from shortlist.labelmodel.layout import Layout, Panel
from shortlist.labelmodel.likelihood import Parameters, emission, equal_split, log_joint, posterior
from shortlist.labelspace import LabelSpace, Shortlist
from shortlist.votes import Codomain, Votes
from shortlist.wording import some_of

Pair = tuple[str, str]


class Rank(NamedTuple):
    """Number of parameters that votes determine: free accuracies, and the balance."""

    rank: int
    parameters: int


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """Verdict of Theorem 1 of the paper, which says when the parameters can be learned from votes alone.

    `identifiable` is the verdict on what labelers really say. `identifiable_with_dummies` is the theorem to the letter,
    which counts the dummies as if they were said. `identifiable_as_heard` counts only what occurs in the rows. False
    means that no split exists, so that the theorem guarantees nothing; None that the time limit came first.
    """

    space: LabelSpace
    says: Mapping[str, tuple[Names, ...]]  # labeler → what it says
    dummies: Mapping[str, Names]  # labeler → the shortlist added to meet the two conditions on T(G)
    unheard: Mapping[str, tuple[Names, ...]]  # labeler → what it never said in the rows at hand
    open: Names  # labelers that may say any set of classes: people
    identifiable: bool | None
    identifiable_with_dummies: bool | None
    identifiable_as_heard: bool | None
    certificate: TripleSplit | None  # S1, S2 and S3, and the chosen shortlists
    scarce: tuple[tuple[str, str, Names], ...]  # (y, c, who): fewer than two rule c out, y still possible
    repairs: tuple[Repair, ...]  # shortlists that, all said besides, would make it identifiable
    repairs_smallest: bool  # fewer would not do
    inseparable_pairs: tuple[Pair, ...]  # no shortlist of anyone holds one without the other
    untold_pairs: tuple[Pair, ...]  # no vote rules out one and leaves the other possible
    prior_only: Mapping[str, Names]  # labeler → classes whose accuracy is 0 or 1 by construction
    generic: Rank | None  # where Theorem 1 guarantees nothing: what votes determine at random values

    @property
    def status(self) -> Literal["identifiable", "not guaranteed", "not identifiable", "not decided"]:
        """The verdict in two words: "not guaranteed" where Theorem 1 does not apply, but nothing shows more."""
        if self.identifiable is None:
            return "not decided"
        if self.identifiable:
            return "identifiable"
        undetermined = self.generic is not None and self.generic.rank < self.generic.parameters
        return "not identifiable" if undetermined else "not guaranteed"

    @property
    def split(self) -> tuple[Names, Names, Names] | None:
        """S1, S2 and S3."""
        return self.certificate.split if self.certificate else None

    @cached_property
    def findings(self) -> list[str]:
        """Sentences: the verdict and what to do first, then the theory."""
        return list(findings.of(self))

    def __repr__(self) -> str:
        return "\n  - ".join(self.findings)

    def to_dict(self) -> dict[str, Any]:
        """The diagnosis as JSON stores it."""
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        named = {"repairs": [repair._asdict() for repair in self.repairs]}
        named |= {name: own[name] and own[name]._asdict() for name in ("certificate", "generic")}
        classes = {"classes": list(own.pop("space"))}
        return {**classes, **own, **named, "status": self.status, "findings": self.findings}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Diagnosis:
        """Make a diagnosis from what `to_dict` returned."""
        own = {one.name: _with_tuples(record[one.name]) for one in fields(cls) if one.name != "space"}
        own |= {"space": LabelSpace(record["classes"]), "repairs": tuple(Repair(**one) for one in own["repairs"])}
        own["certificate"] = own["certificate"] and TripleSplit(**own["certificate"])
        own["generic"] = own["generic"] and Rank(**own["generic"])
        return cls(**own)


def _with_tuples(value: Any) -> Any:
    """What JSON stored, with tuples for its lists."""
    if isinstance(value, Mapping):
        return {key: _with_tuples(one) for key, one in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, (list, tuple)) else value


def diagnose(
    votes_or_labelers: Any, *, space: LabelSpace | Iterable[str] | None = None, time_limit: float = 30.0
) -> Diagnosis:
    """Decide if the labelers can be split as Theorem 1 of the paper asks, and if not, find the obstacles and a repair.

    votes_or_labelers   Votes, or labelers that declare what they say
    space               the classes, where labelers are given that do not name them all
    time_limit          seconds; where they are not enough, the verdict is None

    >>> from shortlist import Votes
    >>> three = Votes([[1, 1, 1]], [["cat", "dog"]] * 3, ["cat", "dog"], names=["ears", "tail", "voice"])
    >>> diagnose(three).split
    (('ears',), ('tail',), ('voice',))
    """
    votes = _votes(votes_or_labelers, space)
    if not time_limit >= 0:
        raise ShortlistError(f"time_limit is a number of seconds, 0 or more; got {time_limit!r}")
    end, classes = time.monotonic() + time_limit, votes.space
    panel, unheard = _heard(votes)
    named = list(zip(panel.names, panel.codomains, strict=True))
    dummies = {name: classes.ordered(t) for name, c in named for t in c.dummies}
    masks = masks_of(panel, dummies=False)
    found = find_split(masks, classes, end)
    certificate, identifiable = (found, True) if isinstance(found, TripleSplit) else (None, found)
    inseparable = tuple(_inseparable(masks, classes))
    soon = min(end, time.monotonic() + 10.0)  # a good repair soon is better than the smallest one
    repairs, smallest = find_repairs(panel, soon) if identifiable is False else ((), False)
    return Diagnosis(
        space=classes,
        says={name: _ordered(c.says, classes) for name, c in named},
        dummies=dummies,
        unheard={name: _ordered(shortlists, classes) for name, shortlists in unheard.items()},
        open=tuple(name for name, c in named if c.open),
        identifiable=identifiable,
        identifiable_with_dummies=identifiable or (_has_split(panel, end, dummies=True) if dummies else identifiable),
        identifiable_as_heard=_as_heard(panel, unheard, end) if unheard and identifiable else identifiable,
        certificate=certificate,
        scarce=() if identifiable else tuple(_scarce(masks, classes)),
        repairs=repairs,
        repairs_smallest=smallest,
        inseparable_pairs=inseparable,
        untold_pairs=tuple(pair for pair in _untold(masks, classes) if pair not in inseparable),
        prior_only=dict(_prior_only(masks, classes)),
        generic=generic_rank(panel) if identifiable is False else None,
    )


def _has_split(panel: Panel, end: float, *, dummies: bool) -> bool | None:
    found = find_split(masks_of(panel, dummies=dummies), panel.space, end)
    return True if isinstance(found, TripleSplit) else found


def _ordered(shortlists: Iterable[Shortlist], space: LabelSpace) -> tuple[Names, ...]:
    return tuple(space.ordered(t) for t in shortlists)


# -- labelers and what they say ------------------------------------------------------------------------


def _votes(source: Any, space: LabelSpace | Iterable[str] | None) -> Votes:
    """Votes, of no rows if the source is labelers."""
    if isinstance(source, Votes):
        if space is not None and LabelSpace(space) != source.space:
            raise BadVotes(f"these votes are about {list(source.space)}, not about {list(space)}")
        votes = source
    else:
        votes = _of_labelers(source, space)
    if not votes.names:
        raise BadVotes("there are no labelers to diagnose")
    return votes


def _of_labelers(source: Any, space: LabelSpace | Iterable[str] | None) -> Votes:
    from shortlist.labelers import Labeler, apply

    alone = isinstance(source, Labeler) or callable(source)
    if not alone and not isinstance(source, Iterable):
        hint = ": give the votes that it is fitted to" if hasattr(source, "fit") else ""
        message = f"diagnose takes Votes, or labelers that declare what they say; got a {type(source).__name__}"
        raise BadVotes(f"{message}{hint}")
    labelers = [source] if alone else list(source)
    undeclared = [
        getattr(one, "name", getattr(one, "__name__", repr(one)))
        for one in labelers
        if getattr(one, "says", None) is None
    ]
    if undeclared:
        raise BadLabeler(
            f"what {some_of(undeclared)} may say is not declared: write @labeler(says=[...]), or apply the labelers "
            "to rows and diagnose the Votes"
        )
    return apply(labelers, [], space=space, progress=False)


def _heard(votes: Votes) -> tuple[Panel, dict[str, tuple[Shortlist, ...]]]:
    """The labelers, whose dummies are none if they were voted, and what each never said in these rows."""
    codomains, unheard = [], {}
    for name, codomain, counts in zip(votes.names, votes.codomains, votes.counts(), strict=True):
        voted = {t for t, count in zip(codomain.shortlists, counts[1:], strict=True) if count}
        codomains.append(replace(codomain, dummies=codomain.dummies - voted))
        never = tuple(t for t in codomain.says if t not in voted)
        if len(votes) and never:
            unheard[name] = never
    return Panel(votes.space, votes.names, tuple(codomains)), unheard


def _as_heard(panel: Panel, unheard: Mapping[str, tuple[Shortlist, ...]], end: float) -> bool | None:
    """The verdict with what labelers never said among their dummies."""
    named = zip(panel.names, panel.codomains, strict=True)
    codomains = tuple(replace(c, dummies=c.dummies | set(unheard.get(name, ()))) for name, c in named)
    return _has_split(replace(panel, codomains=codomains), end, dummies=False)


# -- obstacles -----------------------------------------------------------------------------------------


def _scarce(masks: Sequence[LabelerMasks], space: LabelSpace) -> Iterable[tuple[str, str, Names]]:
    for y, c, who in scarce(masks, len(space)):
        yield space[y], space[c], tuple(labeler.name for labeler in who)


def _inseparable(masks: Sequence[LabelerMasks], space: LabelSpace) -> Iterable[Pair]:
    shortlists = [t for labeler in masks for t in labeler.shortlists]
    pairs = combinations(enumerate(space), 2)
    return ((a, b) for (y, a), (c, b) in pairs if not any((t >> y ^ t >> c) & 1 for t in shortlists))


def _untold(masks: Sequence[LabelerMasks], space: LabelSpace) -> Iterable[Pair]:
    """Pairs of which no vote rules out one while the other is possible."""
    for (y, a), (c, b) in combinations(enumerate(space), 2):
        if not any(labeler.reach[y] >> c & 1 or labeler.reach[c] >> y & 1 for labeler in masks):
            yield a, b


def _prior_only(masks: Sequence[LabelerMasks], space: LabelSpace) -> Iterable[tuple[str, Names]]:
    """Labeler by labeler, the classes it cannot be both right and wrong about."""
    everything = (1 << len(space)) - 1
    for labeler in masks:
        fixed = everything & ~labeler.free
        if labeler.shortlists and fixed:
            yield labeler.name, names(fixed, space)


# -- rank at random values -----------------------------------------------------------------------------


def generic_rank(panel: Panel, *, most: int = 400) -> Rank | None:
    """Number of parameters that votes determine near random values. None above `most` parameters.

    Theorem 1 is sufficient, not necessary. The rank at random values is the rank almost everywhere: full rank means
    that votes determine the parameters near almost all values; less, that no number of rows determines them. It is the
    rank of the scores ∂ log P(G) of random patterns of votes, for labelers that never vote a dummy.
    """
    layout = Layout.of([Codomain(c.says) for c in panel.codomains if len(c.says) > 1], panel.space)
    parameters = int(layout.free.sum()) + layout.k - 1
    if not layout.n or parameters > most:
        return None if layout.n else Rank(0, parameters)
    n, k, free = layout.n, layout.k, layout.free
    rng, rows = np.random.default_rng(0), 2_000 + 24 * parameters
    accuracy = np.where(free, rng.uniform(0.55, 0.95, (n, k)), layout.no_wrong)
    values = Parameters(accuracy, np.full(n, 0.5), rng.dirichlet(np.full(k, 5.0)), equal_split(layout))
    voted = rng.random((rows, n)) < rng.random((rows, 1))  # from few votes to many
    codes = np.where(voted, rng.integers(1, np.array(layout.sizes, np.int64) + 1, (rows, n)), 0)
    beliefs = posterior(log_joint(codes, emission(values, layout), layout))
    hits: Floats = layout.member[layout.rows_of(codes)][:, free] - accuracy[free]  # (rows, free accuracies)
    labelers, classes = np.nonzero(free)
    scores = np.hstack([beliefs[:, classes] * voted[:, labelers] * hits, (beliefs - values.balance)[:, :-1]])
    scores /= np.maximum(np.linalg.norm(scores, axis=0), 1e-300)
    return Rank(int((np.linalg.eigvalsh(scores.T @ scores) > 1e-9).sum()), parameters)
