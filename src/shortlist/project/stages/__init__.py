"""The stages of a project, in order, and the door for more of them.

register_stage(MyStage())        # or an entry point of the group `shortlist.stages`
"""

from __future__ import annotations

from collections.abc import Iterable

from shortlist.errors import ShortlistError
from shortlist.project.stages.check import Check
from shortlist.project.stages.export import Export
from shortlist.project.stages.fit import Fit
from shortlist.project.stages.outcome import Outcome
from shortlist.project.stages.predict import Predict
from shortlist.project.stages.report import Report
from shortlist.project.stages.stage import Facts, Stage
from shortlist.project.stages.train import Train
from shortlist.project.stages.vote import Vote
from shortlist.registry import Registry
from shortlist.wording import did_you_mean

__all__ = ["STAGES", "Facts", "Outcome", "Stage", "find_stage", "in_order", "register_stage"]

STAGES: Registry[Stage] = Registry(
    "stage",
    "shortlist.stages",
    lambda thing: getattr(thing, "name", None) if isinstance(thing, Stage) else None,
    own=[Vote(), Fit(), Check(), Export(), Train(), Predict(), Report()],
)


def register_stage(stage: Stage) -> None:
    """Add a stage. `Project.run()` does it after what it needs, `output.stages` and `shortlist NAME` know it.

    One of the same name that was registered before is replaced; shortlist's own cannot be.
    """
    STAGES.add(stage)


def find_stage(name: str) -> Stage:
    """The stage of that name."""
    found = STAGES.get(name)
    if found is None:
        names = list(STAGES)
        raise ShortlistError(f"{name!r} is no stage.{did_you_mean(name, names)} Stages: {', '.join(names)}")
    return found


def in_order(names: Iterable[str]) -> list[Stage]:
    """These stages and all that they need, each after what it needs."""
    found: dict[str, Stage] = {}
    wanted = set(names)
    for name in (*(one for one in STAGES.here if one in wanted), *sorted(wanted.difference(STAGES.here))):
        _add(name, found, ())
    return list(found.values())


def _add(name: str, found: dict[str, Stage], above: tuple[str, ...]) -> None:
    if name in above:
        raise ShortlistError(f"stage {name!r} needs itself: {' needs '.join([*above, name])}")
    if name not in found:
        stage = find_stage(name)
        for need in stage.needs:
            _add(need, found, (*above, name))
        found[name] = stage
