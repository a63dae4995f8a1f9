"""Putting Votes together: more rows, or more labelers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadVotes
from shortlist.labelspace import LabelSpace, Shortlist
from shortlist.votes.codomain import Codomain

if TYPE_CHECKING:
    from shortlist.votes.table import Failure, Votes


def concat_rows(parts: Sequence[Votes]) -> Votes:
    """Rows after rows. Codomains must be equal, except inferred ones, which are united."""
    first = _same_space(parts)
    for part in parts:
        if part.names != first.names:
            raise BadVotes(f"labelers differ: {list(first.names)} and {list(part.names)}")
    codomains = [_united([p.codomains[i] for p in parts], name, first.space) for i, name in enumerate(first.names)]
    codes = np.concatenate([_recoded(part, codomains) for part in parts])
    ids = None if any(p.ids is None for p in parts) else np.concatenate([p.ids for p in parts])  # type: ignore[misc]
    failures = [merged_failure([p.failures[i] for p in parts]) for i in range(len(first.names))]
    return type(first)(codes, codomains, first.space, first.names, ids=ids, failures=failures)


def concat_labelers(parts: Sequence[Votes]) -> Votes:
    """Labelers beside labelers, about the same rows."""
    first = _same_space(parts)
    for part in parts:
        if len(part) != len(first):
            raise BadVotes(f"side by side, Votes need the same rows: {len(first):,} and {len(part):,}")
    return type(first)(
        np.concatenate([part.codes for part in parts], axis=1),
        [codomain for part in parts for codomain in part.codomains],
        first.space,
        [name for part in parts for name in part.names],
        ids=first.ids,
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


def _united(codomains: Sequence[Codomain], name: str, space: LabelSpace) -> Codomain:
    if all(codomain == codomains[0] for codomain in codomains):
        return codomains[0]
    if not all(codomain.inferred for codomain in codomains):
        raise BadVotes(f"labeler {name!r} has different codomains: {[c.show(space) for c in codomains]}")
    return infer_codomain({s for codomain in codomains for s in codomain.says}, space)


def infer_codomain(seen: set[Shortlist], space: LabelSpace) -> Codomain:
    """The codomain of a labeler that was seen to say these; the order depends on nothing but the shortlists."""
    ordered = sorted(seen, key=lambda s: (len(s), [space.position(name) for name in space.ordered(s)]))
    return Codomain.declare(ordered, space, inferred=True)


def _recoded(part: Votes, codomains: Sequence[Codomain]) -> npt.NDArray[Any]:
    """The codes of a part in the codomains of the whole."""
    columns = [
        column if old == new else np.array([0, *(new.code(s) if s in new.shortlists else 0 for s in old.shortlists)])[column]
        for column, old, new in zip(part.codes.T, part.codomains, codomains, strict=True)
    ]
    return np.stack(columns, axis=1) if columns else part.codes
