"""`shortlist studio`: the project in the browser."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from shortlist.cli.screen import Screen
from shortlist.studio import Desk
from shortlist.studio.web.server import Server


def open_studio(folder: Path, port: int, *, browser: bool) -> None:
    """Serve the page, and open it."""
    screen = Screen()
    server = Server(Desk(folder), port)
    screen.text(f"The studio of {folder.resolve().name} is open at\n\n  {server.address}\n")
    screen.text("The address works once, in one browser of this machine. Ctrl-C ends the studio.")
    sys.stdout.flush()
    if browser:
        typer.launch(server.address)
    server.run()
