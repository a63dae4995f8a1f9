import pytest

from shortlist.browse import Query
from shortlist.browse.query import parse_shortlist
from shortlist.errors import ShortlistError, UnknownClass
from shortlist.labelspace import LabelSpace

SPACE = LabelSpace(["business", "politics", "not sports"])


@pytest.mark.parametrize(
    ("words", "classes"),
    [
        ("business", {"business"}),
        ("business, politics", {"business", "politics"}),
        ("{business, politics}", {"business", "politics"}),
        ("not politics", {"business", "not sports"}),
        ("Not {politics}", {"business", "not sports"}),
        ("not sports", {"not sports"}),  # a class of that name goes before
    ],
)
def test_shortlists_as_people_write_them(words, classes):
    assert parse_shortlist(words, SPACE) == classes


def test_a_class_may_hold_a_comma():
    space = LabelSpace(['Rock, "hard"', "Pop", "A, b"])
    assert parse_shortlist('Rock, "hard"', space) == {'Rock, "hard"'}
    assert parse_shortlist('not Rock, "hard"', space) == {"Pop", "A, b"}
    assert parse_shortlist('"A, b", Pop', space) == {"Pop", "A, b"}
    assert parse_shortlist('not {"A, b", Pop}', space) == {'Rock, "hard"'}
    for names in (["A, b", "Pop"], ['Rock, "hard"', "A, b"]):
        assert parse_shortlist(space.show(names), space) == set(names)


def test_what_is_no_shortlist_is_told():
    with pytest.raises(UnknownClass) as told:
        parse_shortlist("busines", SPACE)
    assert "'business'" in str(told.value)
    with pytest.raises(ShortlistError):
        parse_shortlist(" , ", SPACE)


def test_a_query_of_plain_data():
    assert Query.from_dict({"labeler": "money", "text": "", "unsure": False}) == Query(labeler="money")
    with pytest.raises(ShortlistError, match="Did you mean 'labeler'"):
        Query.from_dict({"labler": "money"})
    with pytest.raises(ShortlistError, match="true or false"):
        Query.from_dict({"wrong": "yes"})
