"""People: names of those who label, and their labels as votes (`people = "votes"` under [data]).

Each person becomes a labeler that may say every class. It votes on the rows that the person labelled, which it finds by
their id, or else by their text: rows with the same text get the same vote. Such labels are no gold labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shortlist.labelers import Labeler
from shortlist.labelers.answers import Ballot, Codebook, Said
from shortlist.labelers.features import Columns
from shortlist.labelers.labeler import Parts
from shortlist.labelspace import Shortlist
from shortlist.project.gold import NOBODY, GoldFile, digest_of
from shortlist.project.settings import Settings


@dataclass(frozen=True, eq=False)
class Person(Labeler):
    """The labels of one person: id, or digest of the text → shortlist."""

    name: str
    says: Said
    on: str
    by_id: bool
    labels: Mapping[str, Shortlist]

    def fingerprint_parts(self) -> Parts:
        labels = sorted((key, sorted(shortlist)) for key, shortlist in self.labels.items())
        return Parts([self.on, self.by_id, labels])

    def vote(self, columns: Columns, codebook: Codebook) -> Ballot:
        ballot, values = Ballot(codebook), columns.chunk.values(self.on)
        keys = (str(value) if self.by_id else digest_of((value,)) for value in values)
        codes = [codebook.table.get(self.labels.get(key), 0) for key in keys]
        ballot.codes = np.array(codes, codebook.dtype)
        return ballot


def people_labelers(folder: Path, settings: Settings) -> list[Person]:
    """One labeler for each person of the gold file, if the labels of people are votes."""
    data = settings.data
    if data.people != "votes":
        return []
    on = data.id or data.text
    if on is None:
        raise settings.toml.wrong(
            "labels of people can be votes if [data] names an id or a text column", "data", "people"
        )
    labels: dict[str, dict[str, Shortlist]] = {}
    for entries in GoldFile(folder / data.gold_file).by_row().values():
        for by, entry in entries.items():
            key = str(entry.key[1]) if data.id is not None else entry.text
            if entry.classes and key is not None:
                labels.setdefault(by, {})[key] = frozenset(entry.classes)
    return [_person(by, on, settings, labels[by]) for by in sorted(labels)]


def _person(by: str, on: str, settings: Settings, labels: dict[str, Shortlist]) -> Person:
    single = [frozenset((name,)) for name in settings.classes]
    several = sorted({one for one in labels.values() if len(one) > 1}, key=sorted)
    return Person(f"{by or NOBODY} (person)", (*single, *several), on, settings.data.id is not None, labels)
