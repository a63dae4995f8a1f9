"""Rows to Label Studio and Argilla, and answers back."""

import json

import pytest

from shortlist.browse import show_rows
from shortlist.browse.exchange import FORMATS, read_answers, write_records
from shortlist.errors import BadFile, ShortlistError, UnknownClass
from tests.project.news import TOML, make


@pytest.fixture(params=['id = "id"\n', ""], ids=["with ids", "by number"])
def session(request, tmp_path):
    toml = TOML.replace('gold = "label"\n', "").replace('id = "id"\n', request.param)
    project = make(tmp_path, toml=toml)
    project.run(["fit"])
    return project.session


def studio_answer(task, *choices, cancelled=False):
    result = {"type": "choices", "from_name": "class", "to_name": "text", "value": {"choices": list(choices)}}
    task.setdefault("annotations", []).append({"result": [result], "was_cancelled": cancelled})


def argilla_answer(record, value):
    record["responses"].setdefault("class", []).append({"value": value, "user_id": "1"})


def test_answers_of_label_studio_become_gold(session, tmp_path):
    write_records(show_rows(session, [3, 5, 8, 9]), "label-studio", tmp_path / "tasks.json")
    tasks = json.loads((tmp_path / "tasks.json").read_text())
    assert tasks[0]["data"]["text"] == session.rows.take([3])["body"][0]
    assert tasks[0]["predictions"][0]["result"][0]["value"]["choices"] == [show_rows(session, [3])[0].label]
    studio_answer(tasks[0], "sports")
    studio_answer(tasks[1], "sports")
    studio_answer(tasks[1], "business")  # another person
    studio_answer(tasks[2], "sports", cancelled=True)
    (tmp_path / "answers.json").write_text(json.dumps(tasks))
    assert read_answers(session, tmp_path / "answers.json") == (2, 2)
    session.gold_changed()
    assert session.gold[3] == "sports"
    assert session.known.shortlists == {5: ("business", "sports")}


def test_answers_of_argilla_become_gold(session, tmp_path):
    write_records(show_rows(session, [3, 5, 8]), "argilla", tmp_path / "records.json")
    records = json.loads((tmp_path / "records.json").read_text())
    assert records[0]["suggestions"]["class"]["value"] == show_rows(session, [3])[0].label
    argilla_answer(records[0], "politics")
    argilla_answer(records[1], ["politics", "sports"])
    (tmp_path / "answers.json").write_text(json.dumps(records))
    assert read_answers(session, tmp_path / "answers.json") == (2, 1)
    session.gold_changed()
    assert session.gold[3] == "politics"
    assert session.known.shortlists == {5: ("politics", "sports")}


def test_a_word_that_is_no_class_leaves_the_gold_file_alone(session, tmp_path):
    write_records(show_rows(session, [3, 5]), "label-studio", tmp_path / "tasks.json")
    tasks = json.loads((tmp_path / "tasks.json").read_text())
    studio_answer(tasks[0], "sports")
    studio_answer(tasks[1], "sprots")
    (tmp_path / "answers.json").write_text(json.dumps(tasks))
    with pytest.raises(UnknownClass):
        read_answers(session, tmp_path / "answers.json")
    assert not session.gold_file.path.exists()


@pytest.mark.parametrize(
    "text", ["{", "{}", "[1]", '[{"annotations": []}]', '[{"data": {"row": 3}, "annotations": [1]}]']
)
def test_files_that_hold_something_else_are_told(session, tmp_path, text):
    (tmp_path / "answers.json").write_text(text)
    with pytest.raises(BadFile):
        read_answers(session, tmp_path / "answers.json")


def test_formats_are_named(session, tmp_path):
    with pytest.raises(ShortlistError) as told:
        write_records([], "doccano", tmp_path / "x.json")
    assert all(name in str(told.value) for name in FORMATS)


@pytest.mark.parametrize("form", FORMATS)
def test_how_rows_were_picked_comes_back_with_the_answers(session, tmp_path, form):
    write_records(show_rows(session, [3]), form, tmp_path / "random.json", "random")
    write_records(show_rows(session, [5]), form, tmp_path / "own.json")
    for name in ("random.json", "own.json"):
        (record,) = json.loads((tmp_path / name).read_text())
        studio_answer(record, "sports") if form == "label-studio" else argilla_answer(record, "sports")
        (tmp_path / name).write_text(json.dumps([record]))
        read_answers(session, tmp_path / name)
    assert [entry.picked for entry in session.gold_file.entries()] == ["random", None]


@pytest.mark.parametrize(("form", "told"), [("label-studio", "predictions"), ("argilla", "suggestions")])
def test_who_labels_random_rows_does_not_see_what_is_believed(session, tmp_path, form, told):
    for picked, seen in (("gain", True), ("random", False)):
        write_records(show_rows(session, [3, 5]), form, tmp_path / "rows.json", picked)
        assert [bool(one[told]) for one in json.loads((tmp_path / "rows.json").read_text())] == [seen, seen]


def test_a_word_that_is_no_class_is_told_with_its_file_and_task(session, tmp_path):
    """ "'metod' is not a class", and that was all."""
    write_records(show_rows(session, [3, 5]), "label-studio", tmp_path / "tasks.json")
    tasks = json.loads((tmp_path / "tasks.json").read_text())
    studio_answer(tasks[0], "sports")
    studio_answer(tasks[1], "sprots")
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    with pytest.raises(UnknownClass, match=r"^tasks\.json, task 2 \(row 5\): .*'sprots'.* Did you mean 'sports'\?"):
        read_answers(session, tmp_path / "tasks.json")
