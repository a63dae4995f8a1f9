"""diagnose: ask the doctor about labelers, before or after they have voted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from shortlist.errors import BadLabeler, BadVotes, ShortlistError
from shortlist.identifiability.diagnosis import Diagnosis
from shortlist.identifiability.generic import generic_rank
from shortlist.identifiability.intersection import Deadline
from shortlist.identifiability.labeler_masks import LabelerMasks, masks_of, names
from shortlist.identifiability.verdict import Pair, Verdict, decide, mended
from shortlist.labelspace import LabelSpace, Shortlist
from shortlist.votes import Codomain, Votes
from shortlist.wording import some_of


def diagnose(
    votes_or_labelers: Any, *, space: LabelSpace | Iterable[str] | None = None, time_limit: float = 30.0
) -> Diagnosis:
    """Whether the labelers can be split as Theorem 1 of the paper asks, and if not, what stands in the way.

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
    codomains, unheard = _heard(votes)
    labelers = (votes.names, codomains, votes.space, deadline)
    said = decide(*labelers, dummies=False)
    letter = decide(*labelers, dummies=True)
    heard = _verdict_on_heard(votes, codomains, unheard, deadline) if said.identifiable else None
    able = masks_of(votes.names, codomains, votes.space, dummies=False)
    inseparable = tuple(_inseparable(codomains, votes.space))
    return Diagnosis(
        space=votes.space,
        says={name: c.says for name, c in zip(votes.names, codomains, strict=True)},
        dummies={name: t for name, c in zip(votes.names, codomains, strict=True) for t in c.dummies},
        unheard=unheard,
        said=mended(said, *labelers, dummies=False),
        letter=mended(letter, *labelers, dummies=True),
        heard=heard,
        inseparable_pairs=inseparable,
        untold_pairs=tuple(pair for pair in _untold(able, votes.space) if pair not in inseparable),
        prior_only=dict(_prior_only(able, votes.space)),
        open=frozenset(name for name, c in zip(votes.names, codomains, strict=True) if c.open),
        generic=generic_rank(votes.names, codomains, votes.space) if said.identifiable is False else None,
    )


def _votes(given: Any, space: LabelSpace | Iterable[str] | None) -> Votes:
    """The labelers with what they may say: Votes, of no rows where only labelers are given."""
    if isinstance(given, Votes):
        if space is not None and LabelSpace(space) != given.space:
            raise BadVotes(f"these votes are about {list(given.space)}, not about {list(space)}")
        votes = given
    else:
        votes = _of_labelers(given, space)
    if not votes.names:
        raise BadVotes("there are no labelers to diagnose")
    return votes


def _of_labelers(given: Any, space: LabelSpace | Iterable[str] | None) -> Votes:
    from shortlist.labelers import Labeler, apply

    alone = isinstance(given, Labeler) or callable(given)
    if not alone and not isinstance(given, Iterable):
        hint = ": give the votes that it is fitted to" if hasattr(given, "fit") else ""
        what = f"diagnose takes Votes, or labelers that declare what they say; got a {type(given).__name__}"
        raise BadVotes(f"{what}{hint}")
    labelers = [given] if alone else list(given)
    undeclared = [getattr(one, "name", getattr(one, "__name__", repr(one))) for one in labelers if not _declares(one)]
    if undeclared:
        raise BadLabeler(
            f"what {some_of(undeclared)} may say is not declared: write @labeler(says=[...]), or apply the labelers "
            "to rows and diagnose the Votes"
        )
    return apply(labelers, [], space=space, progress=False)


def _declares(labeler: Any) -> bool:
    return getattr(labeler, "says", None) is not None


def _heard(votes: Votes) -> tuple[tuple[Codomain, ...], dict[str, tuple[Shortlist, ...]]]:
    """The codomains, in which a dummy that was voted is none, and what each labeler never said in these rows."""
    codomains, unheard = [], {}
    for name, codomain, counts in zip(votes.names, votes.codomains, votes.counts(), strict=True):
        voted = {t for t, count in zip(codomain.shortlists, counts[1:], strict=True) if count}
        codomains.append(replace(codomain, dummies=codomain.dummies - voted))
        never = tuple(t for t in codomain.says if t not in voted)
        if len(votes) and never:
            unheard[name] = never
    return tuple(codomains), unheard


def _verdict_on_heard(
    votes: Votes, codomains: Sequence[Codomain], unheard: dict[str, tuple[Shortlist, ...]], deadline: Deadline
) -> Verdict | None:
    if not unheard:
        return None
    heard = [
        replace(c, dummies=c.dummies | set(unheard.get(name, ())))
        for name, c in zip(votes.names, codomains, strict=True)
    ]
    return decide(votes.names, heard, votes.space, deadline, dummies=False)


def _inseparable(codomains: Sequence[Codomain], space: LabelSpace) -> Iterable[Pair]:
    said = [t for codomain in codomains for t in codomain.says]
    return ((a, b) for a, b in combinations(space, 2) if all((a in t) == (b in t) for t in said))


def _untold(able: Sequence[LabelerMasks], space: LabelSpace) -> Iterable[Pair]:
    """Pairs of which no vote rules out one while the other stands."""
    for (y, a), (c, b) in combinations(enumerate(space), 2):
        if not any(labeler.reach[y] >> c & 1 or labeler.reach[c] >> y & 1 for labeler in able):
            yield a, b


def _prior_only(able: Sequence[LabelerMasks], space: LabelSpace) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Labeler by labeler, the classes it cannot be both right and wrong about."""
    everything = (1 << len(space)) - 1
    for labeler in able:
        fixed = everything & ~labeler.free
        if labeler.shortlists and fixed:
            yield labeler.name, space.ordered(names(fixed, space))
