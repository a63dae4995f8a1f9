"""Answers: what a labeler may say, as users, files and codes hold it.

A labeler that declares what it says has the codes of its codomain. One that does not gets codes in the order in which
its shortlists are seen; `apply` turns them into those of the inferred codomain at the end.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from shortlist.errors import BadLabeler, BadShortlist, about_option
from shortlist.labelspace import LabelSpace, Not, Shortlist, as_written, names_in

Said = tuple[Shortlist | Not, ...]


def checked_answer(answer: Any, name: str, option: str) -> Shortlist | Not:
    """One answer of a labeler, checked as far as that goes without the label space."""
    with about_option(option):
        return checked_says([answer], name)[0]


def checked_says(says: Any, name: str) -> Said:
    """All that a labeler declares it may say, checked as far as that goes without the label space."""
    if isinstance(says, (str, Not)):
        says = [says]
    if isinstance(says, (set, frozenset)) and all(isinstance(word, str) for word in says):
        raise BadLabeler(  # one shortlist or several? and in which order?
            f"labeler {name!r}: says is a list: [{show_answer(names_in(says))}] for this shortlist, "
            f"{sorted(says)} for either class",
            labeler=name,
        )
    try:
        said = tuple(names_in(answer) for answer in says)
    except (BadShortlist, TypeError) as error:
        raise BadLabeler(
            f"labeler {name!r}: says is a list of answers, each a class name, a set of names or Not: {error}",
            labeler=name,
        ) from error
    if not said or frozenset() in said:
        raise BadLabeler(
            f"labeler {name!r} says nothing: leave `says` out, or list the shortlists it may answer", labeler=name
        )
    if len(set(said)) < len(said):
        shown = ", ".join(map(show_answer, said))
        raise BadLabeler(f"labeler {name!r} declares an answer twice: {shown}", labeler=name)
    return said


def show_answer(answer: Shortlist | Not | None) -> str:
    """An answer as a user would write it."""
    if isinstance(answer, frozenset):
        return repr(next(iter(answer))) if len(answer) == 1 else "{" + ", ".join(map(repr, sorted(answer))) + "}"
    return repr(answer)


def plain_answer(answer: Shortlist | Not) -> Any:
    """An answer as plain data: a list of classes, or {"not": a list of classes}."""
    return {"not": sorted(answer.classes)} if isinstance(answer, Not) else sorted(answer)


def from_plain(value: Any) -> Any:
    """Plain data with Not("X") wherever {"not": ["X"]} stands in it."""
    if isinstance(value, list):
        return [from_plain(one) for one in value]
    if not isinstance(value, dict):
        return value
    if set(value) != {"not"}:
        return {key: from_plain(one) for key, one in value.items()}
    names = [value["not"]] if isinstance(value["not"], str) else value["not"]
    if not isinstance(names, list):
        raise BadLabeler(f'{value!r} is no answer: every class but X is written {{"not": ["X"]}}')
    return Not(*names)


class Codebook:
    """Answers → codes for one labeler. `table` is looked up first; `resolve` deals with what is not in it."""

    dtype = np.dtype(np.uint16)

    def __init__(self, says: Said | None, space: LabelSpace | None, *, full_abstains: bool = False) -> None:
        self.space = space
        self.inferred = says is None
        self.full_abstains = full_abstains
        self.seen: list[Shortlist | Not] = []
        self.table: dict[Any, int] = {None: 0}
        for answer in says or ():
            self._add(self._meaning(answer))

    def _meaning(self, answer: Any) -> Shortlist | Not | None:
        """What an answer stands for: its shortlist, or (while no label space is known) its words."""
        if self.space is None:
            words = names_in(answer)
            if words == frozenset():
                raise BadShortlist(f"{as_written(answer)} leaves no class; to abstain, return nothing (None)")
            return words
        return self.space.shortlist(answer, full_is_none=self.full_abstains)

    def _add(self, meaning: Shortlist | Not | None) -> int:
        if meaning is None:
            return 0
        self.seen.append(meaning)
        code = len(self.seen)
        if code > np.iinfo(self.dtype).max:
            raise BadShortlist(f"more than {np.iinfo(self.dtype).max} different shortlists")
        self.table[meaning] = code
        if isinstance(meaning, frozenset) and len(meaning) == 1:
            self.table[next(iter(meaning))] = code
        return code

    def resolve(self, answer: Any) -> int:
        """The code of an answer that is not in the table yet; a bad answer is an error."""
        meaning = None if answer is None else self._meaning(answer)
        code = 0 if meaning is None else self.table.get(meaning)
        if code is None:
            if not self.inferred:
                declared = ", ".join(map(show_answer, self.seen))
                raise BadShortlist(
                    f"{show_answer(meaning)} is not among what it says: {declared}. "
                    f"Add it: says=[{declared}, {answer if isinstance(answer, Not) else show_answer(meaning)}]"
                )
            code = self._add(meaning)
        with suppress(TypeError):  # a list is understood, but cannot be remembered
            self.table[answer] = code
        return code
