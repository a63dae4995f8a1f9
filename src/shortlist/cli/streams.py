"""Streams: standard output and standard error that cannot write every character, are full, or are not read on."""

from __future__ import annotations

import codecs
import io
import os
import sys
from contextlib import suppress
from typing import Any

PLAIN = {"✓": "+", "→": "->", "·": ".", "–": "-", "−": "-", "…": "...", "×": "x", "“": '"', "”": '"', "’": "'"}


def write_everything() -> None:
    """Signs that a stream cannot write become plain ones; the command goes on."""
    codecs.register_error("shortlist.plain", _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not reads_unicode(stream):
            stream.reconfigure(errors="shortlist.plain")


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    unwritable = error.object[error.start : error.end]
    return "".join(PLAIN.get(sign, "?") for sign in unwritable), error.end


def reads_unicode(stream: Any) -> bool:
    """Whether a stream writes any character."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return codecs.lookup(encoding).name.startswith("utf")


def give_up_output() -> None:
    """Write nothing more to standard output, also not when Python ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
