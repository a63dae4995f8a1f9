"""FineTuning: an encoder and a head as one network on a device. It trains one phase, and reads texts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from shortlist.archive import read_archive, write_archive
from shortlist.arrays import Floats, Positions
from shortlist.classifier.evaluation import score
from shortlist.classifier.networks.batches import FeatureBatches, TokenBatches
from shortlist.classifier.networks.checkpoint import Checkpoint, fingerprint
from shortlist.classifier.networks.encoder import Encoder, Ids
from shortlist.classifier.networks.examples import Examples
from shortlist.classifier.networks.network import make_head, text_network_class
from shortlist.classifier.networks.phases import Phase
from shortlist.classifier.networks.recipe import Recipe
from shortlist.classifier.networks.training import EpochScore, Trainer, as_targets
from shortlist.progress import Tell, progress_bar
from shortlist.tensors import Module, autocast, own_randomness, torch_on

READ, READ_CUDA = 128, 512  # texts at a time, without gradients
EMBEDDINGS = "embeddings"
Vectors: TypeAlias = npt.NDArray[np.float32]
DevRows: TypeAlias = tuple[Ids, Positions]  # token ids of labelled texts, and the positions of their classes


class FineTuning:
    """A network by a recipe. A network that is given is used as it is; else there is a fresh head.

    `cache` is a folder to keep the vectors of a frozen encoder in.
    """

    def __init__(
        self,
        encoder: Encoder,
        k: int,
        recipe: Recipe,
        *,
        device: str = "auto",
        cache: str | os.PathLike[str] | None = None,
        progress: bool | Tell = False,
        network: Module | None = None,
    ) -> None:
        self.torch, self.device = torch_on(device)
        self.encoder, self.k, self.recipe = encoder, k, recipe
        self.cache, self.progress = cache, progress
        self.precision = recipe.precision_on(self.device)
        self.network = self._fresh_network() if network is None else network
        self.vectors: Any = None  # of the rows that are shown to a head on a frozen encoder

    def _fresh_network(self) -> Module:
        network = text_network_class()(self.encoder.network, self._fresh_head(), self.recipe.pooling)
        return network.to(self.device)

    def _fresh_head(self) -> Module:
        recipe = self.recipe
        with own_randomness(self.torch, recipe.seed, self.device):
            return make_head(self.torch, self.encoder.width, recipe.hidden, self.k, recipe.dropout)

    @contextmanager
    def borrowed(self) -> Iterator[None]:
        """A context in which the network may be trained. Afterwards its encoder is as before and its head is fresh."""
        before = {name: tensor.detach().cpu().clone() for name, tensor in self.encoder.network.state_dict().items()}
        yield
        self.encoder.network.load_state_dict(before)
        self.network.head = self._fresh_head().to(self.device)

    def train(
        self, phase: Phase, examples: Examples, dev: DevRows | None = None, checkpoint: Checkpoint | None = None
    ) -> list[float]:
        """Train one phase. Returns the mean loss of each epoch. `dev` rows choose the epoch whose weights are kept."""
        ids, size = examples.ids, phase.batch_size
        trainer = Trainer(
            self.torch,
            self.network.head if phase.head_alone else self.network,
            self._optimiser(phase),
            self._vector_batches(ids, size) if phase.head_alone else self._token_batches(ids, size),
            as_targets(self.torch, examples.beliefs, examples.weights, self.device),
            phase.plan,
            device=self.device,
            score_epoch=None if dev is None else self._score_on(dev),
            checkpoint=checkpoint,
        )
        with progress_bar(self.progress, phase.bar) as trainer.tick:
            history = trainer.run(self.recipe.seed)
        self.network.eval()
        return history

    def read_ahead(self, ids: Ids, shown: Positions) -> None:
        """Compute a frozen encoder's vectors once for all phases; only the `shown` rows are trained on."""
        self.vectors = self.torch.as_tensor(self.embeddings(ids)[shown], device=self.device)

    def logits(self, ids: Ids) -> Floats:
        """(m, k), in the order of the rows."""
        return self._read(ids, lambda *inputs: self.network(*inputs), self.k).astype(np.float64)

    def embeddings(self, ids: Ids) -> Vectors:
        """(m, width): the vectors of the encoder. Those of a frozen encoder are kept in the cache."""
        if self.cache is None or not self.recipe.frozen or not ids:
            return self._read(ids, self.network.embed, self.encoder.width)
        path = Path(self.cache) / f"{self._embedding_key(ids)}.npz"
        if path.exists():
            kept: Vectors = read_archive(path, kind=EMBEDDINGS, version=1)[1]["vectors"]
            return kept
        vectors = self._read(ids, self.network.embed, self.encoder.width)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_archive(path, kind=EMBEDDINGS, version=1, header={}, arrays={"vectors": vectors})
        return vectors

    def _read(self, ids: Ids, what: Any, width: int) -> Vectors:
        """(m, width): what the network, or a part of it, makes of texts. Short texts are read first."""
        out = np.empty((len(ids), width), np.float32)
        batches = self._token_batches(ids)
        self.network.to(self.device).eval()
        with self.torch.inference_mode(), autocast(self.torch, self.device, self.precision):
            for rows in batches.in_order(READ_CUDA if self.device.startswith("cuda") else READ):
                out[rows] = what(*batches.inputs(rows)).float().cpu().numpy()
        return out

    def _token_batches(self, ids: Ids, size: int = READ) -> TokenBatches:
        seed = self.recipe.seed
        return TokenBatches(ids, size, seed, torch=self.torch, device=self.device, pad=self.encoder.pad)

    def _vector_batches(self, ids: Ids, size: int) -> FeatureBatches:
        vectors = self.embeddings(ids) if self.vectors is None else self.vectors
        return FeatureBatches(self.torch.as_tensor(vectors, device=self.device), size, self.recipe.seed)

    def _optimiser(self, phase: Phase) -> Any:
        groups = [{"params": list(self.network.head.parameters()), "lr": phase.head_lr}]
        if not phase.head_alone:
            groups.append({"params": list(self.network.encoder.parameters()), "lr": phase.lr})
        decay = self.recipe.weight_decay
        return self.torch.optim.AdamW(groups, weight_decay=decay, fused=self.device.startswith("cuda"))

    def _score_on(self, dev: DevRows) -> EpochScore:
        ids, gold = dev
        return lambda _, __: score(gold, self.logits(ids).argmax(axis=1), self.k)["macro_f1"]

    def _embedding_key(self, ids: Ids) -> str:
        weights = [tensor.detach().cpu().numpy() for tensor in self.encoder.network.state_dict().values()]
        return fingerprint([self.recipe.pooling, [len(row) for row in ids], np.concatenate(ids), *weights])[:32]
