import numpy as np
import pytest

from shortlist.browse import find_row, why
from shortlist.errors import ShortlistError


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
