"""The language models that are written in shortlist.toml, as models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shortlist.errors import ShortlistError
from shortlist.models import Model, model_from_record
from shortlist.project.settings import Settings
from shortlist.wording import did_you_mean

FILES = ("file", "name", "kept")  # settings that may name a file of the project


class TomlModels:
    """Every [models.NAME] of the toml, made when a labeler first names it; a mistake is told at its line."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self.settings, self.folder = settings, folder
        self._made: dict[str, Model] = {}

    def named(self, name: Any, *path: str | int) -> Model:
        """The model of that name; `path` is where the toml names it."""
        known, toml = self.settings.models, self.settings.toml
        if not isinstance(name, str) or name not in known:
            hint = did_you_mean(name, known) if known else ""
            names = f"Models: {', '.join(known)}" if known else "Write one: [models.NAME] with kind and its settings"
            raise toml.wrong(f"there is no model {name!r}.{hint} {names}", *path)
        if name not in self._made:
            try:
                self._made[name] = model_from_record(self._placed(known[name]))
            except ShortlistError as error:
                raise toml.wrong(str(error), "models", name, *error.option) from error
        return self._made[name]

    def _placed(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """A record whose files are looked for in the folder of the project."""
        found = dict(record)
        for key in FILES:
            value = record.get(key)
            if isinstance(value, str) and (key != "name" or (self.folder / value).exists()):
                found[key] = str(self.folder / value)
        return found
