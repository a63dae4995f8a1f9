"""Mistakes users make: each is told in one line that says who, what, where and what next; never a traceback."""

import re
import subprocess
import sys

import polars as pl
import pytest

from tests.cli.shell import call, environment
from tests.project.news import LABELERS, TOML, edit, make

CODE = "from shortlist import Not, keywords, labeler, pattern\n\n\n"
RULE = '@labeler(says=["sports"])\ndef rule(text):\n    {}\n'


def toml(old, new):
    """Edit shortlist.toml."""
    return lambda folder: edit(folder / "shortlist.toml", old, new)


def labelers(text):
    """Replace labelers.py."""
    return lambda folder: (folder / "labelers.py").write_text(text, "utf-8")


def data(content, name="news.csv"):
    """Replace the data file."""
    return lambda folder: (folder / name).write_bytes(content)


def more(text):
    """Append to shortlist.toml."""
    return lambda folder: (folder / "shortlist.toml").write_text(TOML + text)


def remove(name):
    return lambda folder: (folder / name).unlink()


BAD = {
    # -- shortlist.toml
    "a separator of two signs": (toml('text = "body"', 'text = "body"\nseparator = ";;"'), ["line 7", "one character"]),
    "an encoding unknown": (toml('text = "body"', 'text = "body"\nencoding = "klingon"'), ["line 7", "latin-1"]),
    "an encoding that it is not in": (
        lambda f: (
            toml('text = "body"', 'text = "body"\nencoding = "ascii"')(f),
            data("id,body,label,n\n1,é,sports,2\n".encode())(f),
        ),
        ["line 5", "news.csv", "not in ascii"],
    ),
    "an output folder above the project": (more('[output]\nfolder = "../../esc"\n'), ["line 19", "inside the project"]),
    "an output folder elsewhere": (more('[output]\nfolder = "/tmp/esc"\n'), ["line 19", "inside the project"]),
    "a label model's text for a number": (more('[label_model]\ntol = "x"\n'), ["line 19", "tol"]),
    "a label model's seed in words": (
        more('[label_model]\nseed = "x"\nestimator = { kind = "likelihood", n_starts = 2 }\n'),
        ["line 19", "seed"],
    ),
    "an estimator's text for a number": (
        more('[label_model]\nestimator = { accuracy_mean = "x" }\n'),
        ["line 19", "x"],
    ),
    "a balance of words": (more('[label_model]\nbalance = ["a", "b", "c"]\n'), ["line 19", "share"]),
    "a balance that sums to 1.25": (
        more("[label_model]\nbalance = { business = 0.5, politics = 0.5, sports = 0.25 }\n"),
        ["line 19", "the shares sum to 1.25"],
    ),
    "a balance with a date": (
        more("[label_model]\nbalance = { business = 1, politics = 1, sports = 1979-05-27 }\n"),
        ["line 19", "share"],
    ),
    "a rule whose name is a number": (toml('name = "money"', "name = 5"), ["line 15", "name is a text; got 5"]),
    "a flag of a rule in words": (
        toml('says = "business"', 'says = "business"\nwhole_words = "no"'),
        ["line 18", "whole_words is true or false; got 'no'"],
    ),
    "a text for a number of a model": (
        more(
            '[[labeler]]\nkind = "ask"\nquestion = "{text}?"\nyes = "sports"\nmodel = "m"\n'
            '[models.m]\nkind = "http"\nurl = "http://localhost/v1"\nmodel = "x"\ntime_out = "x"\n'
        ),
        ["line 27", "time_out is a number; got 'x'"],
    ),
    "lists without end": (toml('text = "body"', f"text = {'[' * 5000}"), ["shortlist.toml", "nested"]),
    "a gold file of lists without end": (
        data(b'{"kind": "shortlist gold", "version": 1}\n' + b"[" * 5000, "gold.jsonl"),
        ["gold.jsonl", "line 2"],
    ),
    "no toml": (remove("shortlist.toml"), ["no shortlist.toml in", "shortlist init"]),
    "toml that is no toml": (
        toml('text = "body"', "text = body"),
        ["shortlist.toml, line 6, column 8", "Invalid value"],
    ),
    "a bracket not closed": (toml('"sports"]\n', '"sports"\n'), ["shortlist.toml, line", "column"]),
    "toml not in utf-8": (lambda f: (f / "shortlist.toml").write_bytes(b"\xff\xfe"), ["shortlist.toml", "UTF-8"]),
    "no version": (toml("version = 1\n", ""), ["version = 1"]),
    "a newer version": (toml("version = 1", "version = 99"), ["line 1", "newer shortlist", "upgrade"]),
    "a version in words": (toml("version = 1", 'version = "one"'), ["line 1", "whole number"]),
    "no classes": (toml('classes = ["business", "politics", "sports"]\n', ""), ["classes = ["]),
    "one class": (toml('"business", "politics", "sports"]\n', '"business"]\n'), ["line 2", "two classes"]),
    "a class twice": (toml('"politics", "sports"]', '"business", "sports"]'), ["line 2", "'business' is named twice"]),
    "classes as numbers": (toml('"politics", "sports"]', "2, 3]"), ["line 2", "list of texts"]),
    "no data": (toml('files = ["news.csv"]\n', ""), ["line 4", "files = "]),
    "a setting misspelt": (toml('text = "body"', 'txt = "body"'), ["line 6", "data.txt", "Did you mean 'text'?"]),
    "a table misspelt": (toml("[classifier]", "[clasifier]"), ["line 10", "Did you mean 'classifier'?"]),
    "a list for a text": (toml('text = "body"', 'text = ["body"]'), ["line 6", "data.text", "is a text"]),
    "a format unknown": (more('[output]\nformat = "xlsx"\n'), ["line 19", "'parquet', 'csv', 'jsonl'"]),
    "a classifier unknown": (toml('kind = "linear"', 'kind = "liner"'), ["line 11", "'linear'"]),
    "an mlp without features": (toml('kind = "linear"', 'kind = "mlp"'), ["line 11", "features = "]),
    "a column for an mlp": (
        toml('kind = "linear"', 'kind = "mlp"\non = "body"'),
        ["line 12", "classifier.on", '"mlp" reads the features'],
    ),
    "a column for the classifier missing": (
        toml('kind = "linear"', 'kind = "linear"\non = ["id", "bdy"]'),
        ["line 12", "news.csv has no column 'bdy'", "Did you mean 'body'?"],
    ),
    "a column of numbers for the classifier": (
        toml('kind = "linear"', 'kind = "linear"\non = ["body", "n"]'),
        ["line 12", "column 'n' of news.csv holds Int64, not text", 'n = "text" under [data.types]'],
    ),
    "known classes for the classifier": (
        toml('kind = "linear"', 'kind = "linear"\non = ["body", "label"]'),
        ["line 12", "'label' holds the known classes", "must not read"],
    ),
    "a column twice for the classifier": (
        toml('kind = "linear"', 'kind = "linear"\non = ["body", "body"]'),
        ["line 12", "classifier.on", "each once"],
    ),
    "an encoder that is no text": (
        toml('kind = "linear"', 'kind = "linear"\nencoder = 5'),
        ["line 12", "classifier.encoder is a text between quotation marks; got 5"],
    ),
    "no column for the classifier": (toml('kind = "linear"', 'kind = "linear"\non = []'), ["line 12", "classifier.on"]),
    "a number for a column": (toml('kind = "linear"', 'kind = "linear"\non = 3'), ["line 12", "list of texts"]),
    "workers below one": (more("[labelers]\nworkers = 0\n"), ["line 19", "whole number from 1"]),
    "an option of no model": (more("[label_model]\nacuracy_mean = 0.8\n"), ["line 19", "accuracy_mean"]),
    "an option that cannot be": (
        more("[label_model]\nestimator = { accuracy_mean = 7 }\n"),
        ["line 19", "accuracy_mean", "between 0 and 1"],
    ),
    "an option of an estimator, in the wrong place": (
        more('[label_model]\nbalance = "uniform"\naccuracy_mean = 0.7\n'),
        ["line 20", 'estimator = { kind = "likelihood", accuracy_mean = … }'],
    ),
    "a solver that cannot be": (
        more('[label_model.estimator]\nkind = "likelihood"\n[label_model.estimator.solver]\nkind = "em"\nmemory = 0\n'),
        ["line 22", "memory", "from 1"],
    ),
    "a balance that this estimator does not learn": (
        more('[label_model]\nmax_iter = 9\nbalance = "learn"\n'),
        ["line 20", 'estimator="likelihood"'],
    ),
    "an option of no estimator": (
        more("[label_model.estimator]\naccuracy_meen = 0.8\n"),
        ["line 19", "'accuracy_mean'"],
    ),
    "an estimator that cannot be": (
        more("[label_model]\nestimator = { accuracy_mean = 8 }\n"),
        ["line 19", "between 0 and 1"],
    ),
    "a balance of other classes": (more("[label_model]\nbalance = { sport = 1 }\n"), ["line 19", "sport"]),
    "a file that labelers read, missing": (more('[labelers]\ndepends = ["w.txt"]\n'), ["line 19", "w.txt does not"]),
    "a type unknown": (more('[data.types]\nn = "float"\n'), ["line 18", "'number'"]),
    # -- labelers in the toml
    "a labeler of no kind": (toml('kind = "keywords"', 'kind = "keyword"'), ["line 14", "Did you mean 'keywords'?"]),
    "a class misspelt in the toml": (
        toml('says = "business"', 'says = "busines"'),
        ["line 17", "'busines' is not a class", "'business'"],
    ),
    "a labeler without words": (toml('words = ["shares", "profit"]\n', ""), ["line 13", "does not say words"]),
    "a setting of no labeler": (toml('name = "money"', 'name = "money"\nwhole = true'), ["line 16", "whole_words"]),
    "a pattern that is none": (
        more('[[labeler]]\nkind = "pattern"\nregex = "(a"\nyes = "sports"\n'),
        ["line", "regular expression"],
    ),
    # -- data
    "a file missing": (remove("news.csv"), ["line 5", "news.csv does not exist"]),
    "a file misspelt": (toml('"news.csv"', '"new.csv"'), ["line 5", "new.csv does not exist", "'news.csv'"]),
    "no file of that pattern": (toml('"news.csv"', '"more/*.csv"'), ["line 5", "more/*.csv"]),
    "a file of no kind": (toml('"news.csv"', '"labelers.py"'), ["line 5", ".parquet"]),
    "a folder as data": (toml('"news.csv"', '"folder.csv"'), ["line 5", "folder"]),
    "a column missing": (toml('text = "body"', 'text = "bdy"'), ["line 6", "no column 'bdy'", "Did you mean 'body'?"]),
    "an id missing": (toml('id = "id"', 'id = "ident"'), ["line 7", "no column 'ident'"]),
    "an id that is not one": (toml('id = "id"', 'id = "n"'), ["line 7", "column 'n' is the id", "rows 0 and 5"]),
    "gold that is no class": (toml('gold = "label"', 'gold = "id"'), ["line 8", "'doc0'", "not a class", "row 0"]),
    "an empty file": (data(b""), ["line 5", "news.csv", "empty"]),
    "a header alone": (data(b"id,body,label,n\n"), ["no rows in news.csv"]),
    "a line too long": (data(b"id,body,label,n\n1,a,sports,2,3\n"), ["more fields"]),
    "a quotation mark not closed": (
        data(b'id,body,label,n\n1,"a,sports,2\n2,b,sports,3\n'),
        ["news.csv", "never closed?"],
    ),
    "jsonl that is none": (
        lambda f: (toml('"news.csv"', '"news.jsonl"')(f), data(b'{"id": 1}\n{oops\n', "news.jsonl")(f)),
        ["news.jsonl", "line 2 is not a JSON object"],
    ),
    "parquet that is none": (
        lambda f: (toml('"news.csv"', '"news.parquet"')(f), data(b"hello", "news.parquet")(f)),
        ["news.parquet"],
    ),
    "a file where results should go": (lambda f: (f / "out").write_text(""), ["out", "exists"]),
    "a file where work is kept": (lambda f: (f / ".shortlist").write_text(""), [".shortlist", "exists"]),
    # -- labelers.py
    "a syntax error": (labelers(CODE + "def rule(text)\n    pass\n"), ["labelers.py, line 4", "expected ':'"]),
    "an import that fails": (labelers("import no_such_thing\n"), ["labelers.py, line 1", "no_such_thing"]),
    "a name that is not there": (
        labelers(CODE + "rules = [keyword(['a'], says='sports')]\n"),
        ["labelers.py, line 4", "NameError", "keyword"],
    ),
    "no labelers": (
        lambda f: (labelers("x = 1\n")(f), (f / "shortlist.toml").write_text(TOML.split("[[labeler]]")[0])),
        ["labelers.py", "@labeler"],
    ),
    "a class misspelt": (
        labelers(CODE + RULE.replace('"sports"', '"sprots"').format("return None")),
        ["labelers.py, line 4", "'sprots' is not a class", "Did you mean 'sports'?"],
    ),
    "a class misspelt where it is returned": (
        labelers(CODE + "@labeler\ndef rule(text):\n    return 'sport'\n"),
        ["labelers.py, line 6", "'sport' is not a class", "row 0", "'sports'"],
    ),
    "an answer not declared": (
        labelers(CODE + RULE.format("return 'politics'")),
        ["labelers.py, line 5", "rule", "'politics'", "row 0"],
    ),
    "an empty answer": (labelers(CODE + RULE.format("return set()")), ["labelers.py, line 5", "rule", "row 0", "None"]),
    "a labeler that fails": (
        labelers(CODE + RULE.format("return text.nope")),
        ["labelers.py, line 6", "rule", "row 0", "AttributeError"],
    ),
    "a feature nobody knows": (
        labelers(CODE + RULE.replace("(text)", "(text, wrods)").format("return None")),
        ["labelers.py", "'wrods'", "no feature"],
    ),
    "a parameter of another kind": (
        labelers(CODE + "a = keywords(['x'],\n             yes='sports', name='a')\n"),
        ["labelers.py, line 4", "keywords() has no parameter 'yes'. Did you mean 'says'?"],
    ),
    "words in one text": (
        labelers(CODE + "a = keywords('soup, bread', says='sports', name='a')\n"),
        ["labelers.py, line 4", "a list of words, ['soup', 'bread']"],
    ),
    "a feature without its mark": (
        labelers(CODE + "def words(row):\n    return 1\n\n\n@labeler\ndef rule(words):\n    return 'sports'\n"),
        ["labelers.py, line 9", "'rule' asks for 'words', a function of this file without @feature"],
    ),
    "several classes in one text": (
        labelers(CODE + "@labeler\ndef rule(row):\n    return 'business, sports'\n"),
        ["labelers.py, line 6", "several are a set, {'business', 'sports'}"],
    ),
    "a setting of another kind": (
        more('[[labeler]]\nkind = "keywords"\nname = "a"\nwords = ["x"]\nyes = "sports"\n'),
        ["line 22", "have no 'yes'. Did you mean 'says'?"],
    ),
    "several classes in one text of the toml": (
        more('[[labeler]]\nkind = "keywords"\nname = "a"\nwords = ["x"]\nsays = "business, sports"\n'),
        ["line 22", 'several are a list, ["business", "sports"]'],
    ),
    "a key of a row that is none": (
        labelers(CODE + "@labeler\ndef rule(row):\n    return row['boddy']\n"),
        ["labelers.py, line 6", "the row has no column 'boddy'. Did you mean 'body'? The row: "],
    ),
    "a setting written twice": (
        toml('text = "body"', 'text = "body"\ntext = "body"'),
        ["shortlist.toml, line 7", "this setting is written twice"],
    ),
    "two labelers of one name": (
        labelers(CODE + "a = [keywords(['x'], says='sports', name='money')]\n"),
        ["two labelers are called 'money'"],
    ),
    "half a character in a name": (
        labelers(CODE + 'x = keywords(["goal"], says="sports", name="x\\ud800")\n'),
        ["half a character"],
    ),
    "a column nobody has": (
        labelers(CODE + "a = keywords(['x'], says='sports', on='titel', name='a')\n"),
        ["labelers.py, line 4", "'titel'"],
    ),
    "a labeler that ends the program": (
        labelers(CODE + RULE.format("raise SystemExit(0)")),
        ["labelers.py, line 6", "SystemExit"],
    ),
    "a file that ends the program": (
        labelers(CODE + RULE.format("pass") + "\nraise SystemExit\n"),
        ["labelers.py, line 8", "SystemExit"],
    ),
    "labelers.py not there": (
        lambda f: (remove("labelers.py")(f), (f / "shortlist.toml").write_text(TOML.split("[[labeler]]")[0])),
        ["labelers.py"],
    ),
}


def one_line(ended):
    """The one line of an error."""
    assert ended.out == ""
    lines = ended.err.strip().splitlines()
    assert len(lines) == 1, ended.err
    assert lines[0].startswith("error: ")
    assert "Traceback" not in ended.err
    return lines[0]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    home = tmp_path / "news"
    make(home, m=30)
    (home / "folder.csv").mkdir()
    monkeypatch.chdir(home)
    return home


def test_there_are_forty_kinds():
    assert len(BAD) >= 40


@pytest.mark.parametrize("kind", BAD)
def test_a_mistake_is_told_in_one_line(kind, folder, capfd):
    spoil, facts = BAD[kind]
    spoil(folder)
    ended = call(capfd, "fit")
    line = one_line(ended)
    assert ended.code == 3
    for fact in facts:
        assert fact in line


@pytest.mark.parametrize("option", ['estimator = "x"', 'features = "x"', "uncovered = 3", "on = 7"])
def test_an_option_that_a_classifier_cannot_use_is_told_at_its_line(option, folder, capfd):
    """Attack C1: exit 1, `unexpected TypeError`."""
    edit(folder / "shortlist.toml", 'kind = "linear"', option)
    ended = call(capfd, "train")
    line = one_line(ended)
    assert ended.code == 3
    assert "shortlist.toml, line 1" in line
    assert option.split()[0] in line


@pytest.mark.parametrize("values", [[["a"]], [b"a"], [{"a": 1}]])
def test_an_id_that_cannot_join_anything_is_told(values, folder, capfd):
    """Attack C4: an error of polars, exit 1."""
    pl.DataFrame({"id": values, "body": ["goal"], "label": ["sports"]}).write_parquet(folder / "news.parquet")
    edit(folder / "shortlist.toml", "news.csv", "news.parquet")
    ended = call(capfd, "vote")
    assert ended.code == 3
    assert "line 7: column 'id' of news.parquet holds" in one_line(ended)


def test_without_a_mistake_there_is_none(folder, capfd):
    """So that the test above can fail."""
    assert call(capfd, "fit").code == 0


@pytest.mark.parametrize("kind", ["a class misspelt", "toml that is no toml", "a file missing"])
def test_programs_get_the_place_too(kind, folder, capfd):
    import json

    spoil, _ = BAD[kind]
    spoil(folder)
    ended = call(capfd, "vote", "--json")
    found = json.loads(ended.out)
    assert ended.code == found["exit"] == 3
    assert found["error"]["file"] in ("shortlist.toml", "labelers.py")
    assert found["error"]["line"] >= 1
    assert ended.err == ""


def test_debug_shows_all_of_it(folder, capfd):
    (folder / "labelers.py").write_text(CODE + RULE.format("return text.nope"))
    ended = call(capfd, "vote", "--debug")
    assert ended.code == 3
    assert "Traceback" in ended.err
    assert "AttributeError" in ended.err


@pytest.mark.parametrize(
    "command",
    ["label --export {}", "predict news.csv --to {}", "export --to {}", "certify --random --to {}"],
)
@pytest.mark.parametrize("target", ["news.csv", "shortlist.toml", "labelers.py", "gold.jsonl", "words.csv", "LINK.csv"])
def test_no_command_writes_over_the_files_of_the_project(command, target, folder, capfd):
    """Attack: `label --export` replaced rows, rules, code and labels; `predict --to` the labels."""
    (folder / "gold.jsonl").write_text(
        '{"kind": "shortlist gold", "version": 1}\n{"id": "doc1", "classes": ["sports"]}\n'
    )
    (folder / "words.csv").write_text("goal\n")
    (folder / "labelers.py").write_text(LABELERS + '\nfrom pathlib import Path\nMORE = Path("words.csv").read_text()\n')
    (folder / "LINK.csv").symlink_to("news.csv")
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert call(capfd, *command.format(target).split()).code == 3
    assert {name: (folder / name).read_bytes() for name in before} == before


@pytest.mark.parametrize("command", ["vote >&-", "vote --json >&-", "vote 2>&-", "vote <&- >&- 2>&-"])
def test_closed_streams_are_no_errors(command, folder):
    """attack.md 19: `shortlist run >&-` ended with a traceback."""
    ended = subprocess.run(
        f"{sys.executable} -m shortlist {command}", shell=True, capture_output=True, env=environment()
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert (folder / "out" / "votes.json").exists()


@pytest.mark.parametrize("command", ["label", "init news.csv --force"])
def test_a_closed_input_is_nobody_at_a_terminal(command, folder):
    ended = subprocess.run(
        f"{sys.executable} -m shortlist {command} <&-", shell=True, capture_output=True, env=environment()
    )
    assert ended.returncode in (0, 3)
    assert b"unexpected" not in ended.stderr


@pytest.mark.parametrize(
    "command", ["init news.csv --force --yes --text body --classes a,\udcff", "why \udcff", "why 9{}"]
)
def test_arguments_that_are_no_text_and_numbers_without_end(command, folder, capfd):
    ended = call(capfd, *command.format("9" * 5000).split())
    assert ended.code == 3
    assert "unexpected" not in one_line(ended)


IMPORTED = """
import builtins
from shortlist.cli import main
real = builtins.__import__
def stopped(name, *rest):
    if name == "shortlist.cli.app":
        raise KeyboardInterrupt
    return real(name, *rest)
builtins.__import__ = stopped
main()
"""


def test_ctrl_c_during_imports():
    ended = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, env=environment())
    assert (ended.returncode, ended.stderr) == (130, b"")


def test_an_error_nobody_foresaw(folder, capfd, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("shortlist.project.project.Project.run", broken)
    ended = call(capfd, "vote")
    assert ended.code == 1
    assert "unexpected ZeroDivisionError: oh (use --debug" in one_line(ended)


def test_a_package_that_is_not_installed(folder, capfd, monkeypatch):
    from shortlist.errors import MissingPackage

    def missing(*_):
        raise MissingPackage("this needs jinja2: pip install '.[report]'")

    monkeypatch.setattr("shortlist.reporting.page.environment", missing)
    ended = call(capfd, "report", "--force")
    assert ended.code == 4
    assert "pip install '.[report]'" in one_line(ended)
    assert call(capfd, "report").code == 4
    ended = call(capfd, "run")  # as part of a run it is passed over
    assert ended.code == 0
    assert "report: this needs jinja2" in ended.err


USAGE = {
    "no such command": (["vot"], "vot"),
    "no such option": (["vote", "--jsn"], "--jsn"),
    "an argument missing": (["init"], "data"),
}


@pytest.mark.parametrize("kind", USAGE)
def test_usage(kind, capfd):
    arguments, fact = USAGE[kind]
    ended = call(capfd, *arguments)
    assert ended.code == 2
    assert fact in ended.err.strip().splitlines()[-1]


INIT = {
    "no such file": (["missing.csv"], "missing.csv does not exist"),
    "no classes": (["rows.csv", "--text", "body"], "at least two classes"),
    "a class twice": (["rows.csv", "--text", "body", "--classes", "a,b,a"], "'a' is named twice"),
    "no such column": (["rows.csv", "--text", "bdy", "--classes", "a,b"], "Did you mean 'body'?"),
    "numbers for text": (["rows.csv", "--text", "n", "--classes", "a,b"], "holds Int64, not text"),
    "too many classes": (["rows.csv", "--text", "body", "--gold", "id"], "different values"),
    "a project that is there": (["rows.csv", "--text", "body", "--classes", "a,b"], "--force"),
}


@pytest.mark.parametrize("kind", INIT)
def test_init(kind, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    rows = {"id": range(60), "body": ["a long text about something"] * 60, "n": range(60)}
    pl.DataFrame(rows).write_csv("rows.csv")
    arguments, fact = INIT[kind]
    if "there" in kind:
        (tmp_path / "shortlist.toml").write_text("mine")
    ended = call(capfd, "init", *arguments)
    assert ended.code == 3
    assert fact in one_line(ended)
    assert "there" not in kind or (tmp_path / "shortlist.toml").read_text() == "mine"


def test_a_name_that_labels_cannot_have_is_told_before_the_work(folder, capfd):
    ended = call(capfd, "export", "--to", "labels.xls")
    assert ended.code == 3
    assert ".parquet, .csv or .jsonl" in one_line(ended)
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (["--to", "labels.csv", "--columns", "id,bdy"], "no column 'bdy'. Did you mean 'body'?"),
        (["--to", "labels.csv", "--min-belief", "80"], "beliefs go from 0 to 1: for 80 %, write 0.8"),
        (["--to", "labels.csv", "--min-belief", "nan"], "beliefs go from 0 to 1"),
        (["--columns", "body"], "--to labels.csv"),
        (["--min-belief", "0"], "--to labels.csv"),
    ],
)
def test_labels_that_cannot_be_had_are_told_before_the_work(arguments, fact, folder, capfd):
    ended = call(capfd, "export", *arguments)
    assert ended.code == 3
    assert fact in one_line(ended)
    assert not (folder / "out").exists()
    assert not (folder / "labels.csv").exists()


@pytest.mark.parametrize("command", [["export"], ["predict", "more.csv"]])
@pytest.mark.parametrize("target", ["news.csv", "../news/news.csv", "linked.csv"])
def test_rows_are_never_written_over(command, target, folder, capfd):
    rows = (folder / "news.csv").read_bytes()
    (folder / "more.csv").write_bytes(rows)
    (folder / "linked.csv").symlink_to("news.csv")
    ended = call(capfd, *command, "--to", target)
    assert ended.code == 3
    assert "would be lost" in ended.err
    assert (folder / "news.csv").read_bytes() == rows
    assert (folder / "linked.csv").is_symlink()


def test_other_files_that_are_read_are_never_written_over(folder, capfd):
    rows = (folder / "news.csv").read_bytes()
    (folder / "more.csv").write_bytes(rows)
    assert call(capfd, "predict", "more.csv", "--to", "more.csv").code == 3
    assert (folder / "more.csv").read_bytes() == rows


def test_an_output_folder_that_holds_the_rows(folder, capfd):
    (folder / "news.csv").rename(folder / "labels.csv")
    edit(folder / "shortlist.toml", '"news.csv"', '"labels.csv"')
    (folder / "shortlist.toml").write_text(
        (folder / "shortlist.toml").read_text() + '[output]\nfolder = "."\nformat = "csv"\n'
    )
    rows = (folder / "labels.csv").read_bytes()
    ended = call(capfd, "run")
    assert ended.code == 3
    assert "labels.csv holds the rows" in ended.err
    assert (folder / "labels.csv").read_bytes() == rows


def test_predict_needs_a_file_to_write(folder, capfd):
    ended = call(capfd, "predict", "news.csv")
    assert ended.code == 2
    assert "Missing option '--to'" in ended.err


def test_a_folder_that_is_none(tmp_path, capfd):
    ended = call(capfd, "vote", "-C", str(tmp_path / "nowhere"))
    assert ended.code in (2, 3)
    assert "nowhere" in ended.err
    assert re.search("Traceback", ended.err) is None


def test_every_labeler_of_the_tests_is_sound():
    """The project that is spoilt above is itself in order."""
    compile(LABELERS, "labelers.py", "exec")
