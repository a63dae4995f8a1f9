"""BadProject: a mistake in the files of a project, with the place where it was made."""

from __future__ import annotations

from shortlist.errors import ShortlistError


class BadProject(ShortlistError, ValueError):  # noqa: N818  as in errors.py
    """Something in shortlist.toml or labelers.py that cannot be used as it was written."""

    def __init__(
        self, message: str, *, file: str | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        self.message, self.file, self.line, self.column = message, file, line, column
        where = [file] if file else []
        where += [f"line {line}"] if line else []
        where += [f"column {column}"] if column else []
        super().__init__(f"{', '.join(where)}: {message}" if where else message)
