"""The labelers.py of a new project: labelers that work where there is text, and an example to be changed."""

from __future__ import annotations

from collections.abc import Sequence
from keyword import iskeyword

import polars as pl

from shortlist.project.starter.toml_text import quoted
from shortlist.rows import RowFile

HEAD = '''"""Labelers: each narrows a row down to the classes it may be of, or says nothing.

A parameter that bears the name of a column receives that column; `text` is the text column. A first
parameter of any other name receives the whole row: row.title, row["title"].
"""

from shortlist import Not, feature, keywords, labeler, pattern  # noqa: F401
'''


def labelers_text(classes: Sequence[str], text: str | None, sample: pl.DataFrame | None = None) -> str:
    """A labelers.py that works as it is where there is text, to be changed; else its example is about the sample."""
    said = sorted(classes[:2]) if len(classes) > 2 else classes[:1]
    says = f"{{{', '.join(map(quoted, said))}}}" if len(said) > 1 else quoted(said[0])
    reads, found = _example(sample) if text is None else ("text", '"some word" in text.lower()')
    rule = [
        "",
        "# A rule of your own. It need not know the class: a shortlist will do.",
        f"# @labeler(says=[{says}])",
        f"# def my_rule({reads}):",
        f"#     if {found}:",
        f"#         return {says}",
        "",
    ]
    return "\n".join([HEAD, *(_named(classes) if text is not None else ()), *rule])


def looked_at(file: RowFile, features: Sequence[str], *others: str | None) -> pl.DataFrame:
    """The first rows, with the columns that a rule may look at: features first, then all but the others."""
    rest = [name for name in file.columns if name not in (*features, *others)]
    return file.head(1000).select([*features, *rest])


def _example(sample: pl.DataFrame | None) -> tuple[str, str]:
    """The parameter of a rule and what it asks: about a column of numbers, or else about any. An empty cell is None."""
    if sample is None or not sample.columns:
        return "row", "row is not None"
    name = next((name for name, kind in sample.schema.items() if kind.is_numeric()), sample.columns[0])
    alone = name.isidentifier() and not iskeyword(name)
    value = name if alone else f"row[{quoted(name)}]"
    cells = sample[name].drop_nulls()
    if cells.dtype == pl.String and len(cells):
        found = f"{value} == {quoted(cells[0])}"
    else:
        found = f"{value} is not None" + (f" and {value} > 0" if cells.dtype.is_numeric() else "")
    return name if alone else "row", found


def _named(classes: Sequence[str]) -> list[str]:
    """Labelers to begin with."""
    names = [(quoted(name.replace("_", " ")), quoted(name), quoted(f"names_{name}")) for name in classes]
    return [
        "# To begin with: a class is named in the text. Replace these by words that you know to be telling.",
        "names = [",
        *(f"    keywords([{word}], says={says}, name={name})," for word, says, name in names),
        "]",
        "",
    ]
