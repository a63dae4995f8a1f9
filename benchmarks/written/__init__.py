"""Tables of labelers that a person wrote, by name: `handwritten.py` says what they are."""

from __future__ import annotations

from . import citations, films, groups, mails, news, questions, snippets

TABLES = {
    name: table
    for source in (films, news, mails, groups, questions, citations, snippets)
    for name, table in source.TABLES.items()
}
