"""The summary on a terminal."""

import io

from rich.console import Console

from shortlist import Votes, summarise
from shortlist.reporting.summary import WIDTH, ruler
from tests.analysis.worked import quietly_fitted
from tests.reporting.showing import drawn, hostile


def test_it_says_what_the_page_says():
    votes, truth = drawn()
    text = str(summarise(votes, quietly_fitted(votes), gold=truth))
    for word in (
        *votes.names,
        "Labelers",
        "Classes that are mixed up",
        "Contradictions",
        "What to label next",
        "right",
    ):
        assert word in text
    assert repr(summarise(votes)) == str(summarise(votes))


def test_it_prints_with_rich_and_keeps_to_the_width():
    votes = drawn().votes
    out = io.StringIO()
    Console(file=out, width=110, color_system="truecolor", force_terminal=True).print(
        summarise(votes, quietly_fitted(votes))
    )
    assert "\x1b[" in out.getvalue()
    assert max(map(len, str(summarise(votes)).splitlines())) <= 110


def test_without_a_model():
    text = str(summarise(drawn().votes))
    assert "Contradictions" in text
    assert "What to label next" not in text


def test_what_users_write_is_no_markup():
    votes, model, _, gold = hostile()
    text = str(summarise(votes, model, gold=gold))
    assert "[bold]score" in text
    assert "money[/]" in text


def test_labelers_that_agree_on_everything_make_no_table_of_contradictions():
    votes = Votes([[1, 1], [2, 2]], [["a", "b"]] * 2, ["a", "b"])
    assert "Contradictions" not in str(summarise(votes))


def test_an_interval_in_characters():
    line = {"accuracy": 0.5, "accuracy_low": 0.4, "accuracy_high": 0.6, "gold_accuracy": 0.9}
    shown = ruler(line)
    assert len(shown) == WIDTH
    assert (shown.index("─"), shown.index("●"), shown.index("◆")) == (8, 10, 18)
    assert ruler({"accuracy": None}).strip() == ""
