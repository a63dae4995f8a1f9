"""Registry: things that are asked for by name, such as kinds of classifiers or stages of a project.

Three sources, in this order: shortlist's own, what was added in this process, and what installed packages announce as
entry points of a group. Entry points are looked for when a name is asked for that is not known otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from shortlist.errors import ShortlistError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

Thing = TypeVar("Thing")


class Registry(Mapping[str, Thing]):
    """Name → thing.

    what       what the things are, for messages
    group      the group of entry points in which packages announce things
    name_of    the name of a thing, or None where it is not such a thing
    own        shortlist's own, which nobody can replace
    reserved   names that nothing may have
    """

    def __init__(
        self,
        what: str,
        group: str,
        name_of: Callable[[Any], str | None],
        own: Iterable[Thing] = (),
        reserved: Iterable[str] = (),
    ) -> None:
        self.what, self.group, self.name_of, self.reserved = what, group, name_of, frozenset(reserved)
        self.own: dict[str, Thing] = {str(name_of(thing)): thing for thing in own}
        self.added: dict[str, Thing] = {}

    def add(self, thing: Thing) -> None:
        """Add a thing. One of the same name that was added before is replaced."""
        name = self.name_of(thing)
        if not isinstance(name, str) or not name:
            raise ShortlistError(f"{thing!r} is no {self.what} with a name")
        if name in self.own or name in self.reserved:
            raise ShortlistError(f"{name!r} is a name of shortlist's own: call the {self.what} something else")
        self.added[name] = thing

    def __getitem__(self, name: str) -> Thing:
        if name in self.reserved:
            raise KeyError(name)
        for known in (self.own, self.added):
            if name in known:
                return known[name]
        return self._announced(name)

    def __iter__(self) -> Iterator[str]:
        announced = (entry.name for entry in self._entry_points())
        return iter(dict.fromkeys([*self.here, *announced]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def here(self) -> tuple[str, ...]:
        """The names of shortlist's own and of what was added, without those that packages announce."""
        return (*self.own, *self.added)

    def _announced(self, name: str) -> Thing:
        for entry in self._entry_points(name):
            thing = entry.load()
            if self.name_of(thing) == name:
                found: Thing = thing
                return found
            raise ShortlistError(
                f"the entry point {name!r} of {self.group} is {thing!r}, not a {self.what} of that name"
            )
        raise KeyError(name)

    def _entry_points(self, name: str | None = None) -> EntryPoints:
        """Those of the group, or those of one name in it."""
        from importlib.metadata import entry_points  # slow to import, and seldom needed

        found = entry_points(group=self.group)
        return found if name is None else found.select(name=name)
