"""Names of columns that databases take without quotes."""

import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from shortlist.rows.plain_names import LONGEST, plain_names


def columns_of_a_database(names):
    """The columns of a table that is made with these names, without quotes."""
    with sqlite3.connect(":memory:") as base:
        base.execute(f"create table labels ({', '.join(f'{name} text' for name in names)})")
        return [line[1] for line in base.execute("pragma table_info(labels)")]


def test_names_stay_where_they_can():
    names = ["id", "class", "belief", "margin", "shortlist", "votes", "belief_sports", "体育"]
    assert plain_names(names) == names


def test_latin_letters_lose_their_accents():
    """`belief_Économie` kept its é, where small letters, figures and _ were promised."""
    names = ["belief_Économie", "größe", "Łódź", "søk", "x\u0302y", "İzmir", "економіка", "がく", "É", "e"]
    found = plain_names(names)
    assert found == ["belief_economie", "grosse", "lodz", "sok", "xy", "izmir", "економіка", "がく", "e", "e_2"]


def test_words_of_sql_and_signs_are_changed():
    names = ["belief_Middle East", "belief_sci/tech", "belief_C++", "belief_c", "Order", "row", "2024", "", "--", "a;b"]
    found = plain_names(names)
    assert found == [
        "belief_middle_east",
        "belief_sci_tech",
        "belief_c",
        "belief_c_2",
        "order_",
        "row_",
        "_2024",
        "column_",
        "column__2",
        "a_b",
    ]
    assert columns_of_a_database(found) == found


@given(st.lists(st.text(max_size=90), min_size=1, max_size=8))
def test_a_database_takes_any(names):
    found = plain_names(names)
    assert len(found) == len(names)
    assert columns_of_a_database(found) == found
    assert max(len(name.encode()) for name in found) <= LONGEST
    assert plain_names(found) == found
