"""A project that is open: files that change, mistakes, no labelers yet, no project yet."""

import threading
import time

import pytest

from shortlist.errors import ShortlistError
from shortlist.studio import OpenProject
from shortlist.studio.rules import save_rule
from shortlist.studio.service import Service
from shortlist.studio.views import compare, figures, overview, results
from tests.project.news import CLASSES, TOML, edit, rows


def wait_until(true, seconds=20.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_an_edit_in_an_editor_is_taken_in(project, folder):
    told = []
    project.subscribers.append(lambda kind, facts: told.append(kind))
    thread = threading.Thread(target=project.follow, daemon=True)
    thread.start()
    time.sleep(0.1)
    edit(folder / "labelers.py", 'yes="politics"', 'yes="business"')
    wait_until(lambda: project.change is not None and "changed" in told)
    assert project.change.edits == {"polls": "edited"}
    edit(folder / "labelers.py", 'yes="business"', 'yes="bisness"')
    wait_until(lambda: project.problem is not None)
    assert "labelers.py" in project.problem
    assert project.current.votes.names  # the last state that worked is there
    edit(folder / "labelers.py", 'yes="bisness"', 'yes="politics"')
    wait_until(lambda: project.problem is None)
    project.close()
    thread.join(5)
    assert not thread.is_alive()


def test_the_overview_has_what_the_command_line_has(project):
    found = overview(project)
    table = {line["labeler"]: line for line in project.current.analysis.labelers(level=None).to_dicts()}
    assert found["rows"] == 300
    assert {one["name"]: one["coverage"] for one in found["labelers"]} == {
        name: line["coverage"] for name, line in table.items()
    }
    assert found["gold"]["model"] == project.current.analysis.right_on_gold
    assert sum(found["shares"].values()) == pytest.approx(1)


def test_figures_tell_which_accuracies_are_not_known(project):
    found = figures(project.current, results(project.current))["labelers"]
    assert {name for name, line in found.items() if line["accuracy"] is None} == {"money", "polls", "sport"}


def test_states_can_be_compared(project):
    save_rule(project, {"kind": "keywords", "name": "teams", "words": ["team"], "says": "sports"}, None)
    first, last = project.states.all[0].number, project.states.all[-1].number
    found = compare(project, first, last)
    assert found["edits"] == {"teams": "new"}
    assert found["flipped"] == len(project.change.flipped)
    assert all(row["was"] != row["is"] for row in found["examples"])


def test_a_project_without_labelers_can_be_read_and_labelled(tmp_path):
    rows().write_csv(tmp_path / "news.csv")
    (tmp_path / "shortlist.toml").write_text(TOML.split("[[labeler]]")[0])
    project = OpenProject(tmp_path)
    project.refresh()
    assert project.bare
    service = Service(project)
    assert service.overview({})["bare"]
    assert service.rows({"query": {"text": "goal"}})["found"] > 0
    assert service.next({})["row"] is not None
    service.label({"row": 0, "classes": ["sports"]})
    service.save({"record": {"kind": "keywords", "name": "play", "words": ["goal"], "says": "sports"}})
    assert not project.bare
    assert project.current.votes.names == ("play",)


def test_from_a_data_file_to_a_project(tmp_path):
    rows().write_csv(tmp_path / "news.csv")
    project = OpenProject(tmp_path)
    assert overview(project)["setup"]
    service = Service(project)
    (found,) = service.setup({})["files"]
    assert (found["text"], found["id"], found["gold"], found["classes"]) == ("body", "id", "label", CLASSES)
    service.setup({"file": "news.csv", "classes": CLASSES, "text": "body", "id": "id", "gold": "label"})
    assert project.bare
    assert not (tmp_path / "labelers.py").exists()
    with pytest.raises(ShortlistError, match="already"):
        service.setup({"file": "news.csv", "classes": CLASSES, "text": "body"})


@pytest.mark.parametrize(
    "given",
    [
        {"file": "../news.csv", "classes": CLASSES, "text": "body"},
        {"file": "news.csv", "classes": ["one"], "text": "body"},
        {"file": "news.csv", "classes": CLASSES, "text": "boddy"},
    ],
)
def test_a_project_that_cannot_be_is_told(tmp_path, given):
    rows().write_csv(tmp_path / "news.csv")
    with pytest.raises(ShortlistError):
        Service(OpenProject(tmp_path)).setup(given)
    assert not (tmp_path / "shortlist.toml").exists()


def test_a_later_question_ends_an_earlier_one(service):
    rule = {"kind": "keywords", "name": "x", "words": ["team"], "says": "sports"}
    service.preview({"record": rule, "tab": "one", "number": 5})
    with pytest.raises(ShortlistError, match="newer"):
        service.preview({"record": rule, "tab": "one", "number": 4})
    assert service.preview({"record": rule, "tab": "two", "number": 1})["votes"] > 0
