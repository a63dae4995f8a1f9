"""Examples: rows to look at, of each contradiction, of each labeler, and of those to label next."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from shortlist.analysis.tables import contradicting_pairs
from shortlist.arrays import Positions
from shortlist.labelers import Labeler
from shortlist.labelers.text_search import Piece, pieces, spans
from shortlist.reporting.overview import Overview
from shortlist.reporting.trials import evenly_spaced
from shortlist.rows import rows_at


@dataclass(frozen=True)
class Specimen:
    """A row as a person can look at it: text, named values, or a picture (a data URI)."""

    text: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    picture: str = ""


@dataclass(frozen=True)
class Example:
    """A row, its most likely classes, and its known class."""

    row: int
    name: str  # its id, or its number
    guesses: tuple[tuple[str, float], ...] = ()  # the most likely classes, the most likely first
    gold: str | None = None
    specimen: Specimen | None = None

    @classmethod
    def of(cls, overview: Overview, a: int, specimen: Specimen | None) -> Example:
        analysis, space, ids = overview.analysis, overview.votes.space, overview.votes.ids
        guesses: tuple[tuple[str, float], ...] = ()
        if overview.model is not None:
            (beliefs,) = analysis.distinct.at(np.array([a]))
            best = np.argsort(-beliefs, kind="stable")[:2]
            guesses = tuple((space[int(j)], float(beliefs[j])) for j in best if beliefs[j] > 0.005)
        gold = None if analysis.gold is None or analysis.gold[a] < 0 else space[int(analysis.gold[a])]
        return cls(a, f"row {a}" if ids is None else str(ids[a]), guesses, gold, specimen)


# -- contradictions ------------------------------------------------------------------------------------


class Side(NamedTuple):
    """One of two labelers that contradict each other."""

    labeler: str
    says: str
    believed: float | None
    gold: float | None


def contradictions(overview: Overview, rows: Any, most: int = 8) -> list[dict[str, Any]]:
    """The most frequent contradictions: the two sides, number of rows, the belief in neither, and examples."""
    analysis, layout = overview.analysis, overview.analysis.bits.layout
    answers = [answer for codomain in overview.votes.codomains for answer in codomain.shortlists]
    pairs = contradicting_pairs(analysis)[:most].tolist()
    members = [analysis.bits.indices(analysis.bits.rows[s] & analysis.bits.rows[t]) for s, t in pairs]
    specimens = pick(rows, {a for group in members for a in evenly_spaced(group, 4).tolist()}, len(overview.votes))
    contradictions = []
    for pair, group in zip(pairs, members, strict=True):
        one, other = (_side(overview, overview.votes.names[layout.owner[s]], answers[s], group) for s in pair)
        examples = tuple(Example.of(overview, a, specimens.get(a)) for a in evenly_spaced(group, 4).tolist())
        neither = None if overview.model is None else max(0.0, 1 - (one.believed or 0) - (other.believed or 0))
        contradictions.append({"sides": (one, other), "rows": len(group), "neither": neither, "examples": examples})
    return contradictions


def _side(overview: Overview, name: str, answer: frozenset[str], rows: Positions) -> Side:
    analysis, inside = overview.analysis, overview.votes.space.mask(answer)
    believed = gold = None
    if overview.model is not None:
        believed = float(analysis.distinct.at(rows)[:, inside].sum(axis=1).mean())
    if analysis.gold is not None and analysis.known[rows].any():
        gold = float(inside[analysis.gold[rows[analysis.known[rows]]]].mean())
    return Side(name, overview.votes.space.show(answer), believed, gold)


# -- rows to label next --------------------------------------------------------------------------------


def suggested(overview: Overview, rows: Any) -> list[dict[str, Any]]:
    """The rows with the largest expected gain: lines of the table of suggestions, with an example each."""
    if overview.model is None:
        return []
    lines = list(overview.suggestions.iter_rows(named=True))
    specimens = pick(rows, [line["row"] for line in lines], len(overview.votes))
    return [line | {"example": Example.of(overview, line["row"], specimens.get(line["row"]))} for line in lines]


# -- rows of each labeler ------------------------------------------------------------------------------


def labeler_rows(overview: Overview, rows: Any, labelers: Sequence[Labeler] = ()) -> list[tuple[str, list[Any]]]:
    """Per labeler, of the first 60: groups of rows with title, size, and examples with the text in pieces.

    Words that a labeler matches are marked for those in `labelers`.
    """
    if rows is None:
        return []
    chosen = [(name, list(_groups(overview, i))) for i, name in enumerate(overview.votes.names[:60])]
    specimens = pick(rows, {a for _, groups in chosen for group in groups for a in group[2]}, len(overview.votes))
    by_name = {labeler.name: labeler for labeler in labelers}

    def shown(name: str, group: list[int]) -> list[tuple[Example, tuple[Piece, ...]]]:
        examples = [Example.of(overview, a, specimens.get(a)) for a in group]
        return list(zip(examples, _marked(examples, by_name.get(name)), strict=True))

    return [(name, [(title, size, shown(name, group)) for title, size, group in groups]) for name, groups in chosen]


def _groups(overview: Overview, i: int) -> Iterable[tuple[str, int, list[int]]]:
    """The four most frequent answers of a labeler, then its mistakes: title, number of rows, and a few of them."""
    votes, gold = overview.votes, overview.analysis.gold
    codes, codomain = votes.codes[:, i], votes.codomains[i]
    counts = np.bincount(codes, minlength=len(codomain) + 1)[1:]
    for c in np.argsort(-counts, kind="stable")[:4]:
        if counts[c]:
            rows = np.flatnonzero(codes == c + 1)
            yield f"says {votes.space.show(codomain.shortlists[c])}", len(rows), evenly_spaced(rows, 4).tolist()
    if gold is not None:
        member = np.vstack([np.ones(len(votes.space), np.bool_), codomain.member(votes.space)])
        wrong = np.flatnonzero((gold >= 0) & ~member[codes, gold])
        if len(wrong):
            yield "is wrong on gold rows", len(wrong), evenly_spaced(wrong, 4).tolist()


def _marked(examples: list[Example], labeler: Labeler | None) -> list[tuple[Piece, ...]]:
    """The texts in pieces, those that the labeler matches with its name."""
    texts = [example.specimen.text if example.specimen else "" for example in examples]
    if labeler is None:
        return [pieces(text, []) for text in texts]
    matches = zip(texts, spans(labeler, texts), strict=True)
    return [pieces(text, [(labeler.name, span) for span in places]) for text, places in matches]


# -- a row as a person can look at it ------------------------------------------------------------------


def pick(rows: Any, wanted: Iterable[int], m: int) -> dict[int, Specimen]:
    """A choice of rows out of m, of any form; none where there are no rows."""
    return {} if rows is None else {a: show(row) for a, row in rows_at(rows, wanted, m).items()}


def show(row: Any) -> Specimen:
    """A row in the way that suits it."""
    if isinstance(row, Mapping) and len(row) != 1:
        return _fields({str(name): cut(value) for name, value in row.items()})
    if isinstance(row, Mapping):
        return show(next(iter(row.values())))
    if isinstance(row, np.ndarray) and _is_picture(row):
        return Specimen(picture=data_uri(row))
    is_array = isinstance(row, np.ndarray)
    return Specimen(text=cut(np.array2string(row, precision=3, threshold=12, edgeitems=4) if is_array else row))


def _fields(values: dict[str, str], short: int = 40, most: int = 6) -> Specimen:
    """The longest text, if it is long, and the other values, truncated."""
    main = max(values, key=lambda name: len(values[name]), default="")
    text = values.pop(main) if main and len(values[main]) > short else ""
    return Specimen(text, tuple((name, cut(value, short)) for name, value in list(values.items())[:most]))


def cut(value: Any, longest: int = 600) -> str:
    """Text, truncated."""
    text = value if isinstance(value, str) else "" if value is None else str(value)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _is_picture(array: npt.NDArray[Any]) -> bool:
    """Grey (h, w) or coloured (h, w, 3), of numbers, and no thinner than four pixels."""
    shape = array.shape
    return array.dtype.kind in "uifb" and len(shape) in (2, 3) and min(shape[:2]) >= 4 and shape[2:] in ((), (3,))


def data_uri(array: npt.NDArray[Any], widest: int = 96) -> str:
    """A small PNG, from the darkest number to the brightest, as a data URI."""
    step = -(-max(array.shape[:2]) // widest)
    values = np.nan_to_num(array[::step, ::step].astype(np.float64))
    low, high = values.min(), values.max()
    levels = ((values - low) / (high - low or 1) * 255).round().astype(np.uint8)
    return "data:image/png;base64," + base64.b64encode(png(levels)).decode("ascii")


def png(levels: npt.NDArray[np.uint8]) -> bytes:
    """The bytes of a PNG file of 8 bits a channel."""
    height, width = levels.shape[:2]
    lines = b"".join(b"\0" + row.tobytes() for row in levels)
    header = struct.pack(">IIBBBBB", width, height, 8, 0 if levels.ndim == 2 else 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
