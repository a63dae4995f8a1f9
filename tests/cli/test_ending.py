"""How `shortlist run` ends: how good it is, what changed, what to do, where to look."""

import json

from shortlist.cli.ending import ending
from shortlist.project.kept.history import History
from shortlist.project.stages import Outcome
from tests.cli.shell import call
from tests.project.news import edit, make


def outcomes(model=0.7, counting=0.6, advice=("Mend film.", "Mend state.")):
    fit = {"accuracy": model, "counting": counting, "gold_rows": 1234}
    told = [{"what": what} for what in advice]
    return [
        Outcome("fit", "done", (), fit),
        Outcome("check", "done", (), {"advice": told}),
        Outcome("predict", "done", (), {"accuracy": 0.8}),
        Outcome("report", "done", ("out/report.html",)),
    ]


def test_all_of_it(tmp_path):
    history = History(tmp_path / "history.json")
    history.runs = [{"label model": 0.5, "classifier": 0.8}, {"label model": 0.7, "classifier": 0.8}]
    assert list(ending(outcomes(), history)) == [
        "Right on 1,234 gold rows: label model 70.0%, counting votes 60.0%, classifier 80.0%.",
        "Since last time: label model 50.0% → 70.0%.",
        "Do next: Mend film. (2 suggestions: shortlist check)",
        "Look at: out/report.html",
    ]


def test_a_model_below_counting_is_told(tmp_path):
    history = History(tmp_path / "history.json")
    assert "worse here than counting votes" in " ".join(ending(outcomes(0.5, 0.6), history))
    assert "worse" not in " ".join(ending(outcomes(0.6, 0.6), history))


def test_without_gold_rows_and_advice(tmp_path):
    assert list(ending([Outcome("vote", "done", (), {"covered": 0.5})], History(tmp_path / "none.json"))) == []


def test_a_run_ends_with_it(tmp_path, monkeypatch, capfd):
    home = tmp_path / "news"
    make(home)
    monkeypatch.chdir(home)
    out = call(capfd, "run").out
    assert "Right on 100 gold rows: label model " in out
    assert out.rstrip().endswith("Look at: out/report.html")
    edit(home / "labelers.py", '"election|minister"', '"nothing"')
    found = json.loads(call(capfd, "run", "--json").out)
    assert found["since"]["counting votes"][1] == found["figures"]["counting votes"]
    assert "Since" not in call(capfd, "run").out  # nothing was done


def test_a_stage_that_found_too_little_is_marked(tmp_path, monkeypatch, capfd):
    home = tmp_path / "news"
    make(home, labelers="from shortlist import pattern\n\nrare = pattern('w7.*w8', yes='sports', name='rare')\n")
    edit(home / "shortlist.toml", '["shares", "profit"]', '["nowhere"]')
    monkeypatch.chdir(home)
    out = call(capfd, "run").out
    assert "!  vote" in out
    assert "✓  export" in out


def test_the_report_shows_the_classifier_once_it_is_trained(tmp_path, monkeypatch, capfd):
    home = tmp_path / "news"
    make(home)
    monkeypatch.chdir(home)
    call(capfd, "report")
    assert "<dt>classifier</dt>" not in (home / "out" / "report.html").read_text()
    call(capfd, "run")
    assert "<dt>classifier</dt>" in (home / "out" / "report.html").read_text()
    assert "Nothing to do" in call(capfd, "run").out
