"""attributes(): the zebra example of the paper."""

import pandas as pd
import polars as pl
import pytest

from shortlist import apply, attributes
from shortlist.errors import BadLabeler, BadRows, UnknownClass, UselessLabeler
from shortlist.labelers.attributes import AttributeTable

ANIMALS = ["horse", "tiger", "lion", "zebra"]
TABLE = {"stripes": ["tiger", "zebra"], "claws": ["tiger", "lion"]}
FRAME = {"animal": ANIMALS, "stripes": [0, 1, 0, 1], "claws": [False, True, True, False]}


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame(FRAME),
        pd.DataFrame(FRAME),
        pd.DataFrame(FRAME).set_index("animal"),
        pl.DataFrame(FRAME).to_arrow(),
        AttributeTable.of(TABLE, classes=ANIMALS),
    ],
)
def test_any_table_gives_the_same_labelers(table):
    assert attributes(table) == attributes(TABLE, classes=ANIMALS)


def test_one_class_may_be_written_without_brackets():
    mane = attributes({"mane": "lion", "stripes": ["tiger", "zebra"]})[0]
    assert (mane.yes, mane.no) == (frozenset({"lion"}), frozenset({"tiger", "zebra"}))


def test_yes_and_no_and_not_sure():
    labelers = attributes(TABLE, classes=ANIMALS, yes_from=0.8, no_below=0.3)
    rows = [{"stripes": 0.9, "claws": 0.1}, {"stripes": 0.5, "claws": None}, {"stripes": 0.3, "claws": float("nan")}]
    for kind in (rows, pl.DataFrame(rows), pd.DataFrame(rows)):
        votes = apply(labelers, kind, space=ANIMALS)
        assert votes.said(0) == {"stripes": ("tiger", "zebra"), "claws": ("horse", "zebra")}
        assert votes.codes[1:].tolist() == [[0, 0], [0, 0]]


def test_truth_values_and_the_threshold_itself_count_as_yes():
    (stripes,) = attributes({"stripes": ["tiger"]}, classes=ANIMALS)
    assert stripes({"stripes": True}) == frozenset({"tiger"})
    assert stripes({"stripes": 0.5}) == frozenset({"tiger"})
    assert stripes({"stripes": False}) == frozenset({"horse", "lion", "zebra"})
    assert stripes({"stripes": None}) is None


def test_attributes_that_tell_nothing_are_left_out_aloud():
    with pytest.warns(UselessLabeler, match="legs, wings"):
        labelers = attributes({"legs": ANIMALS, "wings": [], **TABLE}, classes=ANIMALS)
    assert [x.name for x in labelers] == ["stripes", "claws"]


@pytest.mark.parametrize(
    ("table", "options", "fact"),
    [
        ({"stripes": ["tigre"]}, {"classes": ANIMALS}, "'tiger'"),
        (TABLE, {"yes_from": 0.2, "no_below": 0.8}, "no_below=0.8"),
        (pl.DataFrame({"stripes": [0, 1]}), {}, "name its classes"),
        (pl.DataFrame({"animal": ["a", "b"], "stripes": [0, 2]}), {}, "'stripes'"),
        (pl.DataFrame({"animal": ["a", "b"], "stripes": [0, None]}), {}, "None"),
    ],
)
def test_bad_tables(table, options, fact):
    with pytest.raises(BadLabeler) as error:
        attributes(table, **options)
    assert fact in str(error.value)


def test_rows_without_the_column_or_without_numbers():
    labelers = attributes(TABLE, classes=ANIMALS)
    with pytest.raises(BadRows, match="'claws'"):
        apply(labelers, pl.DataFrame({"stripes": [1.0]}), space=ANIMALS)
    with pytest.raises(BadRows, match="'stripes'"):
        apply(labelers, [{"stripes": "yes", "claws": 1}], space=ANIMALS)


def test_a_score_that_is_no_number_fails_alone_where_errors_do_not_end_all():
    rules = attributes({"stripes": ["tiger"], "mane": ["lion"]})
    rows = [{"stripes": 0.9, "mane": "much"}, {"stripes": 0.1, "mane": 0.8}]
    votes = apply(rules, rows, space=["lion", "tiger"], on_error="abstain")
    assert votes.codes.tolist() == [[1, 0], [2, 1]]
    assert [failure and failure.count for failure in votes.failures] == [None, 1]


def test_what_is_no_table_and_thresholds_that_are_no_numbers_are_refused():
    with pytest.raises(BadLabeler, match="DataFrame or a mapping"):
        attributes(["stripes", "mane"])
    with pytest.raises(BadLabeler, match="numbers"):
        attributes({"stripes": ["tiger"], "mane": ["lion"]}, yes_from="0.5")


# -- tables of attributes --------------------------------------------------------------------------------


ATTRIBUTES = {
    "animal": ["horse", "tiger", "lion", "zebra"],
    "stripes": [0, 1, 0, 1],
    "claws": [False, True, True, False],
}
MAPPING = {"stripes": ["tiger", "zebra"], "claws": ["tiger", "lion"]}


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame(ATTRIBUTES),
        pd.DataFrame(ATTRIBUTES),
        pd.DataFrame(ATTRIBUTES).set_index("animal"),
        pl.DataFrame(ATTRIBUTES).to_arrow(),
        AttributeTable.of(MAPPING, classes=ATTRIBUTES["animal"]),
    ],
)
def test_any_table_reads_the_same(table):
    read = AttributeTable.of(table)
    assert read.attributes == ("stripes", "claws")
    assert read.rows(["zebra", "horse", "tiger"]).tolist() == [[True, False], [False, False], [True, True]]


def test_a_single_class_may_be_written_without_brackets():
    assert AttributeTable.of({"mane": "lion", "stripes": ["tiger"]}).rows(["lion"]).tolist() == [[True, False]]


def test_twins_have_the_same_attributes():
    table = AttributeTable.of({**MAPPING, "mane": ["lion", "horse"]}, classes=[*ATTRIBUTES["animal"], "okapi", "rock"])
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
def test_bad_tables_of_attributes(table, fact):
    with pytest.raises(BadLabeler) as error:
        AttributeTable.of(table)
    assert fact in str(error.value)


def test_a_misspelt_owner_is_found():
    with pytest.raises(BadLabeler, match=r"'tigre'.*'tiger'"):
        AttributeTable.of({"stripes": ["tigre"]}, classes=["tiger", "lion"])


def test_owners_are_the_mapping_it_may_have_come_from():
    read = AttributeTable.of(pl.DataFrame(ATTRIBUTES))
    assert read.owners() == {name: frozenset(having) for name, having in MAPPING.items()}
    again = AttributeTable.of(read.owners(), classes=read.classes)
    assert (again.has == read.has).all()
