"""on=…: which columns a classifier reads. Texts out of rows are tested in tests/rows/test_texts.py."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from shortlist import NoiseAwareClassifier, TransformerClassifier

KINDS = [pd.DataFrame, pl.DataFrame, lambda table: pl.DataFrame(table).to_dicts()]
MAKES = ["pandas", "polars", "dicts"]


@pytest.mark.parametrize("kind", KINDS, ids=MAKES)
def test_a_classifier_of_two_columns_is_one_of_the_joined_texts(kind, texts):
    """Neither column tells cats from dogs on all rows."""
    rows, beliefs = texts
    titles = ["on cats" if a % 2 else None for a in range(4)] + ["on dogs" if a % 2 else "" for a in range(4)]
    joined = [f"{title}. {text}" if title else text for title, text in zip(titles, rows, strict=True)]
    table = kind({"text": rows, "title": titles})
    expected = NoiseAwareClassifier().fit(joined, beliefs)
    model = clone(NoiseAwareClassifier(on=["title", "text"])).fit(table, beliefs)
    np.testing.assert_array_equal(model.predict_proba(table), expected.predict_proba(joined))
    np.testing.assert_array_equal(model.predict_proba(joined), expected.predict_proba(joined))  # joined by the user
    assert (model.predict_proba(table) != NoiseAwareClassifier().fit(rows, beliefs).predict_proba(rows)).any()
    assert model.get_params()["on"] == ["title", "text"]


def test_an_encoder_reads_the_joined_texts(texts, tiny_encoder, tmp_path):
    rows, beliefs = texts
    table = pl.DataFrame({"title": ["my cat", None] * 4, "text": rows})
    joined = [f"my cat. {row}" if a % 2 == 0 else row for a, row in enumerate(rows)]
    model = TransformerClassifier(tiny_encoder, frozen=True, steps=3, device="cpu", on=["title", "text"])
    clone(model).fit(table, beliefs).save(tmp_path / "reader")
    back = TransformerClassifier.load(tmp_path / "reader", device="cpu")
    assert back.on == ["title", "text"]
    expected = model.set_params(on=None).fit(joined, beliefs).predict_proba(joined)
    np.testing.assert_array_equal(back.predict_proba(table), expected)
