"""The command line: parse, call the project, print. `shortlist --help`, docs/reference/commands.md."""

from __future__ import annotations

import faulthandler
import sys
from contextlib import suppress


def main() -> None:
    """Run the `shortlist` command."""
    from shortlist.cli.exits import open_closed, replace_unwritable

    open_closed()
    with suppress(RuntimeError, ValueError, OSError):  # standard error is closed
        faulthandler.enable()  # a labeler that crashes the process is named
    replace_unwritable()
    try:
        from shortlist.cli.app import app

        app(prog_name="shortlist")
    except KeyboardInterrupt:  # before the command began
        sys.exit(130)
