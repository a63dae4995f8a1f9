"""The commands and their options. Each command imports what it needs when it runs, so that `--help` is fast."""

# ruff: noqa: ARG001  --version is read by its callback, and no command needs all of `How`

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from typer.core import TyperGroup

from shortlist.cli.exits import exits_cleanly
from shortlist.project.stages.run import STAGES
from shortlist.registry import ROW_FORMATS, TABLE_FORMATS
from shortlist.wording import either

if TYPE_CHECKING:
    from shortlist.project.gold import Picked

Command = TypeVar("Command", bound=Callable[..., Any])


def option(help: str, *names: str, **settings: Any) -> Any:
    return typer.Option(*names, help=help, **settings)


def argument(help: str, **settings: Any) -> Any:
    return typer.Argument(help=help, show_default=False, **settings)


By = Annotated[
    str | None,
    option("Who teaches the classifier: counting, label-model, mean, or auto (by evidence).", show_default=False),
]
Person = Annotated[str, option("Your name, which is kept with each label.", "--as")]
Columns = Annotated[str, option("With --to: data columns to include, such as the text: A,B.")]
MinBelief = Annotated[float | None, option("With --to: only rows with at least this belief, from 0 to 1.")]
First = Annotated[int | None, option("Only this many rows, as a trial; no votes are saved.", min=1, show_default=False)]
STAGE = ("project", "engine", "address", "force", "json", "debug")  # options of commands that run a stage
ROW_FILES = either(list(dict.fromkeys(ROW_FORMATS.values())))
TABLE_FILES = either([f".{name}" for name in TABLE_FORMATS])


class Commands(TyperGroup):
    """The commands below, plus one for each stage that an installed package registers."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is None and cmd_name in STAGES:
            plain_command(cmd_name)
            return typer.main.get_group(app).commands[cmd_name]
        return command


app = typer.Typer(
    name="shortlist",
    cls=Commands,
    help="Label data with rules instead of by hand, and train a classifier on the labels.\n\n"
    "Start with `shortlist init rows.csv`, edit labelers.py, then `shortlist run` or `shortlist watch`.",
    no_args_is_help=True,
    rich_markup_mode=None,  # importing rich for the help would double its time
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@dataclass(frozen=True)
class How:
    """Options that several commands have; which of them, `command` says."""

    project: Annotated[
        Path, option("Project folder.", "--project", "-C", file_okay=False, show_default="this folder")
    ] = Path()
    engine: Annotated[
        str | None, option("Engine that does the work: local, dask, ray or spark.", "--engine", show_default=False)
    ] = None
    address: Annotated[
        str | None,
        option("Address of the cluster. Default: processes on this machine.", "--address", show_default=False),
    ] = None
    force: Annotated[bool, option("Run even if the results are up to date.", "--force")] = False
    json: Annotated[bool, option("Print one JSON object instead of text.", "--json")] = False
    debug: Annotated[bool, option("Show the full traceback of an error.", "--debug")] = False

    @property
    def run(self) -> dict[str, Any]:
        """Options of `Project.run`."""
        return {"force": self.force, "engine": self.engine, "address": self.address}


def command(
    short_help: str, name: str | None = None, shared: Sequence[str] = ("project", "json", "debug")
) -> Callable[[Command], Command]:
    """Register a command: a function of a `How`, with these options, and of options of its own."""

    def add(function: Command) -> Command:
        app.command(name, short_help=short_help)(exits_cleanly(_with_shared(function, shared)))
        return function

    return add


def _with_shared(function: Callable[..., Any], names: Sequence[str]) -> Callable[..., Any]:
    """The function as typer reads it: the shared options stand behind its own, in place of the `How`."""

    @wraps(function)
    def run(**options: Any) -> Any:
        return function(How(**{name: options.pop(name) for name in names}), **options)

    own = list(signature(function, eval_str=True).parameters.values())[1:]
    shared = signature(How, eval_str=True).parameters
    keywords = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in (*own, *(shared[name] for name in names))]
    run.__signature__ = Signature(keywords)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in keywords}
    return run


def stage_command(name: str) -> Callable[[Command], Command]:
    """Register the command of a stage, listed with the stage's own help."""
    return command(STAGES[name].help, name, STAGE)


def plain_command(name: str, show: str = "show_stage") -> None:
    """Register the command of a stage without options of its own. `show` is the function that runs and prints it."""

    def run_stage(how: How) -> None:
        from shortlist.cli import commands

        getattr(commands, show)(how.project, name, as_json=how.json, **how.run)

    run_stage.__doc__ = STAGES[name].help
    stage_command(name)(run_stage)


def _version(wanted: bool) -> None:
    if wanted:
        from shortlist.cli.exits import versions

        typer.echo("\n".join(versions()))
        raise typer.Exit


@app.callback()
def everywhere(
    context: typer.Context,
    project: Annotated[
        Path | None, option("Project folder, as after a command.", "--project", "-C", show_default=False)
    ] = None,
    version: Annotated[
        bool,
        option("Print the version, and those of Python and packages.", "--version", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """See the help of the application."""
    if project is not None and context.invoked_subcommand:
        context.default_map = {context.invoked_subcommand: {"project": str(project)}}


# -- set up and run ------------------------------------------------------------------------------------


@command("Start a project from a data file.")
def init(
    how: How,
    data: Annotated[Path, argument(f"A {ROW_FILES} file.")],
    folder: Annotated[Path | None, argument("Project folder. Default: this folder.", file_okay=False)] = None,
    classes: Annotated[
        str,
        option(
            "Class names, separated by commas; put a name that contains a comma in double quotes. "
            "Default: the values of --gold."
        ),
    ] = "",
    text: Annotated[str, option("Text column, read by labelers and the classifier.")] = "",
    features: Annotated[str, option("Numeric columns for the classifier: A,B.")] = "",
    id: Annotated[str, option("Column of row ids.")] = "",
    gold: Annotated[str, option("Column of known classes, empty where unknown.")] = "",
    separator: Annotated[str, option("Field separator of a csv file, such as ';' or tab.")] = "",
    encoding: Annotated[str, option("Encoding of a csv file, such as latin-1.")] = "",
    comment: Annotated[str, option("Leave out lines of a csv file that begin so, such as '#'.")] = "",
    yes: Annotated[bool, option("Ask nothing; accept every suggestion.", "--yes", "-y")] = False,
    force: Annotated[bool, option("Overwrite existing files.", "--force")] = False,
) -> None:
    """Write a commented shortlist.toml and labelers.py for a data file. Asks for what the options leave open."""
    from shortlist.cli.start import InitOptions, start

    options = InitOptions(classes, text, features, id, gold, separator, encoding, comment)
    start(data, folder or how.project, options, ask=not (yes or how.json), force=force, as_json=how.json)


@command("Run everything that is out of date.", shared=STAGE)
def run(
    how: How,
    by: By = None,
) -> None:
    """Run every stage that is out of date: vote, fit, train, check, export, report."""
    from shortlist.cli.commands import show_run

    show_run(how.project, as_json=how.json, by=by, **how.run)


@command("Show the effect of each edit as you save it.")
def watch(
    how: How,
    once: Annotated[bool, option("Stop after the first edit.", "--once")] = False,
) -> None:
    """Vote and fit whenever a file is saved, and show what the edit changed. Press Ctrl-C to stop."""
    from shortlist.cli.show import watch_project

    watch_project(how.project, once=once, as_json=how.json, debug=how.debug)


@command("Open the project in the browser.", shared=("project", "debug"))
def studio(
    how: How,
    folder: Annotated[Path | None, argument("Project folder. Default: this folder.")] = None,
    port: Annotated[int, option("Port on this machine; 0 picks a free one.", min=0, max=65535)] = 0,
    browser: Annotated[bool, option("Open the page in a browser.")] = True,
    person: Person = "",
) -> None:
    """Open the project in the browser: write rules with a live preview, browse and label rows, compare, export.

    The page is served to this machine only. Press Ctrl-C to stop; all work is saved in the project's files.
    """
    from shortlist.errors import require

    for package in ("starlette", "uvicorn"):
        require(package, extra="studio")
    from shortlist.project.gold import checked_name
    from shortlist.studio import OpenProject
    from shortlist.studio.server import Server

    server = Server(OpenProject(folder or how.project, checked_name(person)), port)
    typer.echo(f"Studio for {(folder or how.project).resolve().name}:\n\n  {server.address}\n")
    typer.echo("This address works once, in one browser on this machine. Press Ctrl-C to stop.")
    with server.address_file() as file:
        if browser:
            open_page(file)  # all users can read the list of processes, and so an address
        server.run()


def open_page(path: Path) -> None:
    """Open a page in the browser. What the opener prints stays off the terminal."""
    import shutil
    import subprocess

    if shutil.which("xdg-open") is None:
        typer.launch(path.as_uri())
    else:  # in the background
        subprocess.run(["/bin/sh", "-c", 'xdg-open "$0" </dev/null >/dev/null 2>&1 &', path.as_uri()], check=False)


@command("Run the whole pipeline on built-in data.", shared=("debug",))
def demo(
    how: How,
    folder: Annotated[Path | None, argument("Folder for the files it writes.", file_okay=False)] = None,
) -> None:
    """Run the whole pipeline on built-in real data, in under a minute and without a network."""
    from shortlist.demo import main

    main() if folder is None else main(folder)


# -- stages --------------------------------------------------------------------------------------------


@stage_command("vote")
def vote(
    how: How,
    first: First = None,
) -> None:
    """Apply every labeler to every row it has not seen, and show the table of labelers."""
    from shortlist.cli.commands import show_first_votes, show_votes

    if first is not None:
        show_first_votes(how.project, first, as_json=how.json)
    else:
        show_votes(how.project, as_json=how.json, **how.run)


plain_command("fit", "show_fit")


@stage_command("check")
def check(
    how: How,
    gold: Annotated[bool, option("List gold labels that look wrong.", "--gold")] = False,
    strict: Annotated[
        bool, option("Exit with code 5 if accuracies cannot be learned from votes alone.", "--strict")
    ] = False,
    theory: Annotated[bool, option("Explain the verdict in terms of Theorem 1.", "--theory")] = False,
) -> None:
    """List what to improve next, largest gain first, and tell if accuracies can be learned from votes alone."""
    from shortlist.cli.commands import show_check
    from shortlist.cli.show import show_suspects

    if gold:
        show_suspects(how.project, as_json=how.json)
    elif not show_check(how.project, theory=theory, as_json=how.json, **how.run) and strict:
        raise SystemExit(5)


@stage_command("export")
def export(
    how: How,
    to: Annotated[Path | None, option(f"Also write this file: {TABLE_FILES}.", "--to")] = None,
    columns: Columns = "",
    min_belief: MinBelief = None,
    votes_only: Annotated[bool, option("With --to: labels by votes alone, without text and gold.")] = False,
) -> None:
    """Write the labels: class, belief, margin, shortlist, source, and one column of beliefs per class."""
    from shortlist.cli.commands import show_export
    from shortlist.project.labels import Extract

    extract = Extract(_names(columns), min_belief, votes_only)
    show_export(how.project, to, extract, as_json=how.json, **how.run)


def _names(written: str) -> tuple[str, ...]:
    from shortlist.wording import split_names

    return tuple(split_names(written))


@stage_command("report")
def report(
    how: How,
    open: Annotated[bool, option("Open it in a browser.", "--open")] = False,
) -> None:
    """Write the one-page HTML report."""
    from shortlist.cli.commands import show_stage

    outcome = show_stage(how.project, "report", as_json=how.json, **how.run)
    if open:
        open_page(outcome.outputs[0].resolve())


plain_command("train")


@command("Classify the rows of other files.", shared=("project", "engine", "address", "json", "debug"))
def predict(
    how: How,
    files: Annotated[list[Path], argument("Files to classify, with the columns that the classifier reads.")],
    to: Annotated[Path, option(f"File to write: {TABLE_FILES}.", "--to")],
    columns: Columns = "",
    min_belief: MinBelief = None,
) -> None:
    """Classify rows of other files, which no labeler has to see. The project's own rows are in its labels."""
    from shortlist.cli.commands import show_prediction
    from shortlist.project.labels import Extract

    extract = Extract(_names(columns), min_belief)
    show_prediction(how.project, files, to, extract, as_json=how.json, engine=how.engine, address=how.address)


@command("Find rows that are right as often as you ask for, with certainty.")
def certify(
    how: How,
    right: Annotated[float, option("Share of the certified rows that is to be right.")] = 0.9,
    sure: Annotated[float, option("How certain that is to be.")] = 0.95,
    to: Annotated[Path | None, option(f"Write the labels of these rows: {TABLE_FILES}.", "--to")] = None,
    random: Annotated[bool, option("All gold rows were drawn at random, those of a gold column, too.")] = False,
) -> None:
    """Certify labels with gold rows that were drawn at random (shortlist label --random)."""
    from shortlist.cli.commands import show_certificate

    show_certificate(how.project, right, sure, to, all_random=random, as_json=how.json)


# -- language models -----------------------------------------------------------------------------------


@command("Estimate the cost of asking language models; nothing is sent.")
def plan(
    how: How,
    first: Annotated[int | None, option("Only this many rows.", min=1, show_default=False)] = None,
) -> None:
    """Estimate what asking language models would cost: calls, tokens, money, time. Nothing is sent."""
    from shortlist.cli.commands import show_plan

    show_plan(how.project, first, as_json=how.json)


# -- rows ----------------------------------------------------------------------------------------------


@command("Show rows: of a labeler, without votes, in conflict, wrong, …")
def show(
    how: How,
    labeler: Annotated[str | None, argument("Rows this labeler votes on.")] = None,
    name: Annotated[str | None, option("The same as the argument.", "--labeler", show_default=False)] = None,
    votes: Annotated[str, option('… with this vote: "sports", "sports, world" or "not sports".')] = "",
    conflict: Annotated[str, option("… in conflict with this other labeler.")] = "",
    uncovered: Annotated[bool, option("Rows without any vote.", "--uncovered")] = False,
    wrong: Annotated[bool, option("Gold rows that the model (or the labeler) gets wrong.", "--wrong")] = False,
    unsure: Annotated[bool, option("Least certain rows first.", "--unsure")] = False,
    believed: Annotated[str, option("Rows with this most likely class.", "--class")] = "",
    gold: Annotated[str, option('Rows with this known class ("?": any).')] = "",
    text: Annotated[str, option("Rows that contain this text.")] = "",
    limit: Annotated[int, option("Number of rows to show.", min=1)] = 10,
) -> None:
    """Show rows with matches highlighted, the votes and the beliefs. Several filters must all hold."""
    from shortlist.browse import Query
    from shortlist.cli.show import show_matches

    filters = {
        "labeler": labeler or name, "votes": votes, "conflict": conflict, "uncovered": uncovered, "wrong": wrong,
        "unsure": unsure, "believed": believed, "gold": gold, "text": text,
    }  # fmt: skip
    show_matches(how.project, Query.from_dict(filters), limit=limit, as_json=how.json)


@command("Explain the label of a row: how much each labeler added.")
def why(
    how: How,
    row: Annotated[str, argument("Id or number of the row.")],
    against: Annotated[str | None, option("Another class to compare with.", show_default=False)] = None,
) -> None:
    """Show how much each labeler added to the most likely class, compared with the second most likely."""
    from shortlist.cli.show import show_why

    show_why(how.project, row, against, as_json=how.json)


@command("Label rows by hand, most useful first.")
def label(
    how: How,
    row: Annotated[str | None, argument("Start with this row.")] = None,
    random: Annotated[bool, option("Random rows, for a fair score; votes are hidden.", "--random")] = False,
    differ: Annotated[bool, option("Rows on which people differ, to settle them.", "--differ")] = False,
    person: Person = "",
    export: Annotated[Path | None, option("Write rows to label elsewhere, as JSON.", "--export")] = None,
    form: Annotated[str, option("With --export: label-studio, argilla or argilla-multi.", "--format")] = "label-studio",
    limit: Annotated[int, option("With --export: number of rows.", min=1)] = 200,
    read: Annotated[
        Path | None, option("Read labels from a JSON export of Label Studio or Argilla.", "--import")
    ] = None,
) -> None:
    """Show the row whose label would help most, and write the class you press to the gold file.

    The next `shortlist run` scores with these labels, learns from them, and writes them as they are.
    The most helpful rows are hard, so a score on them may be too low. Use --random for a fair score.
    """
    from shortlist.cli.label import export_rows, import_answers, label_rows
    from shortlist.project.gold import checked_name

    picked: Picked = "random" if random else "differ" if differ else "gain"
    by = checked_name(person)
    if export is not None:
        export_rows(how.project, export, form, picked, limit=limit, as_json=how.json)
    elif read is not None:
        import_answers(how.project, read, by, as_json=how.json)
    else:
        label_rows(how.project, row, picked, by, as_json=how.json)
