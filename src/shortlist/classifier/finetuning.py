"""FineTuning: a pretrained Hugging Face encoder with the paper's head, trained on beliefs in three phases.

A network that learns long from covered rows alone learns the labelers' rules. A teacher, trained shortly, gives beliefs
for uncovered rows, so that a long training is safe. The head is trained first, not to disturb the encoder.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from shortlist.arrays import Floats, Positions
from shortlist.classifier.evaluation import score
from shortlist.classifier.training import FeatureBatches, Plan, Trainer, make_head
from shortlist.errors import BadFile, require
from shortlist.progress import progress_bar
from shortlist.tensors import Module, Tensor, Tensors, autocast, own_randomness, torch_on, upload

Ids: TypeAlias = list[npt.NDArray[np.int32]]
Vectors: TypeAlias = npt.NDArray[np.float32]
DevRows: TypeAlias = tuple[Ids, Positions]  # token ids of labelled texts, and the positions of their classes


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


# -- the network -------------------------------------------------------------------------------------------


@cache
def text_network_class() -> Any:
    """Return the class TextNetwork: an encoder with a head. A function, because its base class comes from torch."""
    torch: Any = require("torch", extra="torch")

    class TextNetwork(torch.nn.Module):  # type: ignore[misc]
        """Token ids (m, length) and their mask → logits (m, k)."""

        def __init__(self, encoder: Module, head: Module, pooling: str) -> None:
            super().__init__()
            self.encoder, self.head, self.pooling = encoder, head, pooling

        def embed(self, ids: Tensor, mask: Tensor) -> Tensor:
            states = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
            if self.pooling == "cls":
                return states[:, 0]
            counted = mask.unsqueeze(-1).to(states.dtype)
            return (states * counted).sum(dim=1) / counted.sum(dim=1).clamp(min=1)

        def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
            return self.head(self.embed(ids, mask).float())

    return TextNetwork


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
        return tuple(upload(self.torch, array, self.device) for array in (ids, real.astype(np.int64)))


# -- phases ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Examples:
    """Token ids of m texts, their beliefs (m, k) and weights (m,)."""

    ids: Ids
    beliefs: Floats
    weights: Floats

    def take(self, rows: Positions) -> Examples:
        return Examples([self.ids[a] for a in rows], self.beliefs[rows], self.weights[rows])


class Phase(NamedTuple):
    """A training: its name in progress bars, its plan, learning rates and batch size."""

    name: str
    plan: Plan
    lr: float
    head_lr: float
    batch_size: int


class FineTuning:
    """The network of a TransformerClassifier, whose options are read. Without a network there is a fresh head."""

    def __init__(self, options: Any, network: Module | None = None) -> None:
        self.torch, self.device = torch_on(options.device)
        self.encoder, self.k, self.options = options.encoder_, len(options.classes_), options
        self.precision = "bf16" if self.device.startswith("cuda") else "fp32"
        if network is None:
            with own_randomness(self.torch, options.seed, self.device):
                head = make_head(self.torch, self.encoder.width, 256, self.k)
                network = text_network_class()(self.encoder.network, head, options.pooling).to(self.device)
        self.network = network

    def run(
        self, examples: Examples, covered: int, held_out: Positions, dev: DevRows | None
    ) -> tuple[Examples, list[float]]:
        """Run all phases.

        The first `covered` examples have beliefs, the teacher gives the others theirs. `held_out` rows are not learned
        from; `dev` rows choose the epoch of the last phase. Returns all examples with their beliefs, and the mean loss
        of each epoch of the last phase.
        """
        options = self.options
        if covered < len(examples.ids):
            taught = self._taught(examples, covered)
            examples = replace(examples, beliefs=np.concatenate([examples.beliefs[:covered], taught]))
        shown = examples.take(np.setdiff1d(np.arange(len(examples.ids)), held_out))
        vectors = self.embeddings(shown.ids) if options.frozen or options.head_steps else None
        if options.head_steps:
            plan = Plan(options.head_steps, warmup=0.0, clip=None)
            self._train(Phase("head", plan, 0.0, 1e-3, 256), shown, vectors)
        precision = "fp32" if options.frozen else self.precision
        plan = Plan(options.steps, options.epochs, options.schedule, precision=precision)
        last = Phase("fine-tuning", plan, options.lr, options.head_lr or options.lr, options.batch_size)
        return examples, self._train(last, shown, vectors if options.frozen else None, dev)

    def _taught(self, examples: Examples, covered: int) -> Floats:
        """Beliefs of the teacher about the uncovered rows, (m, k). Afterwards the network is as it was before."""
        before = {name: tensor.detach().cpu().clone() for name, tensor in self.network.state_dict().items()}
        plan = Plan(self.options.teacher_steps, precision=self.precision)
        phase = Phase("teacher", plan, 1e-5, 1e-4, self.options.batch_size)
        self._train(phase, examples.take(np.arange(covered)))
        taught: Floats = softmax(self.logits(examples.ids[covered:]), axis=1)
        self.network.load_state_dict(before)
        return taught

    def _train(
        self, phase: Phase, examples: Examples, vectors: Vectors | None = None, dev: DevRows | None = None
    ) -> list[float]:
        """Train one phase, of the head alone where `vectors` of the encoder are given; the mean loss of each epoch."""
        network: Module = self.network
        batches: FeatureBatches = self._batches(examples.ids, phase.batch_size)
        groups = [{"params": list(self.network.head.parameters()), "lr": phase.head_lr}]
        if vectors is not None:
            there = self.torch.as_tensor(vectors, device=self.device)
            network, batches = network.head, FeatureBatches(there, phase.batch_size, self.options.seed)
        else:
            groups.append({"params": list(self.network.encoder.parameters()), "lr": phase.lr})
        trainer = Trainer(
            self.torch,
            network,
            self.torch.optim.AdamW(groups, weight_decay=0.01, fused=self.device.startswith("cuda")),
            batches,
            examples.beliefs,
            examples.weights,
            phase.plan,
            device=self.device,
            score_epoch=None if dev is None else lambda _: self._macro_f1(*dev),
        )
        with progress_bar(self.options.progress, phase.name) as trainer.tick:
            history = trainer.run(self.options.seed)
        self.network.eval()
        return history

    def _macro_f1(self, ids: Ids, gold: Positions) -> float:
        return score(gold, self.logits(ids).argmax(axis=1), self.k)["macro_f1"]

    def logits(self, ids: Ids) -> Floats:
        """(m, k), in the order of the rows."""
        return self._read(ids, lambda *inputs: self.network(*inputs), self.k).astype(np.float64)

    def embeddings(self, ids: Ids) -> Vectors:
        """(m, width): the vectors of the encoder."""
        return self._read(ids, self.network.embed, self.encoder.width)

    def _read(self, ids: Ids, part: Any, width: int) -> Vectors:
        """(m, width): outputs of the network, or of a part of it, for texts."""
        out = np.empty((len(ids), width), np.float32)
        batches = self._batches(ids, 512 if self.device.startswith("cuda") else 128)
        self.network.to(self.device).eval()
        with self.torch.inference_mode(), autocast(self.torch, self.device, self.precision):
            for rows in batches.in_order():
                out[rows] = part(*batches.inputs(rows)).float().cpu().numpy()
        return out

    def _batches(self, ids: Ids, size: int) -> TokenBatches:
        pad = int(self.encoder.tokenizer.pad_token_id or 0)
        return TokenBatches(ids, size, self.options.seed, torch=self.torch, device=self.device, pad=pad)
