"""Putting Votes together: more rows, or more labelers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadVotes
from shortlist.labelspace import LabelSpace, Shortlist
from shortlist.votes.checks import Ours
from shortlist.votes.codomain import Codomain

if TYPE_CHECKING:
    from shortlist.votes.failure import Failure
    from shortlist.votes.votes import Votes


def concat_rows(parts: Sequence[Votes]) -> Votes:
    """Rows after rows. Codomains must be equal, except inferred ones, which are united. What was open stays open."""
    first = _same_space(parts)
    if len(parts) == 1:
        return first
    for part in parts:
        if part.names != first.names:
            raise BadVotes(f"labelers differ: {list(first.names)} and {list(part.names)}")
    codomains = [_united(parts, i) for i in range(len(first.names))]
    codes = np.concatenate([_recoded(part, codomains) for part in parts])
    ids = None if any(p.ids is None for p in parts) else np.concatenate([p.ids for p in parts])
    failures = [merged_failure([p.failures[i] for p in parts]) for i in range(len(first.names))]
    return type(first)(codes, codomains, first.space, first.names, ids=ids, failures=failures)


def concat_labelers(parts: Sequence[Votes]) -> Votes:
    """Labelers beside labelers, about the same rows."""
    first = _same_space(parts)
    for part in parts:
        if len(part) != len(first):
            raise BadVotes(f"side by side, Votes need the same rows: {len(first):,} and {len(part):,}")
    with_ids = [part.ids for part in parts if part.ids is not None]
    for ids in with_ids:
        if not np.array_equal(ids, with_ids[0]):
            a = int(np.flatnonzero(ids != with_ids[0])[0])
            raise BadVotes(
                f"side by side, Votes need the same rows, but row {a} has the ids "
                f"{with_ids[0][a].item()!r} and {ids[a].item()!r}"
            )
    return type(first)(
        np.concatenate([part.codes.T for part in parts]).T.view(Ours),
        [codomain for part in parts for codomain in part.codomains],
        first.space,
        [name for part in parts for name in part.names],
        ids=with_ids[0] if with_ids else None,
        failures=[failure for part in parts for failure in part.failures],
    )


def merged_failure(failures: Sequence[Failure | None]) -> Failure | None:
    """The failures of one labeler over several parts: counts add up, the first traceback is kept."""
    real = [failure for failure in failures if failure]
    return type(real[0])(sum(f.count for f in real), real[0].first) if real else None


def _same_space(parts: Sequence[Votes]) -> Votes:
    if not parts:
        raise BadVotes("there is nothing to put together: no Votes were given")
    for part in parts:
        if part.space != parts[0].space:
            raise BadVotes(f"label spaces differ: {list(parts[0].space)} and {list(part.space)}")
    return parts[0]


def _united(parts: Sequence[Votes], i: int) -> Codomain:
    """The codomain of labeler i over several parts."""
    codomains = [part.codomains[i] for part in parts]
    space, name = parts[0].space, parts[0].names[i]
    if all(codomain == codomains[0] for codomain in codomains):
        return codomains[0]
    if not all(codomain.inferred for codomain in codomains):
        raise BadVotes(f"labeler {name!r} has different codomains: {[c.show(space) for c in codomains]}")
    seen = {
        shortlist
        for part, codomain in zip(parts, codomains, strict=True)
        for c, shortlist in enumerate(codomain.shortlists, start=1)
        if shortlist not in codomain.dummies or (part.codes[:, i] == c).any()
    }
    return infer_codomain(seen, space, open=any(codomain.open for codomain in codomains))


def infer_codomain(seen: set[Shortlist], space: LabelSpace, *, open: bool = False) -> Codomain:
    """The codomain of a labeler that was seen to say these, in an order that depends on them alone.

    It is `open` where the labeler may say any other shortlist, too.
    """
    ordered = sorted(seen, key=lambda s: (len(s), [space.position(name) for name in space.ordered(s)]))
    return Codomain.declare(ordered, space, inferred=True, open=open)


def _recoded(part: Votes, codomains: Sequence[Codomain]) -> npt.NDArray[Any]:
    """The codes of a part in the codomains of the whole."""
    if part.codomains == tuple(codomains):
        return part.codes
    columns = [
        column if old == new else _translation(old, new)[column]
        for column, old, new in zip(part.codes.T, part.codomains, codomains, strict=True)
    ]
    return np.stack(columns).T


def _translation(old: Codomain, new: Codomain) -> npt.NDArray[np.int64]:
    """Old code → new code; a dummy that is no longer needed, and that nobody said, has none."""
    return np.array([0, *(new.code(s) if s in new.shortlists else 0 for s in old.shortlists)], np.int64)
