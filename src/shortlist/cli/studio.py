"""`shortlist studio`: the project in the browser."""

from __future__ import annotations

from pathlib import Path

import typer

from shortlist.cli.screen import Screen
from shortlist.studio import Desk
from shortlist.studio.server import serve


def open_studio(folder: Path, port: int, *, browser: bool) -> None:
    """Serve the page, and open it."""
    screen = Screen()
    desk = Desk(folder)

    def ready(address: str) -> None:
        screen.text(f"The studio of {folder.resolve().name} is open at\n\n  {address}\n")
        screen.text("The address works once, in one browser of this machine. Ctrl-C ends the studio.")
        if browser:
            typer.launch(address)

    serve(desk, port, ready)
