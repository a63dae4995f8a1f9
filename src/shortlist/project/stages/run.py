"""Run: the list of stages, and doing those that are out of date.

    register_stage(MyStage())        # or an entry point of the group `shortlist.stages`

A stage is up to date if its outputs are there as they were written, and were made from the present inputs. The hash of
the inputs is the key. It depends on the content of files, never on when they were written. So a stage whose input was
made again and came out the same is up to date.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.errors import MissingPackage, ShortlistError
from shortlist.project.cache import StageRecord, State, digest
from shortlist.project.session import Session
from shortlist.project.settings import Settings
from shortlist.project.stages.check import Check, Report
from shortlist.project.stages.export import Export, write_labels
from shortlist.project.stages.fit import Fit
from shortlist.project.stages.stage import Facts, Outcome, Stage
from shortlist.project.stages.train import Train
from shortlist.project.stages.vote import Vote
from shortlist.registry import Registry, attribute_of
from shortlist.wording import did_you_mean

if TYPE_CHECKING:
    from shortlist.project.labels import Extract

STAGES: Registry[Stage] = Registry(
    "stage",
    "shortlist.stages",
    attribute_of(Stage, "name"),
    own=[Vote(), Fit(), Train(), Check(), Export(), Report()],
)


def register_stage(stage: Stage) -> None:
    """Add a stage. `Project.run()` does it after what it needs; `output.stages` and `shortlist NAME` know it.

    One of the same name that was registered before is replaced; shortlist's own cannot be.
    """
    STAGES.add(stage)


def find_stage(name: str) -> Stage:
    """The stage of that name."""
    stage = STAGES.get(name)
    if stage is None:
        names = list(STAGES)
        raise ShortlistError(f"{name!r} is no stage.{did_you_mean(name, names)} Stages: {', '.join(names)}")
    return stage


def in_order(names: Iterable[str], settings: Settings) -> list[Stage]:
    """These stages and all that they need or use, each after what it needs."""
    stages: dict[str, Stage] = {}
    wanted = set(names)
    for name in (*(one for one in STAGES.here if one in wanted), *sorted(wanted.difference(STAGES.here))):
        _add(name, stages, settings, ())
    return list(stages.values())


def _add(name: str, stages: dict[str, Stage], settings: Settings, above: tuple[str, ...]) -> None:
    if name in above:
        raise ShortlistError(f"stage {name!r} needs itself: {' needs '.join([*above, name])}")
    if name not in stages:
        stage = find_stage(name)
        for need in (*stage.needs, *enabled(stage.uses, settings)):
            _add(need, stages, settings, (*above, name))
        stages[name] = stage


def enabled(names: Iterable[str], settings: Settings) -> list[str]:
    """Those of these stages that the settings do not switch off."""
    return [name for name in names if find_stage(name).disabled_reason(settings) is None]


# -- running ---------------------------------------------------------------------------------------------


def run_stages(
    session: Session,
    names: Iterable[str] | None,
    *,
    force: bool = False,
    uses: Iterable[str] = (),
    on_stage: Callable[[Outcome], object] | None = None,
) -> list[Outcome]:
    """Bring these stages, and those they need, up to date; by default, all that the settings name.

    With `force`, the named stages are done again in any case. Stages of `uses` are done if they can be. `on_stage` is
    called with each outcome.
    """
    settings = session.settings
    wanted = enabled(chosen_stages(settings), settings) if names is None else named_stages(settings, names)
    session.skipped.update(set(STAGES).difference(enabled(STAGES, session.settings)))
    outcomes: dict[str, Outcome] = {}
    for stage in in_order([*wanted, *enabled(uses, session.settings)], session.settings):
        left_out = _left_out(stage, session, outcomes, asked=names is not None and stage.name in wanted)
        session.skipped.update([stage.name] if left_out else [])
        outcomes[stage.name] = left_out or run_stage(stage, session, again=force and stage.name in wanted)
        session.listener.end(outcomes[stage.name])
        if on_stage is not None:
            on_stage(outcomes[stage.name])
    return list(outcomes.values())


def chosen_stages(settings: Settings) -> tuple[str, ...]:
    """The stages that `output.stages` names, or all, shortlist's own first and in their order."""
    here, names = STAGES.here, settings.output.stages
    if names is None:
        return here
    if any(name not in STAGES for name in names):
        message = f"output.stages names stages, which are {', '.join(STAGES)}; got {list(names)!r}"
        raise settings.toml.wrong(message, "output", "stages")
    return (*(name for name in here if name in names), *(name for name in names if name not in here))


def named_stages(settings: Settings, names: Iterable[str]) -> list[str]:
    """Stages that a user names; one that is unknown or switched off is an error."""
    wanted = list(names)
    for name in wanted:
        reason = find_stage(name).disabled_reason(settings)
        if reason is not None:
            raise reason
    return wanted


def _left_out(stage: Stage, session: Session, outcomes: dict[str, Outcome], *, asked: bool) -> Outcome | None:
    """Outcome of a stage that cannot be done: one that it needs was skipped, or there is nothing to work on."""
    if any(outcomes[need].status == "skipped" for need in stage.needs):
        return Outcome(stage.name, "skipped")
    reason = None if asked else stage.skip_reason(session)
    return None if reason is None else Outcome(stage.name, "skipped", (), {"notes": [reason]})


def left_over(session: Session, outcomes: Iterable[Outcome]) -> list[Path]:
    """Files of an earlier run, of stages that this run of all stages left out."""
    worked = {one.stage for one in outcomes if one.status != "skipped"}
    records = session.state.records
    others = [name for name in chosen_stages(session.settings) if name not in worked and name in records]
    paths = [session.folder / path for name in others for path in records[name].outputs]
    return [path for path in paths if path.exists()]


def run_stage(stage: Stage, session: Session, *, again: bool) -> Outcome:
    """Do a stage unless it is up to date; with `again`, do it in any case."""
    start = time.perf_counter()
    paths = paths_of(stage, session)
    record = None if again or session.in_memory else up_to_date(stage, session)
    if record is not None:
        seconds = time.perf_counter() - start
        return Outcome(stage.name, "up to date", paths, record.facts, seconds, stage.summary(record.facts))
    if again:
        stage.clear_cache(session)
    try:
        session.listener.begin(stage.name, stage.size(session))
        if not session.in_memory:
            (session.folder / session.settings.output.folder).mkdir(parents=True, exist_ok=True)
        facts = stage.do(session, paths)
    except MissingPackage as error:
        if again or not stage.optional:
            raise
        return Outcome(stage.name, "skipped", (), {"notes": [str(error)]}, time.perf_counter() - start)
    if not session.in_memory:
        record_done(stage, session, facts)
    seconds = time.perf_counter() - start
    return Outcome(stage.name, "done", paths, facts, seconds, stage.summary(facts), stage.is_poor(facts))


def up_to_date(stage: Stage, session: Session) -> StageRecord | None:
    """Record of a stage that is up to date; None if it has to be done."""
    record = session.state.records.get(stage.name)
    if record is None or record.key != key_of(stage, session, record.reads):
        return None
    for name, path in outputs_of(stage, session).items():
        if not path.exists() or session.digests.of(path) != record.outputs.get(name):
            return None
    return record if stage.complete(paths_of(stage, session)) else None


def is_current(session: Session, *names: str) -> bool:
    """Whether these stages are up to date with the files as they are now; other processes may have done them."""
    session.state = State(session.hidden / "state.json")
    return all(session.has(name) and up_to_date(find_stage(name), session) is not None for name in names)


def key_of(stage: Stage, session: Session, reads: Iterable[str]) -> str:
    """Hash of all that the outputs of a stage are made from. `reads` are files that it was seen to read."""
    records = session.state.records
    used = [name for name in enabled(stage.uses, session.settings) if session.has(name)]
    inputs = {name: sorted(records[name].outputs.items()) for name in (*stage.needs, *used)}
    parts = [inputs, stage.key(session)]
    there = [path for path in map(Path, reads) if path.exists()]
    return digest(stage.name, *parts, [(path.name, session.digests.of(path)) for path in there])


def record_done(stage: Stage, session: Session, facts: Facts) -> None:
    """Record what was made, and from what."""
    outputs = {name: session.digests.of(path, again=True) for name, path in outputs_of(stage, session).items()}
    reads = [str(path) for path in stage.reads(session)]
    lasting = {name: fact for name, fact in facts.items() if name not in stage.transient_facts}
    session.state.keep(stage.name, StageRecord(key_of(stage, session, reads), outputs, reads, lasting))


def load_result(session: Session, name: str) -> Any:
    """The result of a stage, from its files."""
    stage = find_stage(name)
    return stage.load(paths_of(stage, session), session.settings)


def paths_of(stage: Stage, session: Session) -> tuple[Path, ...]:
    """The files that a stage writes."""
    settings = session.settings
    return tuple(session.folder / settings.output.folder / name for name in stage.outputs(settings))


def outputs_of(stage: Stage, session: Session) -> dict[str, Path]:
    """Files that a stage writes, by their names relative to the project folder, which may be moved."""
    return {path.relative_to(session.folder).as_posix(): path for path in paths_of(stage, session)}


def write_extract(session: Session, path: Path, extract: Extract) -> Facts:
    """Bring labels up to date and write an extract of them. What cannot be made is an error before the work."""
    from shortlist.rows import table_format

    table_format(path)
    extract.check(session.rows)
    run_stages(session, ["fit"], uses=() if extract.votes_only else Export.uses)
    return write_labels(session, path, extract)
