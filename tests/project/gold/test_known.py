"""What people know, by row."""

import polars as pl
import pytest

from shortlist.errors import UnknownClass
from shortlist.project import Project
from shortlist.project.gold.file import Entry
from shortlist.project.gold.known import entry_for, known
from tests.project.news import CLASSES, TOML, edit, make


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
    assert found.lost == 2


def test_rows_that_went_away_are_counted(tmp_path):
    project = make(tmp_path)
    with project.open() as session:
        session.gold_file.add(Entry(("id", "nobody"), ("sports",)))
    assert read(project).lost == 1


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


def test_numbers_as_ids(tmp_path):
    project = make(tmp_path)
    pl.read_csv(tmp_path / "news.csv").with_columns(id=pl.int_range(pl.len()) + 1000).write_csv(tmp_path / "news.csv")
    with project.open() as session:
        session.gold_file.add(entry_for(session.rows, 2, ["sports"]))
        assert session.gold_file.entries()[0].key == ("id", 1002)
        assert known(session.rows, session.gold_file, CLASSES).classes[2] == "sports"


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
        for row, names in [
            (4, ["sports"]),
            (4, ["business", "sports"]),
            (7, []),
            (4, ["politics"]),
            (7, ["sports"]),
            (5, []),
        ]:
            session.known  # noqa: B018  read before it is written
            session.gold_file.add(entry_for(session.rows, row, names))
            session.gold_said(row, names)
            assert session.known == known(session.rows, session.gold_file, CLASSES)
