"""shortlist.toml: what it says, and on which line. The mistakes are in tests/cli/test_bad_input.py."""

import re

import pytest

from shortlist.project.code.toml_labelers import toml_labelers
from shortlist.project.settings import Settings
from shortlist.project.stages.run import STAGES, chosen_stages
from shortlist.project.toml import BadProject, TomlFile

LEAST = 'version = 1\nclasses = ["a", "b", "c"]\n[data]\nfiles = "rows.csv"\n'


def settings(tmp_path, more=""):
    (tmp_path / "shortlist.toml").write_text(LEAST + more, "utf-8")
    return Settings.read(tmp_path)


def test_the_least_that_will_do(tmp_path):
    found = settings(tmp_path)
    assert found.classes == ("a", "b", "c")
    assert found.data.files == ("rows.csv",)
    assert found.labelers.file == "labelers.py"
    assert chosen_stages(found) == tuple(STAGES)
    assert found.classifier.kind == "linear"
    assert not found.gold_fits


def test_options_go_where_they_belong(tmp_path):
    more = (
        'text = "t"\n[data.types]\n"a b" = "text"\n[label_model]\nuse_gold = true\n'
        "balance = {a = 0.5, b = 0.3, c = 0.2}\n"
        '[classifier]\nmax_rows = 5\nuncovered = "keep"\n[output]\nstages = ["fit", "vote"]\nshortlist = 1\n'
    )
    found = settings(tmp_path, more)
    assert found.data.types == {"a b": "text"}
    assert found.gold_fits
    assert dict(found.label_model) == {"balance": {"a": 0.5, "b": 0.3, "c": 0.2}}
    assert found.classifier.max_rows == 5
    assert dict(found.classifier.options) == {"uncovered": "keep"}
    assert chosen_stages(found) == ("vote", "fit")
    assert found.output.shortlist == 1.0


def test_labelers_that_are_data(tmp_path):
    more = (
        'text = "t"\n[[labeler]]\nkind = "keywords"\nwords = "x"\nsays = { not = "a" }\n'
        '[[labeler]]\nkind = "pattern"\nname = "p"\nregex = "x+"\nyes = ["a", "b"]\nno = "c"\non = "other"\n'
        '[[labeler]]\nkind = "attribute"\nname = "s"\non = "s"\nyes = "a"\nno = ["b", "c"]\n'
        "yes_from = 0.7\nno_below = 0.2\n"
    )
    (one, two, three), _notes = toml_labelers(settings(tmp_path, more))
    assert repr(one) == "keywords(['x'], says=Not('a'), name='x')"
    assert repr(two) == "pattern('x+', yes={'a', 'b'}, no='c', on='other', name='p')"
    assert three({"s": 0.8}) == frozenset("a")
    assert three({"s": 0.5}) is None


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("version",), 1),
        (("data", "files"), 4),
        (("data", "nothing"), 3),
        (("labeler", 1, "name"), 9),
        (("labeler", 1), 8),
        (("labeler", 0), 5),
        (("x", "y", "z"), 10),
        (("nowhere",), None),
    ],
)
def test_lines(path, line, tmp_path):
    text = LEAST + '[[labeler]]\nname = "one"\n\n[[labeler]] # two\nname = "two"\n[x.y]\n"z" = 1\n'
    (tmp_path / "t.toml").write_text(text)
    found = TomlFile(tmp_path / "t.toml").line(*path)
    assert found == (11 if path == ("x", "y", "z") else line)


def test_a_mistake_at_the_end_of_the_file(tmp_path):
    (tmp_path / "t.toml").write_text('a = "')
    with pytest.raises(BadProject, match=r"t.toml, line 1"):
        TomlFile(tmp_path / "t.toml")


def test_a_byte_order_mark_and_windows_lines(tmp_path):
    (tmp_path / "shortlist.toml").write_bytes(b"\xef\xbb\xbf" + LEAST.replace("\n", "\r\n").encode())
    assert Settings.read(tmp_path).classes == ("a", "b", "c")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ('[output]\non_error = "abstain"\n', "output.on_error is no setting. It belongs under [labelers]."),
        ("[output]\nworkers = 2\n", "It belongs under [labelers] or [engine]."),
        ("[labelers]\nuse_gold = true\n", "It belongs under [label_model]."),
        ("[labelers]\nmax_iter = 9\n", "It belongs under [label_model]."),
        ('classes = ["a", "b"]\n', "data.classes is no setting. It belongs at the top of the file"),
        ('[output]\nfromat = "csv"\n', "output.fromat is no setting. Did you mean 'format'?"),
        ("[output]\nnonsense = 1\n", "output.nonsense is no setting. Settings here: by, folder, format"),
    ],
)
def test_a_setting_of_another_table_is_sent_there(tmp_path, more, told):
    """`run` advised on_error without its table; written under [output], it was "no setting", and that was all."""
    with pytest.raises(BadProject, match=re.escape(told)):
        settings(tmp_path, more)
