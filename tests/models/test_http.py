"""HTTP models against a server that answers in many ways, and misbehaves in more."""

import pickle
import time

import numpy as np
import pytest

from shortlist.errors import BadLabeler, ModelFailed
from shortlist.models import HTTP, server_model
from shortlist.models.server_model import RateLimit, backoff, retry_after
from tests.models import fake_server as fake
from tests.models.fake_server import FakeServer, share

CHOICES = (" person", " place", " number")
KEY = "sk-very-secret-0123456789"


def model(server, **options):
    return HTTP(server.url, "m", **{"wait": 0.001, "tries": 3, "time_out": 5.0, **options})


def known(prompt):
    return np.log([share(prompt, word) for word in CHOICES])


def answer(model, prompt="Who?", choices=CHOICES):
    ((found,),) = [[one for _, one in some] for some in model.answers([prompt], choices)]
    return found


@pytest.mark.parametrize(
    "style",
    [fake.content_style, fake.legacy_style, fake.chat_style],
    ids=lambda s: s.__name__,
)
def test_first_token_scores_whatever_the_fields_are_called(style):
    with FakeServer(style) as server:
        asked = model(server)
        found = answer(asked)
        np.testing.assert_allclose(found.scores, known("Who?"))
        assert (found.how, found.tokens_in, found.tokens_out, found.why) == ("first token", 10, 1, "")


def test_log_probabilities_that_are_left_out_are_not_taken_for_confidence():
    with FakeServer(fake.free_style) as server:
        asked = model(server)
        found = answer(asked)
        assert found.scores.tolist() == [-np.inf, 0.0, -np.inf]
        assert found.how == "free text"
        assert "gives no log-probabilities" in asked.remarks()[0]


@pytest.mark.parametrize(
    "trouble",
    [
        fake.status(429, Retry_After="0"), fake.status(429), fake.status(500),
        fake.status(503), fake.cut_off, fake.hang_up, fake.broken, fake.slow(1.0),
    ],
    ids=["429 after", "429", "500", "503", "cut off", "hang up", "no JSON", "slow"],
)  # fmt: skip
def test_what_passes_is_tried_again(trouble):
    with FakeServer() as server:
        asked = model(server, time_out=0.5)
        answer(asked, "first")  # so that it is known what the server can do
        server.reactions = [trouble, trouble]
        found = answer(asked)
        np.testing.assert_allclose(found.scores, known("Who?"))
        assert server.asked.count("Who?") == 3 if trouble is not fake.hang_up else server.asked.count("Who?") >= 3
        assert found.retries == 2 or trouble is fake.hang_up


def test_what_does_not_pass_has_failed_and_says_how():
    with FakeServer() as server:
        asked = model(server)
        answer(asked, "first")
        server.reactions = [fake.status(500)] * 3
        found = answer(asked)
        assert (found.why, found.retries) == ("failed", 2)
        assert "500" in found.detail
        assert np.isnan(found.scores).all()


def test_a_wrong_key_stops_at_once_in_one_line_that_does_not_hold_it(monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    with FakeServer(fake.status(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}})) as server:
        asked = model(server, key_env="MY_KEY")
        with pytest.raises(ModelFailed) as raised:
            asked.scores(["a", "b", "c"] * 20, CHOICES)
        assert len(server.requests) <= asked.at_once
        assert server.requests[0][2]["Authorization"] == f"Bearer {KEY}"
    error = raised.value
    assert error.status == 401
    assert "$MY_KEY" in str(error)
    assert "\n" not in str(error)
    for seen in (
        str(error),
        repr(error),
        repr(asked),
        asked.id,
        pickle.dumps(asked).decode("latin"),
    ):
        assert KEY not in seen


def test_a_key_that_is_not_there_or_no_key(monkeypatch):
    asked = HTTP("http://127.0.0.1:9/v1", "m", key_env="MY_KEY")
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(ModelFailed, match="MY_KEY is not set"):
        asked.scores(["a"], CHOICES)
    monkeypatch.setenv("MY_KEY", f"{KEY}\nX-Evil: 1")
    with pytest.raises(ModelFailed) as raised:
        asked.scores(["a"], CHOICES)
    assert KEY not in str(raised.value)
    with pytest.raises(BadLabeler, match="key_env"):
        HTTP(f"http://me:{KEY}@localhost/v1", "m")


def test_other_mistakes_of_ours_stop_at_once():
    with FakeServer() as server:
        asked = model(server)
        answer(asked, "first")
        server.reactions = [fake.status(404)] * 50
        with pytest.raises(ModelFailed) as raised:
            asked.scores([f"row {i}" for i in range(50)], CHOICES)
        assert raised.value.status == 404
        assert len(server.asked) <= 1 + 2 * asked.at_once


def test_a_server_that_is_not_there():
    with pytest.raises(ModelFailed, match="is the server running"):
        HTTP("http://127.0.0.1:9/v1", "m").scores(["a"], CHOICES)


def test_a_server_that_speaks_no_tls():
    with FakeServer() as server, pytest.raises(ModelFailed, match=r"nothing answers at https:.*SSL.*is the server"):
        HTTP(server.url.replace("http:", "https:"), "m").scores(["a"], CHOICES)


def test_proxies_come_from_the_environment(monkeypatch):
    """The proxy is the server itself: it is asked for the whole address."""
    with FakeServer() as server:
        monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
        monkeypatch.setenv("no_proxy", "")
        np.testing.assert_allclose(model(server, chat=False).scores(["a"], CHOICES)[0], known("a"))
        asked = HTTP("http://model.example/v1", "m", tries=1)
        np.testing.assert_allclose(asked.scores(["b"], CHOICES)[0], known("b"))
        assert server.requests[-1][0] == "http://model.example/v1/completions"


def test_redirects_are_not_followed(monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    with FakeServer() as other, FakeServer(fake.status(307, Location=other.url)) as server:
        with pytest.raises(ModelFailed, match="HTTP 307"):
            model(server, key_env="MY_KEY").scores(["a"], CHOICES)
        assert not other.requests


def test_a_server_that_wants_an_hour_is_not_waited_for():
    with FakeServer() as server:
        asked = model(server)
        answer(asked, "first")
        server.reactions = [fake.status(429, Retry_After=str(3600))]
        with pytest.raises(ModelFailed, match="asks to wait 3,600 s"):
            answer(asked)


@pytest.mark.parametrize(
    ("trouble", "why"),
    [
        (fake.refusal, "refused"),
        (fake.status(400, {"error": {"code": "content_filter", "message": "filtered"}}), "refused"),
        (fake.status(400, {"error": {"type": "exceed_context_size_error", "message": "n"}}), "too long"),
        (fake.status(413), "too long"),
        (fake.elsewhere, "outside"),
    ],
    ids=["refusal", "filter", "context", "413", "outside"],
)
def test_one_prompt_without_an_answer_does_not_stop_the_others(trouble, why):
    with FakeServer() as server:
        asked = model(server)
        answer(asked, "first")
        server.reactions = [trouble]
        assert answer(asked).why == why
        np.testing.assert_allclose(answer(asked).scores, known("Who?"))
        assert server.asked.count("Who?") == 2  # neither was tried again


def test_a_row_that_speaks_of_filters_is_not_a_refusal():
    """What a server quotes of the prompt says nothing about why it does not answer."""
    with FakeServer() as server:
        asked = model(server)
        answer(asked, "first")
        server.reactions = [fake.status(400, {"error": {"message": "cannot parse 'the content_filter refusal'"}})]
        with pytest.raises(ModelFailed, match="400"):
            answer(asked)


def test_several_are_under_way_and_never_more_than_allowed():
    with FakeServer(fake.slow(0.02)) as server:
        asked = model(server, at_once=4)
        found = asked.scores([f"row {i}" for i in range(40)], CHOICES)
        np.testing.assert_allclose(found, [known(f"row {i}") for i in range(40)])
        assert 1 < server.most <= 4


def test_choices_that_begin_alike_are_asked_for_in_another_way():
    with FakeServer(fake.chat_style) as server:
        asked = model(server)
        answer(asked, "first")
        found = answer(asked, "Who?", (" yesterday", " yesteryear"))  # " yes" begins both
        assert (found.how, server.asked.count("Who?")) == ("free text", 1)  # the second request names the choices, too
        assert (found.tokens_in, found.tokens_out) == (20, 1)
        assert answer(asked, "Who?").how == "first token"
        (remark,) = asked.remarks()
        assert "' yesterday'" in remark


@pytest.mark.parametrize(
    ("style", "attempts"),
    [
        (fake.content_style, ["/v1/completions"]),
        (fake.legacy_style, ["/v1/completions"] * 2),  # fewer tokens the second time
        (fake.chat_style, ["/v1/completions", "/v1/chat/completions"]),
        (fake.free_style, [*["/v1/completions"] * 3, *["/v1/chat/completions"] * 3]),
    ],
)
def test_the_first_prompt_finds_out_what_it_can_do(style, attempts):
    with FakeServer(style) as server:
        asked = model(server, at_once=4)
        asked.scores(["a", "b", "c"], CHOICES)
        asked.scores(["d", "e"], CHOICES)
        paths = [path for path, _, _ in server.requests]
        assert paths == attempts + attempts[-1:] * 4
        assert len({prompt.split("\n")[0] for prompt in server.asked[: len(attempts)]}) == 1


def test_a_server_that_does_not_answer_the_first_prompt_is_given_up():
    with FakeServer(fake.status(503)) as server:
        asked = model(server, at_once=4)
        with pytest.raises(ModelFailed, match="does not answer: HTTP 503") as raised:
            asked.scores([f"row {i}" for i in range(40)], CHOICES)
        assert raised.value.status == 503
        assert len(server.requests) <= 4


def test_it_travels_to_other_processes():
    with FakeServer() as server:
        asked = pickle.loads(pickle.dumps(model(server, per_minute=60_000)))
        np.testing.assert_allclose(asked.scores(["a"], CHOICES)[0], known("a"))


def test_options_that_cannot_be():
    for wrong, option in (
        ({"at_once": 0}, "at_once"), ({"price": {"inputt": 1}}, "price"), ({"price": 3}, "price"),
        ({"time_out": 0}, "time_out"), ({"per_minute": -1}, "per_minute"), ({"wait": float("nan")}, "wait"),
        ({"max_failed": -0.1}, "max_failed"),
        ({"budget": {}}, "budget"), ({"budget": {"money": 1.0}}, "budget"), ({"budget": {"calls": -1}}, "budget"),
    ):  # fmt: skip
        with pytest.raises(BadLabeler) as raised:
            HTTP("http://localhost/v1", "m", **wrong)
        assert raised.value.option[0] == option
    with pytest.raises(BadLabeler, match="http"):
        HTTP("localhost:80", "m")


# -- rate limit -------------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch):
    """Time that passes only where somebody waits for it."""
    now = [100.0]
    monkeypatch.setattr(server_model.time, "monotonic", lambda: now[0])

    def made(**options):
        found = RateLimit(**options)
        found.stop.wait = lambda seconds: now.__setitem__(0, now[0] + seconds)
        return found

    made.now = now
    return made


def test_so_many_a_minute(clock):
    found = clock(per_minute=120)
    for _ in range(10):
        found.wait()
    assert clock.now[0] == pytest.approx(100 + 9 * 0.5)


def test_what_the_server_asks_for_holds_for_everybody(clock):
    found = clock()
    found.wait()
    assert clock.now[0] == 100
    found.pause(7)
    found.wait()
    assert clock.now[0] == 107


def test_tries_are_spread_and_bounded():
    for attempt, most in ((1, 0.5), (2, 1.0), (3, 2.0), (20, 60.0)):
        waits = [backoff(attempt, 0.5) for _ in range(50)]
        assert most / 2 <= min(waits) < max(waits) <= most


def test_how_long_a_server_asks_to_wait():
    assert retry_after({"retry-after": "3"}) == 3
    assert retry_after({"retry-after": "-1"}) == retry_after({"retry-after": "nan"}) == 0
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({}) is None


# -- limits of replies ------------------------------------------------------------------------------------


def test_a_reply_is_limited_in_size(monkeypatch):
    monkeypatch.setattr("shortlist.models.http.LARGEST", 1 << 20)
    with FakeServer() as server:
        asked = model(server, tries=1)
        answer(asked, "first")
        server.behave = lambda request: request.reply(200, b" " * (1 << 21))
        found = answer(asked)
        assert (found.why, "larger than 1 MB" in found.detail) == ("failed", True)


@pytest.mark.parametrize("part", ["headers", "body"])
def test_a_reply_is_limited_in_time_as_a_whole(part):
    def drip(request):
        request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n" + (b"\r\n" if part == "body" else b"X: "))
        for _ in range(100):
            time.sleep(0.1)
            request.wfile.write(b" ")

    with FakeServer() as server:
        asked = model(server, tries=1, time_out=0.5)
        answer(asked, "first")
        server.behave = drip
        began = time.monotonic()
        found = answer(asked)
        assert (found.why, found.detail) == ("failed", "no answer within 0.5 s")
        assert time.monotonic() - began < 3
