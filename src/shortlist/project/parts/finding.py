"""PartFinder: rows to look at, found in the parts by what labelers say about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shortlist.arrays import Positions
from shortlist.project.parts.counting import known_classes
from shortlist.project.parts.part import Part, PartReader, parts_of
from shortlist.project.rows import Rows
from shortlist.reporting.finder import Found, Query, answers
from shortlist.votes import Votes
from shortlist.votes.parts import VoteParts


class PartFinder:
    """Looks through the parts from the first on, until it has found enough for each query."""

    def __init__(self, rows: Rows, parts: VoteParts, classes: tuple[str, ...], said: Mapping[int, int]) -> None:
        self.rows, self.parts, self.classes, self.said = rows, parts, classes, said
        self.reader = PartReader.of(rows)

    def __call__(self, queries: Sequence[Query]) -> list[list[Found]]:
        found: list[list[Found]] = [[] for _ in queries]
        for part in parts_of(self.rows):
            open_ones = [q for q, query in enumerate(queries) if len(found[q]) < query.most]
            if not open_ones:
                break
            votes = self.parts.part(part.place)
            gold = self._gold(part)
            here = {q: answers(queries[q], votes, gold) for q in open_ones}
            for q, places in here.items():
                wanted = places[: queries[q].most - len(found[q])]
                found[q] += self._found(part, votes, gold, wanted)
        return found

    def _gold(self, part: Part) -> Positions | None:
        return known_classes(self.reader, (part,), self.rows.data.gold, self.classes, self.said)[0]

    def _found(self, part: Part, votes: Votes, gold: Positions | None, places: list[int]) -> list[Found]:
        numbers = [part.start + a for a in places]
        names = [f"row {number}" for number in numbers]
        if self.rows.data.id is not None and numbers:
            names = [str(one) for one in self.rows.take(numbers, [self.rows.data.id])[self.rows.data.id]]
        known = [-1 if gold is None else int(gold[a]) for a in places]
        return [Found(*row) for row in zip(numbers, names, votes.codes[places], known, strict=True)]
