"""Docstrings as pages want them: options as lists, examples as code.

Docstrings are set for reading in a terminal: options in two columns, or under a heading with a line of dashes. Markdown
would run both together. This extension of griffe (which reads the source for mkdocstrings) writes them as lists.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

HEADING = re.compile(r"^(\w[^\n]*)\n-{3,}\n", re.MULTILINE)
OPTION = re.compile(r"^(\S[^:\n]*?) : (.+(?:\n +\S.*)*)$", re.MULTILINE)
COLUMNS = re.compile(r"^(?P<name>[a-z_]\w*(?:, \w+)*) {2,}(?P<what>\S.*(?:\n {4,}\S.*)*)$", re.MULTILINE)
EXAMPLE = re.compile(r"^>>>.*(?:\n\S.*)*", re.MULTILINE)
CODE = re.compile(r"(^```.*?^```$|^ {4}.*$)", re.MULTILINE | re.DOTALL)


def to_markdown(text: str) -> str:
    """One docstring, cleaned of its indentation, as Markdown."""
    text = EXAMPLE.sub(lambda found: f"\n```pycon\n{found[0]}\n```\n", text)
    parts = CODE.split(text) if ">>>" not in text else re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith(("```", "    ")) else _prose(part) for part in parts)


def _prose(text: str) -> str:
    text = HEADING.sub(lambda found: f"**{found[1]}**\n\n", text)
    text = OPTION.sub(lambda found: _item(found[1], found[2]), text)
    return COLUMNS.sub(lambda found: _item(found["name"], found["what"]), text)


def _item(name: str, what: str) -> str:
    words = " ".join(line.strip() for line in what.splitlines())
    return f"- `{name}`: {words}"


class Docstrings(griffe.Extension):
    """Rewrites every docstring as it is read."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:  # noqa: ARG002
        if obj.docstring is not None:
            obj.docstring.value = to_markdown(obj.docstring.value)
