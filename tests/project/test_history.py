"""Runs are remembered, so that the next one can say what it changed."""

import json

import pytest

from shortlist import MajorityVote
from shortlist.project.cache import FORMAT, History, Run
from shortlist.project.gold import entry_for
from shortlist.project.run_summary import facts_of, run_of
from tests.project.news import edit, make, rows


@pytest.fixture
def project(tmp_path):
    return make(tmp_path / "news")


def test_a_run_says_what_it_changed(project):
    project.run()
    assert project.history.change == {}
    edit(project.folder / "labelers.py", '"president" in text', '"presidents" in text')
    edit(project.folder / "labelers.py", '"election|minister"', '"election"')
    project.run()
    old, new = project.history.change["covered"]
    assert (old, new) == (1.0, pytest.approx(project.votes.covered.mean()))
    assert new < 0.9


def test_figures_are_those_of_the_model_of_counting_and_of_the_classifier(project):
    figures = run_of(facts_of(project.run())).figures
    votes, gold = project.votes, rows()["label"].to_list()
    known = [a for a, label in enumerate(gold) if label]
    counted = MajorityVote().fit(votes).predict(votes)
    assert figures["counting votes"] == pytest.approx(sum(counted[a] == gold[a] for a in known) / len(known))
    labels = project.model.predict(votes)
    assert figures["label model"] == pytest.approx(sum(labels[a] == gold[a] for a in known) / len(known))
    together = project.joint.classes_[project.joint.out_of_fold_.argmax(axis=1)]
    assert figures["votes and text"] == pytest.approx(sum(together[a] == gold[a] for a in known) / len(known))


def test_nothing_done_and_single_stages_are_no_run_to_remember(project):
    project.run()
    project.run()
    project.run(["fit"], force=True)
    assert len(project.history.runs) == 1


def test_a_file_that_cannot_be_read_counts_as_none(tmp_path):
    path = tmp_path / "history.json"
    for text in ("", "[]", "{", '{"format": 99, "runs": []}', '{"format": 1, "runs": [["x"]]}'):
        path.write_text(text)
        assert History(path).runs == []
    run = Run({"covered": 0.5}, 60, 58)
    History(path).add(run)
    record = {"figures": {"covered": 0.5}, "gold_rows": 60, "gold_voted": 58}
    assert json.loads(path.read_text()) == {"format": FORMAT, "runs": [record]}
    assert History(path).runs == [run]


def test_only_so_many_runs_are_kept(tmp_path):
    history = History(tmp_path / "history.json")
    history.runs = [Run({"covered": 0.1})] * 200
    history.add(Run({"covered": 0.2}))
    assert len(history.runs) == 200
    assert history.change == {"covered": (0.1, 0.2)}


def test_a_run_knows_its_gold_rows(project):
    project.run()
    assert project.history.runs[-1].gold_rows == project.history.runs[-1].gold_voted == 100
    row = entry_for(project.session.rows, 1, ["sports"])
    project.session.gold_file.add(row)
    project.run()
    assert project.history.other_gold == "100 → 101 gold rows"
