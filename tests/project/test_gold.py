"""What people know, by row."""

import json
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

from shortlist import Project
from shortlist.errors import BadFile, ShortlistError, UnknownClass
from shortlist.project.gold import HEADER, Entry, GoldFile, Known, as_classes, classes_in, entry_for
from shortlist.project.init import not_classes
from shortlist.rows import RowFile
from tests.project.news import CLASSES, TOML, edit, make


def same(one, other):
    fields = ("classes", "shortlists", "skipped", "people", "differing")
    return all(getattr(one, name) == getattr(other, name) for name in fields)


def read(project):
    with project.open() as session:
        return session.known


def test_the_gold_file_goes_over_the_gold_column(tmp_path):
    project = make(tmp_path)
    before = read(project).classes
    other = next(name for name in CLASSES if name != before[0])
    with project.open() as session:
        for row, classes in [(0, [other]), (1, ["sports"]), (3, ["business", "sports"]), (4, [])]:
            session.gold_file.add(entry_for(session.rows, row, classes))
    found = read(project)
    assert found.classes[:2] == [other, "sports"]
    assert found.classes[3] is None
    assert found.shortlists == {3: ("business", "sports")}
    assert found.skipped == {4}
    assert found.touched >= {0, 1, 3, 4}
    assert found.classes[6:] == before[6:]


def test_without_ids_a_row_is_known_by_number_and_text(tmp_path):
    project = make(tmp_path, toml=TOML.replace('id = "id"\n', "").replace('gold = "label"\n', ""))
    with project.open() as session:
        session.gold_file.add(entry_for(session.rows, 5, ["sports"]), entry_for(session.rows, 6, ["sports"]))
    assert [a for a, name in enumerate(read(project).classes) if name] == [5, 6]
    table = pl.read_csv(tmp_path / "news.csv")
    table[1:].write_csv(tmp_path / "news.csv")  # every row moves up by one
    found = read(project)
    assert found.classes is None


def test_a_run_says_how_many_labels_belong_to_no_row(tmp_path):
    """A misspelt id was ignored in silence."""
    project = make(tmp_path)
    with project.open() as session:
        said = [Entry(("id", name), ("sports",)) for name in ("doc1", "doc", "nobody")]
        session.gold_file.add(*said, Entry(("id", "skipped"), ()))
    note = "2 labels of gold.jsonl belong to no row, so they are not used. The first is about id 'doc'"
    assert note in project.run(["fit"])[-1].notes
    with project.open() as session:
        session.gold_file.add(Entry(("id", "doc"), ()))
    assert [note for note in project.run(["fit"])[-1].notes if "gold.jsonl" in note] == [
        "1 label of gold.jsonl belongs to no row, so it is not used. It is about id 'nobody'"
    ]


def test_a_number_whose_row_says_something_else_now_is_told(tmp_path):
    project = make(tmp_path, toml=TOML.replace('id = "id"\n', ""))
    with project.open() as session:
        session.gold_file.add(Entry(("row", 5), ("sports",)), Entry(("row", 6), ("sports",), "another"))
    (note,) = [note for note in project.run(["fit"])[-1].notes if "gold.jsonl" in note]
    assert note.startswith("1 label of gold.jsonl belongs to no row")
    assert note.endswith("row 6, which is not there, or has another text now")


def test_a_word_that_is_no_class_is_told(tmp_path):
    project = make(tmp_path)
    with project.open() as session:
        session.gold_file.add(Entry(("id", "doc1"), ("sprots",)))
    with pytest.raises(UnknownClass) as told:
        read(project)
    assert told.value.word == "sprots"
    assert "'sports'" in str(told.value)


ODD_LABELS = [
    {"row": "abc"}, {"row": ""}, {"row": "1" * 5_000}, {"row": True, "text": ["x"]}, {"row": 3, "text": {}},
    {"id": ["doc3"]}, {"id": "doc3", "by": "\x1b]0;x\x07"}, {"id": "doc3", "by": "unnamed"},
    {"id": "doc3", "by": "\ud800"}, {"id": "doc3", "by": "a" * 61}, {"id": "doc3", "by": 5},
]  # fmt: skip


@pytest.mark.parametrize("label", ODD_LABELS, ids=lambda label: str(label)[:30])
def test_a_label_that_cannot_be_meant_is_told_with_its_line(tmp_path, label):
    """Some ended with an unexpected ValueError or TypeError; names of people went to the terminal as they were."""
    project = make(tmp_path)
    lines = [HEADER, {**label, "classes": ["sports"]}]
    (tmp_path / "gold.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    with pytest.raises(BadFile, match="line 2"):
        read(project)


def test_an_id_with_half_a_character_belongs_to_no_row(tmp_path):
    project = make(tmp_path)
    with project.open() as session:
        session.gold_file.add(Entry(("id", "doc1"), ("sports",)), Entry(("id", "\ud800"), ("sports",)))
    assert read(project).classes[1] == "sports"


def test_a_number_and_its_text_are_one_id(tmp_path):
    """The label of one of two people was lost where one of them wrote 1002 and the other "1002"."""
    project = make(tmp_path)
    pl.read_csv(tmp_path / "news.csv").with_columns(id=pl.int_range(pl.len()) + 1000).write_csv(tmp_path / "news.csv")
    lines = [HEADER, *({"id": key, "classes": ["sports"], "by": by} for key, by in ((1002, "anna"), ("1002", "bob")))]
    (tmp_path / "gold.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert set(read(project).people[2]) == {"anna", "bob"}


def test_numbers_as_ids(tmp_path):
    project = make(tmp_path)
    pl.read_csv(tmp_path / "news.csv").with_columns(id=pl.int_range(pl.len()) + 1000).write_csv(tmp_path / "news.csv")
    with project.open() as session:
        session.gold_file.add(entry_for(session.rows, 2, ["sports"]))
        assert session.gold_file.entries()[0].key == ("id", "1002")
        assert Known.read(session.rows, session.gold_file, CLASSES).classes[2] == "sports"


def test_a_run_scores_with_the_file_and_fits_with_it_where_asked(tmp_path):
    project = make(tmp_path, toml=TOML.replace('gold = "label"\n', ""))
    assert "accuracy" not in project.run(["fit"])[-1].facts
    with project.open() as session:
        chosen = {0: "sports", 1: "sports", 2: "business"}
        session.gold_file.add(*(entry_for(session.rows, row, [name]) for row, name in chosen.items()))
    outcome = project.run(["fit"])[-1]
    assert outcome.status == "done"
    assert outcome.facts["accuracy"] in (0, pytest.approx(1 / 3), pytest.approx(2 / 3), 1)
    assert not outcome.facts["gold_used"]
    assert project.run(["fit"])[-1].status == "up to date"
    edit(tmp_path / "shortlist.toml", "[classifier]", "[label_model]\nuse_gold = true\n\n[classifier]")
    assert Project(tmp_path).run(["fit"])[-1].facts["gold_used"]


@pytest.mark.parametrize("column", ['gold = "label"\n', ""], ids=["with a gold column", "without"])
def test_what_is_said_last_need_not_be_read_again(tmp_path, column):
    """One thing after another, taken in at once, and read from the file: the same."""
    project = make(tmp_path, toml=TOML.replace('gold = "label"\n', column))
    with project.open() as session:
        for row, names, by in [
            (4, ["sports"], ""),
            (4, ["business", "sports"], ""),
            (7, [], ""),
            (4, ["politics"], ""),
            (7, ["sports"], ""),
            (5, [], ""),
            (7, [], ""),
            (4, ["sports"], "anna"),
            (4, ["politics"], "bob"),
            (4, ["sports"], "bob"),
            (8, ["sports"], "anna"),
            (4, [], "anna"),
        ]:
            session.known  # noqa: B018  read before it is written
            session.gold_file.add(entry := entry_for(session.rows, row, names, None, by))
            session.gold_said(row, entry)
            assert same(session.known, Known.read(session.rows, session.gold_file, CLASSES))


ONE, OTHER = Entry(("id", "doc1"), ("sports",)), Entry(("row", 7), ("business", "politics"), "9f")


def test_what_was_said_is_on_disk_at_once(tmp_path):
    file = GoldFile(tmp_path / "gold.jsonl")
    assert file.entries() == []
    file.add(ONE)
    file.add(OTHER)
    assert GoldFile(file.path).entries() == [ONE, OTHER]
    lines = [json.loads(line) for line in file.path.read_text("utf-8").splitlines()]
    assert lines[0] == {"kind": "shortlist gold", "version": 2}
    assert lines[1] == {"id": "doc1", "classes": ["sports"]}


def test_the_last_word_counts_and_can_be_taken_back(tmp_path):
    file = GoldFile(tmp_path / "gold.jsonl")
    again = Entry(("id", "doc1"), ("politics",))
    file.add(ONE, OTHER, again)
    assert file.by_row()["id", "doc1"] == {"": again}
    assert file.undo() == again
    assert file.by_row()["id", "doc1"] == {"": ONE}
    assert file.undo(ONE) == ONE
    assert file.undo(ONE) is None
    assert file.entries() == [OTHER]


def test_two_who_write_at_once_lose_nothing(tmp_path):
    entries = [Entry(("id", f"doc{a}"), ("sports",)) for a in range(40)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda entry: GoldFile(tmp_path / "gold.jsonl").add(entry), entries))
    assert set(GoldFile(tmp_path / "gold.jsonl").entries()) == set(entries)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("id,label\n1,sports\n", None),
        ('{"kind": "shortlist gold", "version": 1}\n{"id": "a"}\n', 2),
        ('{"kind": "shortlist gold", "version": 1}\n\n{"id": "a", "classes": "sports"}\n', 3),
        ('{"kind": "shortlist gold", "version": 1}\n[1]\n', 2),
        ("", None),
    ],
)
def test_another_file_of_that_name_is_told_and_left_alone(tmp_path, text, line):
    (tmp_path / "gold.jsonl").write_text(text)
    file = GoldFile(tmp_path / "gold.jsonl")
    with pytest.raises(BadFile) as told:
        file.add(ONE)
    assert told.value.file == "gold.jsonl"
    assert told.value.line == line
    assert str(told.value).count("gold.jsonl") == 1
    assert f"line {line}" in str(told.value) or line is None
    assert file.path.read_text() == text


def test_how_a_row_was_picked_is_kept_through_a_correction(tmp_path):
    file = GoldFile(tmp_path / "gold.jsonl")
    picked = Entry(("id", "doc1"), ("sports",), None, "gain")
    file.add(picked, Entry(("id", "doc1"), ("politics",)), OTHER)
    assert json.loads(file.path.read_text().splitlines()[1]) == {"id": "doc1", "classes": ["sports"], "picked": "gain"}
    assert GoldFile(file.path).picked() == {("id", "doc1"): "gain"}
    assert file.undo(picked) == picked
    assert file.picked() == {}


def test_a_word_that_is_no_way_of_picking_is_told(tmp_path):
    line = '{"id": "a", "classes": ["x"], "picked": "best"}'
    (tmp_path / "gold.jsonl").write_text(f'{{"kind": "shortlist gold", "version": 1}}\n{line}\n')
    with pytest.raises(BadFile, match="line 2"):
        GoldFile(tmp_path / "gold.jsonl").entries()


def test_whole_numbers_are_classes_without_their_zero():
    assert classes_in(pl.Series([0.0, 2.0, None, 1.0, 0.0])) == ["0", "1", "2"]
    assert classes_in(pl.Series(["1.0", "", "-2", None])) == ["-2", "1"]


@pytest.mark.parametrize("words", [["0.5", "1.0"], ["1.0", "x"], ["1.00", "2.00"]])
def test_other_words_stay_as_they_are(words):
    assert classes_in(pl.Series(words)) == words


def test_a_class_that_is_written_with_a_zero_stays_one():
    column = pl.Series(["0.0", "1.0", "2.0", "", None, "x"])
    assert as_classes(column, ["0", "1.0"]).to_list() == ["0", "1.0", "2.0", None, None, "x"]


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_a_project_reads_them_in_the_same_way_everywhere(tmp_path, name):
    """pandas: `[0, 1, None]` becomes 0.0, 1.0 and nothing."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"text": ["one zero", "one", "zero", "none"] * 5, "y": [0, 1, 0, None] * 5})
    frame.to_csv(tmp_path / name, index=False) if name.endswith("csv") else frame.to_parquet(tmp_path / name)
    project = Project.init(tmp_path / name, tmp_path, text="text", gold="y")
    assert project.settings.classes == ("0", "1")
    assert not_classes(RowFile(tmp_path / name), "y", project.settings.classes) == {}
    assert project.session.known.classes[:4] == ["0", "1", "0", None]
    project.run(["fit"])
    assert set(project.session.evidence.gold.tolist()) == {-1, 0, 1}


def test_an_older_project_may_keep_its_zeros(tmp_path):
    pl.DataFrame({"text": ["a", "b"], "y": [0.0, 1.0]}).write_csv(tmp_path / "rows.csv")
    project = Project.init(tmp_path / "rows.csv", tmp_path, text="text", gold="y", classes=["0.0", "1.0"])
    assert project.session.known.classes == ["0.0", "1.0"]


def test_a_value_that_is_no_class_is_told_with_the_id_of_its_row(tmp_path):
    """ "row 363", counted from 0, is found by nobody."""
    pl.DataFrame({"id": ["p1", "p2"], "text": ["a", "b"], "y": ["x", "yy"]}).write_csv(tmp_path / "rows.csv")
    project = Project.init(tmp_path / "rows.csv", tmp_path, text="text", id="id", gold="y", classes=["x", "y"])
    with pytest.raises(ShortlistError, match=r"row 1 is not a class.*The id of the row: p2"):
        _ = project.session.known


def test_a_number_that_is_no_class_is_offered_the_same_number(tmp_path):
    pl.DataFrame({"text": ["a", "b"], "y": ["0", "1.0"]}).write_csv(tmp_path / "rows.csv")
    project = Project.init(tmp_path / "rows.csv", tmp_path, text="text", gold="y", classes=["0.0", "1.0"])
    with pytest.raises(ShortlistError, match=r"'0' on row 0 is not a class. Did you mean '0\.0'\?"):
        _ = project.session.known


@pytest.mark.parametrize(
    "word", ["a\x85b", "a\u2028b", "a\u2029b", "a\x0bb", "a\x1cb", "a\rb", "a\nb", "\ud800", "é ☃"]
)
def test_whatever_an_id_or_a_class_holds_is_kept_and_read(tmp_path, word):
    """attack.md 2: U+0085 in an id made the file unreadable."""
    file = GoldFile(tmp_path / "gold.jsonl")
    entries = [Entry(("id", word), (word, "sports")), Entry(("id", "d9"), ("sports",))]
    for entry in entries:
        file.add(entry)
    assert GoldFile(tmp_path / "gold.jsonl").entries() == entries


def test_nothing_is_exported_onto_the_gold_file(tmp_path):
    """attack.md 16: where there were no labels yet, an export took its place and locked the project."""
    project = make(tmp_path / "news")
    with pytest.raises(BadFile, match="made by hand"):
        project.export(tmp_path / "news" / "gold.jsonl")
    assert not (tmp_path / "news" / "gold.jsonl").exists()


def test_what_an_editor_writes_at_the_same_moment_is_not_lost(tmp_path):
    make(tmp_path)
    file = GoldFile(tmp_path / "gold.jsonl")
    file.add(Entry(("id", "doc1"), ("sports",)))
    theirs = file.path.read_text() + '{"id": "doc2", "classes": ["sports"]}\n'

    def meanwhile():
        with file._changing() as held:
            held.append(Entry(("id", "doc3"), ("sports",)))
            file.path.write_text(theirs)

    with pytest.raises(BadFile, match="another program"):
        meanwhile()
    assert file.path.read_text() == theirs
    assert not list(tmp_path.glob(".*.tmp"))
