"""The command line: parse, call the project, print. `shortlist --help`, docs/reference/commands.md."""

from __future__ import annotations


def main() -> None:
    """The entry point of `shortlist`."""
    from shortlist.cli.app import app
    from shortlist.cli.streams import write_everything

    write_everything()
    app(prog_name="shortlist")
