"""Bundles: nothing is lost, the order stays, and no bundle weighs too much unless one group alone does."""

from hypothesis import given
from hypothesis import strategies as st

from shortlist.project.parts.bundles import bundles


def test_small_things_go_together_and_groups_are_not_torn():
    groups = [(30,), (50,), (25, 10), (100, 20), (5,), (5,)]
    assert list(bundles(groups, lambda weight: weight, 100)) == [(30, 50), (25, 10), (100, 20), (5, 5)]


@given(st.lists(st.lists(st.integers(0, 50), min_size=1, max_size=3)), st.integers(1, 100))
def test_every_thing_is_in_one_bundle_in_order(groups, most):
    made = list(bundles(groups, lambda weight: weight, most))
    assert [thing for bundle in made for thing in bundle] == [thing for group in groups for thing in group]
    heaviest = max(map(sum, groups), default=0)
    assert all(sum(bundle) <= max(most, heaviest) for bundle in made)
