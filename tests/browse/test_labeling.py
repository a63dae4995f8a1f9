"""Which row to label next."""

import json
from collections import Counter

import numpy as np
import pytest

from shortlist.browse import next_row, show_rows
from shortlist.browse.labeling import FORMATS, differing_rows, next_rows, random_rows, read_answers, write_records
from shortlist.errors import BadFile, ShortlistError, UnknownClass
from shortlist.project.gold import entry_for
from tests.project.news import LABELERS, TOML, WORDS, make

PLAIN = LABELERS.split("polls = ")[0]  # nothing says politics alone


@pytest.fixture
def unlabelled(tmp_path):
    project = make(tmp_path, toml=TOML.replace('gold = "label"\n', ""))
    project.run(["fit"])
    return project.session


def test_the_first_row_is_the_one_that_analysis_suggests(unlabelled):
    best = unlabelled.analysis.suggest(1)
    row = next_row(unlabelled)
    assert unlabelled.votes.said(row) == unlabelled.votes.said(int(best["row"][0]))


def test_labels_are_counted_in_so_that_other_rows_get_their_turn(unlabelled):
    """Twenty answers that agree with the model are spread over several ways to vote."""
    session, kinds = unlabelled, Counter()
    for _ in range(20):
        row = next_row(session)
        assert row not in session.known.touched
        kinds[str(session.votes.said(row))] += 1
        label = session.votes.space[int(session.analysis.guess[row])]
        session.gold_file.add(entry_for(session.rows, row, [label]))
        session.gold_changed()
    assert len(kinds) >= 4
    assert sum(name is not None for name in session.gold) == 20


def test_skipped_rows_do_not_come_back(unlabelled):
    row = next_row(unlabelled)
    unlabelled.gold_file.add(entry_for(unlabelled.rows, row, []))
    unlabelled.gold_changed()
    assert next_row(unlabelled) != row


def test_there_is_an_end(unlabelled):
    for rows, left in (((row for row in range(300) if row != 7), 7), ([7], None)):
        unlabelled.gold_file.add(*(entry_for(unlabelled.rows, row, []) for row in rows))
        unlabelled.gold_changed()
        assert next_row(unlabelled) == next_row(unlabelled, "random") == left


def test_several_are_of_different_kinds(unlabelled):
    found = next_rows(unlabelled, 5)
    codes = unlabelled.votes.codes[found]
    assert len(np.unique(codes, axis=0)) == len(found) == 5


def test_random_rows_go_on_where_a_sitting_ended(unlabelled):
    """Rows that were labelled or skipped are left out; the others keep their order, and taking back restores it."""
    session = unlabelled
    order = random_rows(session, 300)
    assert sorted(order) == list(range(300))
    said = [entry_for(session.rows, row, names, "random") for row, names in zip(order, (["sports"], []), strict=False)]
    session.gold_file.add(*said)
    session.gold_changed()
    assert random_rows(session, 10) == order[2:12]
    assert next_row(session, "random") == order[2]
    session.gold_file.undo(said[1])
    session.gold_changed()
    assert random_rows(session, 10) == order[1:11]


def test_a_random_score_is_fair_where_one_of_rows_that_help_most_is_too_low(tmp_path):
    """The whole use: 60 rows, their true classes, the score on them."""
    project = make(tmp_path, toml=TOML.replace('gold = "label"\n', ""), m=3000, labelers=PLAIN)
    project.run(["fit"])
    session, right = project.session, right_rows(project)
    drawn = random_rows(session, 400)
    assert right[drawn].mean() == pytest.approx(right.mean(), abs=0.06)
    hard = []
    for _ in range(60):
        hard.append(next_row(session))
        session.gold_file.add(entry_for(session.rows, hard[-1], [true_class(session, hard[-1])]))
        session.gold_changed()
    assert right[hard].mean() < right.mean() - 0.06


def true_class(session, row):
    """What the words of a row tell for sure."""
    text = session.rows.take([row], ["body"])["body"][0].split()
    return max(WORDS, key=lambda topic: sum(word in text for word in WORDS[topic]))


def right_rows(project):
    labels = project.session.votes.space
    guess = project.session.analysis.guess
    return np.array([labels[int(guess[row])] == true_class(project.session, row) for row in range(len(guess))])


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


def json_min(task, annotation, **answer):
    """A line as label-studio-sdk 2.1.2's converter writes it: `id` is the task's."""
    rest = {"annotator": 1, "annotation_id": annotation, "created_at": None, "updated_at": None, "lead_time": None}
    return {**task["data"], "id": 100 + annotation, **answer, **rest}


def test_the_short_form_of_label_studio_is_refused_with_what_to_export(session, tmp_path):
    """JSON-MIN came back as "0 rows are labelled, 24 are not", with exit code 0."""
    write_records(show_rows(session, [3]), "label-studio", tmp_path / "tasks.json")
    (task,) = json.loads((tmp_path / "tasks.json").read_text())
    (tmp_path / "answers.json").write_text(json.dumps([json_min(task, 1, **{"class": "sports"})]))
    with pytest.raises(BadFile, match=r"export JSON from Label Studio \(not JSON-MIN"):
        read_answers(session, tmp_path / "answers.json")


def test_suggestions_fit_the_question_they_are_for(session, tmp_path):
    """Argilla's server takes a word for a LabelQuestion, and a list of them for a MultiLabelQuestion."""
    label = show_rows(session, [3])[0].label
    for form, value in (("argilla", label), ("argilla-multi", [label])):
        write_records(show_rows(session, [3]), form, tmp_path / "records.json", "gain")
        (record,) = json.loads((tmp_path / "records.json").read_text())
        assert record["suggestions"]["class"]["value"] == value
        assert isinstance(record["suggestions"]["class"]["score"], list) == (form == "argilla-multi")
        assert record["metadata"] == {"row": 3, "picked": "gain"}


@pytest.mark.slow
def test_label_studio_s_own_package_reads_and_answers(session, tmp_path, vendor_package):
    """With label-studio-sdk installed (`make test-slow` does it): its validation."""
    interface = vendor_package("label_studio_sdk.label_interface").LabelInterface
    choices = "".join(f'<Choice value="{name}"/>' for name in session.votes.space)
    setup = f'<View><Text name="text" value="$text"/><Choices name="class" toName="text">{choices}</Choices></View>'
    write_records(show_rows(session, [3, 5, 8]), "label-studio", tmp_path / "tasks.json")
    tasks = json.loads((tmp_path / "tasks.json").read_text())
    assert all(interface(setup).validate_prediction(one) for task in tasks for one in task["predictions"])
    for number, task in enumerate(tasks):
        task["id"] = 100 + number
        studio_answer(task, "sports")
        task["annotations"][0] |= {"id": number, "completed_by": 1}
    (tmp_path / "done.json").write_text(json.dumps(tasks))
    assert read_answers(session, tmp_path / "done.json") == (3, 0)
    session.gold_changed()
    assert [session.gold[row] for row in (3, 5, 8)] == ["sports"] * 3


@pytest.mark.slow
@pytest.mark.parametrize("form", ["argilla", "argilla-multi"])
def test_argilla_s_own_package_reads_the_records(session, tmp_path, vendor_package, form):
    """With argilla installed (`make test-slow` does it): its records, without a server, which its questions need."""
    rg = vendor_package("argilla")
    write_records(show_rows(session, [3, 5]), form, tmp_path / "records.json", "gain")
    for raw in json.loads((tmp_path / "records.json").read_text()):
        record = rg.Record.from_dict(raw)
        assert dict(record.metadata) == raw["metadata"]
        suggestion = record.suggestions["class"]
        assert (suggestion.value, suggestion.agent) == (raw["suggestions"]["class"]["value"], "shortlist")
        assert isinstance(suggestion.value, list) == (form == "argilla-multi")


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
    "text", ["{", "{}", "[1]", "[{}]", '[{"annotations": []}]', '[{"data": {"row": 3}, "annotations": [1]}]']
)
def test_files_that_hold_something_else_are_told(session, tmp_path, text):
    (tmp_path / "answers.json").write_text(text)
    with pytest.raises(BadFile):
        read_answers(session, tmp_path / "answers.json")


@pytest.mark.parametrize("names", [[["sports"]], [{}], [None], [5]])
def test_classes_that_are_no_text_are_told(session, tmp_path, names):
    """They ended with an unexpected TypeError."""
    for form in ("label-studio", "argilla"):
        write_records(show_rows(session, [3]), form, tmp_path / "rows.json")
        (record,) = json.loads((tmp_path / "rows.json").read_text())
        studio_answer(record, *names) if form == "label-studio" else argilla_answer(record, names)
        (tmp_path / "rows.json").write_text(json.dumps([record]))
        with pytest.raises(BadFile, match="not text"):
            read_answers(session, tmp_path / "rows.json")


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


def test_answers_of_a_tool_are_kept_by_person(session, tmp_path):
    rows = [3, 5, 8]
    write_records(show_rows(session, rows), "label-studio", tmp_path / "tasks.json")
    tasks = json.loads((tmp_path / "tasks.json").read_text())
    for task, said in zip(
        tasks, (["sports"] * 3, ["sports", "politics"], ["sports", "sports", "politics"]), strict=True
    ):
        for person, name in enumerate(said):
            studio_answer(task, name)
            by = {"id": 7, "email": "anna@example.org"} if person == 0 else person
            task["annotations"][-1] |= {"completed_by": by}
    (tmp_path / "done.json").write_text(json.dumps(tasks))
    assert read_answers(session, tmp_path / "done.json") == (3, 0)
    session.gold_changed()
    assert [session.known.classes[row] for row in rows] == ["sports", None, "sports"]
    assert session.known.shortlists[5] == ("sports", "politics")
    assert list(session.known.people[8]) == ["anna@example.org", "1", "2"]


def test_people_with_a_name_get_the_same_random_rows(unlabelled):
    first = random_rows(unlabelled, 3, "anna")
    unlabelled.gold_file.add(*(entry_for(unlabelled.rows, row, ["sports"], "random", "anna") for row in first))
    unlabelled.gold_changed()
    assert random_rows(unlabelled, 3, "bob") == first
    assert not set(random_rows(unlabelled, 3, "anna")) & set(first)
    assert not set(random_rows(unlabelled, 3)) & set(first)
    assert not set(next_rows(unlabelled, 50, "bob")) & set(first)


def test_rows_on_which_people_differ_are_a_queue(unlabelled):
    def said(row, by, name):
        unlabelled.gold_file.add(entry_for(unlabelled.rows, row, [name], "random", by))
        unlabelled.gold_changed()

    for row in (4, 2, 9):
        said(row, "anna", "sports")
        said(row, "bob", "politics" if row != 9 else "sports")
    assert differing_rows(unlabelled, 9, "eve") == [4, 2]
    said(4, "eve", "business")  # three classes: still open, but others go before for her
    assert next_row(unlabelled, "differ", "eve") == 2
    said(2, "eve", "politics")
    assert unlabelled.known.classes[2] == "politics"
    said(2, "anna", "politics")
    assert differing_rows(unlabelled, 9, "eve") == [4]
    said(4, "anna", "politics")
    said(4, "eve", "politics")
    assert next_row(unlabelled, "differ", "eve") is None
