"""Others: rows as all labelers see them but one, and those that are like it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats, Mask
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission, log_joint
from shortlist.votes.patterns import Codes

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Others:
    """Rows of codes under a table that does not read silence: log P(votes, class), and how many vote on each row."""

    codes: Codes
    table: Emission
    layout: Layout
    joint: Floats  # (m, k)
    several: Rows  # (m,)

    @classmethod
    def of(cls, codes: Codes, table: Emission, layout: Layout) -> Others:
        return cls(codes, table, layout, log_joint(codes, table, layout), (codes > 0).sum(axis=1))

    def without(self, labelers: Rows) -> tuple[Rows, Floats, Rows]:
        """The rows that any of these labelers votes on, with log P(the other votes, class) and how many others vote.

        On all other rows, what the others say is what all say.
        """
        touched: Rows = np.flatnonzero(self.codes[:, labelers].any(axis=1))
        joint, several = self.joint[touched], self.several[touched]
        for i in labelers:
            start, codes = self.layout.starts[i], self.codes[touched, i]
            own = np.concatenate([np.zeros((1, self.layout.k)), self.table.votes[start : start + self.layout.sizes[i]]])
            joint -= own[codes]
            several = several - (codes > 0)
        return touched, joint, several

    def each(self, labelers: Iterable[int], kin: Mask) -> Iterator[tuple[int, Rows, Floats, Rows]]:
        """These labelers one by one, each with the rows `without` its kin; worked out once for all with the same."""
        groups: dict[bytes, list[int]] = {}
        for i in labelers:
            groups.setdefault(kin[i].tobytes(), []).append(int(i))
        for members in groups.values():
            found = self.without(np.flatnonzero(kin[members[0]]))
            yield from ((i, *found) for i in members)
