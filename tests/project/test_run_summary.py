"""How `shortlist run` ends: how good it is, what changed, what to do, where to look."""

import json

import pytest

from shortlist import Project
from shortlist.project.cache import History, Run
from shortlist.project.gold import entry_for
from shortlist.project.run_summary import facts_of, interval, run_scores, run_summary
from shortlist.project.stages.stage import Outcome
from tests.cli.shell import call
from tests.project.news import edit, make


def outcomes(model=0.7, counting=0.6, advice=("Mend film.", "Mend state."), together=800, n=1000, **fit):
    facts = {"accuracy": model, "counting": counting, "gold_rows": n, "gold_voted": n, **fit}
    right = {"votes and text": together, "text alone": 790}
    told = [{"what": what} for what in advice]
    return [
        Outcome("fit", "done", (), facts),
        Outcome("train", "done", (), {"gold_rows": n, "right": right, "reason": "Taught by counting votes."}),
        Outcome("check", "done", (), {"advice": told}),
        Outcome("export", "done", ("out/labels.parquet",), {"labelled": 3000}),
        Outcome("report", "done", ("out/report.html",)),
    ]


def test_all_of_it(tmp_path):
    history = History(tmp_path / "history.json")
    history.runs = [Run({"label model": 0.5, "text alone": 0.8}), Run({"label model": 0.7, "text alone": 0.8})]
    assert list(run_summary(outcomes(), history)) == [
        "Taught by counting votes.",
        "Use out/labels.parquet: 3,000 rows are labelled, 80% right (77% to 82%, by 1,000 gold rows).",
        "Since last time: label model 50.0% → 70.0%.",
        "Do next: Mend film. (2 suggestions: shortlist check)",
        "Look at: out/report.html",
    ]


@pytest.mark.parametrize(("labelled", "what"), [(7, "7 gold rows only"), (0, "no row")])
def test_without_any_vote_the_file_labels_gold_rows_only(tmp_path, labelled, what):
    """It was said to hold guesses: rows without a vote have no class there."""
    told = [
        Outcome("vote", "done", (), {"covered": 0.0}),
        Outcome("export", "done", ("a.csv",), {"labelled": labelled}),
    ]
    lines = list(run_summary(told, History(tmp_path / "none.json")))
    assert lines == [f"No labeler votes on any row, so a.csv labels {what}."]


def test_table_of_scores():
    title, headers, lines = run_scores(facts_of(outcomes()))
    assert title == "Right on 1,000 gold rows"
    assert headers == ("labels by", "right", "95 % sure")
    assert [line[:2] for line in lines] == [
        ("counting votes", "60.0%"), ("label model", "70.0%"), ("votes and text", "80.0%"), ("text alone", "79.0%"),
    ]  # fmt: skip


def test_rows_without_a_vote_count_as_wrong_by_votes():
    title, _, lines = run_scores(facts_of(outcomes(0.75, 0.5, n=1000, gold_voted=800)))
    assert title == "Right on 1,000 gold rows (200 have no vote, and count as wrong by votes)"
    assert lines[1][:2] == ("label model", "60.0%")  # 600 of 1,000


def test_without_gold_rows_held_out_labelers_judge():
    agreement = {"counting": 0.7, "label model": 0.75, "votes and text": 0.8, "text alone": 0.78}
    told = [Outcome("fit", "done", (), {}), Outcome("train", "done", (), {"agreement": agreement})]
    title, headers, lines = run_scores(facts_of(told))
    assert "held-out labelers" in title
    assert headers == ("labels by", "agree")
    assert lines[0] == ("counting votes", "+70.0%")
    assert run_scores({"fit": {}}) is None


def test_interval_of_a_share():
    assert interval(0, 10) == "0% to 28%"  # Wilson
    assert interval(50, 100) == "40% to 60%"
    assert interval(10, 10) == "72% to 100%"


def test_other_gold_rows_are_told_beside_the_change(tmp_path):
    """56 of 60 → 56 of 62 looked as if an edit had done harm."""
    history = History(tmp_path / "history.json")
    history.runs = [Run({"label model": 56 / 60}, 60, 60), Run({"label model": 56 / 62}, 62, 62)]
    line = "Since last time (60 → 62 gold rows): label model 93.3% → 90.3%."
    assert line in list(run_summary(outcomes(), history))
    history.runs[-1] = Run({"label model": 0.9}, 60, 50)
    line = "Since last time (60 → 50 gold rows with a vote): label model 93.3% → 90.0%."
    assert line in list(run_summary(outcomes(), history))


def test_labels_that_something_simpler_outdoes_are_not_recommended(tmp_path):
    history = History(tmp_path / "history.json")

    def sentence(**facts):
        return next(line for line in run_summary(outcomes(**facts), history) if "use out/labels" in line.lower())

    frequent = {"class": "bug", "gold_rows": 500}
    assert sentence(together=400, frequent=frequent) == (
        "Do not use out/labels.parquet yet: its labels are right on 400 of 1,000 gold rows; always answering 'bug' is "
        "right on 500, counting votes is right on 600."
    )
    assert sentence(together=595).startswith("Use out/labels.parquet")  # within chance
    assert sentence(together=400, frequent=frequent, gold_hard=60).startswith("Use ")  # hard rows are seldom right


def test_without_any_score_the_sentence_says_how_to_get_one(tmp_path):
    told = [Outcome("fit", "done", (), {}), Outcome("export", "done", ("l.csv",), {"labelled": 30})]
    (line,) = run_summary(told, History(tmp_path / "none.json"))
    assert line == (
        "Use l.csv: 30 rows are labelled. To know how many of them are right, label 100 rows that are drawn at random: "
        "shortlist label --random"
    )


def test_without_gold_rows_and_advice(tmp_path):
    assert list(run_summary([Outcome("vote", "done", (), {"covered": 0.5})], History(tmp_path / "none.json"))) == []


@pytest.fixture
def news(tmp_path, monkeypatch):
    """The folder of the project, where the commands are called."""
    make(tmp_path / "news")
    monkeypatch.chdir(tmp_path / "news")
    return tmp_path / "news"


def test_a_run_ends_with_it(news, capfd):
    out = call(capfd, "run").out
    assert "Right on 100 gold rows" in out
    assert "Use out/labels.parquet: 300 rows are labelled" in out
    assert out.rstrip().endswith("Look at: out/report.html")
    edit(news / "labelers.py", '"election|minister"', '"nothing"')
    found = json.loads(call(capfd, "run", "--json").out)
    assert found["since"]["counting votes"][1] == found["figures"]["counting votes"]
    again = call(capfd, "run").out
    assert again.startswith("Everything is up to date: vote, fit, train")
    assert "Since" not in again  # nothing was done
    assert "Right on " in again  # but all else is told again
    assert "Do next: " in again


def test_a_stage_that_found_too_little_is_marked(tmp_path, monkeypatch, capfd):
    home = tmp_path / "news"
    make(home, labelers="from shortlist import pattern\n\nrare = pattern('w7.*w8', yes='sports', name='rare')\n")
    edit(home / "shortlist.toml", '["shares", "profit"]', '["nowhere"]')
    monkeypatch.chdir(home)
    out = call(capfd, "run").out
    assert "!  vote" in out
    assert "✓  export" in out


def test_the_report_shows_votes_and_text(news, capfd):
    page = page_after(capfd, news, "run")
    assert "<dt>votes and text</dt>" in page
    assert "<dt>text alone</dt>" in page
    assert "Everything is up to date" in call(capfd, "run").out


def test_files_of_a_classifier_that_is_no_longer_wanted_are_called_old(news, capfd):
    """`kind = "none"` left predictions of an earlier run in the folder, and nothing said so."""
    assert "Left over" not in call(capfd, "run").out
    edit(news / "shortlist.toml", 'kind = "linear"', 'kind = "none"')
    old = "Left over from an earlier run: out/classifier.npz, out/joint.npz."
    assert old in call(capfd, "run").out
    assert old in call(capfd, "run").out  # the second time, nothing is to do
    assert json.loads(call(capfd, "run", "--json").out)["old"] == ["out/classifier.npz", "out/joint.npz"]
    (news / "out" / "classifier.npz").unlink()
    assert "earlier run: out/joint.npz." in call(capfd, "run").out


HARD = "12 of the gold rows were picked because they are hard, so these scores may be too low."
FAIR = "For a fair score: shortlist label --random"


def test_scores_on_rows_that_are_hard_are_called_too_low(tmp_path):
    """70 % on rows that `shortlist label` had picked, where 82 % of all rows were right, and nothing said so."""
    told = outcomes()
    told[0].facts.update(gold_hard=12)
    assert f"{HARD} {FAIR}" in list(run_summary(told, History(tmp_path / "none.json")))


def test_where_there_is_no_score_none_is_called_too_low(tmp_path):
    """No gold row had a vote: "these scores are too low" followed no score."""
    fit = {"gold_rows": 3, "gold_voted": 0, "gold_hard": 3}
    lines = list(run_summary([Outcome("fit", "done", ("m.npz",), fit)], History(tmp_path / "none.json")))
    assert lines == [f"3 of the gold rows were picked because they are hard. {FAIR}"]


def test_the_report_says_where_gold_rows_fit(news, capfd):
    """Only the terminal said so."""
    assert "Gold rows take part" not in page_after(capfd, news, "report")
    gold_fits(news)
    page = page_after(capfd, news, "report")
    assert "Gold rows take part in the fit" in page
    assert "scored by models that have not seen" in page


def test_the_report_says_where_gold_rows_are_hard_ones(news, capfd):
    assert "picked because" not in page_after(capfd, news, "report")
    session = Project(news).session
    session.gold_file.add(*(entry_for(session.rows, row, ["sports"], "gain") for row in (1, 2)))
    told = "2 of the gold rows were picked because they are hard, so figures on gold rows may be too low"
    assert told in page_after(capfd, news, "report")


def gold_fits(folder):
    edit(folder / "shortlist.toml", "[classifier]", "[label_model]\nuse_gold = true\n\n[classifier]")


def page_after(capfd, folder, command):
    call(capfd, command)
    return (folder / "out" / "report.html").read_text()


def test_ties_in_a_count_of_votes_are_told():
    """63.2 % of 120 rows is no number of rows."""
    fit = {"gold_rows": 120, "gold_voted": 120, "counting": 75.84 / 120}
    assert run_scores({"fit": fit})[0] == (
        "Right on 120 gold rows; where classes tie in a count of votes, they share the row"
    )
    assert run_scores({"fit": fit | {"counting": 76 / 120}})[0] == "Right on 120 gold rows"
