"""What is the matter with a file of rows that cannot be read, in one line for people."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from shortlist.errors import BadFile, ShortlistError

INFERRED = 100_000  # rows that are looked at to find out what a column holds


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """The errors of polars about a file as ours."""
    try:
        yield
    except ShortlistError:
        raise
    except (pl.exceptions.PolarsError, OSError) as error:
        line = bad_line(path) if path.suffix in (".jsonl", ".ndjson") else None
        what = explain(str(error)) if line is None else f"line {line} is not a JSON object"
        raise BadFile(f"cannot be read: {what}", file=str(path), line=line) from error


def bad_line(path: Path) -> int | None:
    """The first line of a jsonl file that holds no JSON object."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                if line.strip() and not isinstance(json.loads(line), dict):
                    return number
            except ValueError:
                return number
    return None


def other_sign(sign: str) -> str:
    """How to name the sign between fields, in a project and before there is one."""
    option = "tab" if sign == "\t" else f"'{sign}'"
    return f"Name the sign between fields: separator = {json.dumps(sign)} under [data], or `init --separator {option}`"


def other_encoding(encoding: str = "latin-1") -> str:
    """How to name the encoding, in a project and before there is one."""
    return f'Name its encoding: encoding = "{encoding}" under [data], or `init --encoding {encoding}`'


def explain(message: str) -> str:
    """What polars says about a file; polars has no other way to say it than in words."""
    value = re.search(r"could not parse `(.*?)` as dtype `(\w+)` at column '(.*?)'", message, re.DOTALL)
    if value and "not properly escaped" in message:
        return f"a quotation mark in column {value[3]!r} is opened and never closed"
    if value:
        return (
            f"column {value[3]!r} holds {value[1]!r} where the first {INFERRED:,} rows hold numbers; say what it holds "
            f'under [data.types], for example {value[3]} = "text"'
        )
    if "empty CSV" in message:
        return "it is empty"
    if "more fields than defined" in message:
        return f"a line has more fields than the header names. Correct it, or is the sign another? {other_sign(';')}"
    if "invalid utf-8" in message:
        return f"it is not in UTF-8. {other_encoding()}"
    return " ".join(message.split())[:300]
