"""Prompting: what asking language models costs in a project, and what a labeler that is not saved yet would say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shortlist.errors import ShortlistError
from shortlist.labelers import Labeler
from shortlist.project.code.toml_labelers import toml_labeler
from shortlist.project.code.toml_models import TomlModels
from shortlist.project.files import HIDDEN
from shortlist.project.preparing import all_chunks
from shortlist.prompts import Plan, PromptLabeler, Spent
from shortlist.prompts.planning import plan_line, preview
from shortlist.prompts.score_store import SCORES_FILE, open_scores

if TYPE_CHECKING:
    import polars as pl

    from shortlist.project.session import Session


def planned(session: Session, record: Mapping[str, Any] | None = None) -> Plan:
    """What asking would cost: of the labelers of the project, or of one that is not saved yet. Nothing is sent."""
    labelers = session.roster.labelers if record is None else (unsaved(session, record),)
    asking = [one for one in labelers if isinstance(one, PromptLabeler)]
    return Plan(tuple(plan_line(one, all_chunks(session.rows)) for one in asking))


def previewed(session: Session, record: Mapping[str, Any], numbers: Sequence[int]) -> pl.DataFrame:
    """What a labeler that is not saved yet says about some rows; the model is asked about them."""
    return preview(unsaved(session, record), session.rows.take(numbers))


def unsaved(session: Session, record: Mapping[str, Any]) -> Labeler:
    """The labeler that a record stands for, as it would be were it written in shortlist.toml."""
    settings, folder = session.settings, session.folder
    made = toml_labeler(settings, TomlModels(settings, folder), len(settings.declared), record)
    placed = made.bind_to_project(folder, folder / HIDDEN)
    return placed if settings.data.text is None else placed.on_text(settings.data.text)


def spent(session: Session) -> list[Spent]:
    """What was spent on language models so far, one line for each model and labeler."""
    path = session.hidden / SCORES_FILE
    try:
        return open_scores(path).spent() if path.exists() else []
    except ShortlistError:  # a damaged file: the next vote says so
        return []
