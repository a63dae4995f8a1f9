"""Labelers as plain data and back; kinds of labelers from elsewhere."""

import json
import re
from dataclasses import dataclass

import pytest

from shortlist import Labeler, Not, apply, attributes, keywords, pattern
from shortlist.errors import BadLabeler, SlowPattern
from shortlist.labelers import Ballot, Parts, checked_answer, labeler_kind
from shortlist.labelers.labeler import LABELER_KINDS, from_record
from shortlist.project import BadProject
from tests.project.news import TOML, edit, make, rows

RULES = [
    pattern(r"\bgoal\b", yes="sports", no=Not("sports"), on="title", ignore_case=True, name="goal"),
    pattern("ümlaut", no={"a", "b"}),
    keywords(["x", "y z"], says={"a", "b"}, whole_words=False),
    *attributes({"stripes": ["tiger"], "claws": ["tiger", "lion"], "hooves": ["horse"]}, yes_from=0.8, no_below=0.2),
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_they_come_back_equal(rule):
    assert from_record(json.loads(json.dumps(rule.record()))) == rule


def test_a_slow_pattern_says_so_when_it_is_read_too():
    with pytest.warns(SlowPattern):
        from_record({"kind": "pattern", "regex": "(?=x)", "yes": "a"})


@pytest.mark.parametrize(
    ("change", "option", "fact"),
    [
        ({"kind": "patern"}, "kind", "'pattern'"),
        ({"yess": ["a"]}, "yess", "yess"),
        ({"regex": None}, None, "regex"),
        ({"regex": "("}, "regex", "regular expression"),
        ({"yes": None, "no": None}, None, "says nothing"),
        ({"yes": {"nto": ["a"]}}, "yes", '{"not": ["X"]}'),
        ({"yes": 3}, "yes", "3 is not"),
    ],
)
def test_a_bad_record_says_what_is_wrong(change, option, fact):
    record = {key: value for key, value in (RULES[0].record() | change).items() if value is not None}
    with pytest.raises(BadLabeler) as raised:
        from_record(record)
    assert fact in str(raised.value)
    assert raised.value.option == ((option,) if option else ())


def test_what_is_no_record():
    with pytest.raises(BadLabeler, match="'goal' is no labeler"):
        from_record("goal")


def test_one_name_or_word_without_a_list_around_it_is_that_name_or_word():
    assert from_record({"kind": "keywords", "words": "goal", "says": "sports"}) == keywords(["goal"], says="sports")


# -- a kind from outside the package ---------------------------------------------------------------------


@dataclass(frozen=True)
class Longer(Labeler):
    """Texts of more than so many characters."""

    than: int
    answer: frozenset
    on: str | None
    name: str

    @property
    def says(self):
        return (self.answer,)

    def vote(self, columns, codebook):
        ballot = Ballot(codebook)
        ballot.codes = (columns.chunk.text(self.on).str.len_chars() > self.than).to_numpy().astype(codebook.dtype)
        return ballot

    def record(self):
        return {"kind": "longer", "than": self.than, "says": sorted(self.answer), "on": self.on, "name": self.name}

    def fingerprint_parts(self):
        return Parts(self.record())

    def on_text(self, column):
        return self if self.on else Longer(self.than, self.answer, column, self.name)


@pytest.fixture
def longer():
    """The kind is known for the length of a test."""

    @labeler_kind("longer")
    def longer(than, says, *, on=None, name="long"):
        return Longer(than, checked_answer(says, name, "says"), on, name)

    yield longer
    del LABELER_KINDS.added["longer"]


def test_a_kind_from_elsewhere_is_applied_and_read_back(longer):
    rules = [longer(3, ["a", "b"]), keywords(["x"], says="c")]
    assert apply(rules, ["x", "long enough"], space=["a", "b", "c"]).codes.tolist() == [[0, 1], [1, 0]]
    assert [from_record(rule.record()) for rule in rules] == rules
    assert rules[0]("long enough") == frozenset("ab")


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        ({"thann": 3}, ["no 'thann'", "Did you mean 'than'?", "They have than, says, on, name"]),
        ({"than": None, "says": None}, ["does not say than and says"]),
        ({"says": {"nto": "a"}}, ["{'nto': 'a'} is not", '{"not": ["X"]}']),
        ({"kind": "lonegr"}, ["'lonegr' is no kind", "Did you mean 'longer'?"]),
    ],
)
def test_the_settings_of_a_kind_from_elsewhere_are_checked(change, facts, longer):
    record = {"kind": "longer", "than": 3, "says": ["a"]} | change
    with pytest.raises(BadLabeler) as caught:
        from_record({key: value for key, value in record.items() if value is not None})
    for fact in facts:
        assert fact in str(caught.value)


def test_a_kind_from_elsewhere_in_a_project(longer, tmp_path):
    """In shortlist.toml, with the text column by default, mistakes at their line, and asked again when it changes."""
    written = '[[labeler]]\nkind = "longer"\nthan = 45\nsays = ["sports", "politics"]\n'
    project = make(tmp_path, toml=TOML + written)
    long = rows()["body"].str.len_chars() > 45
    assert project.votes[:, "long"].codes[:, 0].tolist() == long.cast(int).to_list()
    toml = tmp_path / "shortlist.toml"
    edit(toml, "than = 45", "than = 46")
    assert project.run(["vote"])[0].facts["asked"] == ["long"]
    line = toml.read_text().splitlines().index("than = 46") + 1
    for old, new, where, fact in (
        ("than = 46", "tahn = 61", 0, "Did you mean 'than'?"),
        ("tahn = 61\n", "", -2, "does not say than"),
        ('kind = "longer"\n', 'kind = "longer"\nthan = 1\n', None, ""),
        ('["sports", "politics"]', '["sprots", "politics"]', 1, "'sprots' is not a class"),
    ):
        edit(toml, old, new)
        if where is not None:
            with pytest.raises(BadProject, match=rf"shortlist.toml, line {line + where}: .*{re.escape(fact)}"):
                project.run(["vote"])
