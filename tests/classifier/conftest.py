"""Small problems with known beliefs."""

import os
from importlib.util import find_spec

import numpy as np
import pytest

os.environ["HF_HUB_OFFLINE"] = "1"  # read by transformers when it is first imported

CLASSES = ["cat", "dog", "owl"]


@pytest.fixture
def clouds():
    """(X (m, p), beliefs (m, k), labels (m,)): three overlapping clouds, half believed in, drawn once and for all."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 240)
    X = rng.normal(size=(240, 5)) + 1.5 * np.eye(3, 5)[truth]
    beliefs = rng.dirichlet(np.ones(3), 240) * 0.4 + 0.6 * np.eye(3)[truth]
    return X, beliefs, np.array(CLASSES, object)[truth]


@pytest.fixture
def texts():
    """(texts, beliefs over cat and dog): each text says plainly what it is about, the beliefs less so."""
    cats = ["the cat purrs", "my cat sleeps", "a cat meows", "cats chase mice"]
    dogs = ["the dog barks", "my dog runs", "a dog growls", "dogs chase cars"]
    return cats + dogs, np.array([[0.8, 0.2]] * 4 + [[0.3, 0.7]] * 4)


WORDS = "the my a cat cats dog dogs purrs sleeps meows chase mice barks runs growls cars who where is it ?".split()  # noqa: SIM905


@pytest.fixture(scope="session", autouse=True)
def _one_thread():
    """Small tensors are fastest on one thread, and other tests run beside these."""
    if find_spec("torch") is None:  # as under `make test`
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory):
    """A folder with a random BERT of two layers and 16 dimensions that knows two dozen words."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    folder = tmp_path_factory.mktemp("encoder")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {word: i for i, word in enumerate(special + WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), special, strict=True))
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
    )
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        transformers.BertModel(config).save_pretrained(folder)
    return folder
