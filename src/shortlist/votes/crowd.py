"""Crowd: answers of people, one a line (item, worker, label), into Votes and back.

An answer is one class, or a set of classes: people who shortlist. Who may answer a set may answer any set, so the
codomain of each person is what was heard, marked as inferred and open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadVotes, UnknownClass
from shortlist.labelspace import LabelSpace, Not, Shortlist, as_written, natural, unknown
from shortlist.votes.codomain import Codomain, infer_codomain
from shortlist.wording import split_names

if TYPE_CHECKING:
    import polars as pl

    from shortlist.votes.votes import Votes

Positions = npt.NDArray[np.int64]
Said = Shortlist | Not
SETS = (set, frozenset, list, tuple, np.ndarray)  # how Python writes an answer of several classes
NAMES = (str, int, float, np.generic)


class Answers(NamedTuple):
    """What Votes are made of."""

    codes: Positions  # (m, n)
    codomains: list[Codomain]
    space: LabelSpace
    names: list[str]
    ids: npt.NDArray[Any]


class Cells(NamedTuple):
    """Where each answer stands: its row, its person and its line of the table. No two are in one place."""

    rows: Positions
    columns: Positions
    lines: Positions


def read_answers(
    answers: Any,
    space: LabelSpace | Iterable[str] | None,
    *,
    items: Sequence[Any] | npt.NDArray[Any] | None,
    workers: Sequence[Any] | None,
    repeated: str,
    separator: str | None,
) -> Answers:
    """The long table that `Votes.from_crowd` takes."""
    if repeated not in ("error", "first", "last"):
        raise BadVotes(f'repeated is "error", "first" or "last"; got {repeated!r}')
    table = _table(answers)
    said = _sets(table["label"], separator) if _shortlists(table["label"], separator) else _names(table["label"])
    rows, ids = _positions_of(table["item"], items)
    columns, named = _positions_of(table["worker"], workers)
    cells = _one_a_place(Cells(rows, columns, np.arange(len(rows))), table, repeated)
    shape, names = (len(ids), len(named)), [str(worker) for worker in named]
    read = _coded_sets if _shortlists(table["label"], separator) else _coded_names
    classes = _space(said, space)
    return Answers(*read(_without_not(said, classes), cells, shape, classes, names), names, ids)


def to_table(votes: Votes) -> pl.DataFrame:
    """One line an answer, row by row. Labels are lists where people may answer sets, or some answer is one."""
    import polars as pl

    rows, columns = np.nonzero(votes.codes)
    said = [votes.codomains[i].shortlists[votes.codes[a, i] - 1] for a, i in zip(rows, columns, strict=True)]
    lists = any(codomain.open for codomain in votes.codomains) or any(len(shortlist) > 1 for shortlist in set(said))
    names = [list(votes.space.ordered(shortlist)) for shortlist in said]
    labels = (
        pl.Series("label", names, pl.List(pl.String)) if lists else pl.Series("label", [s for (s,) in said], pl.String)
    )
    items = np.arange(len(votes)) if votes.ids is None else votes.ids
    workers = pl.Series("worker", votes.names, pl.String).gather(columns)
    return pl.DataFrame({"item": items[rows], "worker": workers, "label": labels})


# -- the table ----------------------------------------------------------------------------------------------


def _table(answers: Any) -> pl.DataFrame:
    import polars as pl

    try:
        table = answers if isinstance(answers, pl.DataFrame) else pl.DataFrame(_readable(answers))
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        reason = str(error).partition("\n")[0]
        raise BadVotes(f"crowd answers are a table with columns item, worker, label: {reason}") from error
    missing = {"item", "worker", "label"} - set(table.columns)
    if missing:
        raise BadVotes(f"crowd answers need columns item, worker, label; missing: {', '.join(sorted(missing))}")
    if any(table[name].null_count() for name in ("item", "worker")):
        raise BadVotes("crowd answers have empty cells under item or worker; leave these lines out")
    return table


def _readable(answers: Any) -> Any:
    """The same answers with labels of one kind, which is all that polars takes in a column."""
    if isinstance(answers, (list, tuple)) and answers and all(isinstance(line, Mapping) for line in answers):
        answers = {name: [line.get(name) for line in answers] for name in dict.fromkeys(chain.from_iterable(answers))}
    if not hasattr(answers, "keys") or "label" not in answers:  # a mapping, or a table of pandas
        return answers
    return {**{name: answers[name] for name in answers.keys()}, "label": _of_one_kind(answers["label"])}  # noqa: SIM118


def _of_one_kind(labels: Any) -> Any:
    """Sets and names together become objects, numbers and names together become names."""
    import polars as pl

    typed = str(getattr(labels, "dtype", "object")) != "object"  # of numpy, pandas or polars
    if typed or not isinstance(labels, Iterable) or isinstance(labels, str):
        return labels
    values = [None if isinstance(one, (float, NoneType)) and unknown(one) else one for one in labels]
    kinds = {type(one) for one in values} - {NoneType}
    if any(not issubclass(kind, NAMES) for kind in kinds):
        return pl.Series("label", values, pl.Object)
    return values if len(kinds) < 2 else [one if one is None else _name(one) for one in values]


def _shortlists(labels: pl.Series, separator: str | None) -> bool:
    """Whether answers are sets: in a list column, or written with a separator."""
    import polars as pl

    lists = labels.dtype.is_nested() or labels.dtype == pl.Object
    if lists and separator is not None:
        raise BadVotes(f"the labels are lists of names already; separator={separator!r} is for names in one text")
    if separator == "":
        raise BadVotes("a separator is what stands between two names, such as '|'; got an empty one")
    return lists or separator is not None


def _names(labels: pl.Series) -> list[Shortlist]:
    """Answers of one class each."""
    import polars as pl

    if labels.null_count():
        raise BadVotes("crowd answers have empty cells; leave out the lines without an answer")
    one = {name: frozenset((name,)) for name in labels.cast(pl.String).unique()}
    return [one[name] for name in labels.cast(pl.String)]


def _sets(labels: pl.Series, separator: str | None) -> list[Said]:
    """Answers of any number of classes; an empty one for nothing."""
    import polars as pl

    if separator is None:
        return [_set(cell) for cell in labels.to_list()]
    texts = labels.cast(pl.String).fill_null("").to_list()
    read = {text: frozenset(filter(None, split_names(text, separator))) for text in set(texts)}
    return [read[text] for text in texts]


def _set(cell: Any) -> Said:
    """One answer as Python writes it."""
    if isinstance(cell, Not):
        return cell
    if unknown(cell):
        return frozenset()
    return frozenset(map(_name, cell)) if isinstance(cell, SETS) else frozenset((_name(cell),))


def _name(value: Any) -> str:
    if not isinstance(value, NAMES):
        raise BadVotes(f"{value!r} is not a label: labels are class names, sets of class names, or Not(...)")
    return str.__str__(value) if isinstance(value, str) else str(value)


def _space(said: Sequence[Said], given: LabelSpace | Iterable[str] | None) -> LabelSpace:
    """The classes: as given, or all that were named."""
    if given is None:
        named = (answer.classes if isinstance(answer, Not) else answer for answer in set(said))
        return LabelSpace(sorted(frozenset().union(*named), key=natural))
    return given if isinstance(given, LabelSpace) else LabelSpace(given)


def _without_not(said: Sequence[Said], space: LabelSpace) -> list[Shortlist]:
    """Every class but some, as the set of the others."""
    meant = {answer: _shortlist(answer, space) for answer in set(said)}
    return [meant[answer] for answer in said]


def _shortlist(answer: Said, space: LabelSpace) -> Shortlist:
    return space.from_mask(space.mask(answer)) if isinstance(answer, Not) else answer


def _positions_of(column: pl.Series, known: Any = None) -> tuple[Positions, npt.NDArray[Any]]:
    """Each value's place among the known values, or among the distinct ones in order of appearance."""
    values = column.unique(maintain_order=True).to_numpy() if known is None else np.array(known)
    places = {value: a for a, value in enumerate(values.tolist())}
    for value in column.unique(maintain_order=True):
        if value not in places:
            raise BadVotes(f"{column.name} {value!r} has answers, but is not among the {column.name}s given")
    return np.fromiter((places[value] for value in column), np.int64, len(column)), values


def _one_a_place(cells: Cells, table: pl.DataFrame, repeated: str) -> Cells:
    """Where a person answers an item more than once: which answer counts, or an error."""
    order = np.argsort(cells.lines if repeated == "first" else -cells.lines, kind="stable")
    width = int(cells.columns.max(initial=0)) + 1
    _, kept = np.unique((cells.rows * width + cells.columns)[order], return_index=True)
    if repeated == "error" and len(kept) < len(order):
        a = int(np.setdiff1d(order, order[kept])[0])
        raise BadVotes(
            f"worker {table['worker'][a]!r} answers item {table['item'][a]!r} more than once; "
            'say which answer counts: repeated="first" or "last"'
        )
    kept = np.sort(order[kept])
    return Cells(*(each[kept] for each in cells))


# -- codes ----------------------------------------------------------------------------------------------------


def _coded_names(
    said: Sequence[Shortlist], cells: Cells, shape: tuple[int, int], space: LabelSpace, names: Sequence[str]
) -> tuple[Positions, list[Codomain], LabelSpace]:
    """Every worker may say every class."""
    code = {shortlist: _position(space, *shortlist) + 1 for shortlist in set(said)}
    codes = np.zeros(shape, np.int64)
    codes[cells.rows, cells.columns] = [code[said[line]] for line in cells.lines]
    return codes, [Codomain.declare(list(space), space)] * len(names), space


def _position(space: LabelSpace, word: str) -> int:
    """Where a class stands. Several in one text need a separator."""
    for mark in sorted(set(word)) if word not in space else ():
        names = [name.strip() for name in word.split(mark)]
        if not mark.isalnum() and all(name in space for name in names):
            told = f"To read it as the set {as_written(set(names))}, write separator={mark!r}"
            raise UnknownClass(f"{word!r} is not a class. {told}", word=word)
    return space.position(word)


def _coded_sets(
    said: Sequence[Shortlist], cells: Cells, shape: tuple[int, int], space: LabelSpace, names: Sequence[str]
) -> tuple[Positions, list[Codomain], LabelSpace]:
    """Every person may say every set, and was heard saying some. All classes and none are ways to abstain."""
    everything = frozenset(space)
    heard: list[set[Shortlist]] = [set() for _ in names]
    for i, line in zip(cells.columns, cells.lines, strict=True):
        if said[line] and said[line] != everything:
            heard[i].add(said[line])
    codomains = [_heard(each, space, name) for each, name in zip(heard, names, strict=True)]
    code = [{shortlist: c for c, shortlist in enumerate(each.shortlists, start=1)} for each in codomains]
    codes = np.zeros(shape, np.int64)
    each = zip(cells.columns, cells.lines, strict=True)
    codes[cells.rows, cells.columns] = [code[i].get(said[line], 0) for i, line in each]
    return codes, codomains, space


def _heard(heard: set[Shortlist], space: LabelSpace, name: str) -> Codomain:
    try:
        return infer_codomain(heard, space, open=True)
    except UnknownClass as error:
        raise error.about(labeler=name) from None
