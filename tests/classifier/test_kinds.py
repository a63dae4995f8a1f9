"""The kinds of classifiers, by name. One from outside goes through a whole project in tests/project/test_kinds.py."""

import pytest

from shortlist import MLPClassifier, NoiseAwareClassifier, TransformerClassifier
from shortlist.classifier import Kind, register_kind
from shortlist.classifier.kinds import KINDS, find_kind, kind_names
from shortlist.errors import BadFit, ShortlistError


@pytest.fixture(autouse=True)
def _nothing_registered(monkeypatch):
    monkeypatch.setattr(KINDS, "added", {})


def test_shortlist_s_own():
    own = {"linear": NoiseAwareClassifier, "mlp": MLPClassifier, "transformer": TransformerClassifier}
    assert {name: find_kind(name).find() for name in kind_names()} == own
    assert kind_names("text") == ("linear", "transformer")
    assert kind_names("numbers") == ("linear", "mlp")
    assert find_kind("none") is find_kind("forest") is None


def test_a_registered_kind_is_found_and_can_be_replaced():
    register_kind(Kind("mine", "decimal:Decimal", reads="text"))
    assert find_kind("mine").find().__name__ == "Decimal"
    assert kind_names("text") == ("linear", "mine", "transformer")
    register_kind(Kind("mine", dict, reads="numbers"))
    assert find_kind("mine").find() is dict
    assert "mine" not in kind_names("text")


@pytest.mark.parametrize("name", ["linear", "none"])
def test_own_names_cannot_be_taken(name):
    with pytest.raises(ShortlistError, match=f"'{name}' is a name of shortlist's own"):
        register_kind(Kind(name, dict, reads="text"))


def test_a_kind_reads_text_numbers_or_either():
    with pytest.raises(BadFit, match="not 'pictures'"):
        Kind("mine", dict, reads="pictures")
