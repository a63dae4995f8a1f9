"""Wording: parts of messages; and tables of text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

NOT_KNOWN = "not known"  # in the place of an accuracy that cannot be estimated from votes

# Scripts that are written without spaces between words (Chinese, Japanese, Thai, Lao, Burmese, Khmer), as ranges in a
# set of a regular expression. Here, and not with \p{…}, since Python's `re` knows no scripts.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # of terminals and writing


def visible(text: str) -> str:
    """Escape characters that would move, hide or reverse other text."""
    return CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def harmless(text: str) -> str:
    """Replace each of these characters by one sign that shows it, so that positions in the text stay."""
    return CONTROLS.sub(lambda match: chr(0x2400 + ord(match[0])) if match[0] < " " else "\ufffd", text)


def nearest(word: object, words: Iterable[str], cutoff: float = 0.65) -> str | None:
    """The most similar of `words`, or None where the similarity (0 to 1) of all is below `cutoff`.

    A number is most similar to an equal one: 0 to 0.0.
    """
    folded: dict[str, str] = {}
    for one in words:
        folded.setdefault(one.casefold(), one)
    if (number := _number(word)) is not None:
        same = next((one for one in folded.values() if _number(one) == number), None)
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
    """All words in one line, or the first `most` of them and the number of the others."""
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


def lone_surrogate(words: Iterable[str]) -> str | None:
    """The first word with a lone surrogate, which no table and no page can hold, or None."""
    return next((word for word in words if re.search("[\ud800-\udfff]", word)), None)


def first_duplicate(words: Sequence[str]) -> str | None:
    """The first word that is in a list twice, or None."""
    seen: set[str] = set()
    return next((word for word in words if word in seen or seen.add(word)), None)  # type: ignore[func-returns-value]


def listed(names: Iterable[str], sign: str = ",", gap: str = " ") -> str:
    """Names in one line, separated by commas. A name that holds one is in quotation marks, as in a csv file."""
    return f"{sign}{gap}".join(_quoted(name, sign) for name in names)


def _quoted(name: str, sign: str) -> str:
    whole = name and name == name.strip() and sign not in name and not name.startswith('"')
    return name if whole else '"' + name.replace('"', '""') + '"'


def shown_shortlist(names: Sequence[str], others: Sequence[str]) -> str:
    """`a` for one class, `{a, b}` for several; `not c` for more than three that are most of the classes."""
    most = 3 < len(names) > len(others) > 0
    shown = others if most else names
    return "not " * most + (shown[0] if len(shown) == 1 else "{" + listed(shown) + "}")


def split_names(text: str, sign: str = ",") -> list[str]:
    """The names in a line that `listed` or a person wrote: separated by commas, some in quotation marks."""
    end = rf"(?:{re.escape(sign)}|\Z)"
    matches = re.finditer(rf'\s*"((?:[^"]|"")*)"\s*{end}|(.*?){end}', text, re.DOTALL)
    names = (one[2].strip() or None if one[1] is None else one[1].replace('""', '"') for one in matches)
    return [name for name in names if name is not None]


# -- tables of text --------------------------------------------------------------------------------------


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
    each = zip(cells, widths, right, strict=True)
    return "  ".join(cell.rjust(width) if to_right else cell.ljust(width) for cell, width, to_right in each).rstrip()


def is_figure(cell: str) -> bool:
    return not cell or cell[0].isdigit() or cell[0] in "+-−–~" or cell == NOT_KNOWN


def percent(share: float | None, digits: int = 1) -> str:
    """A share of one in per cent; a dash where it is not known."""
    return "–" if share is None or share != share else f"{share:.{digits}%}"
