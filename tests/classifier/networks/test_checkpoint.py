"""What tells trainings apart stays the same, so that checkpoints of earlier versions are known again."""

import numpy as np
import pytest

from shortlist.classifier import TransformerClassifier
from shortlist.classifier.networks.checkpoint import Checkpoint, fingerprint
from shortlist.classifier.networks.examples import Examples, TrainingSet
from shortlist.classifier.networks.recipe import Recipe
from shortlist.classifier.networks.self_training import make_checkpoint
from shortlist.errors import BadFile

torch = pytest.importorskip("torch")
OF_0_1 = "c842b1a0cce60f388fa0bba00f50d111dd78936a0b70127929ba7220b02bf61b"  # as version 0.1 computed it


def test_a_fine_tuning_keeps_its_fingerprint():
    """The default options, one text of three tokens, and two held-out rows."""
    one = Examples([np.arange(3, dtype=np.int32)], np.array([[0.5, 0.5]]), np.ones(1))
    data = TrainingSet(one, [], np.zeros(0), np.arange(2))
    recipe = Recipe.of(TransformerClassifier().get_params(deep=False))
    assert make_checkpoint("run", "bert-base-uncased", recipe, data).fingerprint == OF_0_1
    more = TrainingSet(one, one.ids, np.ones(1), np.arange(2))
    assert make_checkpoint("run", "bert-base-uncased", recipe, more).fingerprint != OF_0_1
    assert make_checkpoint(None, "bert-base-uncased", recipe, data) is None


def test_arrays_and_texts_do_not_run_together():
    assert fingerprint(["ab", "c"]) != fingerprint(["a", "bc"])
    assert fingerprint([np.arange(3)]) == fingerprint([np.arange(6)[:3].copy()])
    assert fingerprint([np.arange(3)]) != fingerprint([np.arange(3.0)])


def test_a_phase_finds_its_own_numbers_and_what_was_kept(tmp_path):
    written = Checkpoint(tmp_path / "run", "this one")
    assert written.reached() is written.load() is None
    written.phase, written.kept = "head", {"taught": torch.ones(2)}
    written.save({"step": 3}, {"network.a": torch.zeros(1)})
    back = Checkpoint(tmp_path / "run", "this one")
    assert back.reached() == "head"
    assert back.kept["taught"].tolist() == [1, 1]
    assert back.load() is None  # it is in another phase
    back.phase = "head"
    assert back.load()[0] == {"step": 3}
    with pytest.raises(BadFile, match="another training"):
        Checkpoint(tmp_path / "run", "that one").reached()


def test_a_checkpoint_is_due_after_a_minute():
    checkpoint = Checkpoint("run", "this one")
    assert not checkpoint.due()
    checkpoint.saved -= 61
    assert checkpoint.due()
