"""Answers as users, files and codes hold them. What labelers do with them is in test_core.py."""

import pytest

from shortlist import LabelSpace, Not
from shortlist.errors import BadLabeler, BadShortlist
from shortlist.labelers.answers import Codebook, checked_answer, from_plain, plain_answer, show_answer

SPACE = LabelSpace(["a", "b", "c"])


@pytest.mark.parametrize(
    ("answer", "shown", "plain"),
    [
        (frozenset("a"), "'a'", ["a"]),
        (frozenset("ba"), "{'a', 'b'}", ["a", "b"]),
        (Not("b", "a"), "Not('a', 'b')", {"not": ["a", "b"]}),
    ],
)
def test_an_answer_is_shown_and_written_and_read_back(answer, shown, plain):
    assert show_answer(answer) == shown
    assert plain_answer(answer) == plain
    assert checked_answer(from_plain(plain), "goal", "yes") == answer


def test_not_is_found_wherever_it_stands_in_plain_data():
    data = {"yes": {"not": "a"}, "means": {"work": ["a", "b"], "play": {"not": ["a", "c"]}}, "words": ["not"], "n": 3}
    assert from_plain(data) == {
        "yes": Not("a"), "means": {"work": ["a", "b"], "play": Not("a", "c")}, "words": ["not"], "n": 3,
    }  # fmt: skip
    with pytest.raises(BadLabeler, match=r'{"not": \["X"\]}'):
        from_plain({"not": 3})


def test_the_option_at_fault_is_named():
    with pytest.raises(BadLabeler, match="3 is not a class name") as caught:
        checked_answer(3, "goal", "yes")
    assert caught.value.facts == {"labeler": "goal", "option": ("yes",)}


def test_codes_by_hand():
    declared = Codebook((frozenset("a"), Not("a")), SPACE)
    assert [declared.resolve(answer) for answer in ("a", ["b", "c"], None, {"a"})] == [1, 2, 0, 1]
    with pytest.raises(BadShortlist, match="'b' is not among what it says"):
        declared.resolve("b")
    with pytest.raises(BadShortlist, match=r"Add it: says=\['a', Not\('b'\)\]"):
        Codebook((frozenset("a"),), SPACE).resolve(Not("b"))
    inferred = Codebook(None, SPACE)
    assert [inferred.resolve(answer) for answer in ("c", {"a", "b"}, Not("c"), "c")] == [1, 2, 2, 1]
    assert Codebook(None, SPACE, full_abstains=True).resolve({"a", "b", "c"}) == 0
