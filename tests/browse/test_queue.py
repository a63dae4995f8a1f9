"""Which row to label next."""

from collections import Counter

import numpy as np
import pytest

from shortlist.browse import next_row
from shortlist.browse.queue import next_rows, random_rows
from shortlist.project.gold.known import entry_for
from tests.project.news import LABELERS, TOML, WORDS, make

PLAIN = LABELERS.split("polls = ")[0]  # nothing says politics alone


@pytest.fixture
def unlabelled(tmp_path):
    project = make(tmp_path, toml=TOML.replace('gold = "label"\n', ""))
    project.run(["fit"])
    return project.session


def test_the_first_row_is_the_one_that_analysis_suggests(unlabelled):
    best = unlabelled.analysis.suggest(1)
    row = next_row(unlabelled)
    assert unlabelled.votes.said(row) == unlabelled.votes.said(int(best["row"][0]))


def test_labels_are_counted_in_so_that_other_rows_get_their_turn(unlabelled):
    """Twenty answers that agree with the model are spread over several ways to vote."""
    session, kinds = unlabelled, Counter()
    for _ in range(20):
        row = next_row(session)
        assert row not in session.known.touched
        kinds[str(session.votes.said(row))] += 1
        label = session.votes.space[int(session.analysis.guess[row])]
        session.gold_file.add(entry_for(session.rows, row, [label]))
        session.gold_changed()
    assert len(kinds) >= 4
    assert sum(name is not None for name in session.gold) == 20


def test_skipped_rows_do_not_come_back(unlabelled):
    row = next_row(unlabelled)
    unlabelled.gold_file.add(entry_for(unlabelled.rows, row, []))
    unlabelled.gold_changed()
    assert next_row(unlabelled) != row
    assert next_row(unlabelled, frozenset({next_row(unlabelled)})) not in (row, next_row(unlabelled))


def test_there_is_an_end(unlabelled):
    everything = frozenset(range(len(unlabelled.votes)))
    assert next_row(unlabelled, everything) is None
    assert next_row(unlabelled, everything - {7}) == 7


def test_several_are_of_different_kinds(unlabelled):
    found = next_rows(unlabelled, 5)
    codes = unlabelled.votes.codes[found]
    assert len(np.unique(codes, axis=0)) == len(found) == 5


def test_random_rows_go_on_where_a_sitting_ended(unlabelled):
    """Rows that were labelled or skipped are left out; the others keep their order, and taking back restores it."""
    session = unlabelled
    order = random_rows(session, 300)
    assert sorted(order) == list(range(300))
    said = [entry_for(session.rows, row, names, "random") for row, names in zip(order, (["sports"], []), strict=False)]
    session.gold_file.add(*said)
    session.gold_changed()
    assert random_rows(session, 10) == order[2:12]
    assert next_row(session, frozenset(order[2:5]), "random") == order[5]
    session.gold_file.undo(said[1])
    session.gold_changed()
    assert random_rows(session, 10) == order[1:11]


def test_a_random_score_is_fair_where_one_of_rows_that_help_most_is_too_low(tmp_path):
    """The whole use: 60 rows, their true classes, the score on them."""
    project = make(tmp_path, toml=TOML.replace('gold = "label"\n', ""), m=3000, labelers=PLAIN)
    project.run(["fit"])
    session, right = project.session, right_rows(project)
    drawn = random_rows(session, 400)
    assert right[drawn].mean() == pytest.approx(right.mean(), abs=0.06)
    hard = []
    for _ in range(60):
        hard.append(next_row(session))
        session.gold_file.add(entry_for(session.rows, hard[-1], [true_class(session, hard[-1])]))
        session.gold_changed()
    assert right[hard].mean() < right.mean() - 0.06


def true_class(session, row):
    """What the words of a row tell for sure."""
    text = session.rows.take([row], ["body"])["body"][0].split()
    return max(WORDS, key=lambda topic: sum(word in text for word in WORDS[topic]))


def right_rows(project):
    labels = project.session.votes.space
    guess = project.session.analysis.guess
    return np.array([labels[int(guess[row])] == true_class(project.session, row) for row in range(len(guess))])
