"""Rows on a screen: show, why, check --gold, and labels to and from elsewhere."""

import json
import re
from pathlib import Path

import polars as pl
import pytest

from shortlist import Project
from shortlist.browse.labeling import random_rows
from shortlist.cli.screen import Screen
from shortlist.cli.show import show_edit, show_first
from shortlist.project.watch import Watch
from tests.cli.shell import call
from tests.project.news import TOML, edit, make


@pytest.fixture
def folder(tmp_path):
    make(tmp_path)
    return str(tmp_path)


def test_rows_of_a_labeler_with_matched_words_marked(folder, capfd):
    ended = call(capfd, "show", "polls", "--limit", "3", "-C", folder)
    assert ended.code == 0
    assert "[[election]]" in ended.out or "[[minister]]" in ended.out
    assert "3 of 99 rows; `--limit 30` shows more" in ended.out


@pytest.mark.parametrize("command", [["show", "--text", "hostile"], ["why", "h\x1b[2J1"]])
def test_rows_do_not_write_to_the_terminal(tmp_path, capfd, command):
    """attack.md 10: a row could set the clipboard, clear the screen, turn text around."""
    project = make(tmp_path)
    table = pl.read_csv(tmp_path / "news.csv", infer_schema_length=0)
    row = {"id": "h\x1b[2J1", "body": "a hostile goal \x1b]52;c;ZXZpbA==\x1b\\ \u202e match \x9b2J"}
    pl.concat([table, pl.DataFrame([row])], how="diagonal").write_csv(tmp_path / "news.csv")
    ended = call(capfd, *command, "-C", str(project.folder))
    assert ended.code == 0
    assert "hostile" in ended.out
    assert not re.search("[\x1b\x9b\u202e]", ended.out)


def test_no_row_is_told_in_words(folder, capfd):
    assert call(capfd, "show", "--text", "no row holds this", "-C", folder).out == "no row matches\n"


def test_what_is_asked_for_is_what_is_shown(folder, capfd):
    ended = call(capfd, "show", "--class", "sports", "--gold", "?", "--unsure", "--limit", "5", "--json", "-C", folder)
    found = json.loads(ended.out)
    assert len(found["rows"]) == 5 <= found["found"]
    assert all(row["class"] == "sports" and row["gold"] for row in found["rows"])


def test_who_fits_with_gold_labels_is_told_that_wrong_rows_were_seen(folder, capfd):
    told = "note: use_gold is on: the model was fitted with these labels, so it gets fewer of them wrong"
    assert told not in call(capfd, "show", "--wrong", "-C", folder).err
    edit(Path(folder) / "shortlist.toml", "[classifier]", "[label_model]\nuse_gold = true\n\n[classifier]")
    assert told in call(capfd, "show", "--wrong", "-C", folder).err
    assert told not in call(capfd, "show", "power", "--wrong", "-C", folder).err


def test_mistakes_are_told_in_a_line(folder, capfd):
    ended = call(capfd, "show", "polls", "--votes", "sprots", "-C", folder)
    assert ended.code == 3
    assert "Did you mean 'sports'?" in ended.err
    assert call(capfd, "why", "doc999", "-C", folder).code == 3


def test_why_adds_up(folder, capfd):
    found = json.loads(call(capfd, "why", "doc12", "--json", "-C", folder).out)
    assert found["log_odds"] == pytest.approx(found["start"] + sum(move["added"] for move in found["moves"]))
    assert "total" in call(capfd, "why", "doc12", "-C", folder).out


def test_a_row_without_votes_is_not_explained_by_votes(tmp_path, capfd):
    """`why` showed a table of zeros for two classes, although the label was another one, by the text."""
    project = make(tmp_path)
    edit(tmp_path / "news.csv", "\ndoc5,", "\nblank,w1 w2 w3,,0\ndoc5,")
    project.run(["train"])
    shown = call(capfd, "why", "blank", "-C", str(tmp_path)).out
    assert "comes from its text" in shown
    assert "total" not in shown


def test_gold_labels_that_look_wrong(tmp_path, capfd):
    make(tmp_path)
    text = (tmp_path / "news.csv").read_text()
    line = next(one for one in text.splitlines() if "match" in one and ",sports," in one)
    (tmp_path / "news.csv").write_text(text.replace(line, line.replace(",sports,", ",business,")))
    found = json.loads(call(capfd, "check", "--gold", "--json", "-C", str(tmp_path)).out)
    assert [row["id"] for row in found["rows"]] == [line.split(",")[0]]
    assert "1 of 100 gold labels looks wrong by votes." in call(capfd, "check", "--gold", "-C", str(tmp_path)).out
    Project(tmp_path).run(["train"])
    found = call(capfd, "check", "--gold", "-C", str(tmp_path)).out
    assert "1 of 100 gold labels looks wrong by votes and text." in found


def test_check_gold_without_any_says_what_to_do(tmp_path, capfd):
    make(tmp_path, toml=TOML.replace('gold = "label"\n', ""))
    ended = call(capfd, "check", "--gold", "-C", str(tmp_path))
    assert ended.code == 3
    assert "shortlist label" in ended.err


def test_labels_go_elsewhere_and_come_back(folder, capfd, tmp_path):
    tasks = tmp_path / "tasks.json"
    assert call(capfd, "label", "--export", str(tasks), "--limit", "4", "-C", folder).code == 0
    answers = json.loads(tasks.read_text())
    for task in answers:
        task["annotations"] = [{"result": [{"type": "choices", "value": {"choices": ["sports"]}}]}]
    tasks.write_text(json.dumps(answers))
    ended = call(capfd, "label", "--import", str(tasks), "--json", "-C", folder)
    assert json.loads(ended.out)["labelled"] == len(answers) == 4
    assert (tmp_path / "gold.jsonl").read_text().count('["sports"], "picked": "gain"') == 4
    assert call(capfd, "label", "--export", str(tasks), "--limit", "4", "--random", "-C", folder).code == 0
    drawn = [task["data"] for task in json.loads(tasks.read_text())]
    assert [one["row"] for one in drawn] == random_rows(Project(folder).session, 4)
    assert {one["picked"] for one in drawn} == {"random"}


def test_one_answer_is_one_row(folder, capfd, tmp_path):
    tasks = tmp_path / "tasks.json"
    call(capfd, "label", "--export", str(tasks), "--limit", "2", "-C", folder)
    answers = json.loads(tasks.read_text())
    answers[0]["annotations"] = [{"result": [{"type": "choices", "value": {"choices": ["sports"]}}]}]
    tasks.write_text(json.dumps(answers))
    assert "1 row labelled, 1 without an answer → " in call(capfd, "label", "--import", str(tasks), "-C", folder).out


def test_nobody_at_a_terminal_is_told(folder, capfd):
    ended = call(capfd, "label", "-C", folder)
    assert ended.code == 3
    assert "terminal" in ended.err


def test_an_accuracy_is_known_to_watch_where_it_is_known_to_fit(tmp_path, capfd):
    make(tmp_path)
    watch = Watch(tmp_path)
    watch.look()
    edit(tmp_path / "labelers.py", 'WORDS = ["goal", "match"]', 'WORDS = ["goal"]')
    edit(tmp_path / "labelers.py", 'name="polls"', 'name="votes"')
    assert show_edit(Screen(), watch, debug=True)
    out = capfd.readouterr().out
    assert re.search(r"sport +[\d.]+% → [\d.]+% +[\d.]+% → [\d.]+% +not known +[\d.]+% → ", out)
    assert re.search(r"votes +– → [\d.]+% +– → [\d.]+% +– → not known +– → ", out)
    assert re.search(r"power .*%", out)


def test_the_share_of_gold_rows_with_a_vote_stands_beside_how_many_are_right(tmp_path, capfd):
    """A labeler that fell silent where it was wrong seemed to set rows right."""
    make(tmp_path)
    watch = Watch(tmp_path)
    watch.look()
    edit(tmp_path / "labelers.py", 'WORDS = ["goal", "match"]', 'WORDS = ["nothing"]')
    assert show_edit(Screen(), watch, debug=True)
    out = capfd.readouterr().out
    voted = re.search(r"\ngold rows with a vote +([\d.]+)% +([\d.]+)%", out)
    assert float(voted[2]) < float(voted[1]) <= 100
    assert re.search(r"\nright on gold rows with a vote +[\d.]+% +[\d.]+% +[+-][\d.]+", out)


def test_labelers_that_fail_are_told_for_as_long_as_they_do(tmp_path, capfd):
    """With `on_error = "abstain"`, watch said nothing about them; `run` and `check` did."""
    make(tmp_path, toml=f'{TOML}\n[labelers]\non_error = "abstain"\n')
    watch = Watch(tmp_path)
    watch.look()
    show_first(Screen(), watch.last, watch.failed)
    assert "failed on" not in capfd.readouterr().out
    power = '    if "president" in text:'
    edit(tmp_path / "labelers.py", power, f'    if "team" in text:\n        1 / 0\n{power}')
    assert show_edit(Screen(), watch, debug=True)
    told = (
        r"! labeler 'power' failed on \d+ rows and abstained there: labelers.py, line 22, row \d+: ZeroDivisionError: "
    )
    assert re.search(told, capfd.readouterr().out)
    edit(tmp_path / "labelers.py", 'name="polls"', 'name="votes"')
    assert show_edit(Screen(), watch, debug=True)
    assert re.search(told, capfd.readouterr().out)
    edit(tmp_path / "labelers.py", "        1 / 0\n", "        return None\n")
    assert show_edit(Screen(as_json=True), watch, debug=True)
    assert '"failed": []' in capfd.readouterr().out
