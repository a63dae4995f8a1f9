"""Answers as users, files and codes hold them. What labelers do with them is in test_core.py."""

import json

import numpy as np
import pytest

from shortlist import LabelSpace, Not
from shortlist.errors import BadLabeler, BadShortlist, LabelerFailed
from shortlist.labelers.answers import (
    Codebook,
    answers_from_plain,
    checked_answer,
    failed,
    full_traceback,
    plain_answer,
    users_place,
    with_row,
)
from shortlist.labelspace import as_written

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
    assert as_written(answer) == shown
    assert plain_answer(answer) == plain
    assert checked_answer(answers_from_plain(plain), "goal", "yes") == answer


def test_not_is_found_wherever_it_stands_in_plain_data():
    data = {"yes": {"not": "a"}, "means": {"work": ["a", "b"], "play": {"not": ["a", "c"]}}, "words": ["not"], "n": 3}
    assert answers_from_plain(data) == {
        "yes": Not("a"), "means": {"work": ["a", "b"], "play": Not("a", "c")}, "words": ["not"], "n": 3,
    }  # fmt: skip
    with pytest.raises(BadLabeler, match=r'{"not": \["X"\]}'):
        answers_from_plain({"not": 3})


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


# -- failures ---------------------------------------------------------------------------------------------


def raised(function):
    with pytest.raises(Exception) as caught:
        function()
    return caught.value


def deep():
    return json.loads("{oops")


def deeper():
    return deep()


def line_of(function, after=1):
    return function.__code__.co_firstlineno + after


def test_the_last_place_of_ones_own():
    assert users_place(raised(deeper)) == {"file": __file__, "line": line_of(deep)}
    inside = raised(lambda: np.linalg.inv(np.zeros((2, 2))))
    assert users_place(inside)["file"] == __file__
    assert "numpy" in full_traceback(inside)


def test_no_place_of_ones_own():
    assert users_place(ValueError("never raised")) == {}


def test_who_failed_on_what():
    error = failed(ValueError("no"), labeler="goal", row=7)
    assert (str(error), error.facts) == (
        "labeler 'goal' failed on row 7: ValueError: no",
        {"labeler": "goal", "row": 7},
    )
    error = failed(ValueError("no"), feature="words", row=7)
    assert str(error) == "feature 'words' failed on row 7: ValueError: no"
    error = failed(raised(deep), labeler="model", rows=(5, 9))
    assert str(error).startswith("labeler 'model' failed on rows 5 to 9: JSONDecodeError: ")
    assert (error.rows, error.line) == ((5, 9), line_of(deep))
    assert isinstance(error, LabelerFailed)


def test_the_row_follows_in_a_sentence_of_its_own():
    """Newcomer: "Did you mean 'text'?. The row"."""
    for told, shown in (("no. Did you mean 'b'?", "'b'? The row: 3."), ("no", "ValueError: no. The row: 3.")):
        assert shown in str(with_row(failed(ValueError(told), labeler="goal", row=7), 3))


def test_how_to_go_on_is_said_for_apply_and_for_projects():
    error = failed(ValueError("no"), labeler="goal", row=7)
    assert str(with_row(error, 3)).endswith('To go on where a labeler fails: apply(…, on_error="abstain")')
    assert str(with_row(error, 3, remedy="Write it.")).endswith("The row: 3. Write it.")


def test_a_traceback_ends_with_place_row_and_error_in_one_line():
    name = __file__.rpartition("/")[2]
    last = full_traceback(raised(deep), 7).splitlines()[-1]
    assert last.startswith(f"{name}, line {line_of(deep)}, row 7: JSONDecodeError: Expecting property name")
    assert full_traceback(ValueError("two\nlines"), 7).splitlines()[-1] == "row 7: ValueError: two lines"
