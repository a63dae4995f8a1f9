"""Local models of Hugging Face: tiny ones with random weights, whose scores can be worked out in another way."""

import numpy as np
import pytest

from shortlist.errors import BadLabeler
from shortlist.models import Transformers, model_from_record

CHOICES = (" a person", " place", " number")
PROMPTS = ["who wrote it ?", "where is this place and who lives there ?"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A causal model and one for inference, two layers each, with a tokenizer of whole words."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    words = sorted({word for text in (*PROMPTS, *CHOICES) for word in text.split()})
    vocabulary = {word: i for i, word in enumerate(["[PAD]", "[UNK]", *words])}
    plain = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    plain.pre_tokenizer = Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=plain, unk_token="[UNK]", pad_token="[PAD]", model_max_length=64
    )
    torch.manual_seed(0)
    size = {"vocab_size": len(vocabulary), "n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 64}
    causal = transformers.GPT2LMHeadModel(transformers.GPT2Config(**size, bos_token_id=0, eos_token_id=0))
    labels = {"entailment": 0, "neutral": 1, "contradiction": 2}
    config = transformers.BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=64, num_labels=3, label2id=labels, id2label={i: name for name, i in labels.items()},
    )  # fmt: skip
    home = tmp_path_factory.mktemp("models")
    for name, network in (("causal", causal), ("nli", transformers.BertForSequenceClassification(config))):
        network.save_pretrained(home / name)
        tokenizer.save_pretrained(home / name)
    return home


def test_whole_choices_are_scored_token_by_token(folder):
    """Against one string at a time, without padding: log P of each token after those before it."""
    torch = pytest.importorskip("torch")
    model = Transformers(folder / "causal", device="cpu", batch=4)
    _, tokenizer, network, _ = model._loaded
    for prompt, row in zip(PROMPTS, model.scores(PROMPTS, CHOICES), strict=True):
        for choice, score in zip(CHOICES, row, strict=True):
            first, ids = len(tokenizer(prompt)["input_ids"]), tokenizer(prompt + choice)["input_ids"]
            with torch.no_grad():
                logs = torch.log_softmax(network(torch.tensor([ids])).logits[0], dim=-1)
            assert score == pytest.approx(sum(logs[i - 1, ids[i]].item() for i in range(first, len(ids))), abs=1e-4)


def test_entailment_against_contradiction(folder):
    torch = pytest.importorskip("torch")
    model = Transformers(folder / "nli", task="nli", device="cpu")
    _, tokenizer, network, _ = model._loaded
    scores = model.scores(PROMPTS, CHOICES)
    with torch.no_grad():
        logits = network(**tokenizer(PROMPTS[0], CHOICES[1], return_tensors="pt")).logits[0]
    assert scores[0, 1] == pytest.approx(torch.log_softmax(logits[[0, 2]], dim=0)[0].item(), abs=1e-4)
    assert (scores < 0).all()


def test_it_is_known_by_its_folder_and_task(folder):
    causal = Transformers(folder / "causal")
    assert causal.id != Transformers(folder / "nli", task="nli").id
    assert model_from_record({"kind": "transformers", "name": causal.name}).id == causal.id
    assert isinstance(causal.write("who wrote", max_tokens=3), str)
    assert np.asarray(causal.scores([], CHOICES)).shape == (0, 3)


def test_what_cannot_be_loaded(folder, tmp_path):
    with pytest.raises(BadLabeler, match="cannot load"):
        Transformers(tmp_path).scores(["a"], ("b", "c"))
    with pytest.raises(BadLabeler, match='"causal" or "nli"'):
        Transformers(folder / "causal", task="chat")
