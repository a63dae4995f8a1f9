"""State: what the outputs of each stage were made from, kept in .shortlist/state.json."""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

FORMAT = 4  # 1 made keys from other parts, 2 and 3 had fewer facts


@dataclass(frozen=True)
class StageRecord:
    """A stage that was done: from what (one word), the files it wrote and their content, and what it found."""

    key: str
    outputs: dict[str, str] = field(default_factory=dict)  # path within the project → digest
    reads: list[str] = field(default_factory=list)  # other files that it was found to read
    facts: dict[str, Any] = field(default_factory=dict)


class State:
    """Stage → its record. A file that is missing, damaged or of another format counts as "nothing was done yet"."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: dict[str, StageRecord] = {}
        try:
            found = json.loads(path.read_text("utf-8"))
            if found["format"] == FORMAT:
                self.records = {stage: StageRecord(**record) for stage, record in found["stages"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self.records = {}

    def keep(self, stage: str, record: StageRecord) -> None:
        """Remember that a stage was done; on disk in one step."""
        self.records[stage] = record
        stages = {name: asdict(one) for name, one in sorted(self.records.items())}
        write_json(self.path, {"format": FORMAT, "stages": stages})


def write_json(path: Path, value: Any) -> None:
    """A JSON file, replaced in one step. (`archive.atomic` would bring numpy in.)"""
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        draft.write_text(json.dumps(value, indent=1) + "\n", "utf-8")
        os.replace(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        error.filename = str(path)
        raise
