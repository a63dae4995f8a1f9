"""How `shortlist run` ends: how good it is, what changed, what to do, where to look."""

import json

import pytest

from shortlist import Project
from shortlist.cli.run_summary import run_summary
from shortlist.project.cache import History, Run
from shortlist.project.gold import entry_for
from shortlist.project.stages.stage import Outcome
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
    history.runs = [Run({"label model": 0.5, "classifier": 0.8}), Run({"label model": 0.7, "classifier": 0.8})]
    assert list(run_summary(outcomes(), history)) == [
        "Right on 1,234 gold rows: label model 70.0%, counting votes 60.0%, classifier 80.0%.",
        "Since last time: label model 50.0% → 70.0%.",
        "Do next: Mend film. (2 suggestions: shortlist check)",
        "Look at: out/report.html",
    ]


def test_other_gold_rows_are_told_beside_the_change(tmp_path):
    """56 of 60 → 56 of 62 looked as if an edit had done harm."""
    history = History(tmp_path / "history.json")
    history.runs = [Run({"label model": 56 / 60}, 60, 60), Run({"label model": 56 / 62}, 62, 62)]
    line = "Since last time (60 → 62 gold rows): label model 93.3% → 90.3%."
    assert line in list(run_summary(outcomes(), history))
    history.runs[-1] = Run({"label model": 0.9}, 60, 50)
    line = "Since last time (60 → 50 gold rows with a vote): label model 93.3% → 90.0%."
    assert line in list(run_summary(outcomes(), history))


def test_a_model_below_counting_is_told(tmp_path):
    history = History(tmp_path / "history.json")
    told = outcomes(0.5, 0.6)
    told[0].facts["below_counting"] = True
    worse = (
        "The label model does worse here than counting votes: it is right on 617 of 1,234 gold rows, counting on 740."
    )
    assert f"{worse} Follow the advice below, then run again." in list(run_summary(told, history))
    told[1].facts["advice"] = []
    assert worse in list(run_summary(told, history))
    told[0].facts["below_counting"] = False
    assert "worse" not in " ".join(run_summary(told, history))


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
    assert "Right on 100 gold rows: label model " in out
    assert out.rstrip().endswith("Look at: out/report.html")
    edit(news / "labelers.py", '"election|minister"', '"nothing"')
    found = json.loads(call(capfd, "run", "--json").out)
    assert found["since"]["counting votes"][1] == found["figures"]["counting votes"]
    again = call(capfd, "run").out
    assert again.startswith("Everything is up to date: vote, fit, check")
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


def test_the_report_shows_the_classifier_once_it_is_trained(news, capfd):
    assert "<dt>classifier</dt>" not in page_after(capfd, news, "report")
    assert "<dt>classifier</dt>" in page_after(capfd, news, "run")
    assert "Everything is up to date" in call(capfd, "run").out


def test_rows_without_a_vote_are_told_apart(tmp_path):
    """22 of 150 gold rows without a vote, and so without a label, were counted as right or wrong."""
    fit = {"accuracy": 0.75, "counting": 0.5, "gold_rows": 150, "gold_voted": 128}
    told = [Outcome("fit", "done", (), fit), Outcome("predict", "done", (), {"accuracy": 0.9, "gold_rows": 150})]
    assert list(run_summary(told, History(tmp_path / "none.json"))) == [
        "Right on the 128 gold rows with a vote (22 have none): label model 75.0%, counting votes 50.0%.",
        "Right on all 150 gold rows: classifier 90.0%.",
    ]


@pytest.mark.parametrize(
    ("model", "classifier", "line"),
    [
        (0.75, 0.9, "Use p.parquet: right on 135 of 150 gold rows (l.parquet: 96)."),
        (1.0, 0.8, "Use l.parquet: right on 128 of 150 gold rows (p.parquet: 120)."),
        (0.9375, 0.8, "Use l.parquet or p.parquet: both are right on 120 of 150 gold rows."),
        (None, None, "Two files of labels: l.parquet (rows with a vote) and p.parquet (every row, by the classifier)."),
    ],
)
def test_which_file_to_use(tmp_path, model, classifier, line):
    """Labels and predictions were written, and nobody said which are better."""
    fit = {"accuracy": model, "counting": model, "gold_rows": 150, "gold_voted": 128}
    told = [
        Outcome("fit", "done", ("m.npz",), fit),
        Outcome("export", "done", ("l.parquet",), {}),
        Outcome("predict", "done", ("p.parquet",), {"accuracy": classifier, "gold_rows": 150}),
    ]
    assert line in list(run_summary(told, History(tmp_path / "none.json")))


@pytest.mark.parametrize(
    ("model", "counting", "classifier", "frequent", "line"),
    [
        (60, 90, 60, 40, "Do not use l.parquet or p.parquet yet: they are right on 60 and 60 of 150 gold rows, "
                         "counting votes on 90."),
        (60, 90, 95, 40, "Use p.parquet: right on 95 of 150 gold rows (l.parquet: 60)."),
        (60, 60, 65, 70, "Do not use l.parquet or p.parquet yet: they are right on 60 and 65 of 150 gold rows, "
                         "always answering 'bug' on 70."),
        (50, 70, 65, 80, "Do not use l.parquet or p.parquet yet: they are right on 50 and 65 of 150 gold rows, "
                         "always answering 'bug' on 80, counting votes on 70."),
        (60, 60, None, 70, "Do not use l.parquet yet: it is right on 60 of 150 gold rows, "
                           "always answering 'bug' on 70."),
        (60, 60, 65, 60, "Use p.parquet: right on 65 of 150 gold rows (l.parquet: 60)."),
    ],
)  # fmt: skip
def test_no_file_is_recommended_that_something_simpler_outdoes(tmp_path, model, counting, classifier, frequent, line):
    """`Use out/labels.parquet`, said `run`, and in the line above, that counting votes does better."""
    fit = {"accuracy": model / 100, "counting": counting / 100, "gold_rows": 150, "gold_voted": 100}
    fit |= {"below_counting": counting > model}
    fit |= {"frequent": {"class": "bug", "gold_rows": frequent, "gold_voted": frequent}}
    told = [Outcome("fit", "done", ("m.npz",), fit), Outcome("export", "done", ("l.parquet",), {})]
    if classifier is not None:
        told.append(Outcome("predict", "done", ("p.parquet",), {"accuracy": classifier / 150, "gold_rows": 150}))
    lines = list(run_summary(told, History(tmp_path / "none.json")))
    assert line in lines
    assert sum("Use " in one or "Do not use" in one for one in lines) == 1


def test_labels_of_few_rows_may_be_of_use_where_predictions_are_not(tmp_path):
    fit = {"accuracy": 0.9, "counting": 0.9, "gold_rows": 150, "gold_voted": 50, "below_counting": False}
    fit |= {"frequent": {"class": "bug", "gold_rows": 100, "gold_voted": 20}}
    told = [
        Outcome("fit", "done", ("m.npz",), fit),
        Outcome("export", "done", ("l.parquet",), {}),
        Outcome("predict", "done", ("p.parquet",), {"accuracy": 0.6, "gold_rows": 150}),
    ]
    line = "Use l.parquet: right on 45 of 150 gold rows (p.parquet: worse than always answering 'bug')."
    assert line in list(run_summary(told, History(tmp_path / "none.json")))


def test_hard_gold_rows_are_not_compared_with_the_most_frequent_class(tmp_path):
    """Rows that were picked because they are hard are seldom labelled right, whatever the labels are worth."""
    fit = {"accuracy": 0.3, "counting": 0.3, "gold_rows": 100, "gold_voted": 100, "below_counting": False}
    fit |= {"frequent": {"class": "bug", "gold_rows": 40, "gold_voted": 40}, "gold_hard": 60}
    told = [
        Outcome("fit", "done", ("m.npz",), fit),
        Outcome("export", "done", ("l.parquet",), {}),
        Outcome("predict", "done", ("p.parquet",), {"accuracy": 0.35, "gold_rows": 100}),
    ]
    lines = list(run_summary(told, History(tmp_path / "none.json")))
    assert "Use p.parquet: right on 35 of 100 gold rows (l.parquet: 30)." in lines


def test_files_of_a_classifier_that_is_no_longer_wanted_are_called_old(news, capfd):
    """`kind = "none"` left predictions of an earlier run in the folder, and nothing said so."""
    assert "Left over" not in call(capfd, "run").out
    edit(news / "shortlist.toml", 'kind = "linear"', 'kind = "none"')
    old = "Left over from an earlier run: out/classifier.npz, out/predictions.parquet."
    assert old in call(capfd, "run").out
    assert old in call(capfd, "run").out  # the second time, nothing is to do
    assert json.loads(call(capfd, "run", "--json").out)["old"] == ["out/classifier.npz", "out/predictions.parquet"]
    (news / "out" / "classifier.npz").unlink()
    assert "earlier run: out/predictions.parquet." in call(capfd, "run").out


HARD = "12 of the gold rows were picked because they are hard, so these scores may be too low."
FAIR = "For a fair score: shortlist label --random"


@pytest.mark.parametrize(
    ("others", "line"),
    [
        ({"gold_voted": 50, "accuracy": 0.819, "counting": 0.8},
         f"{HARD} On the other 50 with a vote: label model 81.9%, counting votes 80.0%."),
        ({"gold_voted": 9, "accuracy": 1.0, "counting": 1.0},
         f"{HARD} On the other 9 with a vote: label model 100.0%, counting votes 100.0%. {FAIR}"),
        ({"gold_voted": 0}, f"{HARD} {FAIR}"),
    ],
)  # fmt: skip
def test_scores_on_rows_that_are_hard_are_called_too_low(tmp_path, others, line):
    """70 % on rows that `shortlist label` had picked, where 82 % of all rows were right, and nothing said so."""
    told = outcomes()
    told[0].facts.update(gold_hard=12, others=others)
    lines = list(run_summary(told, History(tmp_path / "none.json")))
    assert lines[0].startswith("Right on 1,234 gold rows")
    assert lines[1] == line


def test_where_there_is_no_score_none_is_called_too_low(tmp_path):
    """No gold row had a vote: "these scores are too low" followed no score."""
    fit = {"gold_rows": 3, "gold_voted": 0, "gold_hard": 3, "others": {"gold_voted": 0}}
    lines = list(run_summary([Outcome("fit", "done", ("m.npz",), fit)], History(tmp_path / "none.json")))
    assert lines == [f"3 of the gold rows were picked because they are hard. {FAIR}"]


def test_the_report_says_where_gold_rows_fit(news, capfd):
    """Only the terminal said so."""
    assert "Gold rows take part" not in page_after(capfd, news, "report")
    gold_fits(news)
    page = page_after(capfd, news, "report")
    assert "Gold rows take part in the fit" in page
    assert "The score of the classifier" in page


def test_the_report_says_where_gold_rows_are_hard_ones(news, capfd):
    assert "picked because" not in page_after(capfd, news, "report")
    session = Project(news).session
    session.gold_file.add(*(entry_for(session.rows, row, ["sports"], "gain") for row in (1, 2)))
    told = "2 of the gold rows were picked because they are hard, so figures on gold rows may be too low"
    assert told in page_after(capfd, news, "report")


def test_who_learned_from_gold_rows_is_not_recommended_by_them(news, capfd):
    """A classifier that was scored on rows it had learned from was named as the better one."""
    assert "Use out/" in call(capfd, "run").out
    gold_fits(news)
    told = call(capfd, "run")
    assert "note: fit: Gold rows take part in the fit." in told.err
    for out in (told.out, call(capfd, "run").out):  # the second time, nothing is to do
        assert "classifier 100.0% (too high: it learned from gold rows)" in out
        assert "Two files of labels: out/labels.parquet" in out
        assert "Use " not in out


def gold_fits(folder):
    edit(folder / "shortlist.toml", "[classifier]", "[label_model]\nuse_gold = true\n\n[classifier]")


def page_after(capfd, folder, command):
    call(capfd, command)
    return (folder / "out" / "report.html").read_text()
