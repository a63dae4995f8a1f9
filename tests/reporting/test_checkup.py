"""Advice and diagnosis, as people and programs read them."""

import json
from dataclasses import replace

import pytest

from shortlist.reporting.advice import check
from shortlist.reporting.checkup import Advice, Checkup
from tests.analysis.worked import quietly_fitted
from tests.reporting.showing import drawn, overview_of


def checkup_of(votes, gold=None):
    return check(overview_of(votes, quietly_fitted(votes), gold=gold))


def test_what_to_do_comes_first_and_theory_is_left_out():
    found = checkup_of(drawn().votes)
    lines = str(found).splitlines()
    assert lines[0].startswith("What to do")
    assert lines[1] == f"1. {found.advice[0].what}"
    assert lines[-1] == found.diagnosis.findings[0]
    assert repr(found) == str(found)


@pytest.mark.parametrize(
    ("gains", "begin"),
    [
        ([9.0, 3.0, None], "What to do. The largest gain first, in rows"),
        ([None, 9.0, 3.0], "What to do. First what other steps depend on, then the largest gain, in rows"),
        ([None, None], "What to do. Do one, then run again."),
    ],
)
def test_the_heading_tells_the_order_of_the_list(gains, begin):
    """`The largest gain first`, and the first thing to do had none."""
    advice = tuple(Advice("label", "Do it.", "Because.", "code()", gain) for gain in gains)
    found = replace(checkup_of(drawn().votes), advice=advice)
    assert next(found.lines()).startswith(begin)


def test_json_holds_all_of_it():
    found = checkup_of(drawn().votes)
    again = Checkup.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.advice == found.advice
    assert str(again) == str(found)
    assert again.identifiable is found.identifiable


def test_in_a_project_commands_stand_beside_the_code():
    found = {one.kind: one for one in checkup_of(drawn().votes).in_project.advice}
    assert found["label"].code == "shortlist label --random"
    assert found["mixed"].code.splitlines()[-1].startswith("# see such rows: shortlist show --class ")
