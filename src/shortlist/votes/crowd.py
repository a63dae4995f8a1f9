"""Crowd: answers of people, one a line (item, worker, label), into Votes and back.

An answer is one class, or a set of classes: people who shortlist. People who answer sets may answer any set, so the
codomain of each is the sets that were seen, marked as inferred and open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Positions
from shortlist.errors import BadVotes, UnknownClass
from shortlist.labelspace import LabelSpace, Not, Shortlist, as_written, natural, unknown
from shortlist.votes.codomain import Codomain, infer_codomain
from shortlist.wording import split_names

if TYPE_CHECKING:
    import polars as pl

    from shortlist.votes.votes import Votes

Answer = Shortlist | Not


def read_answers(
    answers: Any, classes: Any, items: Any, workers: Any, repeated: str, separator: str | None
) -> tuple[Positions, list[Codomain], LabelSpace, list[str], npt.NDArray[Any]]:
    """(codes, codomains, space, names, ids) of the long table that `Votes.from_crowd` takes."""
    if repeated not in ("error", "first", "last"):
        raise BadVotes(f'repeated is "error", "first" or "last"; got {repeated!r}')
    table = _table(answers)
    sets = _are_sets(table["label"], separator)
    said = _sets(table["label"], separator) if sets else _names(table["label"])
    rows, ids = _positions_of(table["item"], items)
    columns, named = _positions_of(table["worker"], workers)
    names = [str(worker) for worker in named]
    lines = _one_a_place(rows, columns, table, repeated)
    rows, columns = rows[lines], columns[lines]
    space = _space(said, classes)
    shortlists = _shortlists(said, space)
    if sets:
        codomains = _set_codomains(columns, [shortlists[line] for line in lines], space, names)
    else:
        codomains = _class_codomains(shortlists, space, names)
    code_of = [{shortlist: c for c, shortlist in enumerate(codomain.shortlists, start=1)} for codomain in codomains]
    codes = np.zeros((len(ids), len(names)), np.int64)
    places = zip(columns.tolist(), lines.tolist(), strict=True)
    codes[rows, columns] = [code_of[i].get(shortlists[line], 0) for i, line in places]
    return codes, codomains, space, names, ids


def to_table(votes: Votes) -> pl.DataFrame:
    """One line an answer, row by row. Labels are lists where people may answer sets, or some answer is one."""
    import polars as pl

    rows, columns = np.nonzero(votes.codes)
    said = [votes.codomains[i].shortlists[votes.codes[a, i] - 1] for a, i in zip(rows, columns, strict=True)]
    names = [list(votes.space.ordered(shortlist)) for shortlist in said]
    if any(codomain.open for codomain in votes.codomains) or any(len(shortlist) > 1 for shortlist in set(said)):
        labels = pl.Series("label", names, pl.List(pl.String))
    else:
        labels = pl.Series("label", [name for (name,) in names], pl.String)
    items = np.arange(len(votes)) if votes.ids is None else votes.ids
    workers = pl.Series("worker", votes.names, pl.String).gather(columns)
    return pl.DataFrame({"item": items[rows], "worker": workers, "label": labels})


# -- the table ---------------------------------------------------------------------------------------------


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
    """Convert labels to one type, since a column of polars has one."""
    if isinstance(answers, (list, tuple)) and answers and all(isinstance(line, Mapping) for line in answers):
        answers = {name: [line.get(name) for line in answers] for name in dict.fromkeys(chain.from_iterable(answers))}
    if not hasattr(answers, "keys") or "label" not in answers:  # a mapping, or a table of pandas
        return answers
    return {**{name: answers[name] for name in answers.keys()}, "label": _of_one_type(answers["label"])}  # noqa: SIM118


def _of_one_type(labels: Any) -> Any:
    """Sets and names together become objects, numbers and names together become names."""
    import polars as pl

    typed = str(getattr(labels, "dtype", "object")) != "object"  # of numpy, pandas or polars
    if typed or not isinstance(labels, Iterable) or isinstance(labels, str):
        return labels
    values = [None if isinstance(one, (float, NoneType)) and unknown(one) else one for one in labels]
    types = {type(one) for one in values} - {NoneType}
    if any(not issubclass(kind, (str, int, float, np.generic)) for kind in types):
        return pl.Series("label", values, pl.Object)
    return values if len(types) < 2 else [one if one is None else _name(one) for one in values]


def _are_sets(labels: pl.Series, separator: str | None) -> bool:
    """True where answers are sets: in a list column, or written with a separator."""
    import polars as pl

    lists = labels.dtype.is_nested() or labels.dtype == pl.Object
    if lists and separator is not None:
        raise BadVotes(f"the labels are lists of names already; separator={separator!r} is for names in one text")
    if separator == "":
        raise BadVotes("a separator is what stands between two names, such as '|'; got an empty one")
    return lists or separator is not None


def _names(labels: pl.Series) -> list[Answer]:
    """Answers of one class each."""
    import polars as pl

    if labels.null_count():
        raise BadVotes("crowd answers have empty cells; leave out the lines without an answer")
    one = {name: frozenset((name,)) for name in labels.cast(pl.String).unique()}
    return [one[name] for name in labels.cast(pl.String)]


def _sets(labels: pl.Series, separator: str | None) -> list[Answer]:
    """Answers of any number of classes; empty where there is no answer."""
    import polars as pl

    if separator is None:
        return [_set(cell) for cell in labels.to_list()]
    texts = labels.cast(pl.String).fill_null("").to_list()
    read = {text: frozenset(filter(None, split_names(text, separator))) for text in set(texts)}
    return [read[text] for text in texts]


def _set(cell: Any) -> Answer:
    """One answer as Python writes it."""
    if isinstance(cell, Not):
        return cell
    if unknown(cell):
        return frozenset()
    several = isinstance(cell, (set, frozenset, list, tuple, np.ndarray))
    return frozenset(map(_name, cell if several else (cell,)))


def _name(value: Any) -> str:
    if not isinstance(value, (str, int, float, np.generic)):
        raise BadVotes(f"{value!r} is not a label: labels are class names, sets of class names, or Not(...)")
    return str.__str__(value) if isinstance(value, str) else str(value)


def _space(said: Sequence[Answer], classes: LabelSpace | Iterable[str] | None) -> LabelSpace:
    """The classes of the user, or all that were named."""
    if classes is None:
        named = (answer.classes if isinstance(answer, Not) else answer for answer in set(said))
        return LabelSpace(sorted(frozenset().union(*named), key=natural))
    return classes if isinstance(classes, LabelSpace) else LabelSpace(classes)


def _shortlists(said: Sequence[Answer], space: LabelSpace) -> list[Shortlist]:
    """Answers as sets of classes: Not(X) is the set of the others."""
    sets = {answer: space.from_mask(space.mask(answer)) if isinstance(answer, Not) else answer for answer in set(said)}
    return [sets[answer] for answer in said]


def _positions_of(column: pl.Series, order: Any = None) -> tuple[Positions, npt.NDArray[Any]]:
    """The place of each value in the order of the user, or in the order of appearance; and the values in order."""
    distinct = column.unique(maintain_order=True)
    values = distinct.to_numpy() if order is None else np.array(order)
    places = {value: a for a, value in enumerate(values.tolist())}
    for value in distinct:
        if value not in places:
            raise BadVotes(f"{column.name} {value!r} has answers, but is not among the {column.name}s given")
    return np.fromiter((places[value] for value in column), np.int64, len(column)), values


def _one_a_place(rows: Positions, columns: Positions, table: pl.DataFrame, repeated: str) -> Positions:
    """The lines that count: one for each person and item. Several are an error, or the first or last counts."""
    lines = np.arange(len(rows))
    order = lines if repeated == "first" else lines[::-1]
    width = int(columns.max(initial=0)) + 1
    _, kept = np.unique((rows * width + columns)[order], return_index=True)
    if repeated == "error" and len(kept) < len(order):
        a = int(np.setdiff1d(order, order[kept])[0])
        raise BadVotes(
            f"worker {table['worker'][a]!r} answers item {table['item'][a]!r} more than once; "
            'say which answer counts: repeated="first" or "last"'
        )
    return np.sort(order[kept])


# -- codomains ---------------------------------------------------------------------------------------------


def _class_codomains(shortlists: Sequence[Shortlist], space: LabelSpace, names: Sequence[str]) -> list[Codomain]:
    """Every worker may say every class."""
    for (word,) in set(shortlists):
        _check_class(space, word)
    return [Codomain.declare(list(space), space)] * len(names)


def _check_class(space: LabelSpace, word: str) -> None:
    """Raise where a word is no class. Several in one text need a separator."""
    for mark in sorted(set(word)) if word not in space else ():
        names = [name.strip() for name in word.split(mark)]
        if not mark.isalnum() and all(name in space for name in names):
            hint = f"To read it as the set {as_written(set(names))}, write separator={mark!r}"
            raise UnknownClass(f"{word!r} is not a class. {hint}", word=word)
    space.position(word)


def _set_codomains(
    columns: Positions, shortlists: Sequence[Shortlist], space: LabelSpace, names: Sequence[str]
) -> list[Codomain]:
    """Every person may say every set, and was seen to say some. All classes and none are ways to abstain."""
    everything = frozenset(space)
    seen: list[set[Shortlist]] = [set() for _ in names]
    for i, shortlist in zip(columns, shortlists, strict=True):
        if shortlist and shortlist != everything:
            seen[i].add(shortlist)
    return [_seen_codomain(each, space, name) for each, name in zip(seen, names, strict=True)]


def _seen_codomain(seen: set[Shortlist], space: LabelSpace, name: str) -> Codomain:
    try:
        return infer_codomain(seen, space, open=True)
    except UnknownClass as error:
        raise error.about(labeler=name) from None
