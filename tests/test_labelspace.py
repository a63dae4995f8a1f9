"""LabelSpace: names ↔ positions, shortlists ↔ masks, Not."""

import pickle
from enum import Enum, StrEnum

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist.browse.query import parse_shortlist
from shortlist.errors import BadShortlist, UnknownClass
from shortlist.labelspace import LabelSpace, Not, names_in

NEWS = LabelSpace(["business", "sports", "world"])
spaces = st.lists(st.text(min_size=1, max_size=5), min_size=2, max_size=80, unique=True).map(LabelSpace)


def test_it_is_a_sequence_of_names_that_knows_positions():
    assert list(NEWS) == ["business", "sports", "world"]
    assert (NEWS[0], NEWS[-1], NEWS[1:]) == ("business", "world", ("sports", "world"))
    assert len(NEWS) == 3
    assert "sports" in NEWS
    assert "Sports" not in NEWS
    assert ["sports"] not in NEWS
    assert NEWS.position("world") == NEWS.index("world") == 2
    assert LabelSpace(iter(NEWS)) == NEWS
    assert LabelSpace(["sports", "business", "world"]) != NEWS
    assert NEWS != ("business", "sports", "world")
    assert hash(NEWS) == hash(LabelSpace(list(NEWS)))
    assert repr(NEWS) == "LabelSpace(['business', 'sports', 'world'])"
    assert pickle.loads(pickle.dumps(NEWS)) == NEWS


def test_names_of_numpy_become_plain_text():
    assert [type(name) for name in LabelSpace(np.array(["a", "b"]))] == [str, str]


@pytest.mark.parametrize(
    ("names", "fact"),
    [
        ("sports", "'sports'"),
        (["a"], "at least two classes; got ['a']"),
        ([], "at least two"),
        (["a", "b", "a"], "'a' is named twice"),
        (["a", "b\ud800"], r"class 'b\ud800' holds half a character"),
        (["a", ""], "got ''"),
        (["a", 3], "got 3"),
        (["a", None], "got None"),
    ],
)
def test_bad_classes(names, fact):
    with pytest.raises(BadShortlist) as caught:
        LabelSpace(names)
    assert fact in str(caught.value)


@pytest.mark.parametrize("word", ["wrold", "World", ["world"], None, 3])
def test_an_unknown_class_is_quoted_and_the_classes_are_listed(word):
    with pytest.raises(UnknownClass) as caught:
        NEWS.position(word)
    assert repr(word) in str(caught.value)
    assert "business, sports, world" in str(caught.value)


def test_an_unknown_class_offers_the_nearest():
    with pytest.raises(UnknownClass, match=r"'wrold' is not a class.*Did you mean 'world'\?"):
        NEWS.shortlist({"sports", "wrold"})
    with pytest.raises(UnknownClass, match=r"Did you mean 'sports'\?"):
        NEWS.shortlist(Not("sport"))


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        ("sports", {"sports"}),
        (np.str_("sports"), {"sports"}),
        ({"sports", "world"}, {"sports", "world"}),
        (["sports", "sports"], {"sports"}),
        (("world",), {"world"}),
        (Not("sports"), {"business", "world"}),
        (Not("sports", "world"), {"business"}),
    ],
)
def test_answers(answer, names):
    assert NEWS.shortlist(answer) == frozenset(names)
    assert NEWS.from_mask(NEWS.mask(answer)) == frozenset(names)


@pytest.mark.parametrize("answer", [set(), [], Not("business", "sports", "world")])
def test_an_answer_that_leaves_no_class(answer):
    with pytest.raises(BadShortlist, match="leaves no class"):
        NEWS.shortlist(answer)


def test_the_full_set_is_an_error():
    with pytest.raises(BadShortlist, match="holds every class"):
        NEWS.shortlist(list(NEWS))
    assert NEWS.shortlist("world") == {"world"}


@pytest.mark.parametrize("answer", [3, None, 2.5, True, {"a": 1}, {1, 2}, ["a", None], b"a", np.array(["a"])])
def test_what_is_not_an_answer_is_quoted(answer):
    with pytest.raises(BadShortlist) as caught:
        names_in(answer)
    assert repr(answer) in str(caught.value)


def test_not_is_a_value():
    assert Not("a", "b") == Not("b", "a") != Not("a")
    assert len({Not("a"), Not("a")}) == 1
    assert repr(Not("b", "a")) == "Not('a', 'b')"
    for wrong in [(), (3,), (None,), ({"a", "b"},)]:
        with pytest.raises(BadShortlist, match="Not"):
            Not(*wrong)


def test_gold_names_become_positions():
    gold = np.array(["world", None, "business", float("nan")], object)
    assert NEWS.positions(gold).tolist() == [2, -1, 0, -1]
    assert NEWS.positions([]).shape == (0,)
    for wrong in ["sport", ["sports"], 2]:
        with pytest.raises(UnknownClass) as caught:
            NEWS.positions(["world", wrong])
        assert repr(wrong) in str(caught.value)


def test_a_mask_of_another_length_is_an_error():
    with pytest.raises(BadShortlist, match=r"shape \(3,\); got \(4,\)"):
        NEWS.from_mask([True, False, False, True])


def test_shortlists_are_shown_in_the_order_of_the_classes():
    assert NEWS.ordered({"world", "business"}) == ("business", "world")
    assert NEWS.show({"world"}) == "world"
    assert NEWS.show({"world", "business"}) == "{business, world}"


@given(spaces, st.data())
def test_shortlist_and_mask_are_inverse_to_one_another(space, data):
    names = data.draw(st.frozensets(st.sampled_from(space.names), min_size=1, max_size=len(space) - 1))
    mask = space.mask(names)
    assert mask.shape == (len(space),)
    assert mask.sum() == len(names)
    assert space.from_mask(mask) == names
    assert (space.mask(Not(*names)) == ~mask).all()
    assert space.positions(space.ordered(names)).tolist() == np.flatnonzero(mask).tolist()


@given(spaces, st.text(max_size=5))
def test_a_word_is_a_class_or_the_named_error(space, word):
    if word in space.names:
        assert space[space.position(word)] == word
    else:
        with pytest.raises(UnknownClass):
            space.shortlist({word})


def test_members_of_an_enum_that_are_text_are_their_text():
    old, new = Enum("old", {"A": "a", "B": "b"}, type=str), StrEnum("new", {"A": "a", "B": "b"})
    for kind in (old, new):
        assert LabelSpace(kind).names == ("a", "b")
        assert names_in(kind.A) == names_in({kind.A}) == frozenset({"a"})


def test_numbers_are_told_how_to_be_names_and_many_classes_are_not_all_listed():
    with pytest.raises(BadShortlist, match="write '0'"):
        LabelSpace(range(3))
    with pytest.raises(UnknownClass, match=r"… \(5,000 in all\)") as error:
        LabelSpace(f"class {j}" for j in range(5000)).position("x")
    assert len(str(error.value)) < 2000


def test_classes_are_meant_by_name_never_by_number():
    space = LabelSpace(["cat", "dog"])
    for number in (1, np.int64(0)):
        with pytest.raises(UnknownClass, match=r"by name, never by number"):
            space.positions(["cat", number])
    with pytest.raises(BadShortlist, match="a list of names, not as 3"):
        LabelSpace(3)


def test_several_classes_in_one_text_are_a_set():
    with pytest.raises(UnknownClass, match=r"several are a set, \{'sports', 'world'\}$") as error:
        NEWS.shortlist("sports, world")
    assert error.value.word == "sports, world"
    with pytest.raises(UnknownClass, match=r"^'sports, war' is not a class\. Classes"):
        NEWS.shortlist("sports, war")
    assert LabelSpace(["a", "b", "a, b"]).shortlist("a, b") == {"a, b"}


@pytest.mark.parametrize("kind", [set, frozenset])
def test_sets_are_shown_as_they_are_written(kind):
    with pytest.raises(BadShortlist, match=r"^\{'business', 'sports', 'world'\} holds every class"):
        NEWS.shortlist(kind(NEWS))
    with pytest.raises(BadShortlist, match=r"^an empty set leaves no class"):
        NEWS.shortlist(kind())
    with pytest.raises(BadShortlist, match=r"^\{1, 2\} is not a class name"):
        NEWS.shortlist(kind([2, 1]))


@pytest.mark.parametrize("hole", [None, "", float("nan"), np.float32("nan"), pd.NA, pd.NaT])
def test_a_hole_in_gold_labels_is_an_unknown_class(hole):
    """Newcomer: `gold = ["sports", ""]`, as a column of a CSV file has it."""
    assert NEWS.positions(["sports", hole]).tolist() == [1, -1]


@pytest.mark.parametrize("several", [{"sports", "world"}, ["sports", "world"], ("sports",), Not("sports")])
def test_a_gold_label_is_one_class(several):
    with pytest.raises(UnknownClass, match=r"is not a class: a gold label is one class, or None") as error:
        NEWS.positions(["world", several])
    assert "Did you mean" not in str(error.value)


def test_an_empty_text_is_no_class_elsewhere():
    with pytest.raises(UnknownClass, match=r"^'' is not a class"):
        NEWS.shortlist("")


@pytest.mark.parametrize("answer", [-1, np.int64(-1)])
def test_who_abstains_as_in_snorkel_is_told_how_to_abstain(answer):
    with pytest.raises(BadShortlist, match=r"-1.* is not a class name.*; to abstain, return None$"):
        names_in(answer)
    with pytest.raises(BadShortlist, match=r"or Not\(\.\.\.\)$"):
        names_in(7)


def test_most_of_the_classes_are_shown_by_those_that_are_missing():
    """`Not("fonts")` was shown as all eight other classes, on every row."""
    space = LabelSpace(["games", "sound", "net", "mail", "a, b", "fonts"])
    assert space.show(space.shortlist(Not("fonts"))) == "not fonts"
    assert space.show(space.shortlist(Not("fonts", "a, b"))) == 'not {"a, b", fonts}'
    assert space.show({"net", "mail", "games"}) == "{games, net, mail}"
    four = LabelSpace(["games", "sound", "net", "mail"])
    assert four.show(four.shortlist(Not("net"))) == "{games, sound, mail}"  # three names are quickly read
    assert all(parse_shortlist(space.show(one), space) == one for one in map(space.shortlist, space))


def test_a_list_in_not_is_an_error_that_shows_what_to_write():
    with pytest.raises(BadShortlist, match=r"""Not\('games', 'sound'\)"""):
        Not(["games", "sound"])
