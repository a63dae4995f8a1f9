"""Specimen: a row as a person can look at it: text, named values, or a picture."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.rows import rows_at

LONGEST = 600  # characters
WIDEST = 96  # pixels
FIELDS = 6
SHORT = 40  # characters: a longer value is what the row is about


@dataclass(frozen=True)
class Specimen:
    """Text, named values, or a picture (a data URI)."""

    text: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    picture: str = ""


def pick(rows: Any, wanted: Iterable[int], m: int) -> dict[int, Specimen]:
    """Some rows out of m, of any make."""
    return {a: show(row) for a, row in rows_at(rows, wanted, m).items()}


def show(row: Any) -> Specimen:
    """A row in the way that suits it."""
    if isinstance(row, Mapping):
        if len(row) == 1:
            return show(next(iter(row.values())))
        return of_values({str(name): cut(value) for name, value in row.items()})
    if isinstance(row, np.ndarray) and is_picture(row):
        return Specimen(picture=data_uri(row))
    if isinstance(row, np.ndarray):
        return Specimen(text=cut(np.array2string(row, precision=3, threshold=12, edgeitems=4)))
    return Specimen(text=cut(row))


def of_values(values: dict[str, str]) -> Specimen:
    """The longest text, if it is long, and some of the other values in short."""
    main = max(values, key=lambda name: len(values[name]), default="")
    text = values.pop(main) if main and len(values[main]) > SHORT else ""
    return Specimen(text, tuple((name, cut(value, SHORT)) for name, value in list(values.items())[:FIELDS]))


def cut(value: Any, longest: int = LONGEST) -> str:
    """Text that does not run away."""
    text = value if isinstance(value, str) else "" if value is None else str(value)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def is_picture(array: npt.NDArray[Any]) -> bool:
    """Grey (h, w) or coloured (h, w, 3), of numbers, and no thinner than four pixels."""
    shape = array.shape
    return array.dtype.kind in "uifb" and len(shape) in (2, 3) and min(shape[:2]) >= 4 and shape[2:] in ((), (3,))


def data_uri(array: npt.NDArray[Any]) -> str:
    """A small PNG, from the darkest number to the brightest, inside the page itself."""
    step = -(-max(array.shape[:2]) // WIDEST)
    values = np.nan_to_num(array[::step, ::step].astype(np.float64))
    low, high = values.min(), values.max()
    levels = ((values - low) / (high - low or 1) * 255).round().astype(np.uint8)
    return "data:image/png;base64," + base64.b64encode(png(levels)).decode("ascii")


def png(levels: npt.NDArray[np.uint8]) -> bytes:
    """The bytes of a PNG file of 8 bits a channel."""
    height, width = levels.shape[:2]
    colour = 0 if levels.ndim == 2 else 2
    lines = b"".join(b"\0" + row.tobytes() for row in levels)
    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
