"""Requests of the studio with anything in them: each is answered with words, and the project still loads."""

import json
import random

import pytest

from shortlist.project import Project
from shortlist.studio import OpenProject
from shortlist.studio.server import call
from shortlist.studio.service import POSTS, Service
from tests.fuzz.test_fuzz import HOSTILE, runs
from tests.project.news import make

ODD = [
    None, True, False, 0, -1, 7, 2**63, 10**400, 1.5, float("inf"), "", "x", "sports", "power", "money", "\ud800",
    "a\u2028b", "..", "/etc/passwd", "gold.jsonl", "shortlist.toml", "x" * 300, [], ["sports"], [None], [[]], {},
    {"not": 5}, {"a": {}}, *HOSTILE,
]  # fmt: skip
RULE = {"kind": "keywords", "name": "teams", "words": ["team"], "says": "sports", "no": {"not": ["sports"]}}
REQUESTS = {
    "rows": {"query": {"text": "goal", "labeler": "power", "votes": "sports", "unsure": True}, "offset": 0, "limit": 5},
    "why": {"row": 3, "against": "sports"},
    "preview": {"record": RULE, "tab": "a", "number": 1, "replaces": None},
    "tried": {"record": RULE, "rows": 2},
    "save": {"record": RULE, "before": None},
    "remove": {"before": RULE},
    "switch": {"name": "power", "on": False},
    "use_gold": {"fits": True},
    "next": {"picked": "gain"},
    "label": {"row": 3, "classes": ["sports"], "picked": "random"},
    "undo": {"entry": {"id": "doc3", "classes": ["sports"]}},
    "compare": {"before": 1, "after": 1, "offset": 0},
    "export": {"what": "labels"},
    "export_own": {"to": "labels.csv", "columns": ["body"], "min_belief": 0.5},
    "setup": {"file": "news.csv", "text": "body", "classes": ["a", "b"]},
    "stop": {},
}


def changed(draw, value):
    """The same request with something odd at one place, or without it."""
    if not isinstance(value, (dict, list)) or not value or draw.random() < 0.15:
        return draw.choice(ODD)
    if isinstance(value, list):
        return [changed(draw, value[0]), *value[1:]]
    key = draw.choice(list(value))
    if draw.random() < 0.1:
        return {name: one for name, one in value.items() if name != key}
    return {**value, key: changed(draw, value[key])}


@runs
@pytest.mark.filterwarnings("ignore::shortlist.errors.ShortlistWarning")
def test_any_request_is_answered_and_the_project_still_loads(seed, tmp_path):
    """attack.md 16, 17, 18: HTTP 500s, and a saved rule that did not load."""
    draw = random.Random(seed)
    folder = tmp_path / "news"
    make(folder, m=30)
    (folder / "words.txt").write_text("mine")
    project = OpenProject(folder)
    project.refresh()
    service = Service(project)
    for _ in range(25):
        name = draw.choice(POSTS)
        request = changed(draw, REQUESTS.get(name, {"record": RULE, "replaces": None}))
        answer = json.loads(call(getattr(service, name), json.dumps(request).encode()))
        assert isinstance(answer, dict), (name, request)
        assert answer.get("error", {"message": "none"})["message"], (name, request)
    project.close()
    assert len(Project(folder).votes) == 30
    assert (folder / "words.txt").read_text() == "mine"
    assert list(tmp_path.iterdir()) == [folder]
