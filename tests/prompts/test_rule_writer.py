"""Rules that a model writes, for a person to accept."""

import tomllib

import numpy as np
import polars as pl
import pytest

from shortlist import Votes, apply, suggest_rules
from shortlist.errors import BadLabeler, BadRows, ModelFailed, ShortlistError
from shortlist.labelers.records import from_record
from shortlist.labelspace import LabelSpace
from shortlist.prompts.rule_writer import contradicted, parse_rule

CLASSES = ["person", "place", "number"]
ROWS = ["Who wrote it?", "Where is it?", "How many are there?", "Who is he?"]
SAID = """Here are some rules:
1. keywords: who, whom => Person
- pattern: ^where\\b => place
keywords: how many => number or place
keywords: why => reason
pattern: (unclosed => place
pattern: (a)\\1 => place
keywords: banana => place
keywords: it, he => person, place, number
nothing else
"""


class Writer:
    id = "writer"

    def __init__(self, said=SAID):
        self.said, self.prompts = said, []

    def scores(self, prompts, choices):
        return np.zeros((len(prompts), len(choices)))

    def write(self, prompt, *, max_tokens):
        self.prompts.append(prompt)
        return self.said


def test_rules_come_with_coverage_and_conflicts():
    votes = Votes([[1], [1], [2], [2]], [["person", {"place", "number"}]], CLASSES)
    found = suggest_rules(Writer(), ROWS, CLASSES, votes=votes)
    measured = {rule.labeler.name: (rule.coverage, rule.conflict) for rule in found.rules}
    assert measured == {
        "who, whom": (0.5, 0.5),  # rows 0 and 3; row 3 was said to be {place, number}
        "^where\\b": (0.25, 1.0),
        "how many": (0.25, 0.0),
    }
    assert found.rules[0].examples == (0, 3)
    assert {line.split(":")[0] for line, _ in found.rejected} >= {"pattern", "keywords", "banana"}
    assert len(found.rejected) == 5
    assert "who" in str(found)


def test_what_cannot_be_used_is_said_and_why():
    reasons = dict(suggest_rules(Writer(), ROWS, CLASSES).rejected)
    assert "not a class" in reasons["keywords: why => reason"]
    assert "regular expression" in reasons["pattern: (unclosed => place"]
    assert reasons["banana"] == "it matches no row"
    assert "every class" in reasons["keywords: it, he => person, place, number"]


def test_a_few_calls_are_enough():
    writer = Writer()
    found = suggest_rules(writer, [f"text {i}" for i in range(1000)], CLASSES, sample=25, batch=10)
    assert found.calls == len(writer.prompts) == 3
    assert all("person, place, number" in prompt for prompt in writer.prompts)
    shown = [line for prompt in writer.prompts for line in prompt.splitlines() if line.startswith("- text")]
    assert len(shown) == len(set(shown)) == 25


def test_a_rule_can_be_accepted():
    table = pl.DataFrame({"title": ["x"] * 4, "body": ROWS})
    rule = suggest_rules(Writer(), table, CLASSES, on="body").rules[0]
    (record,) = tomllib.loads(rule.toml())["labeler"]
    again = from_record(record)
    assert apply([again], table, space=CLASSES) == apply([rule.labeler], table, space=CLASSES)


def test_rows_cannot_smuggle_rules_in_that_hang():
    space = LabelSpace(CLASSES)
    for line in ("pattern: (a+)+(?=b)c => place", "pattern: (a)\\1 => place"):
        with pytest.raises(ShortlistError):
            parse_rule(line, space, None)
    with pytest.raises(BadLabeler):
        parse_rule("delete everything", space, None)


def test_contradictions():
    votes = Votes([[1, 0], [2, 2], [0, 1]], [["person", "place"], [{"person", "number"}, "place"]], CLASSES)
    assert contradicted(frozenset({"place"}), votes).tolist() == [True, False, True]


def test_mistakes():
    with pytest.raises(BadRows, match="2 rows, and 4"):
        suggest_rules(Writer(), ROWS, CLASSES, votes=Votes([[1], [1]], [["person"]], CLASSES))

    class Mute:
        id = "mute"

        def scores(self, prompts, choices):
            return np.zeros((len(prompts), len(choices)))

    with pytest.raises(ModelFailed, match="write"):
        suggest_rules(Mute(), ROWS, CLASSES)


def test_a_real_model_writes_something(llama):
    found = suggest_rules(llama, ROWS, CLASSES, sample=2, batch=2)
    assert found.calls == 1  # what it writes is not good enough to be judged
