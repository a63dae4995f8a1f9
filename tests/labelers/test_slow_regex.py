"""What only Python's `re` can search for ends after a limit of time."""

import re
import time

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist import apply, pattern
from shortlist.errors import LabelerFailed, SlowPattern
from shortlist.labelers import slow_regex
from shortlist.labelers.slow_regex import FEW_WAYS, TIMED_OUT, count_ways, slow_search

BOMB = "a" * 40 + "!"


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(slow_regex, "TIME_LIMIT", 1.0)


def bomb():
    with pytest.warns(SlowPattern, match="look-around"):
        return pattern(r"(?=a)(a+)+$", yes="x", no="y", name="bad")


@pytest.mark.parametrize(
    ("regex", "expected"),
    [
        ("abc", 1),
        ("a|b|c", 1),  # Python itself makes one set of characters of it
        ("ab|cd|ef", 3),
        ("a?b?", 4),
        ("(?:ab|cd){2}", 4),
        ("a{0,3}", 4),
        (r"(?<!own )goal(?!s)", 1),
        ("(?:a?){8}a{8}", 2**8),
        ("a*", float("inf")),
        (r"(a)(?(1)b|c)\1", 2),
    ],
)
def test_ways_are_counted(regex, expected):
    assert count_ways(re.compile(regex)) == expected


@given(st.lists(st.one_of(st.none(), st.text("ab ²\n", max_size=6)), max_size=6))
def test_both_ways_to_search_are_pythons(texts):
    column = pl.Series(texts, dtype=pl.String)
    for regex in (re.compile(r"(?<!a)b(?!b)"), re.compile(r"(?s)(?<!a)b.*(a)\1*")):
        expected = [-1 if text is None else int(regex.search(text) is not None) for text in texts]
        assert slow_search(regex, column, 1).tolist() == expected
    assert count_ways(re.compile(r"(?s)(?<!a)b.*(a)\1*")) > FEW_WAYS


def test_the_row_on_which_it_was_given_up_is_named():
    with pytest.raises(LabelerFailed, match="given up after 1 s") as error:
        apply(bomb(), ["aaa", "b", BOMB, "aaa"])
    assert (error.value.labeler, error.value.row) == ("bad", 2)


def test_where_errors_abstain_the_rows_after_it_are_searched():
    votes = apply(bomb(), ["aaa", BOMB, "b", None, "aaa"], on_error="abstain")
    assert votes.codes[:, 0].tolist() == [1, 0, 2, 0, 1]
    assert votes.failures[0].count == 1


def test_many_rows_that_take_too_long_end_the_vote(monkeypatch):
    monkeypatch.setattr("shortlist.labelers.text_search.MAX_TIMEOUTS", 2)
    with pytest.raises(LabelerFailed) as error:
        apply(bomb(), [BOMB] * 50, on_error="abstain")
    assert error.value.row == 0


def test_trying_one_out_ends_too():
    with pytest.raises(LabelerFailed, match="'bad'"):
        bomb()(BOMB)


def test_rows_after_the_last_that_is_waited_for_are_given_up_unseen():
    found = slow_search(re.compile(r"(?=a)(a+)+$"), pl.Series(["a", BOMB, None, "a"]), 1)
    assert found.tolist() == [1, TIMED_OUT, -1, TIMED_OUT]


def test_a_search_that_nobody_waits_for_ends_between_rows(monkeypatch):
    """Attack 21: it went on to the end of the chunk."""
    monkeypatch.setattr(slow_regex, "TIME_LIMIT", 60.0)
    began = time.monotonic()

    def superseded():
        if time.monotonic() - began > 0.5:
            raise InterruptedError

    before = slow_regex.still_wanted.set(superseded)
    try:
        with pytest.raises(InterruptedError):
            slow_search(re.compile(r"(?=a)(a+)+$"), pl.Series([BOMB] * 5), 5)
    finally:
        slow_regex.still_wanted.reset(before)
    assert time.monotonic() - began < 5
