"""The summary on a terminal."""

from shortlist import Votes, summarise
from shortlist.reporting.summary import ruler
from tests.analysis.worked import quietly_fitted
from tests.reporting.showing import drawn, hostile


def test_it_says_what_the_page_says():
    votes, truth = drawn()
    text = str(summarise(votes, quietly_fitted(votes), gold=truth))
    for word in (
        *votes.names,
        "Labelers",
        "Confused classes",
        "Contradictions",
        "What to label next",
        "right",
    ):
        assert word in text
    assert repr(summarise(votes)) == str(summarise(votes))


def test_tables_and_notices_keep_to_the_width():
    votes, truth = drawn()
    text = str(summarise(votes, quietly_fitted(votes), gold=truth))
    assert max(map(len, text[text.index("What to do") :].split("\n\n", 1)[1].splitlines())) <= 110


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
    assert len(shown) == 20
    assert (shown.index("─"), shown.index("●"), shown.index("◆")) == (8, 10, 18)
    assert ruler({"accuracy": None}).strip() == ""
