"""LabelSpace: class names ↔ positions, and shortlists ↔ masks.

A *shortlist* is a non-empty proper subset of the classes, written as a `frozenset` of names. `Not("X")` is
every class but X.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadShortlist, UnknownClass
from shortlist.wording import did_you_mean, first_duplicate, listed, lone_surrogate, shown_shortlist

Shortlist: TypeAlias = frozenset[str]


@dataclass(frozen=True, init=False)
class Not:
    """Every class but these: `Not("sports")`, `Not("sports", "world")`."""

    classes: frozenset[str]

    def __init__(self, *classes: str) -> None:
        if not classes or not all(isinstance(name, str) for name in classes):
            names = classes[0] if len(classes) == 1 and isinstance(classes[0], (list, tuple)) else ()
            shown = ", ".join(map(repr, names)) or '"sports"'
            raise BadShortlist(f"Not() takes class names one by one: write Not({shown})")
        object.__setattr__(self, "classes", frozenset(classes))

    def __repr__(self) -> str:
        return f"Not({', '.join(repr(name) for name in sorted(self.classes))})"


def as_written(answer: object) -> str:
    """An answer as a user would write it: one class by its name, several in braces."""
    if not isinstance(answer, (set, frozenset)):
        return repr(answer)
    names = sorted(map(repr, answer))
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}" if names else "an empty set"


def names_in(answer: object) -> Shortlist | Not:
    """The names in an answer (a name, a collection of names or a Not), without a label space."""
    if isinstance(answer, Not):
        return answer
    if isinstance(answer, str):
        return frozenset((_plain(answer),))
    if isinstance(answer, (set, frozenset, list, tuple)) and all(isinstance(name, str) for name in answer):
        return frozenset(_plain(name) for name in answer)
    hint = '; in a file, every class but X is written {"not": ["X"]}' if isinstance(answer, dict) else ""
    if isinstance(answer, (int, np.integer)) and answer == -1:  # as in Snorkel
        hint = "; to abstain, return None"
    raise BadShortlist(f"{as_written(answer)} is not a class name, a set of class names or Not(...){hint}")


class LabelSpace(Sequence[str]):
    """The classes, in order. Behaves as a tuple of names that also knows its positions.

    >>> space = LabelSpace(["business", "sports", "world"])
    >>> sorted(space.shortlist(Not("sports")))
    ['business', 'world']
    >>> space.mask({"sports", "world"}).tolist()
    [False, True, True]
    """

    __slots__ = ("_positions", "names")

    def __init__(self, names: Iterable[str]) -> None:
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise BadShortlist(f"the classes are given as a list of names, not as {names!r}")
        names = tuple(names)
        for name in names:
            if not isinstance(name, str) or not name:
                hint = f"; write {str(name)!r}" if isinstance(name, (int, np.integer)) else ""
                raise BadShortlist(f"class names are non-empty strings; got {name!r}{hint}")
        self.names: tuple[str, ...] = tuple(map(_plain, names))
        self._positions = {name: j for j, name in enumerate(self.names)}
        if (half := lone_surrogate(self.names)) is not None:
            raise BadShortlist(f"class {half!r} holds half a character (a lone surrogate), which no file can hold")
        if twice := first_duplicate(self.names):
            raise BadShortlist(f"class {twice!r} is named twice")
        if len(self.names) < 2:
            raise BadShortlist(f"a label space needs at least two classes; got {list(self.names)}")

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, j: int) -> str: ...
    @overload
    def __getitem__(self, j: slice) -> tuple[str, ...]: ...
    def __getitem__(self, j: int | slice) -> str | tuple[str, ...]:
        return self.names[j]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._positions

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LabelSpace) and self.names == other.names

    def __hash__(self) -> int:
        return hash(self.names)

    def __repr__(self) -> str:
        return f"LabelSpace({list(self.names)!r})"

    def position(self, name: str) -> int:
        """The position of a class; an unknown name is an error that offers the nearest one."""
        try:
            return self._positions[name]
        except (KeyError, TypeError):
            classes = listed(self[:100]) + (f", … ({len(self):,} in all)" if len(self) > 100 else "")
            raise UnknownClass(f"{name!r} is not a class. Classes: {classes}.{self._hint(name)}", word=name) from None

    def _check_one(self, word: str) -> None:
        """Raise where several classes are in one text, "cooking, money": a set that lacks its braces."""
        names = [name.strip() for name in word.split(",")]
        if word not in self and len(names) > 1 and all(name in self for name in names):
            raise UnknownClass(f"{word!r} is not a class: several are a set, {as_written(set(names))}", word=word)

    def _hint(self, name: object) -> str:
        if isinstance(name, (int, np.integer)):
            return " Classes are meant by name, never by number: of positions y, [space[j] for j in y] are the names."
        return did_you_mean(name, self)

    def positions(self, names: Iterable[Any]) -> npt.NDArray[np.int64]:
        """Positions of many names, −1 where a name is `unknown`: gold labels as numbers."""
        return np.fromiter((-1 if unknown(name) else self._gold(name) for name in names), np.int64)

    def _gold(self, name: Any) -> int:
        if isinstance(name, (set, frozenset, list, tuple, Not)):
            raise UnknownClass(
                f"{as_written(name)} is not a class: a gold label is one class, or None where it is not known"
            )
        return self.position(name)

    def shortlist(self, answer: object) -> Shortlist:
        """The non-empty proper subset of the classes that an answer stands for."""
        said = names_in(answer)
        words = said.classes if isinstance(said, Not) else said
        for word in sorted(words):
            self._check_one(word)
            self.position(word)
        classes = frozenset(self.names) - words if isinstance(said, Not) else said
        if not classes:
            raise BadShortlist(f"{as_written(answer)} leaves no class; to abstain, return nothing (None)")
        if len(classes) == len(self):
            raise BadShortlist(f"{as_written(answer)} holds every class, so it says nothing; to abstain, return None")
        return classes

    def mask(self, answer: object) -> npt.NDArray[np.bool_]:
        """An answer as a (k,) bool array."""
        classes = self.shortlist(answer)
        return np.fromiter((name in classes for name in self), np.bool_, len(self))

    def from_mask(self, mask: npt.ArrayLike) -> Shortlist:
        """The classes that a (k,) bool array marks."""
        marks = np.asarray(mask, np.bool_)
        if marks.shape != (len(self),):
            raise BadShortlist(f"a mask over {len(self)} classes has shape ({len(self)},); got {marks.shape}")
        return frozenset(self.names[j] for j in np.flatnonzero(marks))

    def ordered(self, shortlist: Collection[str]) -> tuple[str, ...]:
        """The names of a shortlist in the order of the space, for printing and saving."""
        return tuple(sorted(shortlist, key=self.position))

    def show(self, shortlist: Collection[str]) -> str:
        """`NUM` for one class, `{DESC, NUM}` for several, `not NUM` where that is shorter."""
        return shown_shortlist(self.ordered(shortlist), [name for name in self if name not in shortlist])


def natural(key: Any) -> tuple[int, float, str]:
    """Sort 2 before 10, numbers before words."""
    text = str(key)
    try:
        number = float(text)
    except ValueError:
        return 1, 0.0, text
    return (0, number, text) if math.isfinite(number) else (1, 0.0, text)


def _plain(name: str) -> str:
    """The text of a name that is a member of an Enum, or numpy's."""
    return str.__str__(name)


def unknown(name: object) -> bool:
    """True for a gold label of an unknown class: None, an empty text, or NaN, NaT and NA of pandas."""
    return is_missing(name) or (isinstance(name, str) and not name)


def is_missing(value: object) -> bool:
    """True for None, and for NaN, NA and NaT of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(value != value)
