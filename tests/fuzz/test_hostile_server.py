"""A server that replies with anything: no answer is kept that is none, no error is unexpected, no key is repeated."""

import json
import random
import sqlite3
import traceback
import warnings
from urllib.parse import quote

import numpy as np
import pytest

from shortlist import apply
from shortlist.errors import ModelFailed, ShortlistError
from shortlist.models import HTTP
from shortlist.prompts import choose
from tests.fuzz.test_fuzz import runs
from tests.models import fake_server as fake
from tests.models.fake_server import FakeServer

KEY = 'sk-/SECRET"0123\\456789'
ODD = [
    None, True, -1, 5, 10**30, -(10**400), float("nan"), float("inf"), float("-inf"), -1e308, 1e308,
    "", "\ud800", "x" * 500,
    [], [None], [5], [[]], {}, {"content": [None]}, {"top_logprobs": [5]}, {"a": {"b": []}}, b"",
]  # fmt: skip


def mutated(draw, value):
    """The same JSON with something odd at one place."""
    if draw.random() < 0.25 or not isinstance(value, (dict, list)) or not value:
        return draw.choice(ODD[:-1])
    if isinstance(value, dict):
        at = draw.choice(list(value))
        return {**value, at: mutated(draw, value[at])}
    at = draw.randrange(len(value))
    return [*value[:at], mutated(draw, value[at]), *value[at + 1 :]]


class Odd:
    """Passes replies on, with something odd in half of them."""

    def __init__(self, seed, style):
        self.draw, self.style = random.Random(seed), style

    def __call__(self, request):
        reply = request.reply

        def odd(status, content, **headers):
            with request.server.owner.lock:
                if self.draw.random() < 0.5:
                    content = mutated(self.draw, content)
            reply(status, content, **headers)

        request.reply = odd
        self.style(request)


@runs
@pytest.mark.parametrize("style", [fake.content_style, fake.legacy_style, fake.chat_style], ids=lambda s: s.__name__)
def test_odd_replies_are_failed_answers(style, seed, tmp_path):
    with FakeServer(style) as server:
        model = HTTP(server.url, "m", kept=tmp_path / "s.db", tries=1, max_failed=1.0, wait=0.0)
        model.scores(["a"], (" person", " place"))  # what it can do is found out in peace
        server.behave = Odd(seed, style)
        kind = choose("{text}", {" person": "person", " place": "place"}, model=model, name="kind")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            apply(kind, [f"row {i}" for i in range(20)], space=["person", "place"])
        (spent,) = kind.store.spent()
        assert (spent.calls, spent.calls - spent.failed) == (20, spent.answered + spent.refused + spent.outside)
        assert 0 <= spent.tokens_in <= 20e9
    with sqlite3.connect(tmp_path / "s.db") as file:
        scores = [np.frombuffer(blob) for blob, why in file.execute("SELECT scores, why FROM scores") if not why]
    file.close()
    assert len(scores) == spent.answered
    assert np.isfinite(scores).all()


FORMS = [
    str, repr, json.dumps, quote, lambda key: json.dumps(json.dumps(key)),
    lambda key: "".join(f"\\u{ord(c):04x}" for c in key),
    lambda key: "".join(f"&#{ord(c)};" for c in key), lambda key: key.replace("/", "\\/"),
]  # fmt: skip
PLACES = {
    "no choices": lambda said: (200, {"you_sent": said}),
    "no text": lambda said: (200, {"choices": [{"message": {"content": {"k": said}}}]}),
    "no JSON": lambda said: (200, f"<h1>{said}".encode()),
    "UTF-16": lambda said: (200, json.dumps({"you_sent": said}).encode("utf-16")),
    "500": lambda said: (500, f"{said}".encode()),
    "400": lambda said: (400, {"error": {"message": said}}),
    "404": lambda said: (404, {"detail": [said]}),
    "401": lambda said: (401, {"error": said}),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_key_is_shown_nowhere_in_no_form_and_not_in_part(place, monkeypatch):
    monkeypatch.setenv("THE_KEY", KEY)
    lengths = (0, 55, 75, 190)  # before the key, so that it stands where texts are cut
    for before, form in [*((before, str) for before in lengths), *zip(lengths * 2, FORMS, strict=True)]:
        content = PLACES[place]("x" * before + form(KEY))
        with FakeServer(lambda request, content=content: request.reply(*content)) as server:
            model = HTTP(server.url, "m", key_env="THE_KEY", tries=1, chat=True)
            for asked in (lambda model=model: model.scores(["a"], ("b", "c")), lambda model=model: model.write("a")):
                with pytest.raises(ModelFailed) as raised:
                    asked()
                seen = str(raised.value) + "".join(traceback.format_exception(raised.value))
                for secret in ("SECRET", "sk-", quote(KEY[:6]), "".join(f"\\u{ord(c):04x}" for c in KEY[:2])):
                    assert secret not in seen, (form(KEY), seen)


def test_a_status_line_that_repeats_the_key(monkeypatch):
    monkeypatch.setenv("THE_KEY", KEY)

    def odd(request):
        request.wfile.write(f"NONSENSE {KEY} 200\r\n\r\n".encode())
        request.close_connection = True

    with FakeServer(odd) as server, pytest.raises(ShortlistError) as raised:
        HTTP(server.url, "m", key_env="THE_KEY", tries=1).scores(["a"], ("b", "c"))
    assert "SECRET" not in "".join(traceback.format_exception(raised.value))


def test_placeholders_are_no_secrets(monkeypatch):
    monkeypatch.setenv("THE_KEY", "text")
    with FakeServer() as server:
        assert np.isfinite(HTTP(server.url, "m", key_env="THE_KEY").scores(["a"], (" person", " place"))).all()
