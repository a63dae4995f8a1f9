"""MLPClassifier: the paper's three-layer head on features, trained on beliefs. Needs torch."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax
from sklearn.utils.validation import validate_data

from shortlist.arrays import Floats
from shortlist.classifier.base import BaseClassifier, pack_classes, reading, unpack_classes
from shortlist.classifier.targets import Uncovered, make_targets
from shortlist.classifier.training import FeatureBatches, check_two_rows, make_head, train
from shortlist.progress import Tell, progress_share
from shortlist.tensors import own_randomness, put_under, read_tensors, torch_on, under, write_tensors

KIND = "shortlist MLP"


class MLPClassifier(BaseClassifier):
    """Features (m, p) → three layers → P(class | features).

    The end model of the paper's experiments on images: three linear layers with batch normalisation, LeakyReLU and
    dropout between them, trained by Adam on the soft cross-entropy averaged over rows. The learning rate falls tenfold
    on a plateau of the loss.

    Parameters
    ----------
    hidden : width of the two hidden layers
    epochs, lr, batch_size : of the training
    uncovered : "drop" (the paper) leaves rows without a vote out, "keep" trains on them too
    seed : of weights, batches and dropout
    device : "auto" (CUDA where there is one), "cpu" or a CUDA device
    progress : show a line of progress, or a function to call with each

    Attributes (once fitted)
    ------------------------
    classes_ (k,), history_ (mean loss of each epoch), network_, temperature_
    """

    def __init__(
        self,
        *,
        hidden: int = 1024,
        epochs: int = 30,
        lr: float = 1e-4,
        batch_size: int = 64,
        uncovered: Uncovered = "drop",
        seed: int = 0,
        device: str = "auto",
        progress: bool | Tell = False,
    ) -> None:
        self.hidden, self.epochs, self.lr, self.batch_size = hidden, epochs, lr, batch_size
        self.uncovered, self.seed, self.device, self.progress = uncovered, seed, device, progress

    def fit(
        self,
        rows: Any,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        covered: npt.ArrayLike | None = None,
        classes: Sequence[Any] | None = None,
    ) -> Self:
        """Learn from features and beliefs (m, k), or labels (m,)."""
        X = validate_data(self, rows, dtype=np.float32)
        targets = make_targets(
            y, len(X), classes=classes, covered=covered, sample_weight=sample_weight, uncovered=self.uncovered
        )
        check_two_rows(targets)
        torch, device = torch_on(self.device)
        with own_randomness(torch, self.seed, device):
            network = make_head(torch, X.shape[1], self.hidden, len(targets.classes)).to(device)
        self.classes_, self.named_, self.network_ = targets.classes, targets.named, network
        batches = FeatureBatches(torch.as_tensor(X[targets.rows], device=device), self.batch_size, self.seed)
        optimiser, steps = torch.optim.Adam(network.parameters(), lr=self.lr), self.epochs * len(batches)
        with progress_share(self.progress) as tick:
            history = train(
                torch, network, optimiser, batches, targets.beliefs, targets.weights,
                steps=steps, schedule="plateau", tick=tick,
            )  # fmt: skip
        self.history_, self.n_iter_ = np.array(history), len(history)
        self.temperature_ = 1.0
        return self

    def _log_proba(self, rows: Any) -> Floats:
        X = validate_data(self, rows, dtype=np.float32, reset=False)
        torch, device = torch_on(self.device)
        network, size = self.network_.to(device).eval(), 16_384
        with torch.inference_mode():
            parts = [network(torch.as_tensor(X[a : a + size], device=device)) for a in range(0, len(X), size)]
            log_p: Floats = log_softmax(np.concatenate([part.double().cpu().numpy() for part in parts]), axis=1)
        return log_p

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted classifier to one safetensors file."""
        self._check_fitted()
        header = pack_classes(self) | {
            "version": 1,
            "options": self.get_params() | {"progress": False},
            "history": self.history_.tolist(),
            "n_features_in": int(self.n_features_in_),
        }
        write_tensors(path, KIND, header, put_under("network", self.network_.state_dict()))

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, device: str = "auto") -> Self:
        """Read what `save` wrote."""
        header, tensors = read_tensors(path, KIND)
        torch, where = torch_on(device)
        with reading(path):
            model = cls(**header["options"] | {"device": device})
            unpack_classes(model, header)
            model.history_, model.n_features_in_ = np.array(header["history"]), header["n_features_in"]
            model.n_iter_ = len(model.history_)
            head = make_head(torch, model.n_features_in_, model.hidden, len(model.classes_))
            head.load_state_dict(under("network", tensors))
            model.network_ = head.to(where)
        return model
