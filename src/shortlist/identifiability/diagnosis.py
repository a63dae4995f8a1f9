"""diagnose: whether accuracies can be learned from votes alone, for labelers before or after they have voted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

from shortlist.errors import BadLabeler, BadVotes, ShortlistError
from shortlist.identifiability import findings
from shortlist.identifiability.local_rank import Rank, generic_rank
from shortlist.identifiability.repair import Repair, find_repairs
from shortlist.identifiability.theorem import (
    By,
    Certificate,
    Deadline,
    LabelerMasks,
    Split,
    TimeUp,
    find_split,
    masks_of,
    names,
    scarce,
    singles_out,
)
from shortlist.labelmodel.layout import Panel
from shortlist.labelspace import LabelSpace, Shortlist
from shortlist.votes import Votes
from shortlist.wording import html_list, some_of

Pair = tuple[str, str]


@dataclass(frozen=True)
class Verdict:
    """Answer of Theorem 1: True with its certificate, False, or None where time ran out; and the obstacles."""

    identifiable: bool | None
    decided_by: By
    certificate: Certificate | None = None
    scarce: Mapping[Pair, tuple[str, ...]] = field(default_factory=dict)  # (y, c) → who rules c out, y still possible
    unreachable: tuple[str, ...] = ()  # classes that not even all labelers together single out
    repairs: tuple[Repair, ...] = ()
    repairs_smallest: bool = False  # fewer would not do

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Verdict:
        return cls(
            identifiable=record["identifiable"],
            decided_by=record["decided_by"],
            certificate=Certificate.from_dict(record["certificate"]) if record["certificate"] else None,
            scarce={(y, c): tuple(who) for y, c, who in record["scarce"]},
            unreachable=tuple(record["unreachable"]),
            repairs=tuple(Repair(r["labeler"], tuple(map(frozenset, r["shortlists"]))) for r in record["repairs"]),
            repairs_smallest=record["repairs_smallest"],
        )


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """Verdicts of Theorem 1 of the paper, which says when the parameters can be learned from votes alone.

    `said` is the verdict on what labelers really say, and the headline; `letter` is the theorem to the letter, which
    counts the dummies as if they were said. False means that no split exists, so that the theorem guarantees nothing;
    None that the time limit came first.
    """

    space: LabelSpace
    says: Mapping[str, tuple[Shortlist, ...]]  # labeler → what it says
    dummies: Mapping[str, Shortlist]  # labeler → the shortlist added to meet the two conditions on T(G)
    unheard: Mapping[str, tuple[Shortlist, ...]]  # labeler → what it never said in the rows at hand
    said: Verdict
    letter: Verdict
    heard: Verdict | None  # the verdict on what was said in the rows at hand, where that is less than declared
    inseparable_pairs: tuple[Pair, ...]  # no shortlist of anyone holds one without the other
    untold_pairs: tuple[Pair, ...]  # no vote rules out one and leaves the other possible
    prior_only: Mapping[str, tuple[str, ...]]  # labeler → classes whose accuracy is 0 or 1 by construction
    generic: Rank | None  # where Theorem 1 guarantees nothing: what votes determine at random values
    open: frozenset[str] = frozenset()  # labelers that may say any set of classes: people

    @property
    def identifiable(self) -> bool | None:
        """The verdict without shortlists that are never said."""
        return self.said.identifiable

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
    def identifiable_with_dummies(self) -> bool | None:
        """Theorem 1 to the letter."""
        return self.letter.identifiable

    @property
    def certificate(self) -> Certificate | None:
        """The split and the chosen shortlists, for `verify`."""
        return self.said.certificate

    @property
    def split(self) -> Split | None:
        """S1, S2 and S3."""
        return self.certificate.split if self.certificate else None

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """Shortlists that, all said besides, would make it identifiable."""
        return self.said.repairs

    @cached_property
    def findings(self) -> list[str]:
        """Sentences: the verdict and what to do first, then the theory."""
        return list(findings.of(self))

    def __repr__(self) -> str:
        return "\n  - ".join(self.findings)

    def _repr_html_(self) -> str:
        """The verdict and what to do; the theory is folded away."""
        theory = list(findings.theory(self))
        first = self.findings[: len(self.findings) - len(theory)]
        return f"<div>{html_list(first)}<details><summary>Theory</summary>{html_list(theory)}</details></div>"

    def to_dict(self) -> dict[str, Any]:
        """The diagnosis as JSON stores it."""
        own = {one.name: _plain(getattr(self, one.name), self.space) for one in fields(self)}
        return {
            "classes": own.pop("space"),
            **{name: own.pop(name) for name in ("says", "dummies", "unheard")},
            "identifiable": self.identifiable,
            "status": self.status,
            "identifiable_with_dummies": self.identifiable_with_dummies,
            **own,
            "open": sorted(self.open),
            "findings": list(self.findings),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Diagnosis:
        """Make a diagnosis from what `to_dict` returned."""
        own: dict[str, Any] = {
            name: {one: tuple(map(frozenset, shortlists)) for one, shortlists in record[name].items()}
            for name in ("says", "unheard")
        }
        own |= {name: record[name] and Verdict.from_dict(record[name]) for name in ("said", "letter", "heard")}
        own |= {name: tuple(map(tuple, record[name])) for name in ("inseparable_pairs", "untold_pairs")}
        return cls(
            space=LabelSpace(record["classes"]),
            dummies={name: frozenset(t) for name, t in record["dummies"].items()},
            prior_only={name: tuple(classes) for name, classes in record["prior_only"].items()},
            generic=Rank(**record["generic"]) if record["generic"] else None,
            open=frozenset(record["open"]),
            **own,
        )


def _plain(value: Any, space: LabelSpace) -> Any:
    """A part of a diagnosis as JSON stores it; shortlists are lists in the order of the classes."""
    if isinstance(value, LabelSpace):
        return list(value)
    if isinstance(value, frozenset):
        return [name for name in space if name in value]
    if isinstance(value, Rank):
        return value._asdict()
    if is_dataclass(value):
        own = {one.name: _plain(getattr(value, one.name), space) for one in fields(value)}
        return own | {"scarce": [[*pair, who] for pair, who in own["scarce"].items()]} if "scarce" in own else own
    if isinstance(value, Mapping):
        return {key: _plain(each, space) for key, each in value.items()}
    return [_plain(each, space) for each in value] if isinstance(value, tuple) else value


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
    deadline = Deadline.after(time_limit)
    panel, unheard = _heard(votes)
    said, letter = (decide(panel, deadline, dummies=dummies) for dummies in (False, True))
    named, heard = list(zip(panel.names, panel.codomains, strict=True)), None
    if said.identifiable and unheard:
        spoken = tuple(replace(c, dummies=c.dummies | set(unheard.get(name, ()))) for name, c in named)
        heard = decide(replace(panel, codomains=spoken), deadline, dummies=False)
    masks = masks_of(panel, dummies=False)
    inseparable = tuple(_inseparable(masks, votes.space))
    return Diagnosis(
        space=votes.space,
        says={name: c.says for name, c in named},
        dummies={name: t for name, c in named for t in c.dummies},
        unheard=unheard,
        said=_with_repairs(said, panel, deadline, dummies=False),
        letter=_with_repairs(letter, panel, deadline, dummies=True),
        heard=heard,
        inseparable_pairs=inseparable,
        untold_pairs=tuple(pair for pair in _untold(masks, votes.space) if pair not in inseparable),
        prior_only=dict(_prior_only(masks, votes.space)),
        open=frozenset(name for name, c in named if c.open),
        generic=generic_rank(panel) if said.identifiable is False else None,
    )


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


# -- verdicts ------------------------------------------------------------------------------------------


def decide(panel: Panel, deadline: Deadline, *, dummies: bool) -> Verdict:
    """The verdict with dummies counted as if they were said (the theorem to the letter), or not."""
    masks, space = masks_of(panel, dummies=dummies), panel.space
    groups, by = find_split(masks, len(space), deadline)
    if groups is not None:
        return Verdict(True, by, Certificate.of(groups, space, dummies=dummies))
    pairs = {(space[y], space[c]): tuple(labeler.name for labeler in who) for y, c, who in scarce(masks, len(space))}
    voting = [labeler for labeler in masks if labeler.shortlists]
    try:
        unreachable = tuple(name for y, name in enumerate(space) if not singles_out(voting, y, deadline))
    except TimeUp:
        unreachable = ()
    return Verdict(None if by == "time limit" else False, by, None, pairs, unreachable)


def _with_repairs(verdict: Verdict, panel: Panel, deadline: Deadline, *, dummies: bool) -> Verdict:
    """The verdict with the smallest repair, where it is False."""
    if verdict.identifiable is not False:
        return verdict
    soon = Deadline(min(deadline.at, Deadline.after(10.0).at))  # a good repair soon is better than the smallest one
    repairs, smallest = find_repairs(panel, soon, dummies=dummies)
    return replace(verdict, repairs=repairs, repairs_smallest=smallest)


def _inseparable(masks: Sequence[LabelerMasks], space: LabelSpace) -> Iterable[Pair]:
    shortlists = [t for labeler in masks for t in labeler.shortlists]
    pairs = combinations(enumerate(space), 2)
    return ((a, b) for (y, a), (c, b) in pairs if not any((t >> y ^ t >> c) & 1 for t in shortlists))


def _untold(masks: Sequence[LabelerMasks], space: LabelSpace) -> Iterable[Pair]:
    """Pairs of which no vote rules out one while the other is possible."""
    for (y, a), (c, b) in combinations(enumerate(space), 2):
        if not any(labeler.reach[y] >> c & 1 or labeler.reach[c] >> y & 1 for labeler in masks):
            yield a, b


def _prior_only(masks: Sequence[LabelerMasks], space: LabelSpace) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Labeler by labeler, the classes it cannot be both right and wrong about."""
    everything = (1 << len(space)) - 1
    for labeler in masks:
        fixed = everything & ~labeler.free
        if labeler.shortlists and fixed:
            yield labeler.name, space.ordered(names(fixed, space))
