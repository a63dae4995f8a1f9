"""Query: which rows somebody wants to see."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from shortlist.errors import ShortlistError
from shortlist.labelspace import LabelSpace, Not, Shortlist
from shortlist.wording import did_you_mean, listed, split_names


@dataclass(frozen=True)
class Query:
    """All that is given must hold.

    labeler     rows on which this labeler votes
    votes       … and says this: "sports", "business, politics" or "not politics"
    conflict    rows on which this labeler and `labeler` (or any, without one) have no class in common
    uncovered   rows on which no labeler votes
    wrong       rows with a vote whose known class is not what is believed; with `labeler`, not among what that says
    believed    rows whose most likely class is this
    gold        rows whose known class is this; "?" for any known class
    text        rows that hold these words, whether in capitals or not
    unsure      the rows first about which the model is least sure
    """

    labeler: str | None = None
    votes: str | None = None
    conflict: str | None = None
    uncovered: bool = False
    wrong: bool = False
    believed: str | None = None
    gold: str | None = None
    text: str | None = None
    unsure: bool = False

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> Query:
        """From plain data. Names that are not settings of a query, and values of the wrong kind, are errors."""
        fields = asdict(cls())
        for name, value in given.items():
            if name not in fields:
                hint = did_you_mean(name, fields)
                raise ShortlistError(f"rows cannot be asked for by {name!r}.{hint} Choose among {', '.join(fields)}")
            wanted = bool if isinstance(fields[name], bool) else str
            if value is not None and not isinstance(value, wanted):
                raise ShortlistError(f"{name} is {'true or false' if wanted is bool else 'text'}; got {value!r}")
        return cls(**{name: value for name, value in given.items() if value not in (None, "")})


def parse_shortlist(words: str, space: LabelSpace) -> Shortlist:
    """Classes as a person writes them: `sports`, `business, politics`, `{business, politics}` or `not politics`.

    A class that holds a comma stands alone, or in quotation marks: `"Rock, hard", Pop`.
    """
    plain = words.strip().strip("{}").strip()
    if plain in space:
        return frozenset([plain])
    without = plain.lower().startswith("not ")
    named = (plain[4:] if without else plain).strip("{} ")
    names = [named] if named in space else split_names(named)
    if not names:
        raise ShortlistError(f"{words!r} names no class. Classes: {listed(space)}")
    found = space.shortlist(Not(*names) if without else set(names))
    assert found is not None
    return found
