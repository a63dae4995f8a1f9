"""Declarative labelers, saved and read back."""

import json

import pytest

from shortlist import Not, attributes, keywords, labeler, load_labelers, pattern, save_labelers
from shortlist.errors import BadFile, BadLabeler, SlowPattern

RULES = [
    pattern(r"\bgoal\b", yes="sports", no=Not("sports"), on="title", ignore_case=True, name="goal"),
    pattern("ümlaut", no={"a", "b"}),
    keywords(["x", "y z"], says={"a", "b"}, whole_words=False),
    *attributes({"stripes": ["tiger"], "claws": ["tiger", "lion"], "hooves": ["horse"]}, yes_from=0.8, no_below=0.2),
]


def test_they_come_back_equal(tmp_path):
    save_labelers(RULES, tmp_path / "rules.json")
    assert load_labelers(tmp_path / "rules.json") == RULES


def test_a_slow_pattern_says_so_when_it_is_read_too(tmp_path):
    with pytest.warns(SlowPattern):
        save_labelers([pattern("(?=x)", yes="a")], tmp_path / "rules.json")
    with pytest.warns(SlowPattern):
        load_labelers(tmp_path / "rules.json")


def test_python_code_is_not_saved(tmp_path):
    with pytest.raises(BadLabeler, match="'rule'"):
        save_labelers([labeler(says=["a"], name="rule")(lambda row: None)], tmp_path / "rules.json")
    assert not list(tmp_path.iterdir())


def edited(tmp_path, change):
    path = tmp_path / "rules.json"
    save_labelers(RULES[:1], path)
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    ("change", "error", "fact"),
    [
        (lambda d: d.update(version=99), BadFile, "newer"),
        (lambda d: d.update(kind="votes"), BadFile, "no labelers"),
        (lambda d: d["labelers"][0].update(kind="patern"), BadLabeler, "'pattern'"),
        (lambda d: d["labelers"][0].update(yess=["a"]), BadLabeler, "yess"),
        (lambda d: d["labelers"][0].pop("regex"), BadLabeler, "regex"),
        (lambda d: d["labelers"][0].update(regex="("), BadLabeler, "regular expression"),
        (lambda d: d["labelers"][0].update(yes=None, no=None), BadLabeler, "says nothing"),
        (lambda d: d["labelers"][0].update(yes={"nto": ["a"]}), BadLabeler, '{"not": ["X"]}'),
        (lambda d: d["labelers"][0].update(yes=3), BadLabeler, "3 is not"),
        (lambda d: d["labelers"].append("goal"), BadLabeler, "'goal' is no labeler"),
        (lambda d: d.pop("labelers"), BadFile, "no labelers"),
    ],
)
def test_a_file_edited_badly_says_what_is_wrong(tmp_path, change, error, fact):
    with pytest.raises(error) as raised:
        load_labelers(edited(tmp_path, change))
    assert fact in str(raised.value)


def test_files_that_are_none(tmp_path):
    with pytest.raises(BadFile, match="does not exist"):
        load_labelers(tmp_path / "none.json")
    (tmp_path / "x.json").write_text('{"kind": "lab')
    with pytest.raises(BadFile, match="not JSON"):
        load_labelers(tmp_path / "x.json")


def test_one_name_or_word_without_a_list_around_it_is_that_name_or_word(tmp_path):
    path = tmp_path / "rules.json"
    save_labelers(keywords(["goal"], says="sports"), path)
    document = json.loads(path.read_text())
    document["labelers"][0].update(words="goal", says="sports")
    path.write_text(json.dumps(document))
    assert load_labelers(path) == [keywords(["goal"], says="sports")]
