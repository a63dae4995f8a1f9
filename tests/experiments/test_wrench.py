"""The encoder on WRENCH's sets: the real rows and votes, a tiny encoder."""

import pytest

from experiments import wrench
from shortlist.classifier import TransformerClassifier

pytest.importorskip("transformers")
pytestmark = pytest.mark.heavy


@pytest.mark.slow
def test_network_words_and_both_are_scored(tiny_encoder, data_home, monkeypatch):
    def quick(_, **options):
        return TransformerClassifier(tiny_encoder, steps=4, max_length=8, **options)

    monkeypatch.setattr(wrench, "TransformerClassifier", quick)
    found = wrench.run(("wrench/youtube", 0, data_home, "cpu"))
    assert 0.5 < found["share"] <= 1  # a random encoder after four steps knows nothing
    assert found["words"]["accuracy"] > 0.9
    assert found["network"]["accuracy"] < 0.8
