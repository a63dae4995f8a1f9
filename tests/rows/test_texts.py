"""Texts out of rows: one column as it is, several joined in order, and what is missing left out."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist.errors import BadRows
from shortlist.rows import read_texts

TABLE = {
    "title": ["Methods", None, "", "Results"],
    "body": ["We use it.", "It is known.", "They say so", None],
    "n": [1, 2, 3, 4],
}
KINDS = [pd.DataFrame, pl.DataFrame, pa.table, lambda table: pl.DataFrame(table).to_dicts()]
MAKES = ["pandas", "polars", "pyarrow", "dicts"]
CELLS = st.none() | st.text(max_size=5)


@pytest.mark.parametrize("kind", KINDS, ids=MAKES)
def test_columns_are_joined_in_order_and_what_is_missing_left_out(kind):
    table = kind(TABLE)
    titled = ["Methods. We use it.", "It is known.", "They say so", "Results"]
    assert read_texts(table, ["title", "body"]) == read_texts(table, ("title", "body")) == titled
    assert read_texts(table, ["body", "title"])[0] == "We use it.. Methods"


@pytest.mark.parametrize("kind", KINDS, ids=MAKES)
def test_a_row_without_any_text_is_empty(kind):
    assert read_texts(kind({"a": [None, None], "b": ["", None]}), ["a", "b"]) == ["", ""]


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_everything_that_means_missing_is_left_out(missing):
    table = pd.DataFrame({"title": pd.Series([missing, "Methods"], dtype=object), "body": ["x", "y"]})
    assert read_texts(table, ["title", "body"]) == ["x", "Methods. y"]
    assert read_texts(table, "title") == ["", "Methods"]


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6))
def test_a_list_of_one_is_that_column_and_an_empty_column_adds_nothing(cells):
    a, b = zip(*cells, strict=True)
    table = pl.DataFrame({"a": a, "b": b, "none": [None] * len(a)}, schema_overrides={"a": pl.String, "b": pl.String})
    assert read_texts(table, ["a"]) == read_texts(table, "a")
    assert read_texts(table, ["none", "a", "none", "b"]) == read_texts(table, ["a", "b"])
    assert read_texts(table.to_dicts(), ["a", "b"]) == read_texts(table, ["a", "b"])


@pytest.mark.parametrize("kind", KINDS, ids=MAKES)
def test_mistakes_name_the_column(kind):
    table = kind(TABLE)
    with pytest.raises(BadRows, match=r"'titel'.*Did you mean 'title'\?"):
        read_texts(table, ["titel", "body"])
    with pytest.raises(BadRows, match=r"^column 'n' of row 0 holds int, not text$"):
        read_texts(table, ["body", "n"])
    with pytest.raises(BadRows, match="empty list"):
        read_texts(table, [])


@pytest.mark.parametrize("kind", KINDS, ids=MAKES)
@pytest.mark.parametrize("on", [np.array(["title", "body"]), pd.Index(["title", "body"]), {"title", "body"}])
def test_names_that_are_no_list(kind, on):
    """They could not be kept in a classifier's file, and a set has no order."""
    with pytest.raises(BadRows, match=r"^on is the name of a column, or a list of names, not a [a-zI]+:"):
        read_texts(kind(TABLE), on)


def test_numbers_in_the_one_column_of_a_table():
    with pytest.raises(BadRows, match=r"^column 'n' of row 0 holds int, not text$"):
        read_texts(pl.DataFrame(TABLE), "n")
