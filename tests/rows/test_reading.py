"""Rows of every make give the same votes, in chunks of any size."""

import pickle
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist import apply, labeler, pattern
from shortlist.errors import BadRows
from shortlist.rows import Row, chunks, read_texts

TEXTS = ["a goal", "a vote", "goal and vote", "nothing"]
SCORES = [1, 2, None, 4]
RECORDS = [{"text": text, "score": score} for text, score in zip(TEXTS, SCORES, strict=True)]

goal = pattern("goal", yes="sports", no="world", on="text", name="goal")


@labeler(says=["sports", "world"])
def score(row):
    if row["score"] is not None and row["score"] > 1:
        return "world"


def hugging_face():
    import datasets

    return datasets.Dataset.from_list(RECORDS)


KINDS = {
    "list": lambda: RECORDS,
    "tuple": lambda: tuple(RECORDS),
    "generator": lambda: (row for row in RECORDS),
    "polars": lambda: pl.DataFrame(RECORDS),
    "lazy polars": lambda: pl.DataFrame(RECORDS).lazy(),
    "pandas": lambda: pd.DataFrame(RECORDS, index=[7, 7, 8, 9]),
    "pyarrow": lambda: pa.Table.from_pylist(RECORDS),
    "mapping of columns": lambda: {"text": TEXTS, "score": SCORES},
    "Hugging Face": hugging_face,
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_rows(kind):
    votes = apply([goal, score], KINDS[kind]())
    assert votes.codes.tolist() == [[1, 0], [2, 2], [1, 0], [2, 2]]


def test_plain_values():
    by_size = labeler(says=["sports", "world"])(lambda x: "sports" if np.sum(x) > 1 else None)
    for rows in (
        [1, 2],
        np.array([1, 2]),
        np.array([[1, 0], [1, 1]]),
        pd.Series([1, 2]),
        pl.Series([1, 2]),
        {1: 0, 2: 0}.keys(),
    ):
        assert apply(by_size, rows).codes[:, 0].tolist() == [0, 1]


def test_pandas_objects_reach_python_labelers_as_they_are():
    frame = pd.DataFrame({"thing": [{"a": 1}, 3, {4}], "text": ["x", "y", "z"]})
    seen = []
    apply(labeler(says=["sports", "world"])(lambda row: seen.append(row.thing)), frame)
    assert seen == [{"a": 1}, 3, {4}]


def test_a_row_of_a_table_is_a_dict_with_attributes():
    row = Row(text="x", score=1)
    assert (row.text, row["score"]) == ("x", 1)
    with pytest.raises(AttributeError, match="Did you mean 'score'"):
        _ = row.scoer


def test_a_column_that_is_missing_is_told_in_the_same_words_either_way():
    """Newcomer: a bare KeyError 'txt', where row.txt was helped."""
    row = Row(text="x", score=1)
    told = "the row has no column 'txt'. Did you mean 'text'?"
    with pytest.raises(KeyError) as by_key:
        row["txt"]
    with pytest.raises(AttributeError) as by_name:
        _ = row.txt
    assert str(by_key.value) == str(by_name.value) == str(pickle.loads(pickle.dumps(by_key.value))) == told
    assert (row.get("txt"), row.get("txt", 3), "txt" in row, hasattr(row, "txt")) == (None, 3, False, False)
    with pytest.raises(KeyError, match="no column 'a'"):
        Row({0: "x"})["a"]  # type: ignore[dict-item]


def test_a_stream_is_never_held_whole():
    alive = []

    def stream():
        for a in range(10):
            alive.append(a)
            yield a

    pieces, total = chunks(stream(), size=3)
    assert total is None
    first = next(pieces)
    assert (first.start, list(first.rows), alive) == (0, [0, 1, 2], [0, 1, 2])
    assert [piece.start for piece in pieces] == [3, 6, 9]


def test_no_rows_give_no_votes():
    for rows in ([], iter([]), pl.DataFrame({"text": []}, schema={"text": pl.String})):
        votes = apply([goal, score], rows)
        assert votes.shape == (0, 2)
        assert votes.coverage.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("rows", "fact"), [("a string", "list"), (3, "int"), ({"train": 3}, "rows['train']"), (None, "NoneType")]
)
def test_rows_that_are_none(rows, fact):
    with pytest.raises(BadRows) as error:
        apply(score, rows)
    assert fact in str(error.value)


scored = pattern("score", yes="a", no="b")


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_what_pandas_writes_for_nothing_is_no_text(missing):
    assert apply(scored, pd.Series(["a score", missing], dtype=object)).codes[:, 0].tolist() == [1, 0]
    odd = pd.DataFrame({"text": ["a score", missing], "other": ["x", object()]})  # polars cannot hold the other
    assert apply(pattern("score", yes="a", no="b", on="text"), odd).codes[:, 0].tolist() == [1, 0]


def test_a_column_of_mixed_kinds_names_the_row_that_is_not_text():
    with pytest.raises(BadRows, match="column 'text' of row 1 holds int, not text"):
        apply(pattern("x", yes="a", no="b", on="text"), pd.DataFrame({"text": ["x", 3]}))


def test_columns_that_differ_in_length_or_share_a_name_are_refused():
    with pytest.raises(BadRows, match="differ in length"):
        apply(scored, {"text": ["x"], "other": [1, 2]})
    with pytest.raises(BadRows, match="two columns are called 'text'"):
        apply(scored, pd.DataFrame([["x", "y"]], columns=["text", "text"]))


def test_a_stream_that_refuses_to_tell_its_length():
    class Stream:  # as a Hugging Face IterableDataset does
        def __iter__(self):
            return iter(["a score", "none"])

        def __len__(self):
            raise TypeError("no len()")

    assert len(apply(scored, Stream())) == 2
    assert len(apply(scored, pa.array(["a score", None]))) == 2


def test_chunks_grow_and_are_shared_among_workers():
    pieces, _ = chunks(range(1_000_000))
    lengths = [len(piece) for piece in pieces]
    assert lengths[:3] == [512, 1024, 2048]
    assert max(lengths) == 262_144
    assert sum(lengths) == 1_000_000
    shared, _ = chunks(list(range(800)), workers=4)
    assert [len(piece) for piece in shared] == [25] * 32  # slow labelers on few rows use every worker


def lengths_of_chunks(monkeypatch, rows, seconds):
    """The rows of each chunk, where one of so many rows takes so many seconds."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr("shortlist.rows.reading.time", SimpleNamespace(perf_counter=lambda: clock.now))
    lengths = []
    for piece in chunks(range(rows))[0]:
        lengths.append(len(piece))
        clock.now += seconds(len(piece))
    return lengths


def test_chunks_that_are_slow_do_not_grow(monkeypatch):
    """So that a bar moves, however slow the labelers are."""
    assert lengths_of_chunks(monkeypatch, 4_000, lambda rows: rows / 1000) == [512, 1024, 1024, 1024, 416]


def test_chunks_grow_while_most_of_their_time_does_not_depend_on_their_rows(monkeypatch):
    lengths = lengths_of_chunks(monkeypatch, 60_000, lambda rows: 1 + rows / 5_000)
    assert lengths[:6] == [512, 1024, 2048, 4096, 8192, 16384]
    assert set(lengths[6:-1]) == {16384}


def test_rows_may_be_counted_from_another_number():
    for rows in (range(10), pl.DataFrame({"a": range(10)}), iter(range(10))):
        pieces, _ = chunks(rows, size=4, first=100)
        assert [piece.start for piece in pieces] == [100, 104, 108]


# -- texts for classifiers -------------------------------------------------------------------------------


TABLE = {
    "title": ["Methods", None, "", "Results"],
    "body": ["We use it.", "It is known.", "They say so", None],
    "n": [1, 2, 3, 4],
}
TEXT_KINDS = [pd.DataFrame, pl.DataFrame, pa.table, lambda table: pl.DataFrame(table).to_dicts()]
MAKES = ["pandas", "polars", "pyarrow", "dicts"]
CELLS = st.none() | st.text(max_size=5)


@pytest.mark.parametrize("kind", TEXT_KINDS, ids=MAKES)
def test_columns_are_joined_in_order_and_what_is_missing_left_out(kind):
    table = kind(TABLE)
    titled = ["Methods. We use it.", "It is known.", "They say so", "Results"]
    assert read_texts(table, ["title", "body"]) == read_texts(table, ("title", "body")) == titled
    assert read_texts(table, ["body", "title"])[0] == "We use it.. Methods"


@pytest.mark.parametrize("kind", TEXT_KINDS, ids=MAKES)
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


@pytest.mark.parametrize("kind", TEXT_KINDS, ids=MAKES)
def test_mistakes_name_the_column(kind):
    table = kind(TABLE)
    with pytest.raises(BadRows, match=r"'titel'.*Did you mean 'title'\?"):
        read_texts(table, ["titel", "body"])
    with pytest.raises(BadRows, match=r"^column 'n' of row 0 holds int, not text$"):
        read_texts(table, ["body", "n"])
    with pytest.raises(BadRows, match="empty list"):
        read_texts(table, [])


@pytest.mark.parametrize("kind", TEXT_KINDS, ids=MAKES)
@pytest.mark.parametrize("on", [np.array(["title", "body"]), pd.Index(["title", "body"]), {"title", "body"}])
def test_names_that_are_no_list(kind, on):
    """They could not be kept in a classifier's file, and a set has no order."""
    with pytest.raises(BadRows, match=r"^on is the name of a column, or a list of names, not a [a-zI]+:"):
        read_texts(kind(TABLE), on)


def test_numbers_in_the_one_column_of_a_table():
    with pytest.raises(BadRows, match=r"^column 'n' of row 0 holds int, not text$"):
        read_texts(pl.DataFrame(TABLE), "n")
