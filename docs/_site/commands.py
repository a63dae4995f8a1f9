"""The page of commands, as the command line itself tells of them: `python docs/_site/commands.py` writes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import typer
from typer.testing import CliRunner

from shortlist.cli.app import app

PAGE = Path(__file__).parent.parent / "reference" / "commands.md"
HEAD = """\
# Commands

What `shortlist --help` and `shortlist COMMAND --help` say. How they work together: [from an empty
folder](../tutorials/project.md).
"""


def help_of(*words: str) -> str:
    """What --help prints, in 80 columns and without colour."""
    told = CliRunner().invoke(
        app, [*words, "--help"], prog_name="shortlist", env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"}
    )
    return "\n".join(line.rstrip() for line in told.output.strip().splitlines())


def page() -> Iterator[str]:
    yield HEAD
    yield f"```text\n{help_of()}\n```\n"
    for name in typer.main.get_command(app).commands:  # type: ignore[attr-defined]
        yield f"## {name}\n"
        yield f"```text\n{help_of(name)}\n```\n"


if __name__ == "__main__":
    PAGE.write_text("\n".join(page()))
