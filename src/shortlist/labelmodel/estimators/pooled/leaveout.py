"""Leave out: what is believed of rows without the votes of one labeler and of those that depend on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from shortlist.arrays import Floats, Mask, Positions
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission, log_joint
from shortlist.votes.patterns import Codes


@dataclass(frozen=True, eq=False)
class LeaveOut:
    """Rows of codes under a table in which abstaining is no evidence."""

    codes: Codes  # (m, n)
    table: Emission
    layout: Layout
    joint: Floats  # (m, k): log P(votes, class)
    n_votes: Positions  # (m,): how many labelers vote on each row

    @classmethod
    def of(cls, codes: Codes, table: Emission, layout: Layout) -> LeaveOut:
        return cls(codes, table, layout, log_joint(codes, table, layout), (codes > 0).sum(axis=1))

    def without(self, labelers: Positions) -> tuple[Positions, Floats, Positions]:
        """The rows that any of these labelers votes on, with log P(the other votes, class) and how many others vote.

        On all other rows, the other votes are all votes.
        """
        rows: Positions = np.flatnonzero(self.codes[:, labelers].any(axis=1))
        joint, n_others = self.joint[rows], self.n_votes[rows]
        for i in labelers:
            codes = self.codes[rows, i]
            joint -= self.layout.by_code(i, self.table.votes)[codes]
            n_others = n_others - (codes > 0)
        return rows, joint, n_others

    def each(self, labelers: Iterable[int], dependent: Mask) -> Iterator[tuple[int, Positions, Floats, Positions]]:
        """These labelers one by one, each with what `without` gives for those it depends on, (n, n) `dependent`.

        Labelers that depend on the same others share the work.
        """
        groups: dict[bytes, list[int]] = {}
        for i in labelers:
            groups.setdefault(dependent[i].tobytes(), []).append(int(i))
        for members in groups.values():
            found = self.without(np.flatnonzero(dependent[members[0]]))
            yield from ((i, *found) for i in members)
