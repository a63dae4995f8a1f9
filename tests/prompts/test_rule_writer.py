"""Rules that a model writes, for a person to accept."""

import numpy as np
import polars as pl
import pytest

from shortlist import apply, keywords, suggest_rules
from shortlist.errors import BadLabeler, ModelFailed, ModelWarning, ShortlistError
from shortlist.labelspace import LabelSpace
from shortlist.models import Model
from shortlist.prompts.rule_writer import parse_rule

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


class Writer(Model):
    id = "writer"

    def __init__(self, said=SAID):
        self.said, self.prompts = said, []

    def scores(self, prompts, choices):
        return np.zeros((len(prompts), len(choices)))

    def write(self, prompt, *, max_tokens):
        self.prompts.append(prompt)
        return self.said


def test_rules_that_vote_come_widest_first():
    with pytest.warns(ModelWarning, match="5 rules that the model wrote are no use"):
        found = suggest_rules(Writer(), ROWS, CLASSES)
    assert [rule.name for rule in found] == ["who, whom", "^where\\b", "how many"]
    votes = apply(found, ROWS, space=CLASSES)
    assert votes.coverage.tolist() == [0.5, 0.25, 0.25]
    assert votes.said(2) == {"how many": ("place", "number")}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("keywords: why => reason", "not a class"),
        ("pattern: (unclosed => place", "regular expression"),
        ("keywords: banana => place", "it matches no row"),
        ("keywords: it, he => person, place, number", "every class"),
    ],
)
def test_what_cannot_be_used_is_said_and_why(line, reason):
    with pytest.warns(ModelWarning, match=reason):
        assert suggest_rules(Writer(line), ROWS, CLASSES) == []


def test_a_few_calls_are_enough():
    writer = Writer("")
    assert suggest_rules(writer, [f"text {i}" for i in range(1000)], CLASSES, sample=25) == []
    assert len(writer.prompts) == 3
    assert all("person, place, number" in prompt for prompt in writer.prompts)
    shown = [line for prompt in writer.prompts for line in prompt.splitlines() if line.startswith("- text")]
    assert len(shown) == len(set(shown)) == 25


def test_a_rule_can_be_accepted():
    table = pl.DataFrame({"title": ["x"] * 4, "body": ROWS})
    (rule,) = suggest_rules(Writer("keywords: who => person"), table, CLASSES, text="body")
    assert eval(repr(rule), {"keywords": keywords}) == rule
    assert apply(rule, table, space=CLASSES).codes[:, 0].tolist() == [1, 0, 0, 1]


def test_rows_cannot_smuggle_rules_in_that_hang():
    space = LabelSpace(CLASSES)
    for line in ("pattern: (a+)+(?=b)c => place", "pattern: (a)\\1 => place"):
        with pytest.raises(ShortlistError):
            parse_rule(line, space)
    with pytest.raises(BadLabeler):
        parse_rule("delete everything", space)


def test_a_model_that_cannot_write():
    class Mute(Model):
        id = "mute"

        def scores(self, prompts, choices):
            return np.zeros((len(prompts), len(choices)))

    with pytest.raises(ModelFailed, match="write"):
        suggest_rules(Mute(), ROWS, CLASSES)


@pytest.mark.filterwarnings("ignore::shortlist.errors.ModelWarning")
def test_a_real_model_writes_something(llama):
    assert isinstance(suggest_rules(llama, ROWS, CLASSES, sample=2), list)  # not good enough to be judged
