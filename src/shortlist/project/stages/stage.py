"""Stage: one step of a project. One more is one more object; nothing else changes."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from shortlist.errors import ShortlistError, ShortlistWarning

if TYPE_CHECKING:
    from shortlist.project.session import Session
    from shortlist.project.settings import Settings

Facts = dict[str, Any]  # what a stage found, as JSON holds it; "notes" are sentences for the user


class Stage(ABC):
    """What it needs, the files it writes, what they are made from, and the work.

    All that a stage works with comes from the Session: rows, votes, model, beliefs. What is heavy to import is
    imported inside the methods, so that a run with nothing to do ends at once.
    """

    name: ClassVar[str]
    help: ClassVar[str] = ""  # one line for the list of commands
    needs: ClassVar[tuple[str, ...]] = ()  # the stages whose outputs it reads
    shows: ClassVar[tuple[str, ...]] = ()  # the stages whose facts it shows where they are up to date
    optional: ClassVar[bool] = False  # whether a run goes on without it where a package is not installed
    passing: ClassVar[tuple[str, ...]] = ()  # facts that are about one run only, and are not kept

    @abstractmethod
    def outputs(self, settings: Settings) -> tuple[str, ...]:
        """The files it writes, by their names in the output folder."""

    def paths(self, folder: Path, settings: Settings) -> tuple[Path, ...]:
        """The files it writes in a project folder."""
        return tuple(folder / settings.output.folder / name for name in self.outputs(settings))

    def key(self, session: Session) -> Any:  # noqa: ARG002
        """What the outputs are made from, besides the outputs of the stages it needs, as plain data.

        The stage is done again when this changes. A file counts by `session.digests.of(path)`.
        """
        return None

    @abstractmethod
    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        """Write the outputs. What was found comes back.

        What other stages need of it can stay in memory: `session.results[self.name] = …`.
        """

    def load(self, paths: Sequence[Path], settings: Settings) -> Any:  # noqa: ARG002
        """What it made, from its files."""
        raise ShortlistError(f"stage {self.name!r} does not say how its files are loaded")

    def complete(self, paths: Sequence[Path]) -> bool:  # noqa: ARG002
        """Whether files that its outputs speak of are there, besides the outputs themselves."""
        return True

    def tell(self, facts: Facts) -> str:  # noqa: ARG002
        """What was found, in one line: on the command line and in notebooks."""
        return ""

    def doubtful(self, facts: Facts) -> bool:  # noqa: ARG002
        """Whether what was found is too little, or too bad, to go on with."""
        return False

    def size(self, session: Session) -> int | None:  # noqa: ARG002
        """How many rows it goes through, where it tells `session.listener.advance`."""
        return None

    def reads(self, session: Session) -> Sequence[Path]:  # noqa: ARG002
        """Files that it was found to read while it was done: they are part of the key from then on."""
        return ()

    def forget(self, session: Session) -> None:  # noqa: B027  there may be nothing to forget
        """Before it is done again by force: throw away what would be used again."""

    def refusal(self, settings: Settings) -> ShortlistError | None:  # noqa: ARG002
        """Why these settings do without it. A run of all stages leaves it out; who names it gets this error."""
        return None

    def idle(self, session: Session) -> str | None:  # noqa: ARG002
        """Why there is nothing to do it with. A run of all stages goes on without it, and says so."""
        return None


@contextmanager
def noted(notes: list[str], but: tuple[type[Warning], ...] = ()) -> Iterator[None]:
    """Warnings become notes, but for some kinds that are told elsewhere."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ShortlistWarning)
        yield
    notes += dict.fromkeys(str(one.message) for one in warned if not issubclass(one.category, but))
