"""Commands for people who look at rows, label them, or work in the browser, with their options."""

# ruff: noqa: ARG001  --debug is read by @explained

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shortlist.cli.options import Debug, Folder, Json

if TYPE_CHECKING:
    from shortlist.project.gold.file import Picked

HERE = Path()


def show(
    labeler: Annotated[str | None, typer.Argument(help="Rows on which this labeler votes.", show_default=False)] = None,
    votes: Annotated[str, typer.Option(help='… and says this: "sports", "sports, world" or "not sports".')] = "",
    conflict: Annotated[str, typer.Option(help="… and contradicts this other labeler.")] = "",
    uncovered: Annotated[bool, typer.Option("--uncovered", help="Rows on which no labeler votes.")] = False,
    wrong: Annotated[
        bool, typer.Option("--wrong", help="Gold rows that the model, or the labeler, gets wrong.")
    ] = False,
    unsure: Annotated[bool, typer.Option("--unsure", help="The least sure rows first.")] = False,
    believed: Annotated[str, typer.Option("--class", help="Rows believed to be of this class.")] = "",
    gold: Annotated[str, typer.Option(help='Rows known to be of this class ("?": of any).')] = "",
    text: Annotated[str, typer.Option(help="Rows that hold these words.")] = "",
    limit: Annotated[int, typer.Option(help="How many rows to show.", min=1)] = 10,
    project: Folder = HERE,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Show rows with matched words marked, what labelers say and what is believed. All that is given must hold."""
    from shortlist.browse import Query
    from shortlist.cli.show import show

    asked = {
        "labeler": labeler, "votes": votes, "conflict": conflict, "uncovered": uncovered, "wrong": wrong,
        "unsure": unsure, "believed": believed, "gold": gold, "text": text,
    }  # fmt: skip
    show(project, Query.from_dict(asked), limit=limit, as_json=json)


def why(
    row: Annotated[str, typer.Argument(help="The id of the row, or its number.", show_default=False)],
    against: Annotated[str | None, typer.Option(help="Another class to compare with.", show_default=False)] = None,
    project: Folder = HERE,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Show what each labeler added to the belief in the most likely class, against the second most likely."""
    from shortlist.cli.show import show_why

    show_why(project, row, against, as_json=json)


def label(
    row: Annotated[str | None, typer.Argument(help="Start with this row.", show_default=False)] = None,
    random: Annotated[
        bool,
        typer.Option("--random", help="Random rows, for a fair score; what rules say is hidden."),
    ] = False,
    export: Annotated[
        Path | None, typer.Option("--export", help="Write rows to label elsewhere to this JSON file.")
    ] = None,
    form: Annotated[str, typer.Option("--format", help="Of --export: label-studio or argilla.")] = "label-studio",
    limit: Annotated[int, typer.Option(help="Of --export: how many rows.", min=1)] = 200,
    read: Annotated[
        Path | None, typer.Option("--import", help="Read the answers in a JSON export of Label Studio or Argilla.")
    ] = None,
    project: Folder = HERE,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Show the row that would help most, take one key for its class, write it to the gold file, go on.

    The next `shortlist run` scores with these labels, and fits with them where [label_model] says use_gold = true.
    Rows that help most are hard ones, on which the score may be too low; --random shows rows for a fair score.
    """
    from shortlist.cli.label import export_rows, import_answers, label

    picked: Picked = "random" if random else "gain"
    if export is not None:
        export_rows(project, export, form, picked, limit=limit, as_json=json)
    elif read is not None:
        import_answers(project, read, as_json=json)
    else:
        label(project, row, picked, as_json=json)


def studio(
    folder: Annotated[
        Path | None, typer.Argument(help="The project folder; without it, this folder.", show_default=False)
    ] = None,
    port: Annotated[int, typer.Option(help="The port on this machine; 0 takes a free one.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    project: Folder = HERE,
    debug: Debug = False,
) -> None:
    """Open the project in the browser: write rules and see what they do, look at rows, label, compare, export.

    The page is served to this machine only. Ctrl-C ends it; everything is in the files of the project.
    """
    from shortlist.studio import Desk
    from shortlist.studio.web.server import Server

    server = Server(Desk(folder or project), port)
    typer.echo(f"The studio of {(folder or project).resolve().name} is open at\n\n  {server.address}\n")
    typer.echo("The address works once, in one browser of this machine. Ctrl-C ends the studio.")
    if browser:
        typer.launch(server.address)
    server.run()
