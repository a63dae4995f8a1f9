"""Prompts in a project: from the toml to votes, what is asked again, what is kept when a run is killed."""

import json
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

from shortlist.errors import BudgetSpent, ModelFailed
from shortlist.project import Project
from shortlist.project.toml import BadProject
from shortlist.project.watch import Watch
from shortlist.prompts.score_store import prompt_keys
from tests.cli.shell import COMMAND, call, environment
from tests.models import fake_server as fake
from tests.models.fake_server import FakeServer

TOML = """version = 1
classes = ["person", "place", "number"]

[data]
files = ["rows.csv"]
text = "body"

[models.m]
kind = "http"
url = "URL"
model = "m"
wait = 0.001
price = { input = 1.0, output = 1.0 }

[[labeler]]
kind = "choose"
name = "kind"
prompt = "{text} is about a"
answers = { " person" = "person", " place" = ["place"], " number" = "number" }
model = "m"
margin = 0.1

[[labeler]]
kind = "ask"
name = "place"
question = "Is {text} about a place? ({id})"
yes = "place"
no = { not = "place" }
model = "m"

[[labeler]]
kind = "pattern"
name = "even"
regex = "[02468]$"
yes = "person"
no = { not = "person" }

[output]
stages = ["vote", "fit"]
"""


@pytest.fixture
def server():
    with FakeServer() as running:
        yield running


def make(folder, server, rows=40, **edits):
    folder.mkdir(exist_ok=True)
    pl.DataFrame({"id": range(rows), "body": [f"row {i}" for i in range(rows)]}).write_csv(folder / "rows.csv")
    return edit(folder, server, TOML)


def edit(folder, server, toml):
    (folder / "shortlist.toml").write_text(toml.replace("URL", server.url))
    return Project(folder)


def test_only_what_is_new_is_asked(tmp_path, server):
    project = make(tmp_path, server)
    votes = project.votes
    assert len(server.asked) == 80
    assert votes.names == ("kind", "place", "even")
    assert server.asked.count("Is row 7 about a place? (7)\nAnswer yes or no:") == 1

    edit(tmp_path, server, TOML.replace("margin = 0.1", "margin = 0.4\nwiden = true\ncalibrate = true"))
    assert Project(tmp_path).votes != votes  # other votes, and no call
    assert len(server.asked) == 80

    with (tmp_path / "rows.csv").open("a") as file:
        file.write("40,row 40\n41,row 41\n")
    assert len(Project(tmp_path).votes) == 42
    assert len(server.asked) == 84

    Project(tmp_path).run(["vote"], force=True)
    assert len(server.asked) == 84


def test_watch_asks_only_what_is_new(tmp_path, server):
    make(tmp_path, server)
    watch = Watch(tmp_path)
    watch.look()
    asked = len(server.requests)
    edit(tmp_path, server, TOML.replace("margin = 0.1", "margin = 0.5"))
    change = watch.look()
    assert change.edits == {"kind": "edited"}
    assert len(server.requests) == asked


def test_plan_and_what_was_spent(tmp_path, server, capfd):
    make(tmp_path, server)
    ended = call(capfd, "plan", "-C", str(tmp_path))
    assert "80 calls" in ended.out
    assert not server.requests
    project = Project(tmp_path)
    project.run()
    spent = {one.labeler: one for one in project.spent}
    assert spent["place"].calls == 40
    assert sum(one.answered for one in spent.values()) == 80
    assert "0 calls" in call(capfd, "plan", "-C", str(tmp_path)).out
    page = project.report().read_text()
    assert "Cost so far, over all runs" in page
    assert re.search(r"<td>m at [^<]*</td><td>40</td><td>440</td>", page)


def test_a_labeler_that_is_not_saved_yet(tmp_path, server):
    project = make(tmp_path, server)
    answers = {" person": "person", " place": {"not": "person"}}
    record = {"kind": "choose", "prompt": "{text}!", "answers": answers, "model": "m"}
    assert project.plan(record).calls == 40
    assert not server.requests
    shown = project.preview(record, [3, 1])
    assert shown["prompt"].to_list() == ["row 3!", "row 1!"]
    assert shown["said"].null_count() == 0
    assert sorted(server.asked) == ["row 1!", "row 3!"]
    assert project.plan(record).calls == 38
    with pytest.raises(BadProject, match="'personn' is not a class"):
        project.plan(record | {"answers": {" a": "personn", " b": "place"}})


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ('model = "m"\nmargin', 'model = "mm"\nmargin', 20, "no model 'mm'. Did you mean 'm'"),
        ("wait = 0.001", "waiit = 0.001", 12, "'waiit'"),
        ('kind = "http"', 'kind = "htp"', 9, "no kind of model"),
        ('"{text} is about a"', '"{text is about a"', 18, "columns are written {text}"),
        ('" place" = ["place"]', '" place" = ["plaice"]', 19, "'plaice' is not a class"),
        ("margin = 0.1", "margin = 7", 21, "margin"),
        ("price = { input = 1.0, output = 1.0 }", "budget = { money = 1.0 }", 13, "needs a price"),
    ],
)
def test_mistakes_are_told_at_their_line(old, new, line, what, tmp_path, server):
    make(tmp_path, server)
    with pytest.raises(BadProject) as raised:
        edit(tmp_path, server, TOML.replace(old, new)).run(["vote"])
    assert what in str(raised.value)
    assert raised.value.line == line
    assert not server.requests


def test_a_column_that_is_not_there_is_found_before_a_call(tmp_path, server):
    make(tmp_path, server)
    with pytest.raises(Exception, match="no column is called 'titel'"):
        edit(tmp_path, server, TOML.replace("({id})", "({titel})").replace("{text} is", "{titel} is")).run(["vote"])
    assert not server.asked


def test_failures_are_told_in_one_line(tmp_path, server, capfd):
    make(tmp_path, server)
    server.behave = fake.status(401)
    ended = call(capfd, "run", "-C", str(tmp_path))
    assert ended.code == 3
    assert len(ended.err.strip().splitlines()) == 1
    assert "asks for a key (HTTP 401" in ended.err


def test_a_budget_in_the_toml(tmp_path, server):
    make(tmp_path, server)
    project = edit(tmp_path, server, TOML.replace("price =", "budget = { calls = 20 }\nprice ="))
    with pytest.raises(BudgetSpent, match=r"budget\.calls"):
        project.run(["vote"])
    assert len(server.requests) <= 20 + 8  # the trials at the beginning are known only when they are done
    edit(tmp_path, server, TOML).run(["vote"])
    assert len(server.asked) == len(set(server.asked)) == 80


def test_refusals_are_notes_of_the_run(tmp_path, server):
    project = make(tmp_path, server)
    server.reactions = [fake.refusal] * 3
    (outcome,) = project.run(["vote"])
    assert any("3 prompts have no answer (3 refused)" in note for note in outcome.notes)


def test_above_the_share_of_failures_it_is_an_error_and_nothing_is_lost(tmp_path, server):
    project = make(tmp_path, server)
    server.behave = lambda request: (
        fake.status(500)(request) if request.prompt.startswith("row 1") else fake.content_style(request)
    )
    with pytest.raises(ModelFailed, match=r"\d+ failed"):
        project.run(["vote"])
    answered = set(server.answered)
    server.behave, server.requests = fake.content_style, []
    Project(tmp_path).run(["vote"])
    assert not answered & set(server.asked)


def known_prompts(folder, url, prompts):
    """Those of some prompts whose scores are kept."""
    keys = prompt_keys(f"m at {url}", (" person", " place", " number"))
    with sqlite3.connect(folder / ".shortlist" / "scores.db") as file:
        (there,) = file.execute("SELECT count(*) FROM sqlite_master WHERE name = 'scores'").fetchone()
        kept = {key for (key,) in file.execute("SELECT key FROM scores")} if there else set()
    file.close()
    return {prompt for prompt in prompts if keys(prompt) in kept}


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path, server):
    """The same votes as undisturbed, and no prompt whose answer was kept is ever asked again."""
    undisturbed = make(tmp_path / "whole", server, rows=400).votes
    draw, kills = random.Random(0), 0
    server.behave, server.requests = fake.slow(0.02), []
    folder = tmp_path / "killed"
    make(folder, server, rows=400)
    prompts = {f"row {i} is about a" for i in range(400)}
    while True:
        kept = known_prompts(folder, server.url, prompts) if (folder / ".shortlist" / "scores.db").exists() else set()
        begin, before = len(server.requests), len(server.asked)
        with subprocess.Popen([*COMMAND, "vote"], cwd=folder, env=environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:  # fmt: skip
            deadline = time.monotonic() + 60
            aim = begin + draw.randrange(20, 200)
            while process.poll() is None and len(server.requests) < aim and time.monotonic() < deadline:
                time.sleep(0.002)
            done = process.poll() is not None
            if not done:
                process.send_signal(signal.SIGKILL)
            process.communicate()
        assert not kept & set(server.asked[before:])
        if done:
            assert process.returncode == 0
            break
        kills += 1
    assert kills >= 3
    assert Project(folder).votes == undisturbed
    again = len(server.asked) - len(set(server.asked))
    assert again <= 8 * kills  # those under way when it was killed: nobody had their answers


@pytest.mark.slow
def test_two_processes_share_what_is_kept(tmp_path, server):
    server.behave = fake.slow(0.005)
    code = (
        "from shortlist import apply, choose\nfrom shortlist.models import HTTP\n"
        f"lm = HTTP({server.url!r}, 'm', kept='shared.db', at_once=4)\n"
        "kind = choose('{text}', {' person': 'a', ' place': 'b'}, model=lm)\n"
        "print(apply(kind, [f'row {i}' for i in range(300)]).codes.sum())\n"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    told = {process.communicate(timeout=120)[0] for process in started}
    assert len(told) == 1
    assert sorted(server.asked) == sorted(f"row {i}" for i in range(300))


QUESTIONS = {
    "person": ["Who wrote {}?", "Who is the author of {}?", "Which person made {}?"],
    "place": ["Where is {}?", "In which city is {}?", "What country is {} in?"],
    "number": ["How many people saw {}?", "How many pages has {}?", "How much is {}?"],
}
THINGS = ["Hamlet", "the Mona Lisa", "the tower", "the book", "the statue", "the bridge"]


@pytest.mark.slow
def test_the_whole_way_with_a_real_server(tmp_path, llama_url):
    """toml → run → votes → label model → classifier, with a small real model on localhost."""
    rows = [(form.format(thing), name) for name, forms in QUESTIONS.items() for form in forms for thing in THINGS]
    texts, gold = zip(*rows, strict=True)
    pl.DataFrame({"body": texts, "gold": gold}).write_csv(tmp_path / "rows.csv")
    toml = TOML.replace("URL", llama_url).replace('text = "body"', 'text = "body"\ngold = "gold"')
    toml = toml.replace("{text} is about a", "{text}\\nThe answer is the name of a").replace(" ({id})", "")
    toml = toml.replace('stages = ["vote", "fit"]', 'stages = ["vote", "fit", "train", "export", "report"]')
    (tmp_path / "shortlist.toml").write_text(toml)
    project = Project(tmp_path)
    outcomes = {one.stage: one for one in project.run()}
    assert [one.status for one in outcomes.values()] == ["done"] * len(outcomes)
    votes, labels = project.votes, project.labels
    assert votes.shape == (54, 3)
    assert (votes.codes[:, 0] != 0).mean() > 0.5
    assert len(labels) == 54
    assert labels["class"].null_count() == 0
    assert set(labels["class"]) <= set(QUESTIONS)
    (kind, place) = project.spent
    assert (kind.answered, place.answered) == (54, 54)
    assert [one.status for one in Project(tmp_path).run()] == ["up to date"] * len(outcomes)
    assert np.isfinite(project.model.accuracy_).all()


def test_the_first_rows_are_tried_and_nothing_is_saved_but_answers(tmp_path, server, capfd):
    make(tmp_path, server)
    planned = json.loads(call(capfd, "plan", "--first", "3", "--json", "-C", str(tmp_path)).out)
    assert (planned["calls"], planned["seconds"], len(server.asked)) == (6, None, 0)
    tried = json.loads(call(capfd, "vote", "--first", "3", "--json", "-C", str(tmp_path)).out)
    assert len(server.asked) == 6
    assert [line["row"] for line in tried["rows"]] == [0, 1, 2]
    assert tried["rows"][0]["votes"]["even"] == ["person"]
    assert (tried["plan"]["calls"], tried["plan"]["seconds"] > 0) == (74, True)
    assert not (tmp_path / "out" / "votes.json").exists()
    shown = call(capfd, "vote", "--first", "3", "-C", str(tmp_path)).out
    assert shown.startswith("0  row 0\n   ")
    assert "All rows: 74 calls, about" in shown
    assert len(server.asked) == 6
    votes = Project(tmp_path).votes
    for line in tried["rows"]:
        assert {name: list(said) for name, said in votes.said(line["row"]).items()} == line["votes"]


def test_a_labeler_that_fails_on_the_first_rows_is_named(tmp_path, server, capfd):
    make(tmp_path, server)
    (tmp_path / "labelers.py").write_text(
        "from shortlist import labeler\n\n@labeler(says=['person'])\ndef bad(body):\n    return body.nothing\n"
    )
    failed = call(capfd, "vote", "--first", "2", "-C", str(tmp_path))
    assert failed.code == 3
    assert "labelers.py, line 5: labeler 'bad' failed on row 0" in failed.err
