"""The command line: parse, call the project, print. `shortlist --help`, docs/reference/commands.md."""

from __future__ import annotations

import faulthandler
from contextlib import suppress


def main() -> None:
    """Run the `shortlist` command."""
    from shortlist.cli.app import app
    from shortlist.cli.exits import replace_unwritable

    with suppress(RuntimeError, ValueError, OSError):  # standard error is closed
        faulthandler.enable()  # a labeler that crashes the process is named
    replace_unwritable()
    app(prog_name="shortlist")
