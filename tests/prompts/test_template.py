"""Templates are filled with columns, once."""

import polars as pl
import pytest

from shortlist.errors import BadLabeler, BadRows
from shortlist.prompts.template import Template
from shortlist.rows import Chunk


def filled(source, rows, on=None):
    return Template.parse(source, "it", "prompt").fill(Chunk(0, rows), on)


def test_columns_of_a_table_of_dicts_and_of_strings():
    table = pl.DataFrame({"title": ["One", None], "year": [1999, 2001]})
    assert filled("{title} ({year})", table) == ["One (1999)", None]
    assert filled("{ title }!", table) == ["One!", None]
    assert filled("{a}{b}", [{"a": "x", "b": 2.5}]) == ["x2.5"]
    assert filled("Q: {text}", ["who?", None]) == ["Q: who?", None]


def test_text_is_the_text_column_whatever_it_is_called():
    assert filled("{text}", pl.DataFrame({"body": ["a"], "n": [1]})) == ["a"]
    assert filled("{text}", pl.DataFrame({"body": ["a"], "title": ["b"]}), on="title") == ["b"]
    assert filled("{text}", pl.DataFrame({"text": ["a"], "title": ["b"]}), on="title") == ["a"]
    assert filled("{text}", [{"body": "a"}], on="body") == ["a"]


def test_what_a_row_holds_is_never_a_template():
    assert filled("{text}|{other}", [{"text": "{other} {0.__class__}", "other": "secret"}]) == [
        "{other} {0.__class__}|secret"
    ]


def test_braces():
    assert filled("{{{text}}} {{}}", ["a"]) == ["{a} {}"]


def test_a_prompt_without_columns_is_the_same_for_every_row():
    assert filled("Toss a coin.", ["a", "b"]) == ["Toss a coin."] * 2


@pytest.mark.parametrize("source", ["a {} b", "a { b", "a } b", "", "   ", 3])
def test_mistakes(source):
    with pytest.raises(BadLabeler) as raised:
        Template.parse(source, "it", "prompt")
    assert raised.value.labeler == "it"
    assert raised.value.option == ("prompt",)


def test_a_column_that_is_not_there():
    with pytest.raises(BadRows, match="Did you mean 'title'"):
        filled("{titel}", pl.DataFrame({"title": ["a"]}))
    with pytest.raises(BadRows, match="list"):
        filled("{a}", [{"a": ["x"]}])
