"""Labelers that are data, saved and read back; kinds of labelers from elsewhere."""

import json
import re
from dataclasses import dataclass

import pytest

from shortlist import Labeler, Not, apply, attributes, keywords, labeler, load_labelers, pattern, save_labelers
from shortlist.errors import BadFile, BadLabeler, SlowPattern
from shortlist.labelers import Ballot, Parts, checked_answer, labeler_kind, records
from shortlist.labelers.records import from_record
from shortlist.project import BadProject
from shortlist.rows import Chunk
from tests.project.news import TOML, edit, make, rows

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


def test_errors_name_the_file_and_the_setting(tmp_path):
    for change, option in (({"regex": "("}, "regex"), ({"yess": ["a"]}, "yess"), ({"kind": "patern"}, "kind"),
                           ({"yes": 3}, "yes")):  # fmt: skip
        path = edited(tmp_path, lambda document, change=change: document["labelers"][0].update(change))
        with pytest.raises(BadLabeler) as caught:
            load_labelers(path)
        assert (caught.value.option, caught.value.file) == ((option,), str(path))
        assert str(caught.value).startswith(f"{path}: ")


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

    def __call__(self, row):
        return self.answer if len(Chunk(0, [row]).text(self.on)[0]) > self.than else None

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
    del records.LABELER_KINDS.added["longer"]


def test_a_kind_from_elsewhere_is_applied_saved_and_read_back(longer, tmp_path):
    rules = [longer(3, ["a", "b"]), keywords(["x"], says="c")]
    assert apply(rules, ["x", "long enough"], space=["a", "b", "c"]).codes.tolist() == [[0, 1], [1, 0]]
    save_labelers(rules, tmp_path / "rules.json")
    assert load_labelers(tmp_path / "rules.json") == rules
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
