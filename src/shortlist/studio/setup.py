"""Setup: from a folder with a data file to a project, in the page. Only shortlist.toml is written: no code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shortlist.archive import ROW_FORMATS, atomic
from shortlist.errors import BadFile, ShortlistError
from shortlist.project.settings import NAME
from shortlist.project.starter import Guess, known_classes, toml_text
from shortlist.rows import RowFile
from shortlist.studio.desk import Desk

MOST = 30  # files that are offered


def offered(desk: Desk) -> list[dict[str, Any]]:
    """The data files of the folder, with their columns and what these seem to be."""
    files = sorted(path for path in desk.folder.iterdir() if path.suffix.lower() in ROW_FORMATS and path.is_file())
    return [_file(desk, path.name) for path in files[:MOST]]


def _file(desk: Desk, name: str) -> dict[str, Any]:
    try:
        file = RowFile(desk.folder / name)
        guess = Guess.of(file)
        classes = known_classes(file, guess.gold) if guess.gold else []
        first = [{key: str(value)[:200] for key, value in line.items()} for line in file.head(3).to_dicts()]
    except (BadFile, ShortlistError) as error:
        return {"file": name, "mistake": str(error)}
    columns = {column: str(kind) for column, kind in file.schema.items()}
    return {
        "file": name, "columns": columns, "text": guess.text, "id": guess.id, "gold": guess.gold,
        "classes": classes, "first": first,
    }  # fmt: skip


def set_up(
    desk: Desk, file: str, *, classes: Sequence[str], text: str, id: str | None = None, gold: str | None = None
) -> None:
    """Write shortlist.toml for a data file of the folder, and open the project."""
    with desk.working():
        if desk.is_project:
            raise ShortlistError(f"there is a {NAME} in this folder already")
        if file not in {one["file"] for one in offered(desk)}:
            raise ShortlistError(f"there is no data file {file!r} in this folder")
        if len(set(classes)) < 2 or len(set(classes)) < len(classes) or not all(classes):
            raise ShortlistError("name at least two classes, each once", option=("classes",))
        rows = RowFile(desk.folder / file)
        for column in (text, id, gold):
            if column is not None:
                rows.need(column)
        with atomic(desk.folder / NAME) as written:
            written.write(toml_text(file, classes, text, (), id, gold, rows).encode())
        desk.look("project made")
