"""AttributeTable: any table in, rows and twins out."""

import pandas as pd
import polars as pl
import pytest

from shortlist.attribute_table import AttributeTable
from shortlist.errors import BadLabeler, UnknownClass

FRAME = {"animal": ["horse", "tiger", "lion", "zebra"], "stripes": [0, 1, 0, 1], "claws": [False, True, True, False]}
MAPPING = {"stripes": ["tiger", "zebra"], "claws": ["tiger", "lion"]}


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame(FRAME),
        pd.DataFrame(FRAME),
        pd.DataFrame(FRAME).set_index("animal"),
        pl.DataFrame(FRAME).to_arrow(),
        AttributeTable.of(MAPPING, classes=FRAME["animal"]),
    ],
)
def test_any_table_reads_the_same(table):
    read = AttributeTable.of(table)
    assert read.attributes == ("stripes", "claws")
    assert read.rows(["zebra", "horse", "tiger"]).tolist() == [[True, False], [False, False], [True, True]]


def test_a_single_class_may_be_written_without_brackets():
    assert AttributeTable.of({"mane": "lion", "stripes": ["tiger"]}).rows(["lion"]).tolist() == [[True, False]]


def test_twins_have_the_same_attributes():
    table = AttributeTable.of({**MAPPING, "mane": ["lion", "horse"]}, classes=[*FRAME["animal"], "okapi", "rock"])
    assert table.twins(["tiger", "lion", "rock"]) == []
    assert table.twins(["okapi", "tiger", "rock"]) == [("okapi", "rock")]
    assert table.twins(["horse", "lion"], ["stripes", "mane"]) == [("horse", "lion")]


def test_a_class_that_is_not_covered_is_named_with_its_neighbour():
    with pytest.raises(UnknownClass, match=r"'tigre'.*Did you mean 'tiger'"):
        AttributeTable.of(MAPPING).rows(["tigre"])


@pytest.mark.parametrize(
    ("table", "fact"),
    [
        (pl.DataFrame({"stripes": [0, 1]}), "name its classes"),
        (pl.DataFrame({"animal": ["a", "b"], "stripes": [0, 2]}), "'stripes'"),
        (pl.DataFrame({"animal": ["a", "b"], "stripes": [0, None]}), "None"),
        (pl.DataFrame({"animal": ["a", "a"], "stripes": [0, 1]}), "twice"),
        (["stripes"], "DataFrame or a mapping"),
    ],
)
def test_bad_tables(table, fact):
    with pytest.raises(BadLabeler) as error:
        AttributeTable.of(table)
    assert fact in str(error.value)


def test_a_misspelt_owner_is_found():
    with pytest.raises(BadLabeler, match=r"'tigre'.*'tiger'"):
        AttributeTable.of({"stripes": ["tigre"]}, classes=["tiger", "lion"])


def test_owners_are_the_mapping_it_may_have_come_from():
    read = AttributeTable.of(pl.DataFrame(FRAME))
    assert read.owners() == {name: frozenset(having) for name, having in MAPPING.items()}
    again = AttributeTable.of(read.owners(), classes=read.classes)
    assert (again.has == read.has).all()
