"""FineTuning: an encoder and a head as one network, trained whole or the head alone, and read from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.archive import read_archive, write_archive
from shortlist.arrays import Floats
from shortlist.classifier.evaluation import score
from shortlist.classifier.networks.batches import FeatureBatches, TokenBatches
from shortlist.classifier.networks.checkpoint import Checkpoint, fingerprint
from shortlist.classifier.networks.encoder import Encoder, Ids
from shortlist.classifier.networks.network import LOSSES, make_head, reader_class, torch_and_device
from shortlist.classifier.networks.phases import Stage, check_lengths
from shortlist.classifier.networks.training import Trainer, as_targets, autocast, own_randomness
from shortlist.classifier.progress import progress_bar
from shortlist.errors import BadFit

READ, READ_CUDA = 128, 512  # texts at a time, without gradients
EMBEDDINGS = "embeddings"
Judged = tuple[Ids, npt.NDArray[np.int64]]


class FineTuning:
    """The options are those of TransformerClassifier; a network that is there already is used as it is."""

    def __init__(self, encoder: Encoder, k: int, options: dict[str, Any], network: Any = None) -> None:
        self.torch, self.device = torch_and_device(options["device"])
        self.encoder, self.k, self.options = encoder, k, options
        self.precision = check_precision(options["precision"], self.device)
        if options["pooling"] not in ("mean", "cls"):
            raise BadFit(f'pooling is "mean" or "cls", not {options["pooling"]!r}')
        if options["loss"] not in LOSSES:
            raise BadFit(f'loss is "expected" or "set", not {options["loss"]!r}')
        check_lengths(options)
        self.network = network if network is not None and network.encoder is encoder.network else self._fresh()
        self.vectors: Any = None  # of the rows that are shown to a head on a frozen encoder

    def _fresh(self) -> Any:
        reader = reader_class()(self.encoder.network, self._fresh_head(), self.options["pooling"])
        return reader.to(self.device)

    def _fresh_head(self) -> Any:
        with own_randomness(self.torch, self.options["seed"], self.device):
            return make_head(self.torch, self.encoder.width, self.options["hidden"], self.k, self.options["dropout"])

    @contextmanager
    def borrowed(self) -> Iterator[None]:
        """Lend the network: afterwards its encoder is as it was before, and its head fresh."""
        before = {name: tensor.detach().cpu().clone() for name, tensor in self.encoder.network.state_dict().items()}
        yield
        self.encoder.network.load_state_dict(before)
        self.network.head = self._fresh_head().to(self.device)

    def train(
        self,
        stage: Stage,
        ids: Ids,
        beliefs: Floats,
        weights: Floats,
        judged: Judged | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> list[float]:
        """Train on token ids, beliefs (m, k) and weights (m,); `judged` are dev tokens and gold positions."""
        trainer = Trainer(
            self.torch,
            self.network.head if stage.head_alone else self.network,
            self._optimiser(stage),
            self._features(ids, stage.batch_size) if stage.head_alone else self._batches(ids, stage.batch_size),
            as_targets(self.torch, beliefs, weights, self.device),
            stage.plan,
            device=self.device,
            judge=None if judged is None else self._judge(judged),
            checkpoint=checkpoint,
        )
        with progress_bar(self.options["progress"], stage.bar) as trainer.tick:
            history = trainer.run(self.options["seed"])
        self.network.eval()
        return history

    def read_ahead(self, ids: Ids, shown: npt.NDArray[np.int64]) -> None:
        """Read a frozen encoder's vectors once for all stages. A cache has all rows, whichever of them are shown."""
        self.vectors = self.torch.as_tensor(self.embeddings(ids)[shown], device=self.device)

    def logits(self, ids: Ids) -> Floats:
        """(m, k), in the order of the rows."""
        return self._read(ids, lambda *inputs: self.network(*inputs), self.k).astype(np.float64)

    def embeddings(self, ids: Ids) -> npt.NDArray[np.float32]:
        """(m, width): the vectors of the encoder, from the cache where they are there."""
        folder = self.options["cache"]
        if folder is None or not self.options["frozen"] or not ids:
            return self._read(ids, self.network.embed, self.encoder.width)
        path = Path(folder) / f"{self._embedding_key(ids)}.npz"
        if path.exists():
            kept: npt.NDArray[np.float32] = read_archive(path, kind=EMBEDDINGS, version=1)[1]["vectors"]
            return kept
        vectors = self._read(ids, self.network.embed, self.encoder.width)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_archive(path, kind=EMBEDDINGS, version=1, header={}, arrays={"vectors": vectors})
        return vectors

    def _read(self, ids: Ids, what: Any, width: int) -> npt.NDArray[np.float32]:
        out = np.empty((len(ids), width), np.float32)
        batches = self._batches(ids)
        self.network.to(self.device).eval()
        with self.torch.inference_mode(), autocast(self.torch, self.device, self.precision):
            for rows in batches.in_order(READ_CUDA if self.device.startswith("cuda") else READ):
                out[rows] = what(*batches.inputs(rows)).float().cpu().numpy()
        return out

    def _batches(self, ids: Ids, size: int = READ) -> TokenBatches:
        seed = self.options["seed"]
        return TokenBatches(ids, size, seed, torch=self.torch, device=self.device, pad=self.encoder.pad)

    def _features(self, ids: Ids, size: int) -> FeatureBatches:
        """The vectors of a frozen encoder serve every stage."""
        vectors = self.embeddings(ids) if self.vectors is None else self.vectors
        return FeatureBatches(self.torch.as_tensor(vectors, device=self.device), size, self.options["seed"])

    def _optimiser(self, stage: Stage) -> Any:
        groups = [{"params": list(self.network.head.parameters()), "lr": stage.head_lr}]
        if not stage.head_alone:
            groups.append({"params": list(self.network.encoder.parameters()), "lr": stage.lr})
        decay = self.options["weight_decay"]
        return self.torch.optim.AdamW(groups, weight_decay=decay, fused=self.device.startswith("cuda"))

    def _judge(self, judged: Judged) -> Any:
        ids, gold = judged
        return lambda _, __: score(gold, self.logits(ids).argmax(axis=1), self.k)["macro_f1"]

    def _embedding_key(self, ids: Ids) -> str:
        weights = [tensor.detach().cpu().numpy() for tensor in self.encoder.network.state_dict().values()]
        return fingerprint([self.options["pooling"], [len(row) for row in ids], np.concatenate(ids), *weights])[:32]


def check_precision(precision: str, device: str) -> str:
    """ "fp32" or "bf16"; "auto" is bf16 on CUDA."""
    if precision == "auto":
        return "bf16" if device.startswith("cuda") else "fp32"
    if precision not in ("fp32", "bf16"):
        raise BadFit(f'precision is "auto", "fp32" or "bf16", not {precision!r}')
    return precision
