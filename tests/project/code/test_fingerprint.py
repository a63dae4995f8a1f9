"""Fingerprints change when answers may change, and else do not."""

import pytest

from shortlist.project.code.load import load
from shortlist.project.code.roster import fingerprint
from shortlist.project.code.source import Source, local_files

HEAD = "from shortlist import feature, from_classifier, keywords, labeler, pattern\n\n"
BASE = (
    HEAD
    + """
WORDS = {"goal"}


def helper(text):
    return deeper(text)


def deeper(text):
    return text.lower()


def unused(text):
    return 1


@feature
def words(text):
    return text.split()


@labeler(says=["a"])
def one(words):
    return "a" if WORDS & set(words) else None


@labeler(says=["a"])
def two(text):
    return "a" if "x" in helper(text) else None


def make(word):
    @labeler(says=["a"], name=word)
    def made(text):
        return "a" if word in text else None

    return made


family = [make("p"), make("q")]
rules = [pattern("r+", yes="a", name="rule"), keywords(["k"], says="a", name="key")]
LABELERS = [one, two, *family, *rules]
"""
)
EVERYONE = {"one", "two", "p", "q", "rule", "key"}
CODE = EVERYONE - {"rule", "key"}


def prints(path, text, around=""):
    path.write_text(text)
    code = load(path)
    return {one.name: fingerprint(one, code, around) for one in code.labelers}


def changed(tmp_path, text, base=BASE, around=""):
    before, after = prints(tmp_path / "labelers.py", base), prints(tmp_path / "labelers.py", text, around)
    assert set(before) == set(after)
    return {name for name in before if before[name] != after[name]}


@pytest.mark.parametrize(
    ("old", "new", "who"),
    [
        ('"x" in helper', '"y" in helper', {"two"}),
        ("text.lower()", "text.upper()", {"two"}),  # through a helper of a helper
        ("return 1", "return 2", set()),  # nobody names it
        ("text.split()", "text.split(' ')", {"one"}),  # a feature
        ('WORDS = {"goal"}', 'WORDS = {"match"}', CODE),  # a statement that may do anything concerns all code
        ('make("q")', 'make("z")', None),
        ('"a" if word in text', '"a" if word + "s" in text', {"p", "q"}),
        ('"r+", yes="a", name="rule"', '"r*", yes="a", name="rule"', {"rule"}),
        ('keywords(["k"]', 'keywords(["k", "l"]', {"key"}),
        ("def unused(text):", "def unused(text):  # a comment", set()),
        ("\n\n\nfamily", "\n\n\n\n\nfamily", set()),
        ('@labeler(says=["a"])\ndef two', '@labeler(says=["a", "b"])\ndef two', {"two"}),
        ("\nWORDS", "\nimport re\nWORDS", CODE),
        ("\nWORDS", '\n"""A text."""\nWORDS', set()),
        ("LABELERS = [", "if __name__ == '__main__':\n    print(one)\nLABELERS = [", set()),
    ],
)
def test_what_an_edit_concerns(old, new, who, tmp_path):
    assert BASE.count(old) == 1, old
    text = BASE.replace(old, new)
    if who is None:  # another name is another labeler
        assert set(prints(tmp_path / "labelers.py", text)) == (EVERYONE - {"q"}) | {"z"}
    else:
        assert changed(tmp_path, text) == who


def test_files_around_concern_all_code(tmp_path):
    assert changed(tmp_path, BASE, around="another file") == CODE


def test_what_a_closure_remembers_counts(tmp_path):
    """The list is made by other code, which may change what is remembered but not the names."""
    base = HEAD + (
        "def make(word, name):\n    @labeler(says=['a'], name=name)\n    def made(text):\n"
        "        return 'a' if word in text else None\n    return made\n\n"
        "LABELERS = [make('x', 'one'), make('y', 'two')]\n"
    )
    assert changed(tmp_path, base.replace("make('y'", "make('z'"), base) == {"two"}


@pytest.mark.parametrize("value", ["object()", "lambda x: x", "open"])
def test_what_cannot_be_written_down_is_what_made_it(value, tmp_path):
    """The expression that made the labeler, and all that it names."""
    base = HEAD + (
        "def make(thing, name):\n    @labeler(says=['a'], name=name)\n    def made(text):\n"
        f"        return 'a' if thing else None\n    return made\n\nLABELERS = [make({value}, 'one'), make(1, 'two')]\n"
    )
    assert changed(tmp_path, base + "# a comment\n", base) == set()
    assert changed(tmp_path, base.replace("make(1,", "make(2,"), base) == {"two"}
    assert changed(tmp_path, base.replace(value, f"[{value}]"), base) == {"one"}
    assert changed(tmp_path, base.replace("return 'a' if thing", "return 'a' if not thing"), base) == {"one", "two"}


@pytest.mark.parametrize(
    "made",
    [
        "add(make(object(), 'one'))\n",
        "def later():\n    add(make(object(), 'one'))\n    return make(1, 'other')\n\n_other = later()\n",
    ],
)
def test_what_is_added_to_a_list_elsewhere_takes_the_whole_file(made, tmp_path):
    base = HEAD + (
        "def make(thing, name):\n    @labeler(says=['a'], name=name)\n    def made(text):\n"
        "        return 'a' if thing else None\n    return made\n\n"
        f"LABELERS = [make(1, 'two')]\nadd = LABELERS.append\n{made}"
    )
    assert changed(tmp_path, base + "# a comment\n", base) == {"one"}


@pytest.mark.parametrize("trick", ["globals()['unused'](text)", "eval('unused')(text)", "vars()"])
def test_looking_names_up_at_run_time_takes_the_whole_file(trick, tmp_path):
    base = BASE.replace('"x" in helper(text)', trick)
    assert changed(tmp_path, base.replace("return 1", "return 2"), base) == CODE


@pytest.mark.parametrize(
    ("more", "old", "new"),
    [
        ("@register\ndef third(text):\n    return 3\n", "return 3", "return 4"),  # known to REGISTRY only
        ("class Base:\n    pass\n\nclass Third(Base):\n    x = 3\n", "x = 3", "x = 4"),
        ("for word in ['u']:\n    REGISTRY.append(word)\n", "['u']", "['v']"),
    ],
)
def test_what_may_act_from_afar_concerns_all_code(more, old, new, tmp_path):
    base = BASE + "\n\nREGISTRY = []\nregister = REGISTRY.append\n\n\n" + more
    assert changed(tmp_path, base.replace(old, new), base) == CODE


@pytest.mark.parametrize(
    "moved",
    [
        "rules.reverse()\n",
        "others = rules\nothers.reverse()\n",
        "def later():\n    rules.reverse()\n    return make(1, 'three')\n\nthree = later()\n",
    ],
)
def test_a_list_that_is_moved_about_takes_the_whole_file(moved, tmp_path):
    """What is written first is not what comes first: neither is taken for the other."""
    base = HEAD + (
        "def make(thing, name):\n    @labeler(says=['a'], name=name)\n    def made(text):\n"
        "        return 'a' if thing else None\n    return made\n\n"
        f"rules = [make([open, 1], 'one'), make([open, 2], 'two')]\n{moved}"
    )
    assert {"one"} <= changed(tmp_path, base.replace("[open, 1]", "[open, 3]"), base)
    assert {"one", "two"} <= changed(tmp_path, base + "# a comment\n", base)


def test_a_name_that_a_function_gives_another_value_takes_the_whole_file(tmp_path):
    base = HEAD + (
        "def make(thing, name):\n    @labeler(says=['a'], name=name)\n    def made(text):\n"
        "        return 'a' if thing else None\n    return made\n\n"
        "def swap():\n    global one\n    one = make([open, 2], 'one')\n    return make(1, 'two')\n\n"
        "one = make([open, 1], 'one')\ntwo = swap()\n"
    )
    assert changed(tmp_path, base.replace("[open, 2]", "[open, 3]"), base) == {"one"}


MODELS = (
    HEAD
    + """
import helper


class Model:
    classes_ = ["o", "p"]

    def __init__(self, word):
        self.word = word

    def predict(self, rows):
        return [clean(row) for row in rows]

    def predict_proba(self, rows):
        return [[1, 0] for row in rows]


def clean(row):
    return "o"


def function(rows):
    return [clean(row) for row in rows]


def unused(rows):
    return 1


fitted = Model("x")
made = from_classifier(Model("y"), {"o": "a", "p": None}, name="made")
of_function = from_classifier(function, {"o": "a"}, name="of_function")
key = keywords(["k"], says="a", name="key")
several = [from_classifier(fitted, {"o": "a", "p": "b"}, threshold=0.5, name="first"), key]
named = {"x": from_classifier(fitted, {"o": "a", "p": "b"}, on="body", name="second")}
every = [from_classifier(Model(word), {"o": "a", "p": "b"}, name=word) for word in ("u", "v")]
LABELERS = [made, of_function, *several, *named.values(), *every, helper.beside]
"""
)
OF_MODELS = {"made", "of_function", "first", "second", "u", "v", "beside"}


@pytest.mark.parametrize(
    ("old", "new", "who"),
    [
        ("return 1", "return 2  # comment", set()),  # nobody names it
        ("\n\n\nfitted", "\n\n\n# a comment\nfitted", set()),
        ('keywords(["k"]', 'keywords(["l"]', {"key"}),
        ('Model("y"), {"o": "a", "p": None}', 'Model("z"), {"o": "a", "p": None}', {"made"}),
        ('Model("y"), {"o": "a", "p": None}', 'Model("y"), {"o": "b", "p": None}', {"made"}),
        ("threshold=0.5", "threshold=0.6", {"first"}),
        ('on="body"', 'on="title"', {"second"}),
        ('for word in ("u", "v")', 'for word in ("u", *("v",))', {"u", "v"}),  # one statement made both
        ("in rows]\n\n\ndef unused", "in list(rows)]\n\n\ndef unused", {"of_function"}),
        ('return "o"', 'return "p"', OF_MODELS),  # named by a class, which may do anything
        ('fitted = Model("x")', 'fitted = Model("xx")', OF_MODELS),  # a statement that may do anything
    ],
)  # fmt: skip
def test_what_an_edit_concerns_among_models(old, new, who, tmp_path):
    (tmp_path / "helper.py").write_text(
        "from shortlist import from_classifier\n\nbeside = from_classifier(print, {'o': 'a'}, name='beside')\n"
    )
    assert MODELS.count(old) == 1, old
    assert changed(tmp_path, MODELS.replace(old, new), MODELS) == who


def test_local_imports_are_followed_wherever_they_are_written(tmp_path):
    (tmp_path / "labelers.py").write_text("import os\ndef f():\n    from near import x\n")
    (tmp_path / "near.py").write_text("import far.away\n")
    (tmp_path / "far").mkdir()
    for name in ("__init__.py", "away.py", "other.py"):
        (tmp_path / "far" / name).write_text("")
    found = local_files(tmp_path / "labelers.py")
    assert [str(path.relative_to(tmp_path)) for path in found] == [
        "far/__init__.py", "far/away.py", "far/other.py", "near.py",
    ]  # fmt: skip


def test_a_module_beside_is_read_again(tmp_path):
    (tmp_path / "near.py").write_text("WORD = 'a'\n")
    (tmp_path / "labelers.py").write_text("from near import WORD\n")
    assert load(tmp_path / "labelers.py").namespace["WORD"] == "a"
    (tmp_path / "near.py").write_text("WORD = 'b'\n")
    assert load(tmp_path / "labelers.py").namespace["WORD"] == "b"


def test_lines_of_texts_and_definitions(tmp_path):
    source = Source(tmp_path / "x.py", "a = 'one'\n@b\ndef f():\n    return 'one'\n")
    assert source.find_text("one", "f") == 4
    assert source.find_text("one") == 1
    assert source.find_text("two") is None
    assert source.find_definition("f") == 3
    assert source.statement(2) is source.statement(4)
