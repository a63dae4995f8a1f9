"""The linear model of words that answers together with a network: its share, what is held out, and its file."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist.classifier import TransformerClassifier
from shortlist.classifier.networks.training import Trainer
from shortlist.classifier.networks.word_model import WordModel, best_share, geometric_mean, held_out_rows
from shortlist.classifier.text import TextFeatures
from shortlist.errors import BadFile
from shortlist.tensors import read_tensors, write_tensors

QUICK = {"hidden": 8, "steps": 6, "teacher_steps": 3, "head_steps": 3, "batch_size": 8, "max_length": 8}
ANIMALS = ["the cat purrs", "my cat sleeps", "the dog barks", "my dog runs"]


def lesson(m=520):
    """m texts that say a class by one word, and 60 more without a vote."""
    rng = np.random.default_rng(0)
    texts = [f"{ANIMALS[a % 4]} {word}" for a, word in enumerate(rng.choice(["now", "here", "again"], m + 60))]
    cats = np.arange(m + 60) % 4 < 2
    beliefs = np.where(cats, 0.9, 0.1)[:, None] * [1, -1] + [0, 1]
    beliefs[m:] = 0.5
    return texts, beliefs


def fitted(encoder, m=520, **options):
    return TransformerClassifier(encoder, device="cpu", **QUICK | options).fit(*lesson(m), classes=["cat", "dog"])


def test_a_share_worked_by_hand():
    """One member is right about every row, the other wrong about every row; then each about its own half."""
    right, wrong = np.log([[0.9, 0.1], [0.2, 0.8]]), np.log([[0.1, 0.9], [0.8, 0.2]])
    sure, ones = np.eye(2), np.ones(2)
    assert best_share(right, wrong, sure, ones) == 0
    assert best_share(wrong, right, sure, ones) == 1
    one, other = np.log([[0.9, 0.1], [0.5, 0.5]]), np.log([[0.5, 0.5], [0.1, 0.9]])
    assert best_share(one, other, sure, ones) == pytest.approx(0.5, abs=1e-4)
    # the mean of 0.9 : 0.1 and 0.5 : 0.5 is √9 : √1
    np.testing.assert_allclose(np.exp(geometric_mean(one, other, 0.5)[0]), [0.75, 0.25])


@given(st.integers(0, 10_000))
def test_no_share_on_a_grid_is_better(seed):
    rng = np.random.default_rng(seed)
    one, other = (np.log(rng.dirichlet(np.ones(3), 20)) for _ in range(2))
    beliefs, weights = rng.dirichlet(np.ones(3), 20), rng.random(20)

    def loss(share):
        return -weights @ (beliefs * geometric_mean(one, other, share)).sum(axis=1)

    assert loss(best_share(one, other, beliefs, weights)) <= min(map(loss, np.linspace(0, 1, 21))) + 1e-6


def test_a_tenth_is_held_out_where_that_is_enough():
    assert len(held_out_rows(499, 0)) == 0
    held_out = held_out_rows(1000, 0)
    assert len(held_out) == len(set(held_out)) == 100
    assert 0 <= held_out.min() <= held_out.max() < 1000
    assert held_out.tolist() == held_out_rows(1000, 0).tolist() != held_out_rows(1000, 1).tolist()


def test_words_learn_what_a_network_has_not():
    """A network that says nothing leaves everything to the words, and one that knows the beliefs nothing."""
    texts, beliefs = (half[:520] for half in lesson())
    held_out = held_out_rows(520, 0)
    unsure, sure = np.log(np.full((52, 2), 0.5)), np.log(beliefs[held_out])
    words = WordModel.learn(texts, beliefs, np.ones(520), held_out, unsure)
    assert words.share == pytest.approx(1, abs=1e-3)
    said = np.exp(words.combine(np.log([[0.5, 0.5]] * 2), ["cat", "dog"]))
    assert said[0, 0] > 0.8 > 0.2 > said[1, 0]
    assert WordModel.learn(texts, beliefs, np.ones(520), held_out, sure).share < 0.1


def test_the_network_is_not_shown_the_held_out_rows(tiny_encoder):
    pytest.importorskip("transformers")
    texts, beliefs = (half[:520] for half in lesson())  # all covered: no teacher
    held_out = held_out_rows(520, 0)
    turned = beliefs.copy()
    turned[held_out] = turned[held_out, ::-1]
    models = [
        TransformerClassifier(tiny_encoder, device="cpu", **QUICK).fit(texts, some, classes=["cat", "dog"])
        for some in (beliefs, turned)
    ]
    ids = models[0].encoder_.tokens(texts[:8], 8)
    np.testing.assert_array_equal(*(model._tuning(model._recipe(), model.network_).logits(ids) for model in models))
    assert (models[0].words_.linear.coef_ != models[1].words_.linear.coef_).any()  # but these learn from them too


def test_a_cache_does_not_depend_on_which_rows_are_held_out(tiny_encoder, tmp_path):
    pytest.importorskip("transformers")
    options = {"frozen": True, "cache": tmp_path}
    cases = [(0, True), (1, True), (0, False)]
    models = [fitted(tiny_encoder, seed=seed, words=words, **options) for seed, words in cases]
    assert len(list(tmp_path.iterdir())) == 1
    alone = fitted(tiny_encoder, frozen=True)
    np.testing.assert_array_equal(models[0].predict_proba(ANIMALS), alone.predict_proba(ANIMALS))


def test_few_rows_and_the_paper_do_without(tiny_encoder):
    pytest.importorskip("transformers")
    assert fitted(tiny_encoder, m=430).words_ is None  # 490 rows with the uncovered
    assert fitted(tiny_encoder, m=440).words_ is not None
    assert fitted(tiny_encoder, words=False).words_ is None
    assert TransformerClassifier.paper().words is False


@pytest.mark.parametrize("text", ["", " \n"])
def test_texts_without_any_word_do_without(tiny_encoder, text):
    pytest.importorskip("transformers")
    model = TransformerClassifier(tiny_encoder, device="cpu", **QUICK).fit([text] * 580, lesson()[1])
    assert model.words_ is None
    assert np.isfinite(model.predict_proba(ANIMALS)).all()


@pytest.mark.parametrize("scale", [2.0**-20, 2.0**20])
def test_only_the_ratios_of_weights_matter(tiny_encoder, scale):
    """As they do to the network."""
    pytest.importorskip("transformers")
    weights = np.resize([1.0, 2.0, 4.0], 580)
    one, other = (
        TransformerClassifier(tiny_encoder, device="cpu", **QUICK).fit(*lesson(), weights * by) for by in (1, scale)
    )
    assert one.words_.share == pytest.approx(other.words_.share)
    np.testing.assert_allclose(one.predict_proba(ANIMALS), other.predict_proba(ANIMALS))


PHASES = [(phase, frozen) for frozen in (False, True) for phase in ("teacher", "head", "last", "words")]
PHASES.remove(("teacher", True))  # a frozen encoder has no teacher


@pytest.mark.parametrize(("dies", "frozen"), PHASES)
def test_a_fit_goes_on_after_a_kill_with_the_same_rows_held_out(tiny_encoder, tmp_path, monkeypatch, dies, frozen):
    """In the second epoch of a phase, or once all phases are behind."""
    pytest.importorskip("transformers")
    long = {"steps": 80, "teacher_steps": 80, "head_steps": 6, "frozen": frozen}
    whole, path = fitted(tiny_encoder, **long), tmp_path / "checkpoint"
    with monkeypatch.context() as patch:
        kill_in(dies, patch)
        with pytest.raises(KeyboardInterrupt):
            fitted(tiny_encoder, checkpoint=path, **long)
    assert read_tensors(path, "shortlist checkpoint")[0]["stage"] == ("last" if dies == "words" else dies)
    again = fitted(tiny_encoder, checkpoint=path, **long)
    assert again.words_.share == whole.words_.share
    np.testing.assert_array_equal(again.predict_proba(ANIMALS), whole.predict_proba(ANIMALS))
    np.testing.assert_array_equal(again.history_, whole.history_)


def kill_in(phase, patch):
    """The next fit ends in that phase as Ctrl-C would end it."""
    step = Trainer._step

    def dying_step(self, group):
        late = 4 if phase == "head" else 70  # an epoch has 3 steps at most there, and 66 elsewhere
        if self.checkpoint.phase == phase and self.state.step == late:
            raise KeyboardInterrupt
        step(self, group)

    def dying_words(*_):
        raise KeyboardInterrupt

    patch.setattr(Trainer, "_step", dying_step)
    if phase == "words":
        patch.setattr(WordModel, "learn", dying_words)


def test_they_are_in_the_classifier_s_file(tiny_encoder, tmp_path):
    pytest.importorskip("transformers")
    model, path, texts = fitted(tiny_encoder), tmp_path / "reader", [*ANIMALS, "ünseen wörds", ""]
    model.save(path)
    back = TransformerClassifier.load(path, device="cpu")
    assert back.words_.share == model.words_.share > 0
    np.testing.assert_array_equal(back.predict_proba(texts), model.predict_proba(texts))
    assert back.predict([]).tolist() == []

    header, tensors = read_tensors(path, "shortlist transformer")
    without = {name: t for name, t in tensors.items() if not name.startswith("words.")}
    write_tensors(path, "shortlist transformer", header, without)
    with pytest.raises(BadFile, match="no classifier this version can read"):
        TransformerClassifier.load(path, device="cpu")


def test_files_of_before_and_of_later(tiny_encoder, tmp_path):
    pytest.importorskip("transformers")
    model, path = fitted(tiny_encoder, words=False), tmp_path / "reader"
    model.save(path)
    header, tensors = read_tensors(path, "shortlist transformer")
    old = {key: value for key, value in header.items() if key not in ("version", "words")}
    old["options"] = {key: value for key, value in header["options"].items() if key != "words"}
    write_tensors(path, "shortlist transformer", old, tensors)
    back = TransformerClassifier.load(path, device="cpu")
    np.testing.assert_array_equal(back.predict_proba(ANIMALS), model.predict_proba(ANIMALS))
    assert (back.words, back.words_) == (False, None)
    write_tensors(path, "shortlist transformer", json.loads(json.dumps(header)) | {"version": 3}, tensors)
    with pytest.raises(BadFile, match="format 3"):
        TransformerClassifier.load(path, device="cpu")


def test_the_state_is_whole():
    texts, beliefs = (half[:520] for half in lesson())
    held_out = held_out_rows(520, 0)
    words = WordModel.learn(texts, beliefs, np.ones(520), held_out, np.log(np.full((52, 2), 0.5)))
    back = WordModel.restore(*words.state(), "reader")
    assert isinstance(back.features, TextFeatures)
    log_p = np.log(np.full((4, 2), 0.5))
    np.testing.assert_array_equal(back.combine(log_p, ANIMALS), words.combine(log_p, ANIMALS))
