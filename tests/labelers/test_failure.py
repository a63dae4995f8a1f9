"""Where a labeler failed: the last place in the user's own code, never in a package."""

import json

import numpy as np
import pytest

from shortlist.errors import LabelerFailed
from shortlist.labelers.failure import failed, full_traceback, users_place, with_row


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
