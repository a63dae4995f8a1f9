"""Columns with a meaning: ids that repeat are found wherever they are, and a word that is no class is named."""

import numpy as np
import polars as pl
import pytest

from shortlist.project.mistake import BadProject
from shortlist.project.parts import columns
from shortlist.project.parts.columns import check_different, strange_class
from tests.project.parts.files import make


@pytest.fixture
def toml(tmp_path):
    return make(tmp_path / "p").settings.toml


def checked(values, toml, size=3):
    series = values if isinstance(values, pl.Series) else pl.Series("id", values)
    parts = [series[start : start + size] for start in range(0, len(series), size)]
    check_different(lambda: iter(parts), "id", toml)


@pytest.mark.parametrize("values", [[], [1, 2, 9, 10], [5, 3, 4, 1], ["b", "a", "c", "d"], [0.5, 0.25, 2.0, 1.0]])
def test_different_ids_are_no_matter(values, toml):
    checked(values, toml)


@pytest.mark.parametrize(
    ("values", "rows"),
    [
        ([1, 2, 3, 3], "3 is on rows 2 and 3"),  # on both sides of a cut
        ([4, 1, 2, 9, 4], "4 is on rows 0 and 4"),
        (["b", "a", "b"], "'b' is on rows 0 and 2"),
        ([7, 8, 8, 8], "8 is on rows 1 and 2"),
    ],
)
def test_an_id_on_two_rows_is_told_with_both(values, rows, toml):
    with pytest.raises(BadProject, match=rows):
        checked(values, toml)


def test_a_missing_id_is_told_with_its_row(toml):
    with pytest.raises(BadProject, match="row 4 has none"):
        checked(["a", "b", "c", "d", None], toml)


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_the_answer_does_not_depend_on_bands_and_parts(size, toml, monkeypatch):
    monkeypatch.setattr(columns, "BAND", 16)  # hashes compared at a time
    values = np.random.default_rng(0).permutation(500)
    checked(pl.Series("id", values), toml, size)
    values[491] = values[17]
    with pytest.raises(BadProject, match=f"{values[17]} is on rows 17 and 491"):
        checked(pl.Series("id", values), toml, size)


def test_the_same_hash_is_not_the_same_id(toml, monkeypatch):
    monkeypatch.setattr(pl.Series, "hash", lambda self, seed=0: pl.Series(np.zeros(len(self), np.uint64)))
    checked(["b", "a", "c", "d"], toml)
    with pytest.raises(BadProject, match="'a' is on rows 1 and 3"):
        checked(["b", "a", "c", "a"], toml)


def test_a_word_that_is_no_class_is_named_with_its_row_and_the_nearest_class():
    error = strange_class(pl.Series("label", ["sports", None, "", "sport", "politics"]), ["politics", "sports"], 40)
    assert (error.word, error.row, error.column) == ("sport", 43, "label")
    assert "'sports'" in error.message


def test_classes_blanks_and_nothing_are_no_mistake():
    assert strange_class(pl.Series("label", ["sports", None, ""]), ["politics", "sports"], 0) is None
