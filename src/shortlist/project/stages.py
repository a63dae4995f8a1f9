"""Stages: what each reads, what it writes, and the word that changes when it has to be done again.

A key is made from the content of what a stage reads, never from when it was written. A stage whose input was made
again but came out the same is up to date.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.classifier.kinds import find_kind
from shortlist.project.code.source import local_files
from shortlist.project.files import data_files, depended_files
from shortlist.project.kept.digest import digest
from shortlist.project.settings import STAGES, Settings

if TYPE_CHECKING:
    from shortlist.project.kept.digest import Digests
    from shortlist.project.kept.state import State

NEEDS: dict[str, tuple[str, ...]] = {
    "vote": (),
    "fit": ("vote",),
    "check": ("vote",),
    "export": ("vote", "fit"),
    "report": ("vote", "fit"),
    "train": ("vote", "fit"),
    "predict": ("train",),
}


def with_needs(stages: tuple[str, ...]) -> tuple[str, ...]:
    """These stages and all that go before them, in order."""
    wanted: set[str] = set()
    left = list(stages)
    while left:
        stage = left.pop()
        wanted.add(stage)
        left += NEEDS[stage]
    return tuple(stage for stage in STAGES if stage in wanted)


def output_names(stage: str, settings: Settings) -> tuple[str, ...]:
    """The files a stage writes, within the folder of the project."""
    kind = find_kind(settings.classifier.kind)
    name = {
        "vote": "votes.npz",
        "fit": "label_model.npz",
        "check": "check.json",
        "export": f"labels.{settings.output.format}",
        "report": "report.html",
        "train": f"classifier{kind.suffix if kind else ''}",
        "predict": f"predictions.{settings.output.format}",
    }[stage]
    return (f"{settings.output.folder}/{name}",)


class Keys:
    """The keys of the stages of a project as its files are now."""

    def __init__(self, folder: Path, settings: Settings, digests: Digests, state: State) -> None:
        self.folder, self.settings, self.digests, self.state = folder, settings, digests, state

    def of(self, stage: str) -> str:
        made = {name: sorted(self.state.made[name].outputs.items()) for name in NEEDS[stage]}
        return digest(stage, made, getattr(self, f"_{stage}")())

    def _data(self) -> list[str]:
        return [self.digests.of(path) for path in data_files(self.folder, self.settings)]

    def _vote(self) -> Any:
        settings, file = self.settings, self.folder / self.settings.labelers.file
        data = asdict(settings.data)
        code = [file, *local_files(file)] if file.exists() else []
        others = depended_files(self.folder, settings)
        known = self.state.made.get("vote")
        others += [path for path in map(Path, known.reads if known else ()) if path.exists()]
        files = [(path.name, self.digests.of(path)) for path in (*code, *others)]
        how = asdict(settings.labelers) | {"workers": None}
        return [self._data(), data, settings.classes, how, settings.declared, files]

    def _fit(self) -> Any:
        gold = self.settings.data.gold  # known classes are part of what is found, even where they do not fit
        return [dict(self.settings.label_model), self.settings.gold_fits, gold and [gold, self._data()]]

    def _check(self) -> Any:
        return []

    def _export(self) -> Any:
        ids = self._data() if self.settings.data.id is not None else None
        return [ids, self.settings.data.id, self.settings.output.format, self.settings.output.shortlist]

    def _report(self) -> Any:
        return [self._data(), asdict(self.settings.data)]

    def _train(self) -> Any:
        return [self._data(), asdict(self.settings.data), asdict(self.settings.classifier)]

    def _predict(self) -> Any:
        return [self._data(), asdict(self.settings.data), self.settings.output.format, self.settings.output.shortlist]
