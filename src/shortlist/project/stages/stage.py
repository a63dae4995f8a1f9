"""Stage: one step of a project. One more is one more object; nothing else changes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from shortlist.errors import ShortlistError
from shortlist.project.session import Session
from shortlist.project.settings import Settings

Facts = dict[str, Any]  # results of a stage, as JSON holds them; "notes" are sentences for the user


class Stage(ABC):
    """A step: the stages it needs, the files it writes, what they are made from, and the work.

    All that a stage works with comes from the Session: rows, votes, model, beliefs. Heavy packages are imported inside
    the methods, so that a run with nothing to do ends at once.
    """

    name: ClassVar[str]
    help: ClassVar[str] = ""  # one line for the list of commands
    needs: ClassVar[tuple[str, ...]] = ()  # stages whose outputs it reads
    uses: ClassVar[tuple[str, ...]] = ()  # stages whose outputs it reads too, unless they are disabled or skipped
    optional: ClassVar[bool] = False  # a run goes on without it if a package is not installed
    transient_facts: ClassVar[tuple[str, ...]] = ()  # facts that are about one run only, and are not kept

    @abstractmethod
    def outputs(self, settings: Settings) -> tuple[str, ...]:
        """Names of the files it writes, in the output folder."""

    def key(self, session: Session) -> Any:  # noqa: ARG002
        """Plain data that the outputs are made from, besides the outputs of the stages it needs.

        The stage is done again when this changes. A file counts by `session.digests.of(path)`.
        """
        return None

    @abstractmethod
    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        """Write the outputs, and return the facts.

        What other stages need of it can stay in memory: `session.results[self.name] = …`.
        """

    def load(self, paths: Sequence[Path], settings: Settings) -> Any:  # noqa: ARG002
        """Load the result from its files."""
        raise ShortlistError(f"stage {self.name!r} does not say how its files are loaded")

    def complete(self, paths: Sequence[Path]) -> bool:  # noqa: ARG002
        """Whether the files that its outputs refer to are there, besides the outputs themselves."""
        return True

    def summary(self, facts: Facts) -> str:  # noqa: ARG002
        """The facts in one line: on the command line and in notebooks."""
        return ""

    def is_poor(self, facts: Facts) -> bool:  # noqa: ARG002
        """Whether the result is too small, or too bad, to go on with."""
        return False

    def size(self, session: Session) -> int | None:  # noqa: ARG002
        """Number of rows it goes through, if it calls `session.listener.advance`."""
        return None

    def reads(self, session: Session) -> Sequence[Path]:  # noqa: ARG002
        """Files that it was seen to read while it was done: they are part of the key from then on."""
        return ()

    def clear_cache(self, session: Session) -> None:  # noqa: B027  there may be none
        """Delete what would be used again, before it is done again by force."""

    def disabled_reason(self, settings: Settings) -> ShortlistError | None:  # noqa: ARG002
        """Error of a stage that the settings switch off. A run of all stages leaves it out."""
        return None

    def skip_reason(self, session: Session) -> str | None:  # noqa: ARG002
        """Reason why it has nothing to work on. A run of all stages goes on without it, with this note."""
        return None


@dataclass(frozen=True)
class Outcome:
    """A stage after a run: its status, files and facts.

    summary   the facts in one line; empty if it was skipped
    is_poor   the result is too small, or too bad, to go on with
    """

    stage: str
    status: Literal["done", "up to date", "skipped"]
    outputs: tuple[Path, ...] = ()
    facts: Facts = field(default_factory=dict)
    seconds: float = 0.0
    summary: str = ""
    is_poor: bool = False

    @property
    def notes(self) -> list[str]:
        """Sentences for the user."""
        return list(self.facts.get("notes", ()))

    @property
    def metrics(self) -> dict[str, float]:
        """The numbers among the facts, named STAGE/FACT, and the seconds: for MLflow, Weights & Biases and others."""
        numbers = {name: value for name, value in self.facts.items() if isinstance(value, int | float)}
        return {f"{self.stage}/{name}": float(value) for name, value in {**numbers, "seconds": self.seconds}.items()}

    def to_dict(self) -> Facts:
        """Plain data for JSON."""
        return {
            "stage": self.stage,
            "status": self.status,
            "outputs": [str(path) for path in self.outputs],
            "seconds": round(self.seconds, 3),
            **self.facts,
        }
