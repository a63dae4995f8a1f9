"""Buckets: who says what while another says otherwise, and the rows."""

import pytest
from hypothesis import given

from shortlist import Analysis, Not
from shortlist.errors import BadShortlist, UnknownClass
from tests.analysis.worked import newspaper, shortlists_of
from tests.votes.drawing import votes as any_votes


def test_the_newspaper():
    assert Analysis(newspaper()).buckets().rows() == [
        ("goal", "sports", "abroad", "business", 1),
        ("goal", "sports", "money", "business", 1),
        ("abroad", "{sports, world}", "money", "business", 1),
    ]


def test_the_rows_of_a_bucket():
    analysis = Analysis(newspaper())
    assert analysis.bucket({"goal": "sports"}).tolist() == [0, 1, 2]
    assert analysis.bucket({"goal": "sports", "abroad": {"world", "sports"}}).tolist() == [0, 2]
    assert analysis.bucket({"goal": "sports", "abroad": Not("business"), "money": None}).tolist() == [0]
    assert analysis.bucket({"goal": None}).tolist() == [3, 4, 5]
    assert analysis.bucket({"goal": None, "abroad": None, "money": None}).tolist() == [5]
    assert analysis.bucket({}).tolist() == [0, 1, 2, 3, 4, 5]


@given(any_votes(max_rows=20))
def test_every_bucket_has_as_many_rows_as_it_says(votes):
    if not len(votes) or not votes.names:
        return
    analysis, rows = Analysis(votes), shortlists_of(votes)
    table = analysis.buckets()
    for line in table.iter_rows(named=True):
        i, j = votes.names.index(line["labeler"]), votes.names.index(line["other"])
        show = votes.space.show
        found = [
            a for a, row in enumerate(rows)
            if row[i] and row[j] and show(row[i]) == line["says"] and show(row[j]) == line["other_says"]
        ]  # fmt: skip
        said = {line["labeler"]: rows[found[0]][i], line["other"]: rows[found[0]][j]}
        assert analysis.bucket(said).tolist() == found
        assert len(found) == line["rows"]
    disjoint = sum(bool(s and t and not s & t) for row in rows for n, s in enumerate(row) for t in row[n + 1 :])
    assert table["rows"].sum() == disjoint


def test_what_cannot_be_found():
    analysis = Analysis(newspaper())
    with pytest.raises(BadShortlist, match="Did you mean 'goal'"):
        analysis.bucket({"gaol": "sports"})
    with pytest.raises(BadShortlist, match="'goal' never says 'world'"):
        analysis.bucket({"goal": "world"})
    with pytest.raises(UnknownClass, match="sports"):
        analysis.bucket({"goal": "sprots"})
