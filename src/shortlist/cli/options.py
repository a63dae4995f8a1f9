"""The options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Folder = Annotated[
    Path, typer.Option("--project", "-C", help="The project folder.", file_okay=False, show_default="this folder")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show all of an error, not one line of it.")]
Force = Annotated[bool, typer.Option("--force", help="Do it again even where it is up to date.")]
Many = Annotated[int, typer.Option("-n", help="How many to show.", min=1)]
