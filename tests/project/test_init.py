"""What `shortlist init` writes: it is read back as it was meant, and works."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist import Project
from shortlist.errors import BadFile, ShortlistError
from shortlist.project.gold import as_classes, classes_in
from shortlist.project.init import Guess, labelers_text, not_classes, toml_text, write_starter
from shortlist.rows import RowFile

NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=12)


@given(classes=st.lists(NAMES, min_size=2, max_size=6, unique=True), text=NAMES, gold=st.none() | NAMES)
def test_any_name_survives(classes, text, gold, tmp_path_factory):
    """Quotation marks, backslashes, line breaks, control characters."""
    folder = tmp_path_factory.mktemp("init")
    pl.DataFrame({"id": [1], "x": ["a"]}).write_parquet(folder / "rows.parquet")
    made = toml_text("rows.parquet", classes, text, [], None, gold, RowFile(folder / "rows.parquet"))
    (folder / "shortlist.toml").write_text(made, "utf-8", newline="")
    settings = Project(folder).settings
    assert list(settings.classes) == classes
    assert settings.data.text == text
    assert settings.data.gold == gold
    namespace = {}
    exec(labelers_text(classes, text), namespace)
    assert [labeler.says for labeler in namespace["names"]] == [(frozenset([name]),) for name in classes]


def test_numbers_only(tmp_path):
    """Without text there is nothing to look for: the file says how a rule is written."""
    pl.DataFrame({"a": [1.0, -2.0], "b": [0.5, 0.5]}).write_csv(tmp_path / "rows.csv")
    project = Project.init(tmp_path / "rows.csv", tmp_path, features=["a", "b"], classes=["x", "y", "z"])
    with pytest.raises(ShortlistError, match="defines no labelers yet"):
        project.run(["vote"])
    file = tmp_path / "labelers.py"
    commented = file.read_text().replace("# @labeler", "@labeler").replace("# def", "def").replace("\n#     ", "\n    ")
    file.write_text(commented)
    assert project.votes.said(0) == {"my_rule": ("x", "y")}
    assert project.votes.said(1) == {}


@pytest.mark.parametrize(
    ("columns", "guess"),
    [
        ({"id": ["a", "b"], "text": ["some long text or other"] * 2, "label": ["x", "y"]}, ("text", "id", "label")),
        ({"id": ["a", "a"], "title": ["short"] * 2, "body": ["some long text or other"] * 2}, ("body", None, None)),
        ({"text": ["short"] * 2}, ("text", None, None)),
        ({"a": ["x", "y"], "b": ["y", "z"]}, (None, None, None)),
        ({"text": ["refund"] * 2, "url": ["https://example.org/1"] * 2, "label": ["x", "y"]}, ("text", None, "label")),
        ({"Message": ["refund"] * 2, "title": ["hi"] * 2}, ("Message", None, None)),
        ({"x": [1, 2], "label": ["x", "y"]}, (None, None, "label")),
        ({"doc_id": [1, 2], "x": [0.5, 1.5]}, (None, "doc_id", None)),
        ({"text": ["a", "b"], "label": [0.0, 1.0]}, ("text", None, "label")),
    ],
)
def test_what_columns_suggest(columns, guess, tmp_path):
    pl.DataFrame(columns).write_csv(tmp_path / "rows.csv")
    found = Guess.of(RowFile(tmp_path / "rows.csv"))
    assert (found.text, found.id, found.gold) == guess


def test_columns_that_somebody_named_are_not_taken_for_the_text(tmp_path):
    pl.DataFrame({"remark": ["refund"] * 2, "content": ["x", "y"]}).write_csv(tmp_path / "rows.csv")
    project = Project.init(tmp_path / "rows.csv", tmp_path, gold="content")
    assert (project.settings.data.text, project.settings.data.gold) == ("remark", "content")


def test_short_texts_in_a_column_called_text_are_read(tmp_path):
    """60 rows such as "refund": the column was not taken, and the example read no column."""
    texts = ["refund", "app crash", "login fails again !"] * 20
    pl.DataFrame({"id": range(60), "text": texts, "label": ["bill", "bug", "login"] * 20}).write_csv(tmp_path / "a.csv")
    project = Project.init(tmp_path / "a.csv", tmp_path, gold="label")
    assert project.settings.data.text == "text"
    assert project.votes.said(2) == {"names_login": ("login",)}


WINE = {"id": range(60), "alcohol": [12.5, 13.1, 14.2] * 20, "ash": [2, 3, 4] * 20, "target": [0, 1, 2] * 20}


@pytest.mark.parametrize("classes", [[], ["0", "1", "2"], ["white", "red", "rose"]])
def test_columns_of_numbers_are_features_where_there_is_no_text(tmp_path, classes):
    """Wine of scikit-learn: neither text nor features were named, and the run ended before the report."""
    pl.DataFrame(WINE).write_csv(tmp_path / "wine.csv")
    data = Project.init(tmp_path / "wine.csv", tmp_path, classes=classes).settings.data
    assert (data.text, data.id, data.features) == (None, "id", ("alcohol", "ash"))
    assert data.gold == (None if "red" in classes else "target")  # and known classes are never a feature


def test_a_column_of_measurements_is_not_taken_for_classes(tmp_path):
    pl.DataFrame({"x": [0.5, 1.5], "target": [0.25, 1.0]}).write_csv(tmp_path / "a.csv")
    assert Guess.of(RowFile(tmp_path / "a.csv")) == Guess(None, None, None, ("x",))


def test_a_run_without_text_and_features_goes_on_without_a_classifier(tmp_path):
    pl.DataFrame(WINE).write_csv(tmp_path / "wine.csv")
    project = Project.init(tmp_path / "wine.csv", tmp_path, gold="target", guess=False)
    rule = 'from shortlist import labeler\n\n@labeler(says=["0", "2"])\ndef strong(alcohol):\n'
    (tmp_path / "labelers.py").write_text(f'{rule}    return "2" if alcohol > 14 else "0"\n')
    outcomes = {one.stage: one for one in project.run()}
    assert {name for name, one in outcomes.items() if one.status == "skipped"} == {"train"}
    assert "neither text nor features" in outcomes["train"].notes[0]
    assert (tmp_path / "out" / "report.html").exists()
    with pytest.raises(ShortlistError, match="neither text nor features"):
        project.run(["train"])


@pytest.mark.parametrize(
    "column",
    [
        {"a b": [1, None]},
        {"class": [1.5, -1.0]},
        {"price": [1, 0], "kind": ["x", "y"]},
        {"kind": ['say "x"', "y"], "other": ["a", "b"]},
        {"day": [True, None]},
    ],
)
def test_the_example_works_without_text(column, tmp_path):
    """`if row > 0:` failed: a row is no number."""
    pl.DataFrame({**column, "label": ["p", "q"]}).write_parquet(tmp_path / "rows.parquet")
    project = Project.init(tmp_path / "rows.parquet", tmp_path, gold="label", guess=False)
    file = tmp_path / "labelers.py"
    file.write_text(uncommented(file.read_text("utf-8"), "@", "def", "    "), "utf-8")
    assert [project.votes.said(row) for row in (0, 1)] == [{"my_rule": ("p",)}, {}]


@pytest.mark.parametrize("k", [2, 3, 4, 12, 120])
def test_every_commented_setting_is_valid_without_its_sign(k, tmp_path):
    """`balance = { "account" = 0.25, … }` is no TOML."""
    frame = {"n": range(2 * k), "text": ["one word"] * 2 * k, "body": ["more"] * 2 * k}
    pl.DataFrame({**frame, "label": [f"c{a % k}" for a in range(2 * k)]}).write_csv(tmp_path / "rows.csv")
    classes = [f"c{j}" for j in range(k)]
    Project.init(tmp_path / "rows.csv", tmp_path, text="text", gold="label", classes=classes)
    toml = tmp_path / "shortlist.toml"
    keys = ["features", "on_error", "workers", "[[", "kind", "name", "words", "says", "balance", "use_gold", "on"]
    toml.write_text(uncommented(toml.read_text("utf-8"), *keys).replace("workers = 2", "workers = 1"), "utf-8")
    project = Project(tmp_path)
    settings = project.settings
    assert settings.data.features == ("n",)
    assert settings.classifier.on == ("text", "body")
    assert settings.use_gold is False
    assert list(settings.label_model["balance"]) == classes
    assert len(project.model.class_balance_) == k
    assert "some_words" in project.votes.names


def uncommented(text, *beginnings):
    """The text without the sign of a comment before what begins with one of these."""
    lines = text.splitlines()
    return "\n".join(line[2:] if line[:2] == "# " and line[2:].startswith(beginnings) else line for line in lines)


def test_values_that_are_no_classes_are_counted(tmp_path):
    pl.DataFrame({"gold": ["a", "b", "bb", "bb", "", None, "c"]}).write_csv(tmp_path / "rows.csv")
    assert not_classes(RowFile(tmp_path / "rows.csv"), "gold", ["a", "b"]) == {"bb": 2, "c": 1}


def test_labelers_that_are_there_are_kept(tmp_path):
    pl.DataFrame({"text": ["some long text or other"]}).write_csv(tmp_path / "rows.csv")
    (tmp_path / "labelers.py").write_text("mine = 1\n")
    Project.init(tmp_path / "rows.csv", tmp_path, classes=["x", "y"])
    assert (tmp_path / "labelers.py").read_text() == "mine = 1\n"
    Project.init(tmp_path / "rows.csv", tmp_path, classes=["x", "y"], force=True)
    assert "keywords" in (tmp_path / "labelers.py").read_text()


def test_several_columns_of_text_are_offered_to_the_classifier(tmp_path):
    frame = {"id": ["a", "b"], "title": ["x", "y"], "body": ["some long text or other"] * 2, "label": ["x", "y"]}
    pl.DataFrame(frame).write_csv(tmp_path / "rows.csv")
    project = Project.init(tmp_path / "rows.csv", tmp_path)
    assert project.settings.classifier.on == ()
    toml = tmp_path / "shortlist.toml"
    toml.write_text(toml.read_text("utf-8").replace("# on = ", "on = "), "utf-8")
    assert Project(tmp_path).settings.classifier.on == ("title", "body")


def test_a_file_without_rows_is_told_at_once(tmp_path):
    (tmp_path / "head.csv").write_text("id,text\n")
    with pytest.raises(BadFile, match=r"head\.csv has a header and no rows"):
        write_starter(tmp_path, tmp_path / "head.csv", classes=["a", "b"])


def test_a_gold_column_without_any_class_is_told_at_once(tmp_path):
    (tmp_path / "x.csv").write_text("text,label\nsome text,yes\nmore text,no\n")
    with pytest.raises(ShortlistError, match=r"'label' should hold known classes.*no, yes.*Classes: a, b"):
        write_starter(tmp_path, tmp_path / "x.csv", classes=["a", "b"], text="text", gold="label")


def test_a_project_of_semicolons_and_latin_1_works(tmp_path):
    lines = [
        "id;text;label",
        *(f'{a};"Fußball heute Abend, Tor {a}";{"sport" if a % 2 else "rest"}' for a in range(20)),
    ]
    (tmp_path / "x.csv").write_bytes("\n".join(lines).encode("latin-1"))
    write_starter(tmp_path, tmp_path / "x.csv", classes=["sport", "rest"])
    project = Project(tmp_path)
    assert project.settings.data.text == "text"
    assert project.rows.take([3])["text"].to_list() == ["Fußball heute Abend, Tor 3"]
    assert len(project.votes) == 20


def test_a_gold_column_is_found_by_its_shape(tmp_path):
    """`newsgroup`, of seven values on a fifth of the rows, was not; a full column of few values may be anything."""
    texts = [f"a text of some length, number {a}" for a in range(100)]
    groups = [["hockey", "space", "autos"][a % 3] if a % 5 == 0 else None for a in range(100)]
    table = pl.DataFrame({"id": range(100), "post": texts, "newsgroup": groups, "country": ["de", "fr"] * 50})
    table.write_csv(tmp_path / "posts.csv")
    guess = Guess.of(RowFile(tmp_path / "posts.csv"))
    assert (guess.text, guess.gold) == ("post", "newsgroup")
    notes = pl.Series([str(a) if a % 5 == 0 else None for a in range(100)])
    table.with_columns(newsgroup=notes).write_csv(tmp_path / "notes.csv")
    assert Guess.of(RowFile(tmp_path / "notes.csv", {"newsgroup": "text"})).gold is None


DIRTY = "# from the wiki, 3 May\nid;post;topic\n1;on the ice;hockey\n2;puck and goal; Hockey \n\n3;lift off;space\n"
DIRTY += "# and later\n4;no idea;n/a\n5;to the moon;space\n"


def test_comments_blanks_and_spellings_have_an_answer(tmp_path):
    path = tmp_path / "posts.csv"
    path.write_text(DIRTY)
    with pytest.raises(BadFile, match=r"Is it a comment\? Set comment = \"#\" under \[data\], or `init --comment '#'`"):
        write_starter(tmp_path, path, separator=";")
    project = Project.init(path, tmp_path, comment="#")
    assert (project.settings.data.comment, project.settings.data.gold) == ("#", "topic")
    assert project.settings.classes == ("hockey", "space")
    assert project.rows.take(range(5))["post"].to_list()[:3] == ["on the ice", "puck and goal", "lift off"]
    assert project.session.gold == ["hockey", "hockey", "space", None, "space"]


def test_a_class_that_looks_like_an_empty_cell_is_a_class():
    column = pl.Series("topic", ["n/a", "Space ", "space", "?", None])
    assert as_classes(column, ["space", "n/a"]).to_list() == ["n/a", "space", "space", None, None]
    assert classes_in(pl.Series("topic", ["n/a", "Space ", "space", "space", "?", None])) == ["space"]
    assert as_classes(pl.Series("x", ["US", "us", "Us"]), ["US", "us"]).to_list() == ["US", "us", "US"]
