"""Tables: lines of words and figures, as a terminal and as a notebook show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

NOT_KNOWN = "not known"  # in the place of an accuracy that votes cannot tell


def text_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns side by side: words to the left, figures to the right.

    >>> print(text_table(["labeler", "votes"], [["goal", "12"], ["abroad", "7"]]))
    labeler  votes
    goal        12
    abroad       7
    """
    lines = [list(headers), *(list(row) for row in rows)]
    widths = [max(len(line[c]) for line in lines) for c in range(len(headers))]
    right = [bool(rows) and all(is_figure(row[c]) for row in rows) for c in range(len(headers))]
    return "\n".join(_line(line, widths, right) for line in lines)


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    placed = (
        cell.rjust(width) if to_right else cell.ljust(width)
        for cell, width, to_right in zip(cells, widths, right, strict=True)
    )
    return "  ".join(placed).rstrip()


def is_figure(cell: str) -> bool:
    """Whether a cell is a number, or stands for one that is not known."""
    return not cell or cell[0].isdigit() or cell[0] in "+-−–" or cell == NOT_KNOWN


def html_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The same for notebooks; everything in it is text."""
    head = "".join(f"<th>{escape(header)}</th>" for header in headers)
    body = "".join("<tr>" + "".join(_cell(cell) for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(cell: str) -> str:
    side = "right" if is_figure(cell) else "left"
    return f'<td style="text-align:{side}">{escape(cell)}</td>'


def html_list(sentences: Iterable[str]) -> str:
    """Sentences as a list for notebooks; everything in them is text."""
    return "<ul>" + "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences) + "</ul>"


def percent(share: float | None, digits: int = 1) -> str:
    """A share of one in per cent; a dash where it is not known."""
    return "–" if share is None or share != share else f"{share:.{digits}%}"
