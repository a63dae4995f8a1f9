"""Dialect: how a file of comma-separated values is written: the sign between fields, and the encoding."""

from __future__ import annotations

import codecs
import gzip
import re
from itertools import islice
from pathlib import Path
from typing import NamedTuple

SEPARATORS = (",", ";", "\t", "|")
LINE_END = re.compile(r"\r\n|\r|\n")
SAMPLE = 1 << 20  # bytes that are looked at
RECORDS = 100  # of the sample, to count fields
BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
LATIN = "cp1252"  # what Windows writes in Western Europe; all of Latin-1 that people write is the same in it


class Dialect(NamedTuple):
    """The sign between fields, and the encoding as Python calls it."""

    separator: str
    encoding: str


def find_dialect(path: Path, separator: str | None, encoding: str | None, usual: str) -> Dialect:
    """What is given, and else what the beginning of the file shows; `usual` where nothing speaks against it."""
    sample = _beginning(path)
    found = codecs.lookup(encoding).name if encoding else _encoding(sample)
    return Dialect(separator or _separator(sample.decode(found, "replace"), usual), found)


def text_of(path: Path, encoding: str) -> str:
    """All of a file as text."""
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode(encoding)


def _beginning(path: Path) -> bytes:
    if path.suffix == ".zst":
        return b""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        return bytes(file.read(SAMPLE))


def _encoding(sample: bytes) -> str:
    for mark, encoding in BOMS.items():
        if sample.startswith(mark):
            return encoding
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)  # a character may be cut at the end of the sample
    except UnicodeDecodeError:
        return LATIN
    return "utf-8"


def _separator(text: str, usual: str) -> str:
    """The usual sign where the header has it; else the sign that cuts all records into as many fields as the header."""
    header = text.lstrip("\ufeff").split("\n", 1)[0]
    if usual in header and _fields(text, usual):
        return usual
    counts = {sign: _fields(text, sign) for sign in SEPARATORS if sign in header}
    best = max(counts, key=lambda sign: counts[sign], default=usual)
    return best if counts.get(best, 0) > 1 else usual


def _fields(text: str, sign: str) -> int:
    """How many fields every record has; 0 where they differ. The last record of a sample may be cut."""
    lines = (line for line in LINE_END.split(_unquoted(text, sign)) if line)
    records = [line.count(sign) + 1 for line in islice(lines, RECORDS + 1)]
    whole = records[:-1] if len(records) > 1 and len(text) >= SAMPLE // 4 else records
    return whole[0] if whole and len(set(whole)) == 1 else 0


def _unquoted(text: str, sign: str) -> str:
    """The text without what stands between quotation marks at the beginning of a field, of any length.

    The csv module is not asked: it refuses fields above a limit, which is the same for the whole process.
    """
    quoted = rf'(^|[\r\n{re.escape(sign)}])"(?:[^"]+|"")*+(?:"|\Z)'
    return re.sub(quoted, r"\1-", text.lstrip("\ufeff"))
