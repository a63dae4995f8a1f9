"""Where a labeler found what it looks for."""

import re

import pytest

from shortlist import keywords, labeler, pattern
from shortlist.labelers.spans import Piece, Span, pieces, spans


def found(rule, text):
    return [text[start:end] for start, end in spans(rule, [text])[0]]


def test_whole_words_side_by_side_are_all_found():
    assert found(keywords(["goal", "match point"], says="a"), "Goal goal, goals: MATCH POINT!") == [
        "Goal",
        "goal",
        "MATCH POINT",
    ]


def test_parts_of_words_are_found_where_asked_for():
    assert found(keywords(["cat"], says="a", whole_words=False), "concat cat") == ["cat", "cat"]


@pytest.mark.parametrize("regex", [r"\bw\w+", r"[A-Z]\d*", r"é+", r"a|b$", r"(x)(y)?"])
@pytest.mark.parametrize("text", ["who wins W12 ééé x xy b", "", "naïve — w", "b"])
def test_patterns_are_found_where_python_finds_them(regex, text):
    assert found(pattern(regex, yes="a"), text) == [m.group() for m in re.finditer(regex, text) if m.group()]


def test_a_pattern_that_backtracks_takes_no_time():
    """Python's own engine would need 2^5000 steps here."""
    assert spans(pattern(r"(a+)+$", yes="a"), ["a" * 5000 + "b"]) == [[]]


@pytest.mark.filterwarnings("ignore:pattern")
def test_what_has_no_place_has_none():
    @labeler(says=["a"])
    def rule(text):
        return "a"

    assert spans(rule, ["one", "two"]) == [[], []]
    assert spans(pattern(r"a(?!b)", yes="a"), ["ac"]) == [[]]


def test_marks_in_the_text_do_no_harm():
    assert spans(keywords(["a"], says="x"), ["\ufdd0 a \ufdd1"]) == [[Span(2, 3)]]


def test_pieces_add_up_to_the_text():
    marks = [("one", Span(0, 3)), ("two", Span(2, 5))]
    cut = pieces("abcdefg", marks)
    assert cut == (Piece("ab", ("one",)), Piece("c", ("one", "two")), Piece("de", ("two",)), Piece("fg"))
    assert pieces("", []) == ()
