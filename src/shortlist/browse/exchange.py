"""Exchange: rows for people who label elsewhere, and what they said: the JSON of Label Studio and of Argilla.

Each row carries its number and, where a column holds ids, its id, so that answers find their way back; and how it was
picked, which is kept with the answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.archive import atomic
from shortlist.browse.queue import PICKS
from shortlist.browse.shown import Shown
from shortlist.browse.why import find_row
from shortlist.errors import BadFile, ShortlistError, UnknownClass
from shortlist.labelspace import LabelSpace
from shortlist.project.gold.file import Picked
from shortlist.project.gold.known import entry_for

if TYPE_CHECKING:
    from shortlist.project.session import Session

Record = dict[str, Any]
QUESTION = "class"  # what the question is called there
AGENT = "shortlist"


def label_studio_task(row: Shown, picked: Picked | None = None) -> Record:
    """A task of Label Studio, with what is believed as a prediction; of a random row, without: it is to score that."""
    result = {"from_name": QUESTION, "to_name": "text", "type": "choices", "value": {"choices": [row.label]}}
    scored = {"model_version": AGENT, "score": _belief(row), "result": [result]}
    predictions = [scored] if _tells(row, picked) else []
    data = {"text": _text(row), "row": row.row, "id": row.id, "picked": picked}
    return {"data": data, "predictions": predictions}


def argilla_record(row: Shown, picked: Picked | None = None) -> Record:
    """A record of Argilla 2, with what is believed as a suggestion; of a random row, without."""
    suggestion = {"value": row.label, "score": _belief(row), "agent": AGENT}
    return {
        "id": row.name,
        "fields": {"text": _text(row)},
        "metadata": {"row": row.row, "picked": picked},
        "suggestions": {QUESTION: suggestion} if _tells(row, picked) else {},
        "responses": {},
        "vectors": {},
    }


FORMATS: dict[str, Callable[[Shown, Picked | None], Record]] = {
    "label-studio": label_studio_task,
    "argilla": argilla_record,
}


def write_records(rows: Sequence[Shown], form: str, path: Path, picked: Picked | None = None) -> None:
    """Write rows for people to label elsewhere."""
    if form not in FORMATS:
        raise ShortlistError(f"{form!r} is no format of rows to label. Formats: {', '.join(FORMATS)}")
    text = json.dumps([FORMATS[form](row, picked) for row in rows], ensure_ascii=False, indent=1)
    with atomic(path) as file:
        file.write(text.encode())


def read_answers(session: Session, path: Path) -> tuple[int, int]:
    """Take in what people said elsewhere, all at once: how many rows they answered, and how many they did not.

    Of several people, all who answered count: a row of which they name different classes is known to be one of these.
    """
    said = [(_row(session, record, path), _answers(record), _picked(record)) for record in _records(path)]
    space = session.votes.space
    for number, (row, classes, _) in enumerate(said, 1):
        for name in classes:
            _check_class(space, name, f"{path.name}, task {number} (row {row})")
    answered = [(row, [name for name in space if name in classes], how) for row, classes, how in said if classes]
    session.gold_file.add(*(entry_for(session.rows, row, classes, how) for row, classes, how in answered))
    return len(answered), len(said) - len(answered)


def _check_class(space: LabelSpace, name: str, where: str) -> None:
    """A name that is not a class is an error that says where it stands, and offers the nearest."""
    try:
        space.position(name)
    except UnknownClass as error:
        raise UnknownClass(f"{where}: {error.message}", **error.facts) from None


def _records(path: Path) -> list[Record]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise BadFile(f"{path} does not exist") from None
    except (ValueError, OSError) as error:
        raise BadFile(f"{path} is not JSON ({error})") from error
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise BadFile(f"{path} is no list of tasks (Label Studio, export as JSON) or of records (Argilla)")
    return found


def _row(session: Session, record: Record, path: Path) -> int:
    """The row that a task or a record is about: by its id, or else by its number."""
    holders = _holders(record)
    if session.votes.ids is not None:
        names = [str(holder["id"]) for holder in holders if holder.get("id") is not None]
        if names:
            return find_row(session, names[0])
    for holder in holders:
        if isinstance(holder.get("row"), int):
            return find_row(session, str(holder["row"]))
    raise BadFile(f"{path}: a row says neither its id nor its number: export rows with `shortlist label --export`")


def _holders(record: Record) -> list[Record]:
    """Where a task or a record keeps what it was sent with."""
    there = [record.get("data"), record.get("metadata"), record]
    return [one for one in there if isinstance(one, dict)]


def _picked(record: Record) -> Picked | None:
    """How the row was picked when it was exported; None where that is not said."""
    said = [holder.get("picked") for holder in _holders(record)]
    return next((how for how in PICKS if how in said), None)


def _answers(record: Record) -> list[str]:
    """All classes that people named."""
    try:
        return list(_studio(record) if "annotations" in record else _argilla(record))
    except (KeyError, TypeError, AttributeError) as error:
        raise BadFile(f"an answer cannot be read ({type(error).__name__}: {error}) in {str(record)[:200]}") from error


def _studio(record: Record) -> Iterator[str]:
    for annotation in record["annotations"]:
        for result in annotation["result"] if not annotation.get("was_cancelled") else ():
            if result["type"] == "choices":
                yield from result["value"]["choices"]


def _argilla(record: Record) -> Iterator[str]:
    for response in (record.get("responses") or {}).get(QUESTION, ()):
        if response.get("status") not in ("discarded", "draft"):
            value = response["value"]
            yield from [value] if isinstance(value, str) else value


def _tells(row: Shown, picked: Picked | None) -> bool:
    """Whether people see what is believed. Who is to judge a random row for a fair score had better not."""
    return row.label is not None and picked != "random"


def _belief(row: Shown) -> float:
    return round(row.beliefs[row.label], 4) if row.label is not None else 0.0


def _text(row: Shown) -> str:
    return row.text or "\n".join(f"{name}: {value}" for name, value in row.fields.items())
