"""Examples are rows of the bucket they stand for."""

import base64
import struct
import zlib

import numpy as np
import pandas as pd
import polars as pl
import pytest

from shortlist.errors import BadRows
from shortlist.reporting.examples import (
    Specimen,
    contradictions,
    cut,
    data_uri,
    pick,
    png,
    show,
    suggested,
)
from tests.analysis.worked import GOLD, newspaper, oracle
from tests.reporting.showing import drawn, hostile, overview_of


def test_the_newspaper():
    overview = overview_of(newspaper(), oracle(), gold=GOLD)
    first = contradictions(overview, [f"text {a}" for a in range(6)])[0]
    goal, abroad = first["sides"]
    assert (goal.labeler, goal.says, abroad.labeler, abroad.says, first["rows"]) == (
        "goal",
        "sports",
        "abroad",
        "business",
        1,
    )
    assert (goal.believed, abroad.believed, first["neither"]) == pytest.approx((0.6, 0.4, 0.0))
    assert (goal.gold, abroad.gold) == (1.0, 0.0)
    (example,) = first["examples"]
    assert (example.row, example.gold, example.specimen.text) == (1, "sports", "text 1")
    assert example.guesses == (("sports", 0.6), ("business", 0.4))


def test_without_rows_or_model():
    found = contradictions(overview_of(newspaper()), None)
    assert found[0]["examples"][0].specimen is None
    assert found[0]["sides"][0].believed is None
    assert suggested(overview_of(newspaper()), None) == []


def test_no_more_than_can_be_looked_at():
    votes = drawn(2000).votes
    found = contradictions(overview_of(votes), None)
    assert len(found) <= 8
    assert all(len(bucket["examples"]) <= 4 for bucket in found)
    for bucket in found:
        for example in bucket["examples"]:
            said = votes.said(example.row)
            for side in bucket["sides"]:
                assert votes.space.show(said[side.labeler]) == side.says


def test_suggestions_carry_their_rows():
    votes, model, rows, _ = hostile()
    found = suggested(overview_of(votes, model), rows)
    assert len(found) == 12
    assert found[0]["example"].specimen.fields[0][1].startswith(f"row {found[0]['example'].row} ")
    assert found[0]["gain"] >= found[-1]["gain"]


@pytest.mark.parametrize(
    "rows",
    [
        ["a", "b", "c"],
        iter(["a", "b", "c"]),
        pl.DataFrame({"text": ["a", "b", "c"]}),
        pd.DataFrame({"text": ["a", "b", "c"]}),
        {"text": ["a", "b", "c"]},
        np.array(["a", "b", "c"]),
    ],
)
def test_rows_of_any_kind(rows):
    assert {a: s.text for a, s in pick(rows, [2, 0], 3).items()} == {0: "a", 2: "c"}


def test_tables_with_several_columns_show_them_all():
    assert pick(pl.DataFrame({"x": [1, 2], "y": ["a", None]}), [1], 2)[1].fields == (("x", "2"), ("y", ""))


def test_a_long_text_is_what_the_row_is_about():
    found = show({"id": 7, "text": "word " * 20, "source": "x" * 99, "n": None})
    assert found.text == "word " * 20
    assert found.fields == (("id", "7"), ("source", "x" * 39 + "…"), ("n", ""))
    assert show({}) == Specimen()


@pytest.mark.parametrize("rows", [["a", "b"], iter(["a", "b"]), pl.DataFrame({"t": ["a", "b"]})])
def test_as_many_rows_as_votes(rows):
    with pytest.raises(BadRows, match=r"3 rows.*2 rows"):
        pick(rows, [0], 3)


def test_long_text_is_cut():
    assert len(show("x" * 5000).text) == 600
    assert cut(None) == ""
    assert cut(1.5) == "1.5"


def test_feature_vectors_are_text_and_pictures_pictures():
    assert show(np.arange(3.0)).text == "[0. 1. 2.]"
    assert show(np.zeros((8, 8))).picture.startswith("data:image/png;base64,")
    assert show(np.zeros((8, 8, 3), np.uint8)).picture.startswith("data:image/png;base64,")
    assert show(np.zeros((2, 50))).picture == ""
    assert show({"only": "text"}) == Specimen(text="text")


def decode(data: bytes):
    """Width, height, colour type and the bytes of the lines, as the PNG standard says."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, parts = 8, {}
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + body)
        parts[kind] = body
        at += 12 + length
    return struct.unpack(">IIBBBBB", parts[b"IHDR"]), zlib.decompress(parts[b"IDAT"])


def test_a_png_holds_its_pixels():
    grey = np.array([[0, 255], [7, 8]], np.uint8)
    header, lines = decode(png(grey))
    assert header == (2, 2, 8, 0, 0, 0, 0)
    assert lines == bytes([0, 0, 255, 0, 7, 8])
    header, lines = decode(png(np.arange(6, dtype=np.uint8).reshape(1, 2, 3)))
    assert header[3] == 2
    assert lines == bytes([0, 0, 1, 2, 3, 4, 5])


def test_pictures_are_stretched_and_shrunk():
    uri = data_uri(np.array([[0.0, np.nan], [5.0, 10.0]]))
    _, lines = decode(base64.b64decode(uri.split(",")[1]))
    assert lines == bytes([0, 0, 0, 0, 128, 255])
    header, _ = decode(base64.b64decode(data_uri(np.zeros((500, 300))).split(",")[1]))
    assert max(header[:2]) <= 96
