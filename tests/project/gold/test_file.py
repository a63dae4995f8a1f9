"""The file in which people's labels are kept."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from shortlist.errors import BadFile
from shortlist.project.gold.file import Entry, GoldFile

ONE, OTHER = Entry(("id", "doc1"), ("sports",)), Entry(("row", 7), ("business", "politics"), "9f")


def test_what_was_said_is_on_disk_at_once(tmp_path):
    file = GoldFile(tmp_path / "gold.jsonl")
    assert file.entries() == []
    file.add(ONE)
    file.add(OTHER)
    assert GoldFile(file.path).entries() == [ONE, OTHER]
    lines = [json.loads(line) for line in file.path.read_text("utf-8").splitlines()]
    assert lines[0] == {"kind": "shortlist gold", "version": 1}
    assert lines[1] == {"id": "doc1", "classes": ["sports"]}


def test_the_last_word_counts_and_can_be_taken_back(tmp_path):
    file = GoldFile(tmp_path / "gold.jsonl")
    again = Entry(("id", "doc1"), ("politics",))
    file.add(ONE, OTHER, again)
    assert file.latest()["id", "doc1"] == again
    assert file.undo() == again
    assert file.latest()["id", "doc1"] == ONE
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


def test_a_newer_file_is_told(tmp_path):
    (tmp_path / "gold.jsonl").write_text('{"kind": "shortlist gold", "version": 2}\n')
    with pytest.raises(BadFile, match=r"^gold\.jsonl was written by a newer"):
        GoldFile(tmp_path / "gold.jsonl").entries()


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
