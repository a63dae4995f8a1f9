"""FineTuning: a pretrained Hugging Face encoder with the paper's head, trained on beliefs in three phases.

A network that learns long from covered rows alone learns the labelers' rules. A teacher, trained shortly, gives beliefs
for uncovered rows, so that a long training is safe. The head is trained first, not to disturb the encoder.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from shortlist.arrays import Floats, Positions
from shortlist.classifier.training import FeatureBatches, make_head, train
from shortlist.errors import BadFile, require
from shortlist.progress import progress_share
from shortlist.tensors import Module, Tensor, Tensors, autocast, own_randomness, torch_on

Ids: TypeAlias = list[npt.NDArray[np.int32]]
Vectors: TypeAlias = npt.NDArray[np.float32]


# -- encoders ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Encoder:
    """The network that turns tokens into vectors, and the tokenizer that turns texts into tokens."""

    network: Any
    tokenizer: Any

    @property
    def width(self) -> int:
        return int(self.network.config.hidden_size)

    def tokens(self, texts: Sequence[str], max_length: int) -> Ids:
        """Token ids of each text, truncated to the length the encoder can read."""
        if not len(texts):
            return []
        length = min(max_length, getattr(self.network.config, "max_position_embeddings", max_length))
        encoded = self.tokenizer(list(texts), truncation=True, max_length=length, padding=False)
        return [np.array(ids, np.int32) for ids in encoded["input_ids"]]


def load_encoder(name: str | os.PathLike[str]) -> Encoder:
    """Load an encoder by its name on the Hugging Face hub, or from a folder."""
    transformers: Any = require("transformers", extra="transformers")
    require("torch", extra="transformers")
    text = os.fspath(name)
    if os.path.isdir(text) or isinstance(name, os.PathLike) or text.startswith((".", "/", "~")) or text.count("/") > 1:
        _check_folder(Path(name))
    try:
        with quiet(transformers):
            network = transformers.AutoModel.from_pretrained(name)
            tokenizer = transformers.AutoTokenizer.from_pretrained(name)
    except Exception as error:  # a missing name, a broken download and a damaged file each fail in their own way
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise BadFile(
            f"the encoder {text!r} cannot be read ({reason}). Give the name of a model on the Hugging Face hub (needs "
            "network, or its cache), or a folder with config.json, the weights and the tokenizer"
        ) from error
    return Encoder(network.float(), tokenizer)


def mean_vectors(encoder: Encoder, texts: Sequence[str], max_length: int = 256) -> Vectors:
    """(m, width): the mean of the vectors of a text's tokens, of unit length."""
    torch, device = torch_on("auto")
    options = SimpleNamespace(device=device, encoder_=encoder, classes_=(), seed=0)
    reader = FineTuning(options, torch.nn.ModuleDict({"encoder": encoder.network}))
    vectors: Vectors = reader._read(encoder.tokens(texts, max_length), reader._embed, encoder.width)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return vectors


def _check_folder(folder: Path) -> None:
    """Refuse a folder without configuration or tokenizer: transformers would replace them silently."""
    tokenizers = ("tokenizer.json", "vocab", "spiece", "sentencepiece", "tokenizer.model")
    if not (folder / "config.json").is_file():
        raise BadFile(f"there is no encoder in '{folder}': no file config.json")
    if not any(path.name.startswith(tokenizers) for path in folder.iterdir()):
        raise BadFile(f"the encoder in '{folder}' has no tokenizer: no file {', '.join(tokenizers)}")


def pack_encoder(encoder: Encoder) -> tuple[dict[str, Any], Tensors]:
    """(configuration, tokenizer): the tokenizer's files as tensors of bytes, by their names."""
    torch: Any = require("torch", extra="transformers")
    with tempfile.TemporaryDirectory() as folder:
        encoder.tokenizer.save_pretrained(folder)
        files = {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir()) if path.is_file()}
    tensors = {name: torch.frombuffer(bytearray(data), dtype=torch.uint8) for name, data in files.items()}
    return json.loads(encoder.network.config.to_json_string(use_diff=False)), tensors


def unpack_encoder(config: dict[str, Any], files: Tensors) -> Encoder:
    """Rebuild a packed encoder. Its weights are random until the network's are loaded."""
    transformers: Any = require("transformers", extra="transformers")
    with tempfile.TemporaryDirectory() as folder, quiet(transformers):
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data.numpy().tobytes())
        (Path(folder) / "config.json").write_text(json.dumps(config))
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        network = transformers.AutoModel.from_config(transformers.AutoConfig.from_pretrained(folder))
    return Encoder(network.float(), tokenizer)


@contextmanager
def quiet(transformers: Any) -> Iterator[None]:
    """Silence the progress bars and hints of transformers."""
    logging = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


# -- batches -----------------------------------------------------------------------------------------------


class TokenBatches(FeatureBatches):
    """Texts as token ids, padded batch by batch. Rows of similar length share a batch."""

    window = 50  # batches: rows are sorted by length within so many batches, and shuffled beyond

    def __init__(self, ids: Ids, size: int, seed: int, *, torch: Any, device: str, pad: int) -> None:
        super().__init__(ids, size, seed)
        self.torch, self.device, self.pad = torch, device, pad
        self.lengths = np.array([len(row) for row in ids])

    def epoch(self, number: int) -> list[Positions]:
        rng = np.random.default_rng([self.seed, number])
        cuts = np.array_split(rng.permutation(len(self.X)), len(self))
        batches: list[Positions] = []
        for start in range(0, len(cuts), self.window):
            window = cuts[start : start + self.window]
            rows = np.concatenate(window)
            by_length = rows[np.argsort(self.lengths[rows], kind="stable")]
            batches += np.split(by_length, np.cumsum([len(cut) for cut in window])[:-1])
        return [batches[b] for b in rng.permutation(len(batches))]

    def in_order(self) -> list[Positions]:
        """All rows from short to long, for inference."""
        return np.array_split(np.argsort(self.lengths, kind="stable"), len(self)) if len(self) else []

    def inputs(self, rows: Positions) -> tuple[Tensor, ...]:
        """(ids, mask), each (m, length), on the device."""
        length = max(int(self.lengths[rows].max()), 1)
        ids = np.full((len(rows), length), self.pad, np.int64)
        for i, row in enumerate(rows):
            ids[i, : self.lengths[row]] = self.X[row]
        real = np.arange(length) < self.lengths[rows][:, None]
        return tuple(self.torch.as_tensor(array, device=self.device) for array in (ids, real.astype(np.int64)))


# -- phases ------------------------------------------------------------------------------------------------


class FineTuning:
    """The network of a TransformerClassifier, whose options are read: {"encoder", "head"}, with a fresh head if new."""

    def __init__(self, options: Any, network: Module | None = None) -> None:
        self.torch, self.device = torch_on(options.device)
        self.encoder, self.k, self.options = options.encoder_, len(options.classes_), options
        if network is None:
            with own_randomness(self.torch, options.seed, self.device):
                head = make_head(self.torch, self.encoder.width, 256, self.k)
            network = self.torch.nn.ModuleDict({"encoder": self.encoder.network, "head": head}).to(self.device)
        self.network = network

    def _embed(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(m, width): the mean of the vectors of the tokens."""
        states = self.network["encoder"](input_ids=ids, attention_mask=mask).last_hidden_state
        counted = mask.unsqueeze(-1).to(states.dtype)
        return ((states * counted).sum(dim=1) / counted.sum(dim=1).clamp(min=1)).float()

    def _forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(m, k): logits."""
        return self.network["head"](self._embed(ids, mask))

    def teach(self, ids: Ids, beliefs: Floats, weights: Floats, others: Ids) -> Floats:
        """(others, k): what a short training believes about other rows. Afterwards the network is as it was before."""
        before = {name: tensor.detach().cpu().clone() for name, tensor in self.network.state_dict().items()}
        self._train_all("teacher", ids, beliefs, weights, max(1, self.options.steps // 2))
        taught: Floats = softmax(self.logits(others), axis=1)
        self.network.load_state_dict(before)
        return taught

    def run(self, ids: Ids, beliefs: Floats, weights: Floats) -> list[float]:
        """Train the head on the encoder as it is, then, unless it is frozen, both; the mean loss of each epoch."""
        steps, frozen = self.options.steps, self.options.frozen
        history = self._train_head(ids, beliefs, weights, steps if frozen else max(1, steps // 2))
        return history if frozen else self._train_all("fine-tuning", ids, beliefs, weights, steps)

    def _train_head(self, ids: Ids, beliefs: Floats, weights: Floats, steps: int) -> list[float]:
        vectors = self.torch.as_tensor(self._read(ids, self._embed, self.encoder.width), device=self.device)
        batches, head = FeatureBatches(vectors, 256, self.options.seed), self.network["head"]
        optimiser = self.torch.optim.AdamW(head.parameters(), lr=1e-3, weight_decay=0.01)
        with progress_share(self.options.progress, "head") as tick:
            return train(
                self.torch, head, optimiser, batches, beliefs, weights,
                steps=steps, schedule="linear", warmup=0.0, tick=tick,
            )  # fmt: skip

    def _train_all(self, name: str, ids: Ids, beliefs: Floats, weights: Floats, steps: int) -> list[float]:
        """Train encoder and head; the head learns ten times as fast, and gradients are clipped."""
        rates = {"head": 10 * self.options.lr, "encoder": self.options.lr}
        groups = [{"params": list(self.network[part].parameters()), "lr": rate} for part, rate in rates.items()]
        cuda = self.device.startswith("cuda")
        with progress_share(self.options.progress, name) as tick:
            return train(
                self.torch, self.network, self.torch.optim.AdamW(groups, weight_decay=0.01, fused=cuda),
                self._batches(ids, self.options.batch_size), beliefs, weights,
                steps=steps, schedule="linear", clip=2.0, mixed=cuda, forward=self._forward, tick=tick,
            )  # fmt: skip

    def logits(self, ids: Ids) -> Floats:
        """(m, k), in the order of the rows."""
        return self._read(ids, self._forward, self.k).astype(np.float64)

    def _read(self, ids: Ids, part: Callable[[Tensor, Tensor], Tensor], width: int) -> Vectors:
        """(m, width): outputs of the network, or of a part of it, for texts."""
        out, cuda = np.empty((len(ids), width), np.float32), self.device.startswith("cuda")
        batches = self._batches(ids, 512 if cuda else 128)
        self.network.to(self.device).eval()
        with self.torch.inference_mode(), autocast(self.torch, self.device, enabled=cuda):
            for rows in batches.in_order():
                out[rows] = part(*batches.inputs(rows)).float().cpu().numpy()
        return out

    def _batches(self, ids: Ids, size: int) -> TokenBatches:
        pad = int(self.encoder.tokenizer.pad_token_id or 0)
        return TokenBatches(ids, size, self.options.seed, torch=self.torch, device=self.device, pad=pad)
