"""Wording: the small sentences that messages share."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from html import escape

# Characters that change how the text around them is shown: controls of terminals, and of the direction of writing
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_HALF = re.compile("[\ud800-\udfff]")  # surrogates without the other half


def visible(text: str) -> str:
    """A text as it is to be shown to people: what would move, hide or reverse other text is written as its code."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def nearest(word: object, words: Iterable[str], cutoff: float = 0.65) -> str | None:
    """The most similar of `words`; nothing when none is close. How close is close: `cutoff`, from 0 to 1 (the same).

    The same number is the closest: of 0.0 and 1.0, 0.0 to 0.
    """
    folded: dict[str, str] = {}
    for known in words:
        folded.setdefault(known.casefold(), known)
    if (number := _number(word)) is not None:
        same = next((known for known in folded.values() if _number(known) == number), None)
        if same is not None:
            return same
    close = difflib.get_close_matches(str(word).casefold(), folded, n=1, cutoff=cutoff)
    return folded[close[0]] if close else None


def _number(word: object) -> float | None:
    try:
        return float(str(word))
    except ValueError:
        return None


def did_you_mean(word: object, words: Iterable[str]) -> str:
    """The sentence `Did you mean 'X'?` after a blank when something is close, else nothing."""
    best = nearest(word, words)
    return f" Did you mean {best!r}?" if best else ""


def ended(sentence: str) -> str:
    """A sentence with a full stop, unless it ends with some other sign."""
    return sentence if sentence.endswith((".", "?", "!", "…")) else f"{sentence}."


def some_of(words: Iterable[str], most: int = 6, joint: str = ", ", last: str = " and ") -> str:
    """All words in one line, or the first `most` of them and how many more there are."""
    words = list(words)
    shown = joint.join(words[:most])
    return f"{shown}{last}{len(words) - most:,} more" if len(words) > most else shown


def either(words: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def number_of(n: int, thing: str) -> str:
    """`1 row`, `2,225 rows`."""
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"


def half_a_character(words: Iterable[str]) -> str | None:
    """The first word with a lone surrogate, which no table and no page can hold, or nothing."""
    return next((word for word in words if _HALF.search(word)), None)


def given_twice(words: Sequence[str]) -> str | None:
    """The first word that stands in a list twice, or nothing."""
    seen: set[str] = set()
    return next((word for word in words if word in seen or seen.add(word)), None)  # type: ignore[func-returns-value]


def listed(names: Iterable[str], sign: str = ",", gap: str = " ") -> str:
    """Names in one line, with commas between. A name that holds one stands in quotation marks, as in a csv file."""
    return f"{sign}{gap}".join(_quoted(name, sign) for name in names)


def _quoted(name: str, sign: str) -> str:
    whole = name and name == name.strip() and sign not in name and not name.startswith('"')
    return name if whole else '"' + name.replace('"', '""') + '"'


def split_names(text: str, sign: str = ",") -> list[str]:
    """The names that `listed` wrote, or that people write with commas between. Between quotation marks, any sign is."""
    between = rf"(?:{re.escape(sign)}|\Z)"
    found = re.finditer(rf'\s*"((?:[^"]|"")*)"\s*{between}|(.*?){between}', text, re.DOTALL)
    names = (one[2].strip() or None if one[1] is None else one[1].replace('""', '"') for one in found)
    return [name for name in names if name is not None]


# -- tables for terminals and notebooks ------------------------------------------------------------------


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
