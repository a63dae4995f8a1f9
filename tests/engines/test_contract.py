"""What every engine has to do: the same results as one process, whoever works and however the rows are cut."""

import threading
import time
from collections import Counter
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from shortlist import LabelModel, apply, keywords, labeler, pattern
from shortlist.engines import ordered
from shortlist.errors import CannotTravel, ShortlistError
from shortlist.project.session import Listener
from tests.engines.articles import LABELERS, TOML, make, outputs
from tests.engines.clusters import ENGINES, started


@pytest.fixture(scope="module", params=ENGINES)
def engine(request):
    with started(request.param) as engine:
        yield engine


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    project = make(tmp_path_factory.mktemp("reference") / "news")
    project.run()
    return project


def slow_if_first(piece):
    time.sleep(0.5 if piece == 0 else 0)
    return piece * 10


def fails_on_three(piece):
    if piece == 3:
        raise ShortlistError("no threes", row=3)
    return piece


def test_every_piece_comes_back_once_with_its_id(engine):
    assert engine.workers >= 1
    pieces = [(7, 0), (3, 1), (5, 2), (1, 3)]
    assert sorted(engine.map(slow_if_first, iter(pieces))) == [(1, 30), (3, 10), (5, 20), (7, 0)]


def test_results_can_be_had_in_order(engine):
    assert list(ordered(engine, slow_if_first, range(5))) == [0, 10, 20, 30, 40]


def test_pieces_are_drawn_as_they_are_needed(engine):
    drawn = []

    def pieces():
        for piece in range(200):
            drawn.append(piece)
            yield piece, piece

    results = engine.map(slow_if_first, pieces())
    for _ in range(3):
        next(results)
    assert len(drawn) <= 3 + 2 * engine.workers
    results.close()


def test_an_error_comes_back_as_what_it_is(engine):
    with pytest.raises(ShortlistError, match="no threes") as error:
        list(engine.map(fails_on_three, enumerate(range(6))))
    assert error.value.row == 3


def test_apply_gives_the_same_votes(engine):
    labelers = [keywords(["goal"], says="sports"), pattern("shares", yes="business", name="shares")]
    texts = ["A late goal", "Shares fell", "Nothing", "goal shares"] * 500
    space = ["business", "politics", "sports"]
    assert apply(labelers, texts, space=space, engine=engine) == apply(labelers, texts, space=space)


def test_a_project_has_the_same_bytes(engine, reference, tmp_path):
    project = make(tmp_path / "news")
    outcomes = project.run(engine=engine)
    assert [one.status for one in outcomes] == ["done"] * 4
    assert outputs(project) == outputs(reference)
    assert project.votes == reference.votes
    assert [one.status for one in project.run(engine=engine)] == ["up to date"] * 4


def test_rows_of_a_store_are_fetched_by_the_workers(engine, reference, tmp_path):
    handler = partial(SimpleHTTPRequestHandler, directory=str(reference.folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/rows/*"
        project = make(tmp_path / "news", toml=TOML.replace("rows/*", url))
        project.run(engine=engine)
        server.shutdown()
    assert outputs(project) == outputs(reference)


@pytest.mark.parametrize("part_rows", [7, 1000])
def test_parts_of_any_size_give_the_same_results(part_rows, engine, reference, tmp_path):
    project = make(tmp_path / "news", part_rows=part_rows)
    project.run(engine=engine)
    assert project.votes == reference.votes
    assert project.labels.equals(reference.labels)
    mine, theirs = (LabelModel.load(one.folder / "out" / "label_model.npz") for one in (project, reference))
    for name in ("accuracy_", "propensity_", "class_balance_", "history_"):
        assert np.array_equal(getattr(mine, name), getattr(theirs, name)), name


class Told(Listener):
    """Takes down what a listener is told of the vote stage."""

    def __init__(self):
        self.engine, self.rows, self.advanced, self.stage = None, None, [], None

    def working_on(self, engine, workers, dashboard):
        self.engine = engine, workers, dashboard

    def begin(self, stage, rows=None):
        self.stage = stage
        if stage == "vote":
            self.rows = rows

    def advance(self, rows):
        if self.stage == "vote":
            self.advanced.append(rows)


def test_progress_is_told_part_by_part_and_the_address_of_the_dashboard(engine, tmp_path):
    told = Told()
    make(tmp_path / "news").run(["vote"], engine=engine, listener=told)
    assert told.rows == sum(told.advanced) == 350
    assert len(told.advanced) > 5
    if getattr(engine, "elsewhere", False):
        name, workers, dashboard = told.engine
        assert (name, workers) == (type(engine).__name__, 2)
        assert dashboard == engine.dashboard
        assert name == "Ray" or dashboard.startswith("http://")  # that of Ray is another package


def test_a_labeler_that_fails_is_told_at_its_row_and_line(engine, tmp_path):
    code = LABELERS.replace(
        "    words = words_of", "    if len(text) > 5 and text == BAD:\n        1 / 0\n    words = words_of"
    )
    project = make(tmp_path / "news", labelers=code + "\nBAD = None\n")
    bad = project.rows.take([171], ["body"])["body"][0]
    (project.folder / "labelers.py").write_text(code + f"\nBAD = {bad!r}\n")
    with pytest.raises(ShortlistError, match=r"labeler 'power' failed on row \d+: ZeroDivisionError") as error:
        project.run(engine=engine)
    assert error.value.line == 1 + code[: code.index("1 / 0")].count("\n")


COUNTED = """
import os
from functools import cache
from pathlib import Path

from shortlist import from_classifier, labeler

HERE = Path({here!r})


def note(what):
    with (HERE / what).open("a") as file:
        file.write(f"{{os.getpid()}}\\n")


class Model:
    def __init__(self):
        self.words = ["goal"]

    def __setstate__(self, state):
        note("travelled.txt")
        self.__dict__.update(state)

    def __call__(self, texts):
        return [any(word in text for word in self.words) for text in texts]


@cache
def loaded():
    note("loaded.txt")
    return {{"minister"}}


carried = from_classifier(Model(), {{True: "sports", False: None}}, on="body", name="carried")


@labeler(says=["politics"])
def asks_a_model(text):
    return "politics" if loaded() & set(text.split()) else None
"""


def test_a_model_travels_and_is_loaded_once_per_worker(engine, tmp_path):
    project = make(tmp_path / "news", labelers=COUNTED.format(here=str(tmp_path)))
    project.run(["vote"], engine=engine)
    assert project.votes.coverage.min() > 0
    if not getattr(engine, "elsewhere", False):
        return  # on this machine, labelers stay where they are, or go with the pieces
    for what in ("travelled.txt", "loaded.txt"):
        by_process = Counter((tmp_path / what).read_text().split())
        assert set(by_process.values()) == {1}, what
        assert len(by_process) <= engine.workers


def test_a_labeler_of_apply_that_cannot_travel_is_named(engine):
    lock = threading.Lock()

    @labeler(says=["a", "b"])
    def locked(text):
        with lock:
            return "a"

    if not getattr(engine, "elsewhere", False):
        pytest.skip("processes of this machine say it in their own words")
    with pytest.raises(CannotTravel, match=r"labeler 'locked' cannot travel.*lock"):
        apply([keywords(["a"], says="b"), locked], ["a", "b"], engine=engine)


def test_what_cannot_travel_is_named(engine, tmp_path):
    if engine.workers == 1 and not getattr(engine, "elsewhere", False):
        pytest.skip("nothing travels within one process")
    code = LABELERS.replace("class Model:", "import threading\n\nlock = threading.Lock()\n\n\nclass Model:").replace(
        "    from lazily", "    lock.acquire(), lock.release()\n    from lazily"
    )
    project = make(tmp_path / "news", labelers=code)
    with pytest.raises(ShortlistError) as error:
        project.run(engine=engine)
    if getattr(engine, "elsewhere", False):
        assert isinstance(error.value, CannotTravel)
        assert "labeler 'power' cannot travel" in str(error.value)
        assert "TypeError: cannot pickle '_thread.lock' object" in str(error.value)
