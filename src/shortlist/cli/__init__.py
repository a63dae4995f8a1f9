"""The command line: parse, call the project, print. `shortlist --help`, docs/reference/commands.md."""

from __future__ import annotations


def main() -> None:
    """Run the `shortlist` command."""
    from shortlist.cli.app import app
    from shortlist.cli.exits import replace_unwritable

    replace_unwritable()
    app(prog_name="shortlist")
