"""Init: a commented shortlist.toml and labelers.py for a data file, and guesses about its columns."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from keyword import iskeyword
from pathlib import Path
from typing import cast

import polars as pl

from shortlist.archive import atomic
from shortlist.errors import BadFile, ShortlistError
from shortlist.project.gold import INTEGER, as_classes, classes_in
from shortlist.project.settings import NAME, Check, Wrong, check_encoding, check_sign
from shortlist.registry import ROW_FORMATS, TABLE_FORMATS
from shortlist.rows import RowFile
from shortlist.wording import did_you_mean, first_duplicate, listed, some_of

MOST_CLASSES = 50  # more different values are not classes
TEXT_NAMES = (
    "text", "message", "body", "content", "comment", "review", "question", "document", "sentence", "tweet",
    "description", "article", "utterance", "query",
)  # fmt: skip
GOLD_NAMES = ("label", "class", "gold", "category", "target", "topic")
_LABELERS = '''"""Labelers: each narrows a row down to the classes it may be of, or says nothing.

A parameter that bears the name of a column receives that column; `text` is the text column. A first
parameter of any other name receives the whole row: row.title, row["title"].
"""

from shortlist import Not, feature, keywords, labeler, pattern  # noqa: F401
'''


def write_starter(
    folder: Path,
    data: Path,
    *,
    classes: Sequence[str] = (),
    text: str | None = None,
    features: Sequence[str] = (),
    id: str | None = None,
    gold: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    comment: str | None = None,
    guess: bool = True,
    force: bool = False,
) -> list[Path]:
    """Write shortlist.toml and labelers.py; what is there already is kept, unless it is forced.

    separator, encoding   of a csv file, where they are not found out as they should be
    comment   beginning of lines of a csv file that are left out

    Where neither text nor features are given, columns are guessed, unless `guess` is false.
    """
    file = data_file(data, separator, encoding, comment)
    file.need(*(name for name in (text, id, gold, *features) if name is not None))
    if gold is not None and classes:
        _check_gold(file, gold, classes)
    if guess and text is None and not features:
        guessed = Guess.of(file, id=id, gold=gold)
        text, id, features = guessed.text, guessed.id, guessed.features
        gold = gold or (guessed.gold if guessed.gold and _fits(file, guessed.gold, classes) else None)
    if gold is not None and not classes:
        classes = known_classes(file, gold)
    _check_classes(classes)
    if text is not None and file.schema[text] != pl.String:
        texts = [name for name, kind in file.schema.items() if kind == pl.String]
        raise BadFile(f"column {text!r} of {data} holds {file.schema[text]}, not text.{did_you_mean(text, texts)}")
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / NAME).exists() and not force:
        raise ShortlistError(f"{folder / NAME} is there already; --force replaces it")
    relative = Path(os.path.relpath(data.absolute(), folder.absolute())).as_posix()
    contents = {folder / NAME: toml_text(relative, classes, text, features, id, gold, file)}
    if force or not (folder / "labelers.py").exists():
        rest = [name for name in file.columns if name not in (*features, id, gold)]
        contents[folder / "labelers.py"] = labelers_text(classes, text, file.head(1000).select([*features, *rest]))
    for path, content in contents.items():
        with atomic(path) as written:
            written.write(content.encode("utf-8"))
    return list(contents)


def _check_classes(classes: Sequence[str]) -> None:
    if len(classes) < 2:
        raise ShortlistError("name at least two classes, for example --classes business,sports,world")
    if twice := first_duplicate(classes):
        raise ShortlistError(f"class {twice!r} is named twice")


def data_file(
    data: Path, separator: str | None = None, encoding: str | None = None, comment: str | None = None
) -> RowFile:
    """The file of rows of a new project, with at least one row."""
    separator, encoding = _checked("separator", check_sign, separator), _checked("encoding", check_encoding, encoding)
    file = RowFile(data, separator=separator, encoding=encoding, comment=comment)
    if not len(file.head(1)):
        raise BadFile("has a header and no rows: labelers need rows to vote on", file=str(data))
    return file


def _checked(option: str, check: Check, value: str | None) -> str | None:
    try:
        return None if value is None else str(check(value))
    except Wrong as error:
        raise ShortlistError(f"{option} {error}; got {value!r}", option=(option,)) from None


@dataclass(frozen=True)
class Guess:
    """The probable meaning of the columns of a file.

    features    columns of numbers, where no column seems to be text
    repeating   a column with the name of an id that holds a value twice
    """

    text: str | None
    id: str | None
    gold: str | None
    features: tuple[str, ...] = ()
    repeating: str | None = None

    @classmethod
    def of(cls, file: RowFile, *, id: str | None = None, gold: str | None = None) -> Guess:
        """From the first rows; columns that somebody named are taken as named."""
        head = file.head(1000)
        strings = [name for name, kind in head.schema.items() if kind == pl.String and name not in (id, gold)]
        text = _text_column({name: cast(float, head[name].str.len_chars().mean() or 0) for name in strings})
        others = [name for name in head.columns if name != text]
        own = [name for name in others if name.lower() in ("id", "key", "uid", "uuid") or name.lower().endswith("_id")]
        known = [name for name in others if name.lower() in GOLD_NAMES and _may_be_classes(head[name])]
        known = known or [name for name in strings if name != text and _look_like_gold(head[name])]
        identity = id or next((name for name in own if head[name].n_unique() == len(head)), None)
        gold = gold or next(iter(known), None)
        free = [name for name in others if name not in (*own, identity, gold)]
        numeric = [name for name in free if head.schema[name].is_numeric() and name.lower() not in GOLD_NAMES]
        features = () if text is not None else tuple(numeric)
        return cls(text, identity, gold, features, own[0] if own and identity is None else None)


def _may_be_classes(column: pl.Series) -> bool:
    if not column.dtype.is_numeric():
        return column.dtype == pl.String
    words = classes_in(column)
    return 1 < len(words) <= MOST_CLASSES and all(map(INTEGER.fullmatch, words))


def _look_like_gold(column: pl.Series) -> bool:
    """Whether a column has the shape of known classes: few values, each on several rows, and some rows without any."""
    words, filled = classes_in(column), len(column) - int(as_classes(column, ()).null_count())
    return filled < len(column) and 1 < len(words) <= min(MOST_CLASSES, filled // 3)


def _text_column(lengths: Mapping[str, float]) -> str | None:
    """The column that is called as columns of text are, or else a long one, or the only one. The longest of several."""
    named = [name for name, length in lengths.items() if name.lower() in TEXT_NAMES and length]
    best = max(named or lengths, key=lambda name: lengths[name], default=None)
    if best is None or named or lengths[best] >= 20:  # characters: a text is longer on average
        return best
    return best if len(lengths) == 1 and best.lower() not in GOLD_NAMES else None


def known_classes(file: RowFile, gold: str) -> list[str]:
    """The classes that a column of known ones holds, in alphabetical order."""
    file.need(gold)
    classes = classes_in(file.read([gold])[gold])
    if len(classes) > MOST_CLASSES:
        raise ShortlistError(f"column {gold!r} holds {len(classes)} different values: give the classes yourself")
    return classes


def _fits(file: RowFile, gold: str, classes: Sequence[str]) -> bool:
    """A column holds one of the classes, if any are given."""
    return not classes or bool(as_classes(file.read([gold])[gold], classes).is_in(list(classes)).any())


def _check_gold(file: RowFile, gold: str, classes: Sequence[str]) -> None:
    values = not_classes(file, gold, classes)
    if values and not _fits(file, gold, classes):
        raise ShortlistError(
            f"column {gold!r} should hold known classes, but none of its values is one: {some_of(sorted(values))}. "
            f"Classes: {listed(classes)}"
        )


def not_classes(file: RowFile, gold: str, classes: Sequence[str]) -> dict[str, int]:
    """Values of a column of known classes that are no classes, and their numbers of rows; the most frequent first."""
    counts = as_classes(file.read([gold])[gold], classes).drop_nulls().value_counts(sort=True)
    return {value: rows for value, rows in counts.iter_rows() if value not in classes}


def other_spellings(file: RowFile, gold: str, classes: Sequence[str]) -> str:
    """Values of a column of known classes that are read as a class, or as an empty cell; empty if there are none."""
    written = file.read([gold])[gold].cast(pl.String)
    pairs = zip(written, as_classes(written, classes), strict=True)
    meant = {word: name for word, name in pairs if word and word != name}
    return some_of(f"{word!r} is read as {'unknown' if name is None else repr(name)}" for word, name in meant.items())


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
    template = (resources.files(__package__) / "assets" / "shortlist.toml").read_text("utf-8")
    return template.format(
        classes=_array(classes),
        files=_array([data]),
        dialect="".join(f"{name} = {quoted(value)}\n" for name, value in file.dialect_options.items() if value),
        columns="".join(sign if sign.isprintable() else " " for sign in ", ".join(file.columns)),
        text=f"text = {quoted(text)}" if text is not None else f"# text = {quoted(texts[0] if texts else 'body')}",
        features=f"{'' if features else '# '}features = {_array(features or numeric[:3] or ['price'])}",
        id=f"id = {quoted(identity)}" if identity is not None else '# id = "id"',
        gold=f"gold = {quoted(gold)}" if gold is not None else '# gold = "label"',
        use_gold=_use_gold(file, gold),
        formats=f"{quoted(TABLE_FORMATS[0])}  # or {', '.join(map(quoted, TABLE_FORMATS[1:]))}",
        row_formats=", ".join(dict.fromkeys(ROW_FORMATS.values())),
        one=quoted(classes[0]),
        two=_array(classes[:2]),
        shares=", ".join(f"{quoted(name)} = {1 / len(classes):.3g}" for name in classes),
        on=_array(texts[:3] if len(texts) > 1 else ["title", "body"]),
    )


def _use_gold(file: RowFile, gold: str | None) -> str:
    """Known classes score only, where most rows have one: then they are there to score."""
    column = file.read([gold])[gold] if gold in file.columns else None
    if column is None or column.null_count() > len(column) / 2:
        return "# use_gold = false  # known classes score only"
    return "use_gold = false  # most rows have a known class, so these score only; without this line, they win"


def labelers_text(classes: Sequence[str], text: str | None, sample: pl.DataFrame | None = None) -> str:
    """A labelers.py that works as it is where there is text, to be changed; else its example is about the sample."""
    said = sorted(classes[:2]) if len(classes) > 2 else classes[:1]
    says = f"{{{', '.join(map(quoted, said))}}}" if len(said) > 1 else quoted(said[0])
    reads, condition = _example(sample) if text is None else ("text", '"some word" in text.lower()')
    rule = [
        "",
        "# A rule of your own. It need not know the class: a shortlist will do.",
        f"# @labeler(says=[{says}])",
        f"# def my_rule({reads}):",
        f"#     if {condition}:",
        f"#         return {says}",
        "",
    ]
    names = [(quoted(name.replace("_", " ")), quoted(name), quoted(f"names_{name}")) for name in classes]
    first = [
        "# To begin with: a class is named in the text. Replace these by words that you know to be telling.",
        "names = [",
        *(f"    keywords([{word}], says={says}, name={name})," for word, says, name in names),
        "]",
        "",
    ]
    return "\n".join([_LABELERS, *(first if text is not None else ()), *rule])


def _example(sample: pl.DataFrame | None) -> tuple[str, str]:
    """The parameter of a rule and what it asks: about a column of numbers, or else about any. An empty cell is None."""
    if sample is None or not sample.columns:
        return "row", "row is not None"
    name = next((name for name, kind in sample.schema.items() if kind.is_numeric()), sample.columns[0])
    alone = name.isidentifier() and not iskeyword(name)
    value = name if alone else f"row[{quoted(name)}]"
    cells = sample[name].drop_nulls()
    if cells.dtype == pl.String and len(cells):
        condition = f"{value} == {quoted(cells[0])}"
    else:
        condition = f"{value} is not None" + (f" and {value} > 0" if cells.dtype.is_numeric() else "")
    return name if alone else "row", condition


def quoted(value: str) -> str:
    """TOML's basic strings are JSON's, but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _array(values: Sequence[str]) -> str:
    return "[" + ", ".join(map(quoted, values)) + "]"
