"""The commands. Each imports what it needs when it runs, so that `--help` answers at once."""

# ruff: noqa: ARG001  --debug is read by @explained

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperGroup

from shortlist.archive import ROW_FORMATS, TABLE_FORMATS
from shortlist.cli import people
from shortlist.cli.exits import FOUND, explained
from shortlist.cli.options import Debug, Folder, Force, Json, Many
from shortlist.project.stages import STAGES
from shortlist.wording import either

Command = TypeVar("Command", bound=Callable[..., Any])

HERE = Path()
ROW_FILES = either(list(dict.fromkeys(ROW_FORMATS.values())))
TABLE_FILES = either([f".{name}" for name in TABLE_FORMATS])


class Commands(TyperGroup):
    """The commands below, and one for each stage that an installed package announces."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        found = super().get_command(ctx, cmd_name)
        if found is None and cmd_name in STAGES:
            plain_command(cmd_name)
            return typer.main.get_group(app).commands[cmd_name]
        return found


app = typer.Typer(
    name="shortlist",
    cls=Commands,
    help="From unlabelled rows and ideas about them to labels and a model.\n\n"
    "Start with `shortlist init rows.csv`, edit labelers.py, then `shortlist run` or `shortlist watch`.",
    no_args_is_help=True,
    rich_markup_mode=None,  # rich help costs as much again as all the rest
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def stage_command(name: str) -> Callable[[Command], Command]:
    """The command of a stage, listed with the stage's own words."""

    def added(command: Command) -> Command:
        app.command(name, short_help=STAGES[name].help)(explained(command))
        return command

    return added


def plain_command(name: str) -> None:
    """The command of a stage that has no options of its own."""

    def command(project: Folder = HERE, force: Force = False, json: Json = False, debug: Debug = False) -> None:
        from shortlist.cli.commands import show_stage

        show_stage(project, name, force=force, as_json=json)

    command.__doc__ = STAGES[name].help
    stage_command(name)(command)


def _version(wanted: bool) -> None:
    if wanted:
        import shortlist

        typer.echo(f"shortlist {shortlist.__version__}")
        raise typer.Exit


@app.callback()
def everywhere(
    context: typer.Context,
    project: Annotated[
        Path | None,
        typer.Option("--project", "-C", help="The project folder, as after a command.", show_default=False),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", help="Say which version this is.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """See the help of the application."""
    if project is not None and context.invoked_subcommand:
        context.default_map = {context.invoked_subcommand: {"project": str(project)}}


@app.command(short_help="Start a project from a data file.")
@explained
def init(
    data: Annotated[Path, typer.Argument(help=f"A {ROW_FILES} file of rows.", show_default=False)],
    project: Folder = HERE,
    classes: Annotated[
        str,
        typer.Option(
            help="What a row may be: names with commas between; a name that holds a comma in quotation marks. "
            "Without it, the values of --gold."
        ),
    ] = "",
    text: Annotated[str, typer.Option(help="The column of text that labelers and the classifier read.")] = "",
    features: Annotated[str, typer.Option(help="Columns of numbers for the classifier: A,B.")] = "",
    id: Annotated[str, typer.Option(help="The column with the id of each row.")] = "",
    gold: Annotated[str, typer.Option(help="A column of known classes, to score with.")] = "",
    separator: Annotated[str, typer.Option(help="Of a csv file: the sign between fields, such as ';', or tab.")] = "",
    encoding: Annotated[str, typer.Option(help="Of a csv file: its encoding, such as latin-1.")] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing: take what the columns suggest.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Write a commented shortlist.toml and labelers.py for a data file; what is not given as an option is asked."""
    from shortlist.cli.init import Answers, start

    given = Answers(classes, text, features, id, gold, separator, encoding)
    start(data, project, given, ask=not (yes or json), force=force, as_json=json)


@stage_command("vote")
def vote(project: Folder = HERE, force: Force = False, json: Json = False, debug: Debug = False) -> None:
    """Ask every labeler about every row, where it was not asked before, and show what each does."""
    from shortlist.cli.commands import show_votes

    show_votes(project, force=force, as_json=json)


@stage_command("fit")
def fit(project: Folder = HERE, force: Force = False, json: Json = False, debug: Debug = False) -> None:
    """Estimate how far each labeler can be trusted."""
    from shortlist.cli.commands import show_fit

    show_fit(project, force=force, as_json=json)


@stage_command("check")
def check(
    project: Folder = HERE,
    gold: Annotated[bool, typer.Option("--gold", help="Show gold labels that are probably wrong.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with code 5 where accuracies cannot be learned from votes alone.")
    ] = False,
    theory: Annotated[
        bool, typer.Option("--theory", help="Also say why: Theorem 1 and what stands in its way.")
    ] = False,
    force: Force = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """What to do next, the most gain first. Can accuracies be learned from these votes alone?"""
    from shortlist.cli.commands import show_check
    from shortlist.cli.show import show_suspects

    if gold:
        show_suspects(project, as_json=json)
    elif not show_check(project, theory=theory, force=force, as_json=json) and strict:
        raise SystemExit(FOUND)


@stage_command("export")
def export(
    to: Annotated[Path | None, typer.Option("--to", help=f"Another file to write: {TABLE_FILES}.")] = None,
    columns: Annotated[str, typer.Option(help="Of --to: columns of the data to add, such as the text: A,B.")] = "",
    min_belief: Annotated[
        float | None, typer.Option(help="Of --to: only rows whose class is believed at least so much, 0 to 1.")
    ] = None,
    plain_names: Annotated[
        bool, typer.Option("--plain-names", help="Of --to: names of columns that a database takes without quotes.")
    ] = False,
    project: Folder = HERE,
    force: Force = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Write the labels: class, belief, margin, shortlist and one column of beliefs per class."""
    from shortlist.cli.commands import show_export

    show_export(project, to, columns, min_belief, plain_names=plain_names, force=force, as_json=json)


@stage_command("report")
def report(
    project: Folder = HERE,
    open: Annotated[bool, typer.Option("--open", help="Open it in a browser.")] = False,
    force: Force = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Write the one-page HTML report."""
    from shortlist.cli.commands import show_stage

    outcome = show_stage(project, "report", force=force, as_json=json)
    if open:
        typer.launch(outcome.outputs[0].resolve().as_uri())


plain_command("train")


@stage_command("predict")
def predict(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Files to read; without any, those of the project.", show_default=False)
    ] = None,
    to: Annotated[Path | None, typer.Option("--to", help=f"The file to write: {TABLE_FILES}.")] = None,
    project: Folder = HERE,
    force: Force = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Let the classifier read rows: those of the project, or of other files with the same columns."""
    from shortlist.cli.commands import show_prediction, show_stage

    if files or to:
        show_prediction(project, files or [], to, as_json=json)
    else:
        show_stage(project, "predict", force=force, as_json=json)


@app.command(short_help="Do everything that is out of date, and nothing else.")
@explained
def run(
    project: Folder = HERE,
    engine: Annotated[
        str | None, typer.Option(help="Where the work is done: local, dask, ray or spark.", show_default=False)
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(help="The address of the cluster; without it, processes of this machine.", show_default=False),
    ] = None,
    force: Force = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Do everything that is out of date, and nothing else."""
    from shortlist.cli.commands import show_run

    show_run(project, force=force, as_json=json, engine=engine, address=address)


@app.command(short_help="What asking language models would cost; nothing is sent.")
@explained
def plan(project: Folder = HERE, json: Json = False, debug: Debug = False) -> None:
    """Say what asking language models would cost: calls, tokens, money, and what is known already. Nothing is sent."""
    from shortlist.cli.asking import show_plan

    show_plan(project, as_json=json)


@app.command(short_help="Which question to ask next: splits that would tell most.")
@explained
def questions(n: Many = 5, project: Folder = HERE, json: Json = False, debug: Debug = False) -> None:
    """Say which splits of the classes would tell most, given the votes so far, and write the first as a labeler."""
    from shortlist.cli.asking import show_questions

    show_questions(project, n, as_json=json)


app.command("show", short_help="Show rows: of a labeler, without votes, in conflict, wrong, …")(explained(people.show))
app.command("why", short_help="Why a row has its label: what each labeler added.")(explained(people.why))
app.command("label", short_help="Label rows by hand, the most useful first.")(explained(people.label))
app.command("studio", short_help="Open the project in the browser.")(explained(people.studio))


@app.command(short_help="Show what each edit changes, as it is saved.")
@explained
def watch(
    project: Folder = HERE,
    once: Annotated[bool, typer.Option("--once", help="Stop after the first edit.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Vote and fit again whenever a file is saved, and show what the edit changed. Ctrl-C ends it."""
    from shortlist.cli.watch import watch_project

    watch_project(project, once=once, as_json=json, debug=debug)


@app.command(short_help="The main job on built-in real data, in a minute.")
@explained
def demo(
    folder: Annotated[
        Path | None, typer.Argument(help="Where to write the files.", file_okay=False, show_default=False)
    ] = None,
    debug: Debug = False,
) -> None:
    """Do the main job on built-in real data, in under a minute and without a network."""
    from shortlist.demo import main

    main() if folder is None else main(folder)
