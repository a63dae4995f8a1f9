"""Failure: what became of a labeler that could not answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from shortlist.wording import number_of, some_of


@dataclass(frozen=True)
class Failure:
    """How often a labeler failed while it was applied with `on_error="abstain"`, and how the first time."""

    count: int
    first: str

    @property
    def last_line(self) -> str:
        """What the first error was, in a line."""
        return self.first.strip().splitlines()[-1] if self.first.strip() else "unknown"


def failed_alike(names: Iterable[str], failures: Iterable[Failure | None]) -> Iterator[tuple[list[str], Failure]]:
    """Labelers that failed, those together whose first error is the same, as where a feature fails; and the failure.

    The count is that of the one that failed most often.
    """
    found: dict[str, list[tuple[str, Failure]]] = {}
    for name, failure in zip(names, failures, strict=True):
        if failure:
            found.setdefault(failure.first, []).append((name, failure))
    for alike in found.values():
        yield [name for name, _ in alike], max((failure for _, failure in alike), key=lambda one: one.count)


def failure_notes(names: Iterable[str], failures: Iterable[Failure | None]) -> list[str]:
    """A sentence for each kind of failure: who failed, on how many rows, and how the first time."""
    return [
        f"{'labeler' if len(alike) == 1 else 'labelers'} {some_of(map(repr, alike))} failed on "
        f"{number_of(failure.count, 'row')} and abstained there: {failure.last_line}"
        for alike, failure in failed_alike(names, failures)
    ]
