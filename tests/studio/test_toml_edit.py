"""Edits of shortlist.toml change the lines they have to, and no other."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist.errors import ShortlistError
from shortlist.project.toml import BadProject
from shortlist.studio.toml_edit import TomlEdit, pair

TEXT = """# ours
version = 1  # of the format
classes = ["a", "b"]

[data]
files = ["x.csv"]  # here

# the first rule
[[labeler]]
kind = "keywords"
name = "money"   # it's "money" # really
words = [
    "shares",  # of companies
    "profit",
]
says = "a"

[output]
folder = "out"

# the second
[[labeler]]
kind = "pattern"
name = "p"
regex = '''
[[labeler]]
'''
yes = "a"
# the end
"""
MONEY, P = tomllib.loads(TEXT)["labeler"]


@pytest.fixture
def edit(tmp_path):
    path = tmp_path / "shortlist.toml"
    path.write_bytes(TEXT.encode())
    return TomlEdit(path)


def changed_lines(edit):
    before, after = TEXT.splitlines(), edit.text.splitlines()
    return [line for line in before if line not in after], [line for line in after if line not in before]


def test_a_new_rule_comes_last(edit):
    record = {"kind": "pattern", "name": "new", "regex": r"\bgoal\b", "yes": {"not": ["a"]}}
    edit.put(record)
    assert edit.text.startswith(TEXT)
    assert edit.labelers() == [MONEY, P, record]
    assert r"regex = '\bgoal\b'" in edit.text
    assert 'yes = { not = ["a"] }' in edit.text


def test_one_setting_is_one_line(edit):
    edit.put({**MONEY, "says": ["a", "b"]}, "money")
    assert changed_lines(edit) == (['says = "a"'], ['says = ["a", "b"]'])


def test_a_comment_beside_a_changed_setting_stays(edit):
    edit.put({**MONEY, "name": "cash"}, "money")
    assert changed_lines(edit)[1] == ['name = "cash"   # it\'s "money" # really']


def test_settings_come_and_go(edit):
    edit.put({key: value for key, value in {**P, "ignore_case": True}.items() if key != "yes"} | {"no": "b"}, "p")
    gone, new = changed_lines(edit)
    assert gone == ['yes = "a"']
    assert sorted(new) == ["ignore_case = true", 'no = "b"']
    assert edit.text.endswith("# the end\n")


def test_a_list_over_several_lines_is_replaced_whole(edit):
    edit.put({**MONEY, "words": ["one"]}, "money")
    assert edit.labelers()[0]["words"] == ["one"]
    assert "# of companies" not in edit.text
    assert edit.labelers()[1] == P


def test_a_rule_is_taken_out_and_comments_stay(edit):
    edit.remove("money")
    assert edit.labelers() == [P]
    assert all(line in edit.text for line in ("# the first rule", "# the second", 'folder = "out"'))
    edit.remove("p")
    assert edit.labelers() == []


def test_settings_of_tables(edit):
    edit.set("output", "folder", "there")
    edit.set("labelers", "off", ["p"])
    edit.set("label_model", "use_gold", True)
    assert edit.values["output"] == {"folder": "there"}
    assert edit.values["labelers"] == {"off": ["p"]}
    assert edit.values["label_model"] == {"use_gold": True}
    assert edit.labelers() == [MONEY, P]
    assert edit.text.index("[labelers]") < edit.text.index("# the first rule\n[[labeler]]")
    edit.set("labelers", "off", None)
    assert edit.values["labelers"] == {}
    assert edit.labelers() == [MONEY, P]


@pytest.mark.parametrize(("mark", "end"), [("\ufeff", "\n"), ("", "\r\n")])
def test_marks_and_line_ends_of_other_systems_stay(tmp_path, mark, end):
    path = tmp_path / "shortlist.toml"
    path.write_bytes((mark + TEXT.replace("\n", end)).encode())
    edit = TomlEdit(path)
    edit.put({**P, "yes": "b"}, "p")
    edit.set("labelers", "off", ["p"])
    edit.write()
    written = path.read_bytes().decode()
    assert written.startswith(mark + "# ours")
    assert written.count("\n") == written.count(end)
    assert tomllib.loads(written.removeprefix("\ufeff").replace("\r\n", "\n"))["labeler"][1]["yes"] == "b"


@pytest.mark.parametrize("text", ['labeler = [{kind = "keywords", name = "x"}]\n', "labelers.off = []\n"])
def test_what_cannot_be_edited_is_told_and_left_alone(tmp_path, text):
    path = tmp_path / "shortlist.toml"
    path.write_text(text)
    edit = TomlEdit(path)
    change = edit.set if "off" in text else edit.put
    with pytest.raises(BadProject):
        change(*(("labelers", "off", ["x"]) if "off" in text else ({"kind": "keywords", "name": "y"},)))
    assert path.read_text() == text


def test_a_name_that_is_not_there_is_told(edit):
    with pytest.raises(ShortlistError, match="Did you mean 'money'"):
        edit.put(MONEY, "mony")


values = st.one_of(
    st.text(), st.booleans(), st.integers(-(2**60), 2**60), st.lists(st.text(), max_size=30),
    st.fixed_dictionaries({"not": st.lists(st.text(), min_size=1)}),
)  # fmt: skip


@given(st.text(min_size=1), values)
def test_any_value_is_written_so_that_it_is_read_back(key, value):
    assert tomllib.loads("\n".join(pair(key, value))) == {key: value}


def test_a_file_with_a_mistake_is_not_edited(tmp_path):
    path = tmp_path / "shortlist.toml"
    path.write_text("version = \n")
    with pytest.raises(BadProject, match="fix it"):
        TomlEdit(path)
