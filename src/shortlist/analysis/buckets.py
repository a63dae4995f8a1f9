"""Buckets: rows on which particular labelers say particular things, for looking at errors kind by kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.analysis.bits import Words
from shortlist.analysis.labelers import frame
from shortlist.errors import BadShortlist
from shortlist.wording import did_you_mean

if TYPE_CHECKING:
    from shortlist.analysis.core import Analysis


def bucket_table(analysis: Analysis) -> pl.DataFrame:
    """One line for each contradiction that occurs, "A says sports while B says business", the most frequent first."""
    votes, bits = analysis.votes, analysis.bits
    layout = bits.layout
    s, t = np.nonzero(np.triu(bits.together * bits.disjoint, 1))
    says = [votes.space.show(shortlist) for codomain in votes.codomains for shortlist in codomain.shortlists]
    columns: dict[str, Any] = {
        "labeler": [votes.names[i] for i in layout.owner[s]],
        "says": [says[u] for u in s],
        "other": [votes.names[i] for i in layout.owner[t]],
        "other_says": [says[u] for u in t],
        "rows": bits.together[s, t],
    }
    return frame(columns).sort("rows", descending=True, maintain_order=True)


def bucket(analysis: Analysis, said: Mapping[str, Any]) -> npt.NDArray[np.int64]:
    """The rows on which every labeler that is named says what is asked for; None is abstaining."""
    found = np.bitwise_not(np.zeros(analysis.bits.rows.shape[1], np.uint64))
    for name, answer in said.items():
        found &= _said(analysis, name, answer)
    return analysis.bits.indices(found)


def _said(analysis: Analysis, name: str, answer: Any) -> Words:
    votes, bits = analysis.votes, analysis.bits
    if name not in votes.names:
        raise BadShortlist(
            f"no labeler is called {name!r}.{did_you_mean(name, votes.names)} Labelers: {', '.join(votes.names)}"
        )
    i = votes.names.index(name)
    if answer is None:
        silent: Words = ~bits.voted[i]
        return silent
    codomain, shortlist = votes.codomains[i], votes.space.shortlist(answer)
    if shortlist not in codomain.shortlists:
        raise BadShortlist(f"labeler {name!r} never says {answer!r}; it says {codomain.show(votes.space)}")
    rows: Words = bits.rows[bits.layout.starts[i] + codomain.shortlists.index(shortlist)]
    return rows
