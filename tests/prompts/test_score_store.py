"""Scores in a file: found again by content, shared by processes, never lost."""

import sqlite3

import numpy as np
import pytest

from shortlist.errors import BadFile
from shortlist.models import Answer
from shortlist.models.language_model import no_answer
from shortlist.prompts.score_store import ScoreStore, Spent, open_scores, prompt_keys

SPENT = Spent("m", "l", calls=1, tokens_in=3, money=0.5)


def test_what_is_kept_is_read_in_any_order(tmp_path):
    store, keys = ScoreStore(tmp_path / "s.db"), prompt_keys("m", ("a", "b"))
    one, two, three = (keys(text) for text in ("one", "two", "three"))
    store.add([(one, Answer(np.array([-1.0, -2.0]))), (two, no_answer(("a", "b"), "refused"))], SPENT)
    scores = ScoreStore(tmp_path / "s.db").read([two, three, one, one], 2)
    np.testing.assert_equal(scores, [[np.nan] * 2, [np.nan] * 2, [-1, -2], [-1, -2]])
    assert store.reasons([two, three, one], 2) == {one: "", two: "refused"}


def test_what_failed_is_not_kept_and_yet_paid(tmp_path):
    store = ScoreStore(tmp_path / "s.db")
    store.add([(b"k", no_answer(("a", "b"), "failed"))], SPENT)
    store.add([], SPENT)
    assert not store.reasons([b"k"], 2)
    (spent,) = store.spent()
    assert (spent.calls, spent.tokens_in, spent.money) == (2, 6, 1.0)
    assert (store.spent_on("m").calls, store.spent_on("other").calls) == (2, 0)


def test_keys_change_with_all_that_answers_depend_on():
    keys = {
        prompt_keys("m", ("a", "b"))("p"), prompt_keys("n", ("a", "b"))("p"),
        prompt_keys("m", ("ab",))("p"), prompt_keys("m", ("b", "a"))("p"),
        prompt_keys("m", ("a", "b"))("q"),
    }  # fmt: skip
    assert len(keys) == 5
    assert prompt_keys("m", ("a", "b"))("p") == prompt_keys("m", ["a", "b"])("p")


def test_more_keys_than_fit_in_one_query(tmp_path):
    store, keys = ScoreStore(tmp_path / "s.db"), [str(i).encode() for i in range(12_000)]
    store.add([(key, Answer(np.array([float(key), 0.0]))) for key in keys], SPENT)
    assert store.read(keys, 2)[:, 0].tolist() == list(range(12_000))


def test_a_file_that_was_deleted_is_made_again(tmp_path):
    path = tmp_path / "s.db"
    open_scores(path).add([(b"k", Answer(np.zeros(2)))], SPENT)
    assert open_scores(path).reasons([b"k"], 2)
    for part in tmp_path.glob("s.db*"):
        part.unlink()
    assert not open_scores(path).reasons([b"k"], 2)
    assert path.exists()


def test_files_of_others_and_of_later_versions(tmp_path):
    (tmp_path / "no.db").write_bytes(b"this is no database" * 100)
    with pytest.raises(BadFile, match=r"no\.db"):
        ScoreStore(tmp_path / "no.db")
    ScoreStore(tmp_path / "new.db")
    with sqlite3.connect(tmp_path / "new.db") as file:
        file.execute("UPDATE format SET version = ?", (2,))
    file.close()
    with pytest.raises(BadFile, match="newer"):
        ScoreStore(tmp_path / "new.db")
