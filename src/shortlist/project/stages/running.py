"""Running: the stages that are out of date, one after another.

A stage is up to date when its outputs are there as they were written, and were made from what there is now. What they
are made from is one word, the key. It depends on the content of what a stage reads, never on when that was written. So
a stage whose input was made again and came out the same is up to date.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from shortlist.errors import MissingPackage
from shortlist.project.kept.digest import digest
from shortlist.project.kept.state import StageRecord
from shortlist.project.stages import find_stage, in_order
from shortlist.project.stages.outcome import Outcome
from shortlist.project.stages.stage import Facts, Stage

if TYPE_CHECKING:
    from shortlist.project.session import Session
    from shortlist.project.settings import Settings


def run_stages(session: Session, names: Iterable[str] | None, *, force: bool) -> list[Outcome]:
    """Bring these stages, and those they need, up to date; all that the settings name, where none are given.

    With `force`, the stages named are done again whether they are out of date or not.
    """
    wanted = all_stages(session.settings) if names is None else named_stages(session.settings, names)
    outcomes: dict[str, Outcome] = {}
    for stage in in_order(wanted):
        left_out = _left_out(stage, session, outcomes, all_of_them=names is None)
        outcomes[stage.name] = left_out or run_stage(stage, session, again=force and stage.name in wanted)
        session.listener.end(outcomes[stage.name])
    return list(outcomes.values())


def all_stages(settings: Settings) -> list[str]:
    """The stages that the settings name, without those that they have no use for."""
    return [name for name in settings.output.stages if find_stage(name).refusal(settings) is None]


def named_stages(settings: Settings, names: Iterable[str]) -> list[str]:
    """The stages that somebody names; one that is not there, or not wanted, is an error."""
    wanted = list(names)
    for name in wanted:
        refusal = find_stage(name).refusal(settings)
        if refusal is not None:
            raise refusal
    return wanted


def _left_out(stage: Stage, session: Session, outcomes: dict[str, Outcome], *, all_of_them: bool) -> Outcome | None:
    """The outcome of a stage that cannot be done: one that it needs was left out, or there is nothing to work on."""
    if any(outcomes[need].status == "skipped" for need in stage.needs):
        return Outcome(stage.name, "skipped")
    reason = stage.idle(session) if all_of_them else None
    return None if reason is None else Outcome(stage.name, "skipped", (), {"notes": [reason]})


def left_over(session: Session, outcomes: Iterable[Outcome]) -> list[Path]:
    """Files that an earlier run wrote, of stages that this run of all stages left out."""
    worked = {one.stage for one in outcomes if one.status != "skipped"}
    records = session.state.records
    others = [name for name in session.settings.output.stages if name not in worked and name in records]
    paths = [session.folder / path for name in others for path in records[name].outputs]
    return [path for path in paths if path.exists()]


def run_stage(stage: Stage, session: Session, *, again: bool) -> Outcome:
    """Do a stage, unless it is up to date; `again`, do it whether it is or not."""
    start = time.perf_counter()
    paths = stage.paths(session.folder, session.settings)
    record = None if again else up_to_date(stage, session)
    if record is not None:
        return Outcome(stage.name, "up to date", paths, record.facts, time.perf_counter() - start)
    if again:
        stage.forget(session)
    (session.folder / session.settings.output.folder).mkdir(parents=True, exist_ok=True)
    try:
        session.listener.begin(stage.name, stage.size(session))
        facts = stage.do(session, paths)
    except MissingPackage as error:
        if again or not stage.optional:
            raise
        return Outcome(stage.name, "skipped", (), {"notes": [str(error)]}, time.perf_counter() - start)
    record_done(stage, session, facts)
    return Outcome(stage.name, "done", paths, facts, time.perf_counter() - start)


def up_to_date(stage: Stage, session: Session) -> StageRecord | None:
    """The record of a stage that is up to date; None where it has to be done."""
    record = session.state.records.get(stage.name)
    if record is None or record.key != key_of(stage, session, record.reads):
        return None
    for name, path in outputs_of(stage, session).items():
        if not path.exists() or session.digests.of(path) != record.outputs.get(name):
            return None
    return record if stage.complete(stage.paths(session.folder, session.settings)) else None


def key_of(stage: Stage, session: Session, reads: Iterable[str]) -> str:
    """One word for all that the outputs of a stage are made from. `reads` are files that it was found to read."""
    records = session.state.records
    inputs = {name: sorted(records[name].outputs.items()) for name in stage.needs}
    parts = [inputs, stage.key(session), shown_facts(stage, session)]
    there = [path for path in map(Path, reads) if path.exists()]
    return digest(stage.name, *parts, [(path.name, session.digests.of(path)) for path in there])


def shown_facts(stage: Stage, session: Session) -> dict[str, Facts]:
    """What other stages found that this one shows, of those that are wanted and up to date."""
    others = (find_stage(name) for name in stage.shows)
    records = {one.name: up_to_date(one, session) for one in others if one.refusal(session.settings) is None}
    return {name: record.facts for name, record in records.items() if record is not None}


def record_done(stage: Stage, session: Session, facts: Facts) -> None:
    """Remember what was made, and from what."""
    outputs = {name: session.digests.of(path, again=True) for name, path in outputs_of(stage, session).items()}
    reads = [str(path) for path in stage.reads(session)]
    lasting = {name: fact for name, fact in facts.items() if name not in stage.passing}
    session.state.keep(stage.name, StageRecord(key_of(stage, session, reads), outputs, reads, lasting))


def outputs_of(stage: Stage, session: Session) -> dict[str, Path]:
    """The files that a stage writes, by their names as seen from the folder of the project, which may be moved."""
    settings = session.settings
    names = (f"{settings.output.folder}/{name}" for name in stage.outputs(settings))
    return dict(zip(names, stage.paths(session.folder, settings), strict=True))
