"""Codomain: codes ↔ shortlists, and the dummy that meets the paper's two conditions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist.errors import BadShortlist, UnknownClass
from shortlist.labelspace import LabelSpace, Not
from shortlist.votes import Codomain, Failure
from shortlist.votes.codomain import check_codomain, failed_alike, missing_dummy
from tests.votes.drawing import codomains, shortlists, spaces

NEWS = LabelSpace(["business", "politics", "sports"])


def fs(*names):
    return frozenset(names)


def test_the_example_of_the_paper_gets_the_dummy_of_the_paper():
    """Section 3.1: the word "president" says {BUSINESS, POLITICS}; {SPORTS} is the dummy."""
    president = Codomain.declare([{"business", "politics"}], NEWS)
    assert president.shortlists == (fs("business", "politics"), fs("sports"))
    assert president.dummies == {fs("sports")}
    assert president.says == (fs("business", "politics"),)
    assert president.one_sided
    assert president.show(NEWS) == "{business, politics} | dummy sports"


def test_a_class_in_every_shortlist_gets_a_dummy_without_it():
    both = Codomain.declare([{"business", "politics"}, {"business", "sports"}], NEWS)
    assert both.shortlists[2:] == (fs("politics", "sports"),)
    assert both.dummies == {fs("politics", "sports")}
    assert not both.one_sided


def test_a_class_everywhere_and_a_class_nowhere_need_one_dummy():
    space = LabelSpace(list("abcd"))
    codomain = Codomain.declare([{"a", "b"}, {"a", "c"}], space)
    assert codomain.shortlists[2:] == (fs("d"),)


def test_two_sided_labelers_need_no_dummy():
    codomain = Codomain.declare(["sports", Not("sports")], NEWS)
    assert codomain.dummies == frozenset()
    assert codomain.show(NEWS) == "sports | {business, politics}"
    assert len(codomain) == 2


def test_codes_follow_the_order_of_saying():
    codomain = Codomain.declare(["sports", "business", "politics"], NEWS)
    assert [codomain.code(fs(name)) for name in ("sports", "business", "politics")] == [1, 2, 3]
    with pytest.raises(BadShortlist) as caught:
        codomain.code(fs("sports", "business"))
    assert "['business', 'sports'] is not one of [['sports'], ['business'], ['politics']]" in str(caught.value)


def test_a_labeler_that_says_nothing():
    codomain = Codomain.declare([], NEWS, inferred=True)
    assert len(codomain) == 0
    assert codomain.says == ()
    assert not codomain.one_sided
    assert codomain.member(NEWS).shape == (0, 3)


def test_members():
    codomain = Codomain.declare(["sports", {"business", "sports"}], NEWS)
    assert codomain.member(NEWS).tolist() == [[False, False, True], [True, False, True], [False, True, False]]


@pytest.mark.parametrize(
    ("says", "error", "fact"),
    [
        (["sports", {"sports"}], BadShortlist, "sports is declared twice"),
        ([Not("sports"), ["politics", "business"]], BadShortlist, "{business, politics} is declared twice"),
        (["sprots"], UnknownClass, "Did you mean 'sports'?"),
        ([set()], BadShortlist, "leaves no class"),
        ([["business", "politics", "sports"]], BadShortlist, "every class"),
        ([None], BadShortlist, "None"),
        ([1], BadShortlist, "1"),
        ("sports", BadShortlist, "an ordered list"),
        ({"sports", "business"}, BadShortlist, "an ordered list"),  # the order of a set changes from run to run
        (Not("sports"), BadShortlist, "Not('sports')"),
    ],
)
def test_bad_declarations(says, error, fact):
    with pytest.raises(error) as caught:
        Codomain.declare(says, NEWS)
    assert fact in str(caught.value)


@pytest.mark.parametrize(
    ("codomain", "fact"),
    [
        (Codomain((fs("sports"),)), "dummy {business, politics}"),
        (Codomain((fs("sports"), fs("sports"), fs("business", "politics"))), "repeated"),
        (Codomain((fs("sports"), fs("business", "politics")), fs(fs("business"))), "a dummy is not among them"),
        (Codomain((fs("golf"),)), "'golf' is not a class"),
        (Codomain((fs(),)), "leaves no class"),
    ],
)
def test_a_codomain_put_together_by_hand_is_checked(codomain, fact):
    with pytest.raises((BadShortlist, UnknownClass)) as caught:
        check_codomain(codomain, NEWS)
    assert fact in str(caught.value)


@given(st.data())
def test_the_conditions_of_the_paper_hold_for_every_codomain(data):
    space = data.draw(spaces)
    says = data.draw(st.lists(shortlists(space), min_size=1, max_size=8, unique=True))
    codomain = Codomain.declare(says, space)
    member = codomain.member(space)
    assert member.any(axis=0).all()  # (1) every class is in some shortlist
    assert not member.all(axis=0).any()  # (2) no class is in all of them
    assert member.any(axis=1).all()  # each is non-empty
    assert not member.all(axis=1).any()  # and proper
    assert codomain.says == tuple(says)  # nothing that was declared is lost
    assert codomain.shortlists[: len(says)] == tuple(says)
    assert len(codomain.dummies) <= 1
    assert bool(codomain.dummies) == (missing_dummy(says, space) is not None)
    check_codomain(codomain, space)


@given(st.data())
def test_encoding_then_decoding_is_the_identity(data):
    space = data.draw(spaces)
    codomain = data.draw(codomains(space))
    codes = [codomain.code(shortlist) for shortlist in codomain.shortlists]
    assert codes == list(range(1, len(codomain) + 1))
    assert [codomain.shortlists[c - 1] for c in codes] == list(codomain.shortlists)
    assert Codomain.from_json(codomain.to_json(space)) == codomain


# -- failures --------------------------------------------------------------------------------------------


def test_the_first_error_in_a_line():
    assert Failure(2, "Traceback …\nValueError: no\n").last_line == "ValueError: no"
    assert Failure(2, "").last_line == "unknown"


def test_those_that_failed_alike_are_together():
    first, more, other = Failure(2, "a"), Failure(5, "a"), Failure(1, "b")
    told = list(failed_alike(["w", "x", "y", "z"], [first, None, other, more]))
    assert told == [(["w", "z"], more), (["y"], other)]
