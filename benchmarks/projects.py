"""shortlist.toml of the projects that are measured, from its few moving parts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence


def head(classes: Sequence[str], files: str, **columns: str) -> str:
    """Classes and data. `columns` says which column has which meaning: text="text", id="id"."""
    meanings = "".join(f"{meaning} = {json.dumps(name)}\n" for meaning, name in columns.items())
    return f"version = 1\nclasses = {json.dumps(classes)}\n\n[data]\nfiles = {json.dumps([files])}\n{meanings}\n"


def patterns(words: Iterable[str], classes: Sequence[str]) -> str:
    """A labeler for each word. The classes take turns."""
    return "".join(
        f'[[labeler]]\nkind = "pattern"\nname = "{word}"\nregex = "{word}"\nyes = "{classes[i % len(classes)]}"\n'
        for i, word in enumerate(words)
    )
