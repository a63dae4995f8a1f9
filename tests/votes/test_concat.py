"""Putting Votes together: more rows, more labelers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist.errors import BadVotes
from shortlist.labelspace import LabelSpace
from shortlist.votes import Codomain, Failure, Votes
from tests.votes.drawing import spaces
from tests.votes.drawing import votes as any_votes

ABC = LabelSpace(["a", "b", "c"])


def inferred(*says):
    return Codomain.declare(says, ABC, inferred=True)


def test_rows_after_rows():
    one = Votes([[1, 0]], [["a"], ["b", "c"]], ABC, ["x", "y"], ids=["p"], failures=[Failure(2, "first"), None])
    two = Votes([[0, 2]], [["a"], ["b", "c"]], ABC, ["x", "y"], ids=["q"], failures=[Failure(3, "second"), None])
    both = Votes.concat(iter([one, two]))
    assert both.codes.tolist() == [[1, 0], [0, 2]]
    assert both.ids.tolist() == ["p", "q"]
    assert both.failures == (Failure(5, "first"), None)
    assert both.codomains == one.codomains


def test_ids_are_kept_only_when_every_part_has_them():
    one = Votes([[1]], [["a"]], ABC, ids=["p"])
    assert Votes.concat([one, Votes([[1]], [["a"]], ABC)]).ids is None


def test_inferred_codomains_are_united_and_the_dummy_goes_when_it_is_said():
    one = Votes([[1], [0]], [inferred("a")], ABC)  # dummy {b, c}
    two = Votes([[1], [2]], [inferred({"b", "c"}, "b")], ABC)  # dummy {a}
    both = Votes.concat([one, two])
    assert both.codomains == (inferred("a", "b", {"b", "c"}),)
    assert both.codomains[0].dummies == frozenset()
    assert [both.shortlist(a, 0) for a in range(4)] == [{"a"}, None, {"b", "c"}, {"b"}]


def test_a_dummy_that_was_voted_for_is_not_dropped():
    """A simulator may draw the dummy; putting rows together must not turn that into an abstention."""
    one = Votes([[3]], [inferred({"a", "b"}, {"a", "c"})], ABC)  # voted for the dummy {b, c}
    two = Votes([[1]], [inferred("b")], ABC)
    both = Votes.concat([one, two])
    assert both.shortlist(0, 0) == {"b", "c"}
    assert both.shortlist(1, 0) == {"b"}


@pytest.mark.parametrize(
    ("other", "facts"),
    [
        (Votes([[1]], [["b"]], ABC, ["x"]), ["'x' has different codomains", "a | dummy {b, c}", "b | dummy {a, c}"]),
        (Votes([[1]], [["a"]], ABC, ["z"]), ["labelers differ", "['x']", "['z']"]),
        (Votes([[1]], [["a"]], ["a", "b"], ["x"]), ["label spaces differ", "['a', 'b', 'c']", "['a', 'b']"]),
        (Votes([[1]], [inferred("b")], ABC, ["x"]), ["different codomains"]),
    ],
)
def test_rows_that_do_not_fit(other, facts):
    with pytest.raises(BadVotes) as caught:
        Votes.concat([Votes([[1]], [["a"]], ABC, ["x"]), other])
    assert all(fact in str(caught.value) for fact in facts)


def test_nothing_to_put_together():
    for verb in (Votes.concat, Votes.beside):
        with pytest.raises(BadVotes, match="nothing"):
            verb([])


def test_labelers_beside_labelers():
    one = Votes([[1], [0]], [["a"]], ABC, ["x"])
    two = Votes([[2], [1]], [["b", "c"]], ABC, ["y"], ids=["p", "q"], failures=[Failure(1, "t")])
    both = Votes.beside(iter([one, two]))
    assert both.codes.tolist() == [[1, 2], [0, 1]]
    assert both.names == ("x", "y")
    assert both.ids.tolist() == ["p", "q"]  # whoever knows the ids tells them
    assert both.failures == (None, Failure(1, "t"))


@pytest.mark.parametrize(
    ("other", "facts"),
    [
        (Votes([[1]], [["a"]], ABC, ["y"]), ["same rows: 2 and 1"]),
        (Votes([[1], [1]], [["a"]], ABC, ["x"]), ["two labelers are called 'x'"]),
        (Votes([[1], [1]], [["a"]], ["a", "b"], ["y"]), ["label spaces differ"]),
        (Votes([[1], [1]], [["a"]], ABC, ["y"], ids=["p", "r"]), ["row 1 has the ids 'q' and 'r'"]),
        (Votes([[1], [1]], [["a"]], ABC, ["y"], ids=[1, 2]), ["row 0 has the ids 'p' and 1"]),
    ],
)
def test_labelers_that_do_not_fit(other, facts):
    with pytest.raises(BadVotes) as caught:
        Votes.beside([Votes([[1], [0]], [["a"]], ABC, ["x"], ids=["p", "q"]), other])
    assert all(fact in str(caught.value) for fact in facts), caught.value


@given(any_votes(), st.data())
def test_cutting_rows_and_putting_them_together_is_the_identity(votes, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(votes)), max_size=3)))
    parts = [votes[a:b] for a, b in zip([0, *cuts], [*cuts, len(votes)], strict=True)]
    whole = Votes.concat(parts)
    np.testing.assert_array_equal(whole.codes, votes.codes)
    assert (whole.codomains, whole.names, whole.space) == (votes.codomains, votes.names, votes.space)
    assert (whole.ids is None) == (votes.ids is None)
    assert votes.ids is None or whole.ids.tolist() == votes.ids.tolist()
    assert Votes.concat([votes]) == votes


@given(any_votes(), st.data())
def test_cutting_labelers_and_putting_them_together_is_the_identity(votes, data):
    cut = data.draw(st.integers(0, len(votes.names)))
    assert Votes.beside([votes[:, :cut], votes[:, cut:]]) == votes


@given(st.data())
def test_what_was_said_survives_uniting_inferred_codomains(data):
    space = data.draw(spaces)
    n = data.draw(st.integers(0, 3))
    parts = data.draw(st.lists(any_votes(space=space, n=n, inferred=True, max_rows=4), min_size=1, max_size=3))
    whole = Votes.concat(parts)
    said = [part.said(a) for part in parts for a in range(len(part))]
    assert [whole.said(a) for a in range(len(whole))] == said
    if len({part.codomains for part in parts}) > 1:  # the order of the parts does not matter to the codomain
        assert Votes.concat(parts[::-1]).codomains == whole.codomains
