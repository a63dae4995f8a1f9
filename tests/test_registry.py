"""Things by name: own, added, and announced by installed packages (for real: tests/project/test_kinds.py)."""

from importlib.metadata import EntryPoint, EntryPoints

import pytest

from shortlist.errors import ShortlistError
from shortlist.registry import Registry


def registry(**more):
    return Registry("letter", "tests.letters", lambda thing: thing if isinstance(thing, str) else None, **more)


def announce(monkeypatch, *entries):
    found = EntryPoints(EntryPoint(name, value, "tests.letters") for name, value in entries)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: found.select(group=group))


def test_own_then_added_then_announced(monkeypatch):
    announce(monkeypatch, ("abc", "string:ascii_lowercase"), ("0123456789", "string:digits"), ("b", "string:digits"))
    letters = registry(own=["a"])
    letters.add("b")
    assert list(letters) == ["a", "b", "abc", "0123456789"]
    assert len(letters) == 4
    assert letters.here == ("a", "b")
    assert letters["b"] == "b"
    assert letters["0123456789"] == "0123456789"
    assert letters.get("z") is None
    with pytest.raises(ShortlistError, match=r"entry point 'abc' of tests.letters is .*, not a letter of that name"):
        letters["abc"]


def test_own_and_reserved_names_cannot_be_taken(monkeypatch):
    announce(monkeypatch, ("none", "string:digits"))
    letters = registry(own=["a"], reserved=["none"])
    for name in ("a", "none"):
        with pytest.raises(ShortlistError, match=f"'{name}' is a name of shortlist's own: call the letter"):
            letters.add(name)
    assert "none" not in letters


@pytest.mark.parametrize("thing", [3, ""])
def test_what_is_added_has_a_name(thing):
    with pytest.raises(ShortlistError, match=f"{thing!r} is no letter with a name"):
        registry().add(thing)


def test_what_is_added_last_counts():
    things = Registry("pair", "tests.pairs", lambda thing: thing[0])
    things.add(("a", 1))
    things.add(("a", 2))
    assert things["a"] == ("a", 2)
    assert things.here == ("a",)
