"""The phases of a fine-tuning: what the teacher says, what the head phase is, and when there is neither."""

import numpy as np
import pytest

from shortlist.classifier import TransformerClassifier
from shortlist.classifier.networks.finetuning import FineTuning
from shortlist.classifier.networks.self_training import SelfTraining

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
QUICK = {"device": "cpu", "hidden": 8, "steps": 6, "teacher_steps": 30, "head_steps": 4, "lr": 5e-3, "batch_size": 4}
FORMER = {"steps": 30, "lr": 1e-5, "head_lr": 1e-4, "uncovered": "drop", "head_steps": 0}
OTHERS = ["is it a cat ?", "who sleeps ?", "where is my dog ?"]


def classifier(tiny_encoder, **options):
    return TransformerClassifier(tiny_encoder, **{**QUICK, **options})


@pytest.fixture
def trained(monkeypatch):
    """The phases that are trained from now on: their names, and (beliefs, weights)."""
    phases, train = [], FineTuning.train

    def noted(self, phase, examples, *more):
        phases.append((phase.name, examples.beliefs, examples.weights))
        return train(self, phase, examples, *more)

    monkeypatch.setattr(FineTuning, "train", noted)
    return phases


@pytest.fixture
def rows(texts):
    """(texts, beliefs, covered): eight told rows among three that are not, whose beliefs nobody is to read."""
    told, beliefs = texts
    mixed = [OTHERS[0], *told[:4], *OTHERS[1:], *told[4:]]
    covered = np.array([text not in OTHERS for text in mixed])
    full = np.tile([1.0, 0.0], (11, 1))
    full[covered] = beliefs
    return mixed, full, covered


def test_the_uncovered_rows_believe_what_the_former_default_says_of_them(tiny_encoder, rows, trained):
    mixed, beliefs, covered = rows
    former = classifier(tiny_encoder, **FORMER).fit(mixed, beliefs, covered=covered)
    trained.clear()
    classifier(tiny_encoder).fit(mixed, beliefs, np.arange(1.0, 12), covered=covered)
    assert [name for name, *_ in trained] == ["teacher", "head", "last"]
    weighted = classifier(tiny_encoder, **FORMER).fit(mixed, beliefs, np.arange(1.0, 12), covered=covered)
    for _, learned, weights in trained[1:3]:
        np.testing.assert_array_equal(learned[:8], beliefs[covered])
        np.testing.assert_array_equal(learned[8:], weighted.predict_proba(OTHERS))
        np.testing.assert_array_equal(weights, [2, 3, 4, 5, 8, 9, 10, 11, 1, 6, 7])
    assert (former.predict_proba(OTHERS) != weighted.predict_proba(OTHERS)).any()


def test_the_pupil_learns_as_if_the_taught_beliefs_had_been_given(tiny_encoder, rows):
    """The teacher leaves beliefs behind, and nothing else: no weights, no random numbers."""
    mixed, beliefs, covered = rows
    former = classifier(tiny_encoder, **FORMER).fit(mixed, beliefs, covered=covered)
    order = [text for text in mixed if text not in OTHERS] + OTHERS
    known = np.concatenate([beliefs[covered], former.predict_proba(OTHERS)])
    given = classifier(tiny_encoder).fit(order, known)
    taught = classifier(tiny_encoder).fit(mixed, beliefs, covered=covered)
    np.testing.assert_allclose(taught.predict_proba(mixed), given.predict_proba(mixed), rtol=1e-6)


def test_what_the_former_default_does_not_share_with_the_last_phase_is_not_taken_over(tiny_encoder, rows, trained):
    """The teacher trains as it always does, however the last phase is asked to train."""
    mixed, beliefs, covered = rows
    for options in ({}, {"schedule": "constant", "epochs": 2, "loss": "set", "head_lr": 1e-2, "lr": 1e-3}):
        classifier(tiny_encoder, **options).fit(mixed, beliefs, covered=covered)
    np.testing.assert_array_equal(trained[1][1], trained[4][1])


@pytest.mark.parametrize("options", [{"covered": np.ones(8, bool)}, {}])
def test_without_uncovered_rows_there_is_no_teacher(tiny_encoder, texts, trained, options):
    told, beliefs = texts
    taught = classifier(tiny_encoder).fit(told, beliefs, **options)
    dropped = classifier(tiny_encoder, uncovered="drop").fit(told, beliefs, **options)
    assert [name for name, *_ in trained] == ["head", "last"] * 2
    np.testing.assert_array_equal(taught.predict_proba(told), dropped.predict_proba(told))


def test_which_rows_are_taught(tiny_encoder, texts, trained):
    """Rows with a uniform belief, or without a label, that count; none where they are to be dropped or kept."""
    told, beliefs = texts
    flat = np.concatenate([beliefs, [[0.5, 0.5]] * 3])
    labels = ["cat"] * 4 + ["dog"] * 4 + [None] * 3
    for y in (flat, labels):
        classifier(tiny_encoder).fit(told + OTHERS, y)
        classifier(tiny_encoder).fit(told + OTHERS, y, [1.0] * 8 + [0, 1, 0])
        classifier(tiny_encoder, uncovered="drop").fit(told + OTHERS, y)
    classifier(tiny_encoder, uncovered="keep").fit(told + OTHERS, flat)
    sizes = [len(weights) for name, _, weights in trained if name == "last"]
    assert sizes == [11, 9, 8, 11, 9, 8, 11]
    np.testing.assert_array_equal(trained[-1][1], flat)


def test_the_head_start_is_a_frozen_training(tiny_encoder, texts):
    """A last phase of rate zero leaves the head as the start left it, whether the encoder is frozen or not."""
    told, beliefs = texts
    alone = {
        "frozen": True,
        "head_steps": 0,
        "steps": 7,
        "head_lr": 1e-3,
        "batch_size": 256,
        "warmup": 0.0,
        "clip": None,
    }
    frozen = classifier(tiny_encoder, **alone).fit(told, beliefs)
    for options in ({}, {"frozen": True}):
        started = classifier(tiny_encoder, head_steps=7, lr=0.0, head_lr=0.0, **options).fit(told, beliefs)
        for ours, theirs in zip(started.network_.parameters(), frozen.network_.parameters(), strict=True):
            assert torch.equal(ours, theirs)
    fresh = classifier(tiny_encoder, head_steps=0, lr=0.0, head_lr=0.0).fit(told, beliefs)
    assert not torch.equal(fresh.network_.head[0].weight, frozen.network_.head[0].weight)


def test_a_frozen_encoder_has_no_teacher_and_is_read_once(tiny_encoder, rows, trained, monkeypatch):
    mixed, beliefs, covered = rows
    reads, read = [], FineTuning._read
    monkeypatch.setattr(FineTuning, "_read", lambda self, ids, *more: reads.append(len(ids)) or read(self, ids, *more))
    classifier(tiny_encoder, frozen=True).fit(mixed, beliefs, covered=covered)
    assert [name for name, *_ in trained] == ["head", "last"]
    assert reads == [8]


def test_dev_rows_choose_the_epoch_of_the_last_phase_alone(tiny_encoder, rows, monkeypatch):
    mixed, beliefs, covered = rows
    scored, score_on = [], FineTuning._score_on
    monkeypatch.setattr(FineTuning, "_score_on", lambda self, dev: scored.append(len(dev[0])) or score_on(self, dev))
    model = classifier(tiny_encoder, epochs=2).fit(mixed, beliefs, covered=covered, dev=(OTHERS, [0, None, 1]))
    assert scored == [2]
    assert len(model.history_) == 2


def test_the_teacher_is_gone_before_its_pupil_comes(tiny_encoder, rows, monkeypatch):
    """One encoder at a time, as it came from its folder, and a fresh head."""
    from shortlist.classifier.networks.encoder import load_encoder

    mixed, beliefs, covered = rows
    seen, teach = [], SelfTraining._teach

    def noted(self):
        taught = teach(self)
        seen.append({name: tensor.clone() for name, tensor in self.tuning.network.state_dict().items()})
        return taught

    monkeypatch.setattr(SelfTraining, "_teach", noted)
    model = classifier(tiny_encoder).fit(mixed, beliefs, covered=covered)
    assert model.network_.encoder is model.encoder_.network
    for name, tensor in load_encoder(tiny_encoder).network.state_dict().items():
        assert torch.equal(seen[0][f"encoder.{name}"], tensor)
    assert seen[0]["head.1.num_batches_tracked"] == 0


def test_the_bar_says_which_phase_it_is(tiny_encoder, rows, capsys):
    mixed, beliefs, covered = rows
    classifier(tiny_encoder, progress=True).fit(mixed, beliefs, covered=covered)
    classifier(tiny_encoder, progress=True, frozen=True).fit(mixed, beliefs, covered=covered)
    shown = capsys.readouterr().err
    positions = [shown.index(name) for name in ("teacher", "head", "fine-tuning", "training")]
    assert positions == sorted(positions)
