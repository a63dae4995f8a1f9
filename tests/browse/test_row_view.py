import json

import numpy as np
import pytest

from shortlist.browse import Query, find_row, select, show_rows, why
from shortlist.errors import ShortlistError
from tests.project.news import TOML, make


def test_a_row_is_shown_with_all_that_is_said_of_it(session):
    row = int(select(session, Query(labeler="money", gold="business"))[0])
    (shown,) = show_rows(session, [row])
    assert shown.text == session.rows.take([row])["body"][0]
    assert shown.id == f"doc{row}"
    assert shown.votes == session.votes.said(row)
    assert shown.known == ("business",)
    assert sum(shown.beliefs.values()) == pytest.approx(1)
    assert next(iter(shown.beliefs)) == shown.label
    marked = [piece for piece in shown.pieces if piece.labelers]
    assert marked
    assert all(piece.text in ("shares", "profit") for piece in marked if "money" in piece.labelers)
    assert json.loads(json.dumps(shown.to_dict()))["class"] == shown.label


def test_only_the_words_of_one_labeler(session):
    rows = select(session, Query(labeler="polls"))[:20]
    marked = {piece.text for shown in show_rows(session, rows, "polls") for piece in shown.pieces if piece.labelers}
    assert marked == {"election", "minister"}


def test_the_order_is_that_of_the_numbers(session):
    assert [shown.row for shown in show_rows(session, [9, 2, 9])] == [9, 2, 9]
    assert show_rows(session, []) == []


def test_without_a_column_of_text_all_columns_are_shown(tmp_path):
    toml = TOML.replace('text = "body"\n', "").replace('kind = "linear"', 'kind = "none"').split("[[labeler]]")[0]
    labelers = """from shortlist import labeler

@labeler(says=["sports", "politics"])
def even(n):
    return "sports" if n % 2 else "politics"
"""
    project = make(tmp_path, toml=toml, labelers=labelers)
    project.run(["fit"])
    (shown,) = show_rows(project.session, [4])
    assert shown.pieces == ()
    assert shown.fields["n"] == "4"
    assert "label" not in shown.fields


def test_what_labelers_added_sums_to_the_belief(session):
    found = why(session, 12)
    beliefs = found.row.beliefs
    assert found.log_odds == pytest.approx(np.log(beliefs[found.of] / beliefs[found.against]))
    sizes = [abs(added) for _, _, added in found.moves]
    assert sizes == sorted(sizes, reverse=True)
    assert found.of == found.row.label


def test_against_another_class(session):
    least = list(why(session, 12).row.beliefs)[-1]
    assert why(session, 12, least).against == least


def test_rows_by_id_and_by_number(session):
    assert find_row(session, "doc12") == 12
    assert find_row(session, "12") == 12
    for name in ("doc300", "300", "-1", "x"):
        with pytest.raises(ShortlistError, match="300 rows"):
            find_row(session, name)
