"""BadProject: a mistake in the files of a project, with the place where it was made; NoLabelers is one of them."""

from __future__ import annotations

from shortlist.errors import ShortlistError


class BadProject(ShortlistError, ValueError):  # noqa: N818  as in errors.py
    """Something in shortlist.toml or labelers.py that cannot be used as it was written.

    The place (`file`, `line`, `offset`) stands before the message.
    """

    def __str__(self) -> str:
        place = {"{}": self.file, "line {}": self.line, "column {}": self.offset}
        where = ", ".join(shown.format(value) for shown, value in place.items() if value)
        return f"{where}: {self.message}" if where else self.message


class NoLabelers(BadProject):
    """A project that has no labelers yet."""
