"""Asking within a budget: whatever the server, the retries and the other processes do."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from shortlist import apply
from shortlist.errors import BudgetSpent, ModelFailed
from shortlist.models import HTTP, Model
from shortlist.prompts import choose
from shortlist.prompts.score_store import ScoreStore
from tests.models import fake_server as fake
from tests.models.fake_server import FakeServer

SPACE = ["person", "place"]
ANSWERS = {" person": "person", " place": "place"}
ROWS = [f"row {i}" for i in range(60)]


def kind(server, tmp_path, **options):
    model = HTTP(server.url, "m", **{"kept": tmp_path / "s.db", "wait": 0.0, "max_failed": 1.0, **options})
    return choose("{text}", ANSWERS, model=model, name="kind")


def calls(labeler):
    return sum(one.calls for one in labeler.store.spent())


SCRIPT = """
import sys
from shortlist import apply
from shortlist.errors import BudgetSpent
from shortlist.models import HTTP
from shortlist.prompts import choose
url, kept, me, limit, most = sys.argv[1:]
model = HTTP(url, "m", kept=kept, budget={limit: int(most)})
try:
    answers = {" person": "person", " place": "place"}
    kind = choose("{text}", answers, model=model, name="kind")
    apply(kind, [f"{me} {i}" for i in range(40)], space=["person", "place"])
except BudgetSpent:
    print("spent")
"""


@pytest.mark.parametrize(("limit", "most", "requests"), [("calls", 30, 30), ("tokens", 100_000, 1)])
def test_several_processes_share_one_budget(limit, most, requests, tmp_path):
    """A call is said to take 60,000 tokens: that one is in flight is known to all, and its cost before the next."""

    def dear(request):
        time.sleep(0.02)
        choice = {"logprobs": {"content": [{"token": " x", "logprob": -1.0, "top_logprobs": fake.top(request)}]}}
        tokens = 60_000 if limit == "tokens" else 10
        request.reply(200, {"choices": [choice], "usage": {"prompt_tokens": tokens, "completion_tokens": 1}})

    with FakeServer(dear) as server:
        command = [sys.executable, "-c", SCRIPT, server.url, str(tmp_path / "s.db")]
        running = [
            subprocess.Popen([*command, str(me), limit, str(most)], stdout=subprocess.PIPE, text=True)
            for me in range(3)
        ]
        assert [process.communicate()[0].strip() for process in running] == ["spent"] * 3
        assert len(server.requests) == requests
    assert sum(one.calls for one in ScoreStore(tmp_path / "s.db").spent()) == requests


def test_retries_are_set_aside(tmp_path):
    with FakeServer() as server:
        asked = kind(server, tmp_path, budget={"calls": 10}, tries=5)
        asked("first")
        server.behave = fake.status(429)
        with pytest.raises(BudgetSpent):
            apply(asked, ROWS, space=SPACE)
        assert len(server.requests) == calls(asked) == 10


@pytest.mark.parametrize("most", [1, 3, 5, 6, 12])
def test_requests_that_find_out_how_to_ask_are_part_of_the_budget(most, tmp_path):
    with FakeServer(fake.free_style) as server:
        asked = kind(server, tmp_path, budget={"calls": most})
        with pytest.raises(BudgetSpent):
            apply(asked, ROWS, space=SPACE)
        assert len(server.requests) == calls(asked) <= most


def test_requests_that_all_fail_are_booked_once(tmp_path):
    with FakeServer(fake.status(400)) as server:
        asked = kind(server, tmp_path, at_once=8)
        with pytest.raises(ModelFailed, match="supports no protocol"):
            apply(asked, ROWS, space=SPACE)
        assert len(server.requests) == calls(asked) == 6


@pytest.mark.parametrize("at_once", [8, 64])
def test_one_answer_shows_what_others_cost(at_once, tmp_path):
    def dear(request):
        choice = {"logprobs": {"content": [{"token": " x", "logprob": -1.0, "top_logprobs": fake.top(request)}]}}
        request.reply(200, {"choices": [choice], "usage": {"prompt_tokens": 50_000, "completion_tokens": 1}})

    with FakeServer(dear) as server:
        asked = kind(server, tmp_path, budget={"tokens": 160_000}, at_once=at_once)
        with pytest.raises(BudgetSpent):
            apply(asked, ROWS, space=SPACE)
        assert sum(one.tokens for one in asked.store.spent()) <= 160_000
        assert len(server.requests) == 3


def test_a_bill_below_zero_is_no_credit(tmp_path):
    def cheap(request):
        choice = {"logprobs": {"content": [{"token": " x", "logprob": -1.0, "top_logprobs": fake.top(request)}]}}
        request.reply(200, {"choices": [choice], "usage": {"prompt_tokens": -1_000_000, "completion_tokens": 1}})

    with FakeServer(cheap) as server:
        asked = kind(server, tmp_path, budget={"money": 0.0001}, price={"input": 20.0, "output": 20.0})
        with pytest.raises(BudgetSpent):
            apply(asked, ROWS, space=SPACE)
        (spent,) = asked.store.spent()
        assert 0 <= spent.money <= 0.0001


def test_scores_that_are_no_numbers_are_asked_for_again(tmp_path):
    class Own(Model):
        id, kept, max_failed, value = "own", tmp_path / "s.db", 1.0, np.nan

        def scores(self, prompts, choices):
            return [[-1.0, self.value] for _ in prompts]

    model = Own()
    asked = choose("{text}", ANSWERS, model=model, name="kind")
    for Own.value in (np.nan, np.inf):
        with pytest.warns(match="60 failed"):
            assert not apply(asked, ROWS, space=SPACE).covered.any()
    Own.value = -2.0
    assert apply(asked, ROWS, space=SPACE).covered.all()


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
@pytest.mark.parametrize("trouble", ["patience", "silence"])
def test_ctrl_c_while_a_model_is_waited_for(trouble, tmp_path):
    def behave(request):
        if trouble == "patience":
            request.reply(429, {}, Retry_After="500")
        else:
            time.sleep(60)

    script = "import polars as pl\npl.DataFrame({'a': [1]}).lazy().select(pl.col('a') + 1).collect()\n" + SCRIPT
    with FakeServer(behave) as server:
        command = [sys.executable, "-c", script, server.url, str(tmp_path / "s.db"), "me", "calls", "1000"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        while not server.requests:
            time.sleep(0.05)
        time.sleep(0.3)
        began, sent = time.monotonic(), len(server.requests)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        assert time.monotonic() - began < 10
        assert len(server.requests) <= sent + 8  # at_once
