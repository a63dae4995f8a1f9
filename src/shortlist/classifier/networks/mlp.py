"""MLPClassifier: the paper's three-layer head on features, trained on beliefs. Needs torch."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Self, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax
from sklearn.utils.validation import validate_data

from shortlist.arrays import Floats
from shortlist.classifier.evaluation import score
from shortlist.classifier.file import understood, unpack_classes
from shortlist.classifier.networks.batches import FeatureBatches
from shortlist.classifier.networks.checkpoint import Checkpoint, fingerprint
from shortlist.classifier.networks.network import make_head
from shortlist.classifier.networks.recipe import Schedule
from shortlist.classifier.networks.training import EpochScore, Plan, Trainer, as_targets
from shortlist.classifier.predictor import Predictor
from shortlist.classifier.targets import Targets, Uncovered, check_two_rows, known_labels, make_targets
from shortlist.progress import Tell, progress_bar
from shortlist.registry import check_choice
from shortlist.tensors import own_randomness, put_under, read_tensors, torch_on, under, write_tensors

KIND = "shortlist MLP"
READ = 16_384  # rows at a time
_NOT_TRAINED = {"checkpoint": None, "progress": False}  # options that say nothing about the network, as files keep them


class MLPClassifier(Predictor):
    """Features (m, p) → three layers → P(class | features).

    The end model of the paper's experiments on images: three linear layers with batch normalisation, LeakyReLU and
    dropout between them, trained by Adam on the soft cross-entropy averaged over rows. The learning rate falls tenfold
    on a plateau of the loss. The weights of the epoch with the lowest training loss are kept; with `dev`, those of the
    epoch with the best macro F1 on it.

    Parameters
    ----------
    hidden, dropout : the width of the two hidden layers, and the share of units that training drops
    epochs, lr, batch_size, weight_decay : of the training
    schedule, patience : "plateau", "linear" or "constant"; how many epochs without gain make a plateau
    uncovered : "drop" (the paper) leaves rows without a vote out, "keep" trains on them too
    seed : of weights, batches and dropout
    device : "auto" (CUDA where there is one), "cpu" or a CUDA device
    checkpoint : a file to keep the training in; an interrupted `fit` goes on from it
    progress : show a progress bar, or a function that is told each line of progress

    Attributes (once fitted)
    ------------------------
    classes_ (k,), history_ (mean loss of each epoch), network_, temperature_
    """

    def __init__(
        self,
        *,
        hidden: int = 1024,
        dropout: float = 0.5,
        epochs: int = 30,
        lr: float = 1e-4,
        batch_size: int = 64,
        weight_decay: float = 0.0,
        schedule: Schedule = "plateau",
        patience: int = 3,
        uncovered: Uncovered = "drop",
        seed: int = 0,
        device: str = "auto",
        checkpoint: str | os.PathLike[str] | None = None,
        progress: bool | Tell = False,
    ) -> None:
        self.hidden = hidden
        self.dropout = dropout
        self.epochs = epochs
        self.lr = lr
        self.batch_size = batch_size
        self.weight_decay = weight_decay
        self.schedule = schedule
        self.patience = patience
        self.uncovered = uncovered
        self.seed = seed
        self.device = device
        self.checkpoint = checkpoint
        self.progress = progress

    def fit(
        self,
        rows: Any,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        covered: npt.ArrayLike | None = None,
        classes: Sequence[Any] | None = None,
        dev: tuple[Any, Any] | None = None,
    ) -> Self:
        """Learn from features and beliefs (m, k), or labels (m,). `dev`, (features, labels), chooses the epoch."""
        X = validate_data(self, rows, dtype=np.float32)
        targets = make_targets(
            y, len(X), classes=classes, covered=covered, sample_weight=sample_weight, uncovered=self.uncovered
        )
        check_two_rows(targets)
        check_choice("schedule", self.schedule, get_args(Schedule))
        torch, device = torch_on(self.device)
        with own_randomness(torch, self.seed, device):
            network = make_head(torch, X.shape[1], self.hidden, len(targets.classes), self.dropout).to(device)
        self.classes_, self.named_, self.network_ = targets.classes, targets.named, network
        trainer = self._trainer(torch, device, X[targets.rows], targets, dev)
        with progress_bar(self.progress) as trainer.tick:
            self.history_ = np.array(trainer.run(self.seed))
        self.n_iter_, self.temperature_ = len(self.history_), 1.0
        return self

    def _trainer(
        self, torch: Any, device: str, X: npt.NDArray[np.float32], targets: Targets, dev: tuple[Any, Any] | None
    ) -> Trainer:
        return Trainer(
            torch,
            self.network_,
            torch.optim.Adam(self.network_.parameters(), lr=self.lr, weight_decay=self.weight_decay),
            FeatureBatches(torch.as_tensor(X, device=device), self.batch_size, self.seed),
            as_targets(torch, targets.beliefs, targets.weights, device),
            Plan(epochs=self.epochs, schedule=self.schedule, patience=self.patience, clip=None),
            device=device,
            score_epoch=self._epoch_score(dev),
            checkpoint=self._checkpoint(X, targets),
        )

    def _checkpoint(self, X: npt.NDArray[np.float32], targets: Targets) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        trained = {key: v for key, v in self.get_params().items() if key not in ("device", *_NOT_TRAINED)}
        return Checkpoint(self.checkpoint, fingerprint([KIND, trained, X, targets.beliefs, targets.weights]))

    def _epoch_score(self, dev: tuple[Any, Any] | None) -> EpochScore:
        if dev is None:
            return lambda _, loss: -loss
        rows, gold = known_labels(dev[1], self.classes_)
        X = validate_data(self, dev[0], dtype=np.float32, reset=False)[rows]
        return lambda _, __: score(gold, self._logits(X).argmax(axis=1), len(self.classes_))["macro_f1"]

    def _logits(self, X: npt.NDArray[np.float32]) -> Floats:
        torch, device = torch_on(self.device)
        self.network_.to(device).eval()
        with torch.inference_mode():
            parts = [
                self.network_(torch.as_tensor(X[a : a + READ], device=device)).double().cpu().numpy()
                for a in range(0, len(X), READ)
            ]
        return np.concatenate(parts)

    def _log_proba(self, rows: Any) -> Floats:
        X = validate_data(self, rows, dtype=np.float32, reset=False)
        log_p: Floats = log_softmax(self._logits(X), axis=1)
        return log_p

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted classifier to one safetensors file."""
        self._check_fitted()
        header = {
            "options": self.get_params() | _NOT_TRAINED,
            "classes": self.classes_.tolist(),
            "dtype": self.classes_.dtype.str,
            "temperature": self.temperature_,
            "history": self.history_.tolist(),
            "n_features_in": int(self.n_features_in_),
        }
        write_tensors(path, KIND, header, put_under("network", self.network_.state_dict()))

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, device: str = "auto") -> Self:
        """Read what `save` wrote."""
        header, tensors = read_tensors(path, KIND)
        torch, where = torch_on(device)
        with understood(path):
            model = cls(**header["options"] | {"device": device})
            model.classes_, model.history_ = unpack_classes(header), np.array(header["history"])
            model.n_features_in_, model.n_iter_ = header["n_features_in"], len(header["history"])
            head = make_head(torch, model.n_features_in_, model.hidden, len(model.classes_), model.dropout)
            head.load_state_dict(under("network", tensors))
            model.network_, model.temperature_ = head.to(where), header["temperature"]
        return model
