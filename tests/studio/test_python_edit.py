"""Calls of labelers.py that are rewritten in the page: only the call changes, or nothing does."""

import pytest

from shortlist.errors import ShortlistError
from shortlist.studio.python_edit import PythonEdit
from shortlist.studio.rules import Conflict, rules, save_rule

CODE = '''"""My labelers."""
from shortlist import Not, keywords, labeler, pattern

WORDS = ["a"]
# single class
cars = keywords(["car", "naïve"], says="autos", no=Not("autos"), name="cars")  # the price is known
road = keywords(("road", "brake"), {"autos", "bikes"})
team = pattern(r"\\b(team|coach)\\b", yes={"bikes", "space"}, name="teams")
made = keywords(WORDS, says="space")
LABELERS = [keywords(["orbit"], says="space", name="orbit"), pattern("x", no="space", name="odd")]
inside = keywords(
    ["one"],  # a comment inside
    says="space",
)


@labeler(says=["autos"])
def plain(text):
    return "autos" if keywords(["car"], says="autos", name="hidden")(text) else None
'''


@pytest.fixture
def edit(tmp_path):
    (tmp_path / "labelers.py").write_text(CODE, "utf-8")
    return PythonEdit(tmp_path / "labelers.py")


def test_plain_calls_are_read(edit):
    assert edit.record("cars") == {
        "kind": "keywords", "name": "cars", "words": ["car", "naïve"], "says": "autos", "no": {"not": "autos"},
    }  # fmt: skip
    assert edit.record("road") == {
        "kind": "keywords", "name": "road", "words": ["road", "brake"], "says": ["autos", "bikes"],
    }  # fmt: skip
    assert edit.record("teams")["regex"] == r"\b(team|coach)\b"
    assert edit.record("orbit")["words"] == ["orbit"]
    assert [edit.record(name) for name in ("made", "plain", "hidden", "nobody")] == [None] * 4


def test_only_the_call_is_rewritten(edit):
    words = ["car", 'a "b"', "c\\d"]
    edit.put({"kind": "keywords", "name": "cars", "words": words, "says": ["autos", "bikes"]}, "cars")
    before, after = CODE.splitlines(), edit.text.splitlines()
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    ((_, line),) = changed
    assert line.startswith("cars = keywords([")
    assert line.endswith(', says={"autos", "bikes"}, name="cars")  # the price is known')
    assert edit.record("cars")["words"] == words


def test_a_rule_of_a_variable_gets_a_name_of_its_own(edit):
    edit.put({"kind": "keywords", "name": "street", "words": ["street"], "says": "autos"}, "road")
    assert 'road = keywords(["street"], says="autos", name="street")' in edit.text


@pytest.mark.parametrize("name", ["inside", "made", "plain", "nobody"])
def test_what_is_no_plain_call_is_left_alone(edit, name):
    with pytest.raises(ShortlistError, match="in an editor"):
        edit.put({"kind": "keywords", "name": name, "words": ["x"], "says": "space"}, name)
    assert edit.text == CODE


def test_the_pages_save_goes_to_the_file_and_sees_changes_of_others(project, folder):
    code = folder / "labelers.py"
    rule = next(one for one in rules(project.current) if one.name == "polls")
    assert (rule.origin, rule.kind) == ("python", "pattern")
    text = code.read_text()
    save_rule(project, {**rule.record, "regex": "poll|ballot"}, rule.record)
    assert code.read_text() == text.replace('r"' + rule.record["regex"], '"poll|ballot')
    assert next(one for one in project.current.roster.labelers if one.name == "polls").what == "poll|ballot"
    with pytest.raises(Conflict):
        save_rule(project, {**rule.record, "regex": "other"}, rule.record)


@pytest.mark.parametrize("mark", ["\x0c", "\x0b", "\u2028", "\x85"], ids=ascii)
def test_signs_that_end_no_line_of_python(tmp_path, mark):
    """The edit ended in the middle of the call: "invalid request (SyntaxError…)"."""
    code = CODE.replace("# single class\n", f"# {mark}\nodd = '{mark}'\n")
    (tmp_path / "labelers.py").write_text(code, "utf-8")
    edit = PythonEdit(tmp_path / "labelers.py")
    edit.put({"kind": "keywords", "name": "cars", "words": ["van"], "says": "autos"}, "cars")
    assert 'cars = keywords(["van"], says="autos", name="cars")  # the price is known' in edit.text


def test_another_kind_is_refused(edit):
    with pytest.raises(ShortlistError, match="add a new rule instead"):
        edit.put({"kind": "attribute", "name": "cars", "on": "price", "above": 3, "says": "autos"}, "cars")


def test_what_an_editor_saves_meanwhile_is_not_lost(edit):
    edit.put({"kind": "keywords", "name": "cars", "words": ["van"], "says": "autos"}, "cars")
    edit.path.write_text(CODE + "# more\n", "utf-8")
    with pytest.raises(ShortlistError, match="nothing was saved"):
        edit.write()
    assert edit.path.read_text("utf-8") == CODE + "# more\n"
    assert [path.name for path in edit.path.parent.iterdir()] == ["labelers.py"]
