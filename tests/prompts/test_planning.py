"""What asking would cost, before anything is sent."""

import pytest

from shortlist import apply, choose, keywords, plan
from shortlist.errors import BadLabeler
from shortlist.models import HTTP
from shortlist.prompts import Spent, preview
from shortlist.prompts.planning import duration
from tests.models.fake_server import FakeServer

ANSWERS = {" person": "person", " place": {"place", "number"}}
SPACE = ["person", "place", "number"]


@pytest.fixture
def server():
    with FakeServer() as running:
        yield running


def labeler(server, tmp_path, **options):
    model = HTTP(server.url, "m", kept=tmp_path / "s.db", price={"input": 2.0, "output": 8.0}, at_once=1)
    return choose("{text}", ANSWERS, model=model, name="kind", **options)


def test_calls_tokens_and_money_before_anything_is_sent(server, tmp_path):
    kind = labeler(server, tmp_path)
    rows = ["a" * 40, "b" * 40, "a" * 40, None]
    found = plan([kind, keywords(["x"], says="person")], rows)
    assert not server.requests
    (line,) = found.lines
    assert (line.rows, line.skipped, line.known, line.calls) == (4, 1, 0, 2)
    assert line.tokens == 20 + 2  # four characters a token, one token of an answer
    assert line.money == pytest.approx((20 * 2 + 2 * 8) / 1e6)
    assert (line.seconds, found.seconds, "time not known yet" in str(found)) == (None, None, True)


def test_what_was_learned_counts(server, tmp_path):
    """This server counts 10 tokens for 40 characters and for any other number: so a plan believes it."""
    kind = labeler(server, tmp_path)
    apply(kind, ["a" * 20, "b" * 20], space=SPACE)
    found = plan(kind, ["a" * 20, "c" * 20, "d" * 20])
    (line,) = found.lines
    assert (line.known, line.calls, line.tokens) == (1, 2, 22)
    assert found.known == pytest.approx(1 / 3)
    assert "2 calls, about 22 tokens" in found.head
    assert line.seconds == found.seconds == kind.store.spent_on(kind.model.id).seconds > 0  # two calls, and two more
    assert found.to_dict()["labelers"][0]["calls"] == 2
    assert plan(kind, ["a" * 20]).calls == 0


def test_rows_that_lack_a_column_are_counted_in_the_same_way_everywhere(server, tmp_path):
    """The head said 100 %, and its line 3 of 4 rows."""
    kind = labeler(server, tmp_path)
    apply(kind, ["a", "b", "c"], space=SPACE)
    told = str(plan(kind, ["a", "b", "c", None])).splitlines()
    assert told[-1].endswith("100.0% of the rows to be asked about are known")
    assert told[0].split()[:4] == ["labeler", "rows", "skipped", "known"]
    assert told[1].split()[:4] == ["kind", "4", "1", "3"]


def test_a_plan_of_no_prompts_is_empty():
    found = plan(keywords(["x"], says="person"), ["a"])
    assert (found.calls, found.tokens, found.money, found.known) == (0, 0, None, 1.0)


def test_a_preview_shows_prompt_probabilities_and_answer(server, tmp_path):
    shown = preview(labeler(server, tmp_path, margin=0.99, calibrate=True), ["one", "two", None])
    assert shown.columns == ["row", "prompt", "'person'", "{'number', 'place'}", "said"]
    assert shown["prompt"].to_list() == ["one", "two", None]
    assert shown["said"].to_list() == [None] * 3
    assert sum(shown.row(0)[2:4]) == pytest.approx(1)
    assert shown.row(2)[2:4] == (None, None)
    with pytest.raises(BadLabeler, match="asks no model"):
        preview(keywords(["x"], says="person", name="k"), ["a"])


def test_the_time_of_a_plan_is_that_of_the_calls_so_far(server, tmp_path):
    kind = labeler(server, tmp_path)
    kind.store.add([], Spent(kind.model.id, "kind", calls=10, seconds=20.0))
    found = plan(kind, [f"row {i}" for i in range(90)])
    assert found.seconds == pytest.approx(180)
    assert "about 3 min" in found.head
    assert plan(kind, []).seconds == 0
    assert [duration(one) for one in (0.2, 40, 600, 9000)] == ["0 s", "40 s", "10 min", "2.5 h"]


def test_the_column_of_text_is_named_as_in_apply(server, tmp_path):
    table = [{"post": "a" * 40, "title": "t"}]
    assert plan(labeler(server, tmp_path), table, text="post").tokens == 10 + 1
    assert preview(labeler(server, tmp_path), table, text="post")["prompt"].to_list() == ["a" * 40]
