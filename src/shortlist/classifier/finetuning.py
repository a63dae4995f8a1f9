"""FineTuning: an encoder and a head as one network, trained whole or the head alone, and read from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.archive import read_archive, write_archive
from shortlist.classifier.batches import FeatureBatches, TokenBatches
from shortlist.classifier.beliefs import Floats
from shortlist.classifier.checkpoint import Checkpoint, fingerprint
from shortlist.classifier.encoder import Encoder, Ids
from shortlist.classifier.evaluation import score
from shortlist.classifier.network import LOSSES, make_head, reader_class, torch_and_device
from shortlist.classifier.progress import progress_bar
from shortlist.classifier.training import Plan, Trainer, as_targets, autocast, own_randomness
from shortlist.errors import BadFit

READ = 128  # texts at a time, without gradients
EMBEDDINGS = "embeddings"
_ELSEWHERE = ("device", "checkpoint", "cache", "progress", "on", "uncovered", "encoder")
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
        if options["epochs"] is None and not options["steps"] >= 1:
            raise BadFit(f"steps is 1 or more, not {options['steps']!r}")
        self.network = network if network is not None and network.encoder is encoder.network else self._fresh()
        self.history: list[float] = []

    def _fresh(self) -> Any:
        with own_randomness(self.torch, self.options["seed"], self.device):
            head = make_head(self.torch, self.encoder.width, self.options["hidden"], self.k, self.options["dropout"])
        return reader_class()(self.encoder.network, head, self.options["pooling"]).to(self.device)

    def train(self, ids: Ids, beliefs: Floats, weights: Floats, judged: Judged | None) -> None:
        """Train on token ids, beliefs (m, k) and weights (m,); `judged` are dev tokens and gold positions."""
        o = self.options
        frozen = o["frozen"]
        batches: Any = self._features(ids) if frozen else self._batches(ids)
        trainer = Trainer(
            self.torch,
            self.network.head if frozen else self.network,
            self._optimiser(),
            batches,
            as_targets(self.torch, beliefs, weights, self.device),
            Plan(
                steps=o["steps"],
                epochs=o["epochs"],
                schedule=o["schedule"],
                warmup=o["warmup"],
                clip=o["clip"],
                accumulate=o["accumulate"],
                precision="fp32" if frozen else self.precision,
                loss=o["loss"],
            ),
            device=self.device,
            judge=None if judged is None else self._judge(judged),
            checkpoint=self._checkpoint(ids, beliefs, weights),
        )
        with progress_bar(o["progress"]) as trainer.tick:
            self.history = trainer.run(o["seed"])
        self.network.eval()

    def logits(self, ids: Ids) -> Floats:
        """(m, k), in the order of the rows."""
        return self._read(ids, lambda *inputs: self.network(*inputs), self.k).astype(np.float64)

    def embeddings(self, ids: Ids) -> npt.NDArray[np.float32]:
        """(m, width): the vectors of the encoder, from the cache where they are there."""
        folder = self.options["cache"]
        if folder is None or not self.options["frozen"]:
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
            for rows in batches.in_order(READ):
                out[rows] = what(*batches.inputs(rows)).float().cpu().numpy()
        return out

    def _batches(self, ids: Ids) -> TokenBatches:
        size, seed = self.options["batch_size"], self.options["seed"]
        return TokenBatches(ids, size, seed, torch=self.torch, device=self.device, pad=self.encoder.pad)

    def _features(self, ids: Ids) -> FeatureBatches:
        vectors = self.torch.as_tensor(self.embeddings(ids), device=self.device)
        return FeatureBatches(vectors, self.options["batch_size"], self.options["seed"])

    def _optimiser(self) -> Any:
        o = self.options
        head_lr = o["lr"] if o["head_lr"] is None else o["head_lr"]
        groups = [{"params": list(self.network.head.parameters()), "lr": head_lr}]
        if not o["frozen"]:
            groups.append({"params": list(self.network.encoder.parameters()), "lr": o["lr"]})
        return self.torch.optim.AdamW(groups, weight_decay=o["weight_decay"], fused=self.device.startswith("cuda"))

    def _judge(self, judged: Judged) -> Any:
        ids, gold = judged
        return lambda _, __: score(gold, self.logits(ids).argmax(axis=1), self.k)["macro_f1"]

    def _checkpoint(self, ids: Ids, beliefs: Floats, weights: Floats) -> Checkpoint | None:
        path = self.options["checkpoint"]
        if path is None:
            return None
        options = {key: value for key, value in self.options.items() if key not in _ELSEWHERE}
        parts = [options, os.fspath(self.options["encoder"]), np.concatenate(ids), beliefs, weights]
        return Checkpoint(path, fingerprint(parts))

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
