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
COLUMNS = re.compile(r"^([a-z_]\w*(?:, \w+)*) {2,}(\S.*(?:\n {4,}\S.*)*)$", re.MULTILINE)


def to_markdown(text: str) -> str:
    """One docstring, cleaned of its indentation, as Markdown."""
    return "\n\n".join(_paragraph(part) for part in text.split("\n\n"))


def _paragraph(text: str) -> str:
    if text.startswith(">>>"):
        return f"```pycon\n{text}\n```"
    if all(line.startswith("    ") for line in text.splitlines()):
        return text  # code
    text = HEADING.sub(r"**\1**\n\n", text)
    for form in (OPTION, COLUMNS):
        text = form.sub(lambda found: _item(*found.groups()), text)
    return text


def _item(name: str, what: str) -> str:
    words = " ".join(line.strip() for line in what.splitlines())
    return f"- `{name}`: {words}"


class Docstrings(griffe.Extension):
    """Rewrites every docstring as it is read."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:  # noqa: ARG002
        if obj.docstring is not None:
            obj.docstring.value = to_markdown(obj.docstring.value)
