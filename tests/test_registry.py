"""Things by name: own, added, and announced by installed packages (for real: tests/project/test_kinds.py)."""

import inspect
from importlib.metadata import EntryPoint, EntryPoints

import numpy as np
import pytest

from shortlist.errors import BadFit, ShortlistError
from shortlist.registry import Registry, check_amount, check_choice, check_probability, check_whole, parameters_known


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


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (lambda value: check_choice("knob", value, ("a", "b", "c")), ["a", "c"], ["d", 1, None, ["a"]]),
        (lambda value: check_probability("knob", value), [0.5, np.float32(0.1)], [0, 1, -0.5, np.nan, True, "half"]),
        (lambda value: check_amount("knob", value, "a weight"), [0, 2.5], [-1, np.inf, np.nan, True, "many"]),
        (lambda value: check_amount("knob", value, "a weight", above=True), [1e-9], [0, 0.0]),
        (lambda value: check_whole("knob", value), [1, np.int64(3)], [0, 1.0, True, "1", None]),
        (lambda value: check_whole("knob", value, least=0), [0], [-1]),
    ],
)
def test_an_option_that_cannot_be_is_named(check, good, bad):
    for value in good:
        check(value)
    for value in bad:
        with pytest.raises(BadFit) as error:
            check(value)
        assert error.value.option == ("knob",)
        assert str(error.value).startswith("knob is ")
        assert str(error.value).endswith(f"not {value!r}")


def test_what_it_may_be_is_said():
    with pytest.raises(BadFit, match=r"^knob is \"a\", \"b\" or \"c\", not 'd'$"):
        check_choice("knob", "d", ("a", "b", "c"))
    with pytest.raises(BadFit, match=r"^knob is a whole number from 1, or None for all cores, not 0$"):
        check_whole("knob", 0, otherwise=", or None for all cores")


def test_a_function_keeps_its_name_and_its_parameters():
    @parameters_known(BadFit)
    def made(words, /, *, says=None):
        """What it does."""
        return words, says

    assert made([1], says=2) == ([1], 2)
    assert (made.__name__, str(inspect.signature(made)), made.__doc__) == (
        "made",
        "(words, /, *, says=None)",
        "What it does.",
    )
    with pytest.raises(BadFit, match=r"^made\(\) has no parameter 'words'\. Parameters: says$"):
        made(words=[1])
    with pytest.raises(TypeError, match="missing 1 required"):
        made()
