"""Labeling by hand: which row to label next, and rows to and answers from Label Studio and Argilla.

Rows with the same votes get the same belief, so a label is evidence for all of them. `next_rows` picks the rows whose
label is expected to correct most rows (`analysis/suggestions.py`). Labels that rows with the same votes already have
are counted in, so that other rows get their turn.

Such rows are hard, so a score on them may be too low. For a fair score, `random_rows` draws from all rows, including
those without a vote: a labeler that is written later may vote there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shortlist.analysis.suggestions import expected_rise
from shortlist.archive import atomic
from shortlist.arrays import Floats, Positions
from shortlist.browse.row_view import RowView, find_row
from shortlist.errors import BadFile, ShortlistError, UnknownClass
from shortlist.project.gold import Picked, checked_name, entry_for, split_mix

if TYPE_CHECKING:
    from shortlist.project.session import Session


def next_rows(session: Session, n: int, by: str = "") -> list[int]:  # noqa: ARG001
    """Return the most helpful rows that nobody labelled, one for each pattern of votes."""
    patterns = session.analysis.patterns
    inverse, u = patterns.inverse, len(patterns.counts)
    left = np.ones(len(inverse), np.bool_)
    left[list(session.known.touched)] = False
    counts = np.bincount(inverse[left], minlength=u)
    gain = counts * expected_rise(*_after_labels(session, inverse, u))
    order = np.argsort(-np.round(gain, 9), kind="stable")
    best = order[counts[order] > 0][:n]
    example = np.zeros(u, np.int64)  # of each pattern, a row from anywhere: neighbours in a file are often alike
    rows = np.random.default_rng(0).permutation(np.flatnonzero(left))
    example[inverse[rows]] = rows
    return [int(example[pattern]) for pattern in best]


def _after_labels(session: Session, inverse: Positions, u: int, trust: float = 1.0) -> tuple[Floats, Floats]:
    """(u, k) beliefs of each pattern after its labels, and (u, 1) their weight; a belief weighs `trust` labels."""
    analysis, k = session.analysis, len(session.votes.space)
    counts = np.zeros((u, k))
    if analysis.gold is not None:
        rows = np.flatnonzero(analysis.gold >= 0)
        np.add.at(counts, (inverse[rows], analysis.gold[rows]), 1)
    prior = np.zeros((u, k))
    prior[inverse] = analysis.distinct.at(slice(None))
    weight = trust + counts.sum(axis=1, keepdims=True)
    return (trust * prior + counts) / weight, weight


def random_rows(session: Session, n: int, by: str = "") -> list[int]:
    """Return random rows. Their order is fixed, so that the next session continues where the last one ended.

    People with a name get the same rows, so that their agreement is known.
    """
    known = session.known
    left = np.setdiff1d(np.arange(len(session.rows)), list(known.seen_by(by) if by else known.touched))
    order = np.argsort(split_mix(left), kind="stable")
    return [int(row) for row in left[order[:n]]]


def differing_rows(session: Session, n: int, by: str = "") -> list[int]:
    """Return rows on which people differ: first those that this person did not label, then ties, the oldest first."""
    people, ties = session.known.people, session.known.shortlists
    rows = [row for row in session.known.differing if row in ties or by not in people[row]]
    return sorted(rows, key=lambda row: by in people[row])[:n]


PICKS: dict[Picked, Callable[..., list[int]]] = {"gain": next_rows, "random": random_rows, "differ": differing_rows}


def next_row(session: Session, picked: Picked = "gain", by: str = "") -> int | None:
    """Return the most helpful row, the next random one, or one on which people differ; None if none is left."""
    rows = PICKS[picked](session, 1, by)
    return rows[0] if rows else None


# -- labeling tools ------------------------------------------------------------------------------------
# A record carries the number of its row, its id if there is one, and how it was picked, so that answers find their row.


def label_studio_task(row: RowView, picked: Picked | None = None) -> dict[str, Any]:
    """A task of Label Studio; the belief is a prediction, but not on a random row, whose label is to score it."""
    result = {"from_name": "class", "to_name": "text", "type": "choices", "value": {"choices": [row.label]}}
    prediction = {"model_version": "shortlist", "score": _belief(row), "result": [result]}
    predictions = [prediction] if _shows_belief(row, picked) else []
    data = {"text": _text(row), "row": row.row, "id": row.id, "picked": picked}
    return {"data": data, "predictions": predictions}


def argilla_record(row: RowView, picked: Picked | None = None, *, several: bool = False) -> dict[str, Any]:
    """A record of Argilla 2; the belief is a suggestion, but not on a random row.

    A `LabelQuestion` takes one class, a `MultiLabelQuestion` (`several`) a list of classes with a score for each.
    """
    label, belief = row.label, _belief(row)
    suggestion = {"value": [label] if several else label, "score": [belief] if several else belief}
    suggestion["agent"] = "shortlist"
    known = {"row": row.row, "picked": picked}
    return {
        "id": row.name,
        "fields": {"text": _text(row)},
        "metadata": {name: value for name, value in known.items() if value is not None},
        "suggestions": {"class": suggestion} if _shows_belief(row, picked) else {},
        "responses": {},
        "vectors": {},
    }


def _shows_belief(row: RowView, picked: Picked | None) -> bool:
    return row.label is not None and picked != "random"


def _belief(row: RowView) -> float:
    return round(row.beliefs[row.label], 4) if row.label is not None else 0.0


def _text(row: RowView) -> str:
    return row.text or "\n".join(f"{name}: {value}" for name, value in row.fields.items())


FORMATS: dict[str, Callable[[RowView, Picked | None], dict[str, Any]]] = {
    "label-studio": label_studio_task,
    "argilla": argilla_record,
    "argilla-multi": partial(argilla_record, several=True),
}


def write_records(rows: Sequence[RowView], form: str, path: Path, picked: Picked | None = None) -> None:
    """Write rows for a labeling tool."""
    if form not in FORMATS:
        raise ShortlistError(f"there is no format {form!r}. Formats: {', '.join(FORMATS)}")
    text = json.dumps([FORMATS[form](row, picked) for row in rows], ensure_ascii=False, indent=1)
    with atomic(path) as file:
        file.write(text.encode())


def read_answers(session: Session, path: Path, by: str = "") -> tuple[int, int]:
    """Add the answers of a labeling tool to the gold file; return the numbers of rows with and without an answer.

    Answers are kept by person, as the tool names them; `by` is the person of answers without a name.
    """
    answers: dict[tuple[int, str], tuple[set[str], Picked | None]] = {}
    space, rows = session.votes.space, set()
    for number, record in enumerate(_records(path), 1):
        said, row = _said(record, path), _row(session, record, path)
        rows.add(row)
        for person, classes in said:
            key = (row, checked_name(person) or by)
            answers[key] = (answers.get(key, (set(),))[0] | set(classes), _picked(record))
        for name in (name for _, classes in said for name in classes):
            try:
                space.position(name)
            except UnknownClass as error:
                where = f"{path.name}, task {number} (row {row})"
                raise UnknownClass(f"{where}: {error.message}", **error.facts) from None
    entries = {key: ([name for name in space if name in said], how) for key, (said, how) in answers.items() if said}
    session.gold_file.add(
        *(entry_for(session.rows, row, classes, how, who) for (row, who), (classes, how) in entries.items())
    )
    labelled = {row for row, _ in entries}
    return len(labelled), len(rows - labelled)


def _records(path: Path) -> list[dict[str, Any]]:
    try:
        records = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise BadFile(f"{path} does not exist") from None
    except (ValueError, OSError, RecursionError) as error:
        raise BadFile(f"{path} is not JSON ({error})") from error
    if not isinstance(records, list) or not all(isinstance(one, dict) for one in records):
        raise BadFile(f"{path} is not a list of tasks (Label Studio, exported as JSON) or of records (Argilla)")
    return records


def _row(session: Session, record: dict[str, Any], path: Path) -> int:
    """The row of a task or record, by its id or else by its number."""
    holders = _holders(record)
    if session.votes.ids is not None:
        names = [str(holder["id"]) for holder in holders if holder.get("id") is not None]
        if names:
            return find_row(session, names[0])
    for holder in holders:
        if isinstance(holder.get("row"), int):
            return find_row(session, str(holder["row"]))
    raise BadFile(f"{path}: a record has neither a row id nor a row number: export with `shortlist label --export`")


def _holders(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The places where a task or record may keep our fields."""
    return [one for one in (record.get("data"), record.get("metadata"), record) if isinstance(one, dict)]


def _picked(record: dict[str, Any]) -> Picked | None:
    values = [holder.get("picked") for holder in _holders(record)]
    return next((how for how in PICKS if how in values), None)


def _said(record: dict[str, Any], path: Path) -> list[tuple[str, list[str]]]:
    """People, "" without a name, and the classes that they named."""
    try:
        if "data" in record or "annotations" in record:
            return list(_label_studio_classes(record))
        if "fields" in record or "responses" in record:
            return list(_argilla_classes(record))
    except (KeyError, TypeError, AttributeError) as error:
        raise BadFile(f"cannot read an answer ({type(error).__name__}: {error}) in {str(record)[:200]}") from error
    raise BadFile(
        f"{path} holds no answers: export JSON from Label Studio (not JSON-MIN, which drops row ids), or records with "
        f"their responses from Argilla. Got {str(record)[:200]}"
    )


def _label_studio_classes(record: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    for annotation in record.get("annotations", ()):
        by = annotation.get("completed_by")
        by = by.get("email") or by.get("id") if isinstance(by, dict) else by
        for result in annotation["result"] if not annotation.get("was_cancelled") else ():
            if result["type"] == "choices":
                yield "" if by is None else str(by), _names(result["value"]["choices"])


def _argilla_classes(record: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    for response in (record.get("responses") or {}).get("class", ()):
        if response.get("status") not in ("discarded", "draft"):
            yield str(response.get("user_id") or ""), _names(response["value"])


def _names(value: Any) -> list[str]:
    """One class, or a list of them."""
    names = [value] if isinstance(value, str) else list(value)
    if not all(isinstance(name, str) for name in names):
        raise TypeError("the name of a class is not text")
    return names
