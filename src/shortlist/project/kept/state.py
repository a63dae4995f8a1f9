"""State: what each result of a project was made from, kept in .shortlist/state.json."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

FORMAT = 1


@dataclass(frozen=True)
class Made:
    """A stage that was done: from what (one word), the files it wrote and their content, and what it found."""

    key: str
    outputs: dict[str, str] = field(default_factory=dict)  # path within the project → digest
    reads: list[str] = field(default_factory=list)  # files that labelers.py opened while it was loaded
    facts: dict[str, Any] = field(default_factory=dict)


class State:
    """Stage → Made. A file that is missing, damaged or of another format counts as "nothing was done yet"."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.made: dict[str, Made] = {}
        try:
            found = json.loads(path.read_text("utf-8"))
            if found["format"] == FORMAT:
                self.made = {stage: Made(**record) for stage, record in found["stages"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self.made = {}

    def set(self, stage: str, made: Made) -> None:
        """Remember that a stage was done; on disk in one step."""
        self.made[stage] = made
        stages = {name: asdict(one) for name, one in sorted(self.made.items())}
        write_json(self.path, {"format": FORMAT, "stages": stages})


def write_json(path: Path, value: Any) -> None:
    """A JSON file, replaced in one step."""
    import os
    import uuid

    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    draft.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n", "utf-8")
    os.replace(draft, path)
