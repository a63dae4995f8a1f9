"""Cells: text or nothing, and who is told what otherwise."""

import pandas as pd
import pytest

from shortlist.errors import BadRows
from shortlist.rows.chunk import cell, is_missing, no_column, texts_of


def test_cells_of_a_row():
    assert cell({"a": 1}, "a", 0) == 1
    with pytest.raises(BadRows, match=r"row 7 has no 'bdy'\. Did you mean 'body'\? It has body, n") as caught:
        cell({"body": "x", "n": 1}, "bdy", 7)
    assert caught.value.facts == {"row": 7, "column": "bdy"}
    with pytest.raises(BadRows, match=r"row 2 has no 'a'\. It is a str, not a mapping"):
        cell("text", "a", 2)


def test_texts_or_nothing():
    assert texts_of(["a", None, float("nan"), pd.NA, ""]) == ["a", None, None, None, ""]
    with pytest.raises(BadRows, match="column 'x' of row 6 holds int, not text") as caught:
        texts_of(["a", 3], "x", start=5)
    assert caught.value.facts == {"row": 6, "column": "x"}
    with pytest.raises(BadRows, match="row 0 holds dict, not text; say which column"):
        texts_of([{"text": "a"}])


@pytest.mark.parametrize(
    ("value", "missing"), [(None, True), (float("nan"), True), (pd.NaT, True), ("", False), (0, False)]
)
def test_missing(value, missing):
    assert is_missing(value) == missing


def test_no_column():
    error = no_column("titel", ["title", "body"])
    assert str(error) == "no column is called 'titel'. Did you mean 'title'? Columns: title, body"
    assert error.column == "titel"
