"""Which row to label next."""

from collections import Counter

import numpy as np
import pytest

from shortlist.browse import next_row
from shortlist.browse.queue import next_rows
from shortlist.project.gold.known import entry_for
from tests.project.news import TOML, make


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
