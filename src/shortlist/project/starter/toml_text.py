"""The commented shortlist.toml of a new project."""

from __future__ import annotations

import json
from collections.abc import Sequence

import polars as pl

from shortlist.registry import ROW_FORMATS, TABLE_FORMATS
from shortlist.rows import RowFile


def quoted(value: str) -> str:
    """TOML's basic strings are JSON's, but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def listed(values: Sequence[str]) -> str:
    return "[" + ", ".join(map(quoted, values)) + "]"


TOML = """# A Shortlist project. What each setting means: docs/project.md
version = 1

# What a row may be. A labeler names some of these, or nothing.
classes = {classes}

[data]
files = {files}  # {row_formats}; names with * are fine
{dialect}# columns: {columns}
{text}  # the column that labelers and the classifier read
{features}  # columns of numbers for the classifier, where there is no text
{id}  # the id of a row, in all results; without it, rows are numbered from 0
{gold}  # a column of known classes (empty where unknown), to score with

[labelers]
file = "labelers.py"
# on_error = "abstain"  # go on where a labeler fails; the default is "raise"
# workers = 2  # processes that share the rows

# Labelers that are words or patterns can be written here as well:
# [[labeler]]
# kind = "keywords"
# name = "some_words"
# words = ["one word", "another"]
# says = {one}  # or a shortlist {two}, or {{ not = {one} }}

[label_model]
# balance = {{ {shares} }}  # the share of each class, if you know it
# use_gold = true  # known classes fit the model, too

[classifier]
kind = "linear"  # or "mlp", "transformer", "none"
# on = {on}  # columns of text it reads, one after the other; without this, data.text

[output]
folder = "out"
format = {table_format}  # or {other_formats}
"""


def toml_text(
    data: str,
    classes: Sequence[str],
    text: str | None,
    features: Sequence[str],
    identity: str | None,
    gold: str | None,
    file: RowFile,
) -> str:
    """The commented toml. Settings without a value are examples, in comments."""
    numeric = [name for name, kind in file.schema.items() if kind.is_numeric() and name != identity]
    texts = [name for name, kind in file.schema.items() if kind == pl.String and name not in (identity, gold)]
    shares = ", ".join(f"{quoted(name)} = {1 / len(classes):.3g}" for name in classes)
    return TOML.format(
        classes=listed(classes),
        row_formats=", ".join(dict.fromkeys(ROW_FORMATS.values())),
        table_format=quoted(TABLE_FORMATS[0]),
        other_formats=", ".join(map(quoted, TABLE_FORMATS[1:])),
        files=listed([data]),
        dialect=_dialect(file),
        columns="".join(sign if sign.isprintable() else " " for sign in ", ".join(file.columns)),
        text=f"text = {quoted(text)}" if text is not None else f"# text = {quoted(texts[0] if texts else 'body')}",
        features=f"{'' if features else '# '}features = {listed(features or numeric[:3] or ['price'])}",
        id=f"id = {quoted(identity)}" if identity is not None else '# id = "id"',
        gold=f"gold = {quoted(gold)}" if gold is not None else '# gold = "label"',
        one=quoted(classes[0]),
        two=listed(classes[:2]),
        shares=shares,
        on=listed(texts[:3] if len(texts) > 1 else ["title", "body"]),
    )


def _dialect(file: RowFile) -> str:
    """How a csv file is written, where that was said."""
    said = zip(("separator", "encoding"), file.given, strict=True)
    return "".join(f"{name} = {quoted(value)}\n" for name, value in said if value is not None)
