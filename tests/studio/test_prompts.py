"""Prompts in the page: the cost is known before anything is sent; a trial; keys stay where they are."""

import json

import pytest

from shortlist.errors import ShortlistError
from shortlist.studio import OpenProject
from shortlist.studio.service import Service
from tests.models.fake_server import FakeServer
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
