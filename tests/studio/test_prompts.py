"""Prompts in the page: the cost is known before anything is sent; a trial; keys stay where they are."""

import json
import signal
import subprocess
import threading
import time
from subprocess import PIPE
from types import SimpleNamespace

import pytest

from shortlist.errors import ShortlistError, Stopped
from shortlist.studio import OpenProject
from shortlist.studio.service import Service
from tests.cli.shell import COMMAND, environment
from tests.models import fake_server as fake
from tests.models.fake_server import FakeServer
from tests.project.news import edit
from tests.project.test_prompts import make

NEW = {
    "kind": "ask",
    "name": "people",
    "question": "Is {text} a person?",
    "yes": "person",
    "no": {"not": "person"},
    "model": "m",
}


@pytest.fixture
def server():
    with FakeServer() as running:
        yield running


@pytest.fixture
def service(tmp_path, server, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "sk-very-secret")
    make(tmp_path / "rows", server, rows=30)
    toml = tmp_path / "rows" / "shortlist.toml"
    toml.write_text(toml.read_text().replace("wait = 0.001", 'wait = 0.001\nkey_env = "SECRET_KEY"'))
    project = OpenProject(tmp_path / "rows")
    project.refresh()
    return Service(project)


def test_the_cost_is_known_before_anything_is_sent(service, server):
    before = len(server.requests)
    seen = service.preview({"record": NEW, "tab": "a", "number": 1})
    assert seen["plan"]["calls"] == 30
    assert seen["plan"]["money"] > 0
    assert len(server.requests) == before


def test_a_trial_asks_about_some_rows_only(service, server):
    before = len(server.asked)
    found = service.tried({"record": NEW, "rows": 3})
    assert len(found["rows"]) == 3
    assert len(server.asked) == before + 3
    assert service.preview({"record": NEW, "tab": "a", "number": 2})["plan"]["known"] == 3


def test_it_is_kept_and_asked(service, server):
    before = len(server.asked)
    service.save({"record": NEW})
    assert len(server.asked) == before + 30
    assert "people" in service.project.current.votes.names
    rule = next(one for one in service.rules({})["rules"] if one["name"] == "people")
    assert rule["record"] == NEW
    assert (
        next(one for one in service.rules({})["rules"] if one["name"] == "kind")["record"]["answers"][" person"]
        == "person"
    )


def test_keys_never_reach_the_page(service):
    asked = [service.overview({}), service.rules({}), service.figures({}), service.rows({"query": {}})]
    asked += [service.preview({"record": NEW, "tab": "a", "number": 3}), service.tried({"record": NEW, "rows": 1})]
    assert "sk-very-secret" not in json.dumps(asked, default=str)


@pytest.mark.parametrize("model", [None, "gpt", {"kind": "http", "url": "http://127.0.0.1:1/v1", "model": "m"}])
def test_only_models_of_the_toml_are_asked(service, server, model):
    before = len(server.requests)
    for work in (service.preview, service.tried, service.save):
        with pytest.raises(ShortlistError):
            work({"record": {**NEW, "model": model}, "tab": "a", "number": 4})
    assert len(server.requests) == before


@pytest.fixture
def patient(service, server):
    """The page while a rule is being saved whose model asks to wait for 500 seconds."""
    server.behave = fake.status(429, Retry_After="500")
    ended, seen = [], []
    service.project.subscribers.append(lambda kind, facts: seen.append((kind, facts)))

    def save():
        try:
            ended.append(service.save({"record": NEW}))
        except ShortlistError as error:
            ended.append(error)

    thread = threading.Thread(target=save)
    before = len(server.requests)
    thread.start()
    until(lambda: len(server.requests) > before)
    yield SimpleNamespace(thread=thread, ended=ended, seen=seen)
    service.project.stop()
    thread.join(30)


def until(true):
    end = time.monotonic() + 30
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_labels_and_edits_go_on_while_a_model_is_waited_for_until_it_is_stopped(service, patient):
    """attack.md 9: no label and no edit was taken until the model had answered, and nothing could stop it."""
    toml = service.project.folder / "shortlist.toml"
    row = service.label({"row": 1, "classes": ["person"]})["row"]
    assert row["gold"] == ["person"]
    service.use_gold({"fits": True})
    service.label({"row": 2, "classes": ["place"]})
    assert patient.thread.is_alive()
    assert ("working", True) in [(kind, facts.get("stops")) for kind, facts in patient.seen]
    service.stop({})
    patient.thread.join(30)
    assert not patient.thread.is_alive()
    (error,) = patient.ended
    assert isinstance(error, Stopped)
    assert "people" not in toml.read_text()
    assert patient.seen[-1][0] == "idle"


def test_a_studio_that_is_closed_waits_for_no_model(service, patient):
    service.project.close()
    patient.thread.join(30)
    assert isinstance(patient.ended[0], Stopped)


def test_labels_while_a_rule_of_an_editor_is_asked_about_are_in_the_next_state(service, server):
    project, waiting, go_on = service.project, threading.Event(), threading.Event()

    def behave(request):
        waiting.set()
        go_on.wait(30)
        fake.content_style(request)

    server.behave = behave
    edit(project.folder / "shortlist.toml", '" person"', '" Person"')
    thread = threading.Thread(target=project.refresh)
    thread.start()
    waiting.wait(30)
    service.label({"row": 1, "classes": ["person"]})
    go_on.set()
    thread.join(60)
    assert project.current.known.classes[1] == "person"
    assert project.session is project.watch.session


def test_what_an_editor_made_can_be_stopped_too(service, server):
    server.behave = fake.status(429, Retry_After="500")
    project = service.project
    edit(project.folder / "shortlist.toml", '" person"', '" Person"')
    thread = threading.Thread(target=project._try_refresh, args=("files edited",))
    before = len(server.requests)
    thread.start()
    until(lambda: len(server.requests) > before)
    service.stop({})
    thread.join(30)
    assert not thread.is_alive()
    assert "stopped" in project.problem


def test_ctrl_c_while_a_model_is_waited_for(tmp_path, server):
    """attack.md 9: the process was still there after 20 s, and a second Ctrl-C showed a traceback."""
    make(tmp_path / "rows", server, rows=30)
    server.behave = fake.status(429, Retry_After="500")
    command = [*COMMAND, "studio", str(tmp_path / "rows"), "--no-browser"]
    with subprocess.Popen(command, env=environment(), stdout=PIPE, stderr=PIPE, text=True) as process:
        assert next(line for line in process.stdout if "token=" in line)
        until(lambda: server.requests)  # it opens the project
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in errors
