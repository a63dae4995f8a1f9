"""Labels of the page: on disk at once, taken back, used by the fit where asked."""

import json
import shlex

import numpy as np
import polars as pl
import pytest

from shortlist import Project
from shortlist.browse import row_view
from shortlist.browse.labeling import random_rows
from shortlist.errors import ShortlistError, UnknownClass
from shortlist.project.labels import Extract
from shortlist.project.run_summary import facts_of, run_scores
from shortlist.studio import OpenProject
from shortlist.studio.rules import use_gold
from shortlist.studio.service import Service, export_command
from shortlist.wording import split_names
from tests.project.news import edit


def test_a_label_is_on_disk_and_in_the_figures_at_once(service, project):
    before = service.next({})
    row = before["row"]["row"]
    answer = service.label({"row": row, "classes": ["sports"]})
    assert answer["gold"]["rows"] == before["gold"]["rows"] + 1
    assert answer["row"]["gold"] == ["sports"]
    assert [entry.classes for entry in project.current.gold_file.entries()] == [("sports",)]
    assert service.next({})["row"]["row"] != row


def test_it_can_be_taken_back(service):
    row = service.next({})["row"]["row"]
    answer = service.label({"row": row, "classes": ["sports", "business"]})
    assert answer["entry"]["classes"] == ["business", "sports"]
    back = service.undo({"entry": answer["entry"]})
    assert back["gold"]["several"] == 0
    assert service.next({})["row"]["row"] == row
    with pytest.raises(ShortlistError, match="elsewhere"):
        service.undo({"entry": answer["entry"]})


def test_skipped_rows(service):
    first = service.next({})["row"]["row"]
    assert service.label({"row": first, "classes": []})["gold"]["skipped"] == 1
    assert service.next({})["row"]["row"] != first


def test_a_change_is_not_looked_at_twice(service, project):
    service.label({"row": 1, "classes": ["sports"]})
    assert not project.watch.changed()


def test_gold_that_only_scores_stays_so_until_told_otherwise(service, project):
    for fits in (False, True, None, False):
        assert service.use_gold({"fits": fits})["gold"]["fits"] is fits
        assert project.current.settings.use_gold is fits


def test_the_fit_takes_them_in_where_asked(service, project):
    use_gold(project, fits=True)
    before = project.current
    service.label({"row": 1, "classes": ["sports"]})
    assert project.current is not before
    assert project.current.gold[1] == "sports"


@pytest.mark.parametrize("classes", [["sprots"], ["business", "politics", "sports"]])
def test_what_says_nothing_is_told(service, project, classes):
    with pytest.raises(ShortlistError):
        service.label({"row": 1, "classes": classes})
    assert project.current.gold_file.entries() == []


def test_an_unknown_class_offers_the_nearest(service):
    with pytest.raises(UnknownClass, match="'sports'"):
        service.label({"row": 1, "classes": ["sprots"]})


def test_rows_keep_filter_and_place_while_they_are_labelled(service):
    asked = {"query": {"labeler": "power"}, "offset": 3, "limit": 4}
    before = service.rows(asked)
    service.label({"row": before["rows"][1]["row"], "classes": ["business"]})
    after = service.rows(asked)
    assert [row["row"] for row in after["rows"]] == [row["row"] for row in before["rows"]]
    assert after["rows"][1]["gold"] == ["business"]


def test_random_rows_are_offered_and_remembered_as_such(service, project):
    first = service.next({"picked": "random"})["row"]["row"]
    assert first == random_rows(project.current, 1)[0]
    answer = service.label({"row": first, "classes": ["sports"], "picked": "random"})
    assert answer["entry"]["picked"] == "random"
    assert answer["gold"]["hard"] == 0
    second = service.next({"picked": "gain"})["row"]["row"]
    assert service.label({"row": second, "classes": ["sports"], "picked": "gain"})["gold"]["hard"] == 1
    assert "picked" not in service.label({"row": 1, "classes": ["sports"]})["entry"]  # in the table of rows
    with pytest.raises(ShortlistError, match="best"):
        service.next({"picked": "best"})


def test_files_are_written_as_by_the_command_line(service, folder):
    assert service.export({"what": "labels"})["files"] == [str(folder / "out" / "labels.parquet")]
    assert (folder / "out" / "labels.parquet").exists()
    with pytest.raises(ShortlistError):
        service.export({"what": "../etc"})


def test_a_file_of_ones_own_has_the_text_of_believed_rows(service, folder):
    service.export_own({"to": "all.csv"})
    everything = pl.read_csv(folder / "all.csv")
    least = round(everything["belief"].median(), 3)
    given = {"to": "sure.csv", "columns": ["body"], "min_belief": least}
    found = service.export_own(given)
    written = pl.read_csv(folder / "sure.csv")
    assert found["files"] == [str(folder / "sure.csv")]
    assert found["command"] == f"shortlist export --to sure.csv --columns body --min-belief {least:g}"
    assert found["lines"] == [f"{len(written):,} rows"]
    assert 0 < len(written) == (everything["belief"] >= least).sum() < len(everything)
    assert written.columns[1] == "body"


NAMES = ["../labels.csv", "/etc/labels.csv", "out/labels.csv", ".hidden.csv", "", "labels.toml"]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_ones_own_lies_in_the_project_folder_and_is_a_table(service, name):
    with pytest.raises(ShortlistError):
        service.export_own({"to": name})


@pytest.mark.parametrize("least", [7, "0.5", True])
def test_a_belief_is_a_number_from_0_to_1(service, folder, least):
    with pytest.raises(ShortlistError, match="0 to 1"):
        service.export_own({"to": "sure.csv", "min_belief": least})
    assert not (folder / "sure.csv").exists()


def test_labels_made_by_hand_are_not_overwritten(service, folder):
    service.label({"row": 0, "classes": ["sports"]})
    before = (folder / "gold.jsonl").read_bytes()
    with pytest.raises(ShortlistError, match="labels made by hand"):
        service.export_own({"to": "gold.jsonl"})
    assert (folder / "gold.jsonl").read_bytes() == before


def test_the_command_names_columns_as_the_shell_and_shortlist_read_them():
    """An unnamed column was printed as --columns '', which names none."""
    command = export_command("x.csv", Extract(("", "a, b", "c")))
    assert split_names(shlex.split(command)[-1]) == ["", "a, b", "c"]


def test_a_run_tells_its_end_and_its_files_can_be_downloaded(service, folder):
    assert service.overview({})["run"] is None
    with pytest.raises(ShortlistError, match="no classifier has read"):
        service.rows({"query": {"disagree": True}})
    told = service.export({"what": "everything"})
    assert any(line.startswith("Use ") and "labels.parquet" in line for line in told["lines"])
    assert "votes and text" in [line[0] for line in told["scores"]["lines"]]
    run = service.overview({})["run"]
    assert run["files"] == ["labels.parquet", "report.html", "classifier.npz"]
    assert service.output("labels.parquet") == folder / "out" / "labels.parquet"
    assert [service.output(name) for name in ("../gold.jsonl", "votes.json", "labels.csv")] == [None] * 3
    (folder / "out" / "labels.toml").symlink_to(folder / "shortlist.toml")  # nothing outside the folder
    assert service.output("labels.toml") is None
    rows = service.rows({"query": {"disagree": True}})
    joint, analysis = service.project.current.joint, service.project.current.analysis
    expected = (joint.rows_alone_.argmax(axis=1) != analysis.guess) & analysis.votes.covered
    assert rows["found"] == expected.sum()


# -- several people ----------------------------------------------------------------------------------------------


@pytest.fixture
def people(folder):
    """The studios of two people on one folder."""
    edit(folder / "shortlist.toml", 'gold = "label"\n', "")
    projects = [OpenProject(folder, name) for name in ("anna", "bob")]
    for one in projects:
        one.refresh("opened")
    yield [Service(one) for one in projects]
    for one in projects:
        one.close()


def test_two_people_label_the_same_random_rows_and_settle_where_they_differ(people, folder):
    anna, bob = people
    for name in ("sports", "politics", "business"):
        row = anna.next({"picked": "random"})["row"]["row"]
        anna.label({"row": row, "classes": [name], "picked": "random"})
    bob.project.current.gold_changed()
    said = []
    for name in ("sports", "politics", "sports"):
        row = bob.next({"picked": "random"})["row"]
        assert row["gold"] == []  # bob does not see what anna said
        said.append(row["row"])
        answer = bob.label({"row": row["row"], "classes": [name], "picked": "random"})
    assert [json.loads(line).get("by") for line in (folder / "gold.jsonl").read_text().splitlines()[1:]] == (
        ["anna"] * 3 + ["bob"] * 3
    )
    gold = answer["gold"]
    assert (gold["rows"], gold["several"], gold["differ"], gold["by"]) == (2, 1, 1, "bob")
    assert gold["agreement"].startswith("anna, bob: 67% of 3 rows with several labels have one class; Krippendorff's α")
    anna.project.current.gold_changed()
    row = anna.next({"picked": "differ"})["row"]
    assert row["row"] == said[2]
    assert row["people"] == [["anna", ["business"]], ["bob", ["sports"]]]
    anna.label({"row": row["row"], "classes": ["sports"], "picked": "differ"})
    answer = anna.next({"picked": "differ"})
    assert (answer["row"], answer["gold"]["differ"], answer["gold"]["rows"]) == (None, 0, 3)
    assert answer["gold"]["hard"] == 0  # the row was drawn at random before


def test_labels_as_votes_are_fitted_at_once(folder):
    edit(folder / "shortlist.toml", 'gold = "label"\n', 'people = "votes"\n')
    project = OpenProject(folder, "anna")
    project.refresh("opened")
    service = Service(project)
    service.label({"row": 3, "classes": ["sports"]})
    assert project.current.votes.said(3)["anna (person)"] == ("sports",)
    assert project.current.gold is None
    (rule,) = [one for one in service.rules({})["rules"] if one["origin"] == "people"]
    assert (rule["name"], rule["record"]) == ("anna (person)", None)
    service.switch({"name": "anna (person)", "on": False})
    assert "anna (person)" not in project.current.votes.names
    project.close()


def test_the_label_of_the_last_run_needs_no_classifier(service, folder):
    """Rows, `shortlist show` and `why` read the classifier, so they failed where torch is not installed."""
    service.export({"what": "everything"})
    session = service.project.current
    final = [row["final"] for row in service.rows({"query": {}})["rows"]]
    assert None not in final
    assert "train" not in session.results


def test_scores_and_gains_are_those_of_check_and_run(service, folder):
    """Before any run, as the run has them after it, and as the files of the run have them."""
    live = service.scores({}), service.figures({})
    outcomes = Project(folder).run()
    assert live[0]["scores"] == run_scores(facts_of(outcomes))._asdict()
    checkup = Project(folder).session.checkup
    gains = [one.show_gain(checkup.rows) for one in checkup.advice]
    assert [one["gain"] for one in live[1]["todo"]] == gains
    assert live[1]["to_add"] == checkup.to_add
    assert live[1]["promise"] == checkup.promise != ""
    service.project.changed("run elsewhere")
    assert (service.scores({}), service.figures({})["todo"]) == (live[0], live[1]["todo"])


def test_rows_show_the_label_of_the_last_run_until_something_changes(service, folder, monkeypatch):
    assert service.rows({"query": {}})["rows"][0]["final"] is None
    service.export({"what": "everything"})
    rows = service.rows({"query": {}})["rows"]
    made = pl.read_parquet(folder / "out" / "labels.parquet")
    assert [row["final"][0] for row in rows] == made["class"].to_list()[: len(rows)]
    ties = 1 / 3 + 1e-12 * np.eye(3)[np.arange(300) % 3]  # they go to the class with the larger share, as in files
    with monkeypatch.context() as patch:
        patch.setattr(row_view, "_beliefs_in", lambda *_file: (ties, np.array([0.3, 0.4, 0.3])))
        assert {row["final"][0] for row in service.rows({"query": {}})["rows"]} == {"politics"}
    service.save({"record": {"kind": "keywords", "words": ["w1"], "says": "sports"}})
    assert service.rows({"query": {}})["rows"][0]["final"] is None
