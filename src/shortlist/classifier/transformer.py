"""TransformerClassifier: a pretrained encoder with the paper's head, fine-tuned on beliefs. Needs transformers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax

from shortlist.classifier.beliefs import Floats, Targets, Uncovered, label_positions, make_targets
from shortlist.classifier.checkpoint import part, read_tensors, write_tensors
from shortlist.classifier.encoder import Encoder, load_encoder, pack_encoder, unpack_encoder
from shortlist.classifier.file import names
from shortlist.classifier.finetuning import FineTuning
from shortlist.classifier.network import make_head, reader_class, torch_and_device
from shortlist.classifier.predictor import Predictor
from shortlist.classifier.refinement import combine, confidence, temper
from shortlist.classifier.rows import read_texts
from shortlist.errors import BadFile, BadFit, BadRows

KIND = "shortlist transformer"
_NOT_KEPT = ("checkpoint", "cache", "progress")


class TransformerClassifier(Predictor):
    """Text → a pretrained encoder → three layers → P(class | text).

    The end model of the paper's experiments on text, with one recipe that was chosen on three data sets and needs no
    labelled rows to stop in time. `TransformerClassifier.paper()` has the paper's own.

    Parameters
    ----------
    encoder : the name of an encoder on the Hugging Face hub, or a folder that holds one
    frozen : leave the encoder as it is and train the head alone, on embeddings that are computed once
    hidden, dropout : of the head
    pooling : "mean" of the token vectors, or "cls", the first
    max_length : how many tokens of a text are read
    steps, epochs : how long to train; `steps` (of the optimiser) takes the place of `epochs` where it is given
    lr, head_lr : the learning rates of the encoder and of the head (None: the encoder's)
    schedule, warmup : "linear" rises over the first share of the steps and falls to nothing; or "constant"
    batch_size, accumulate : rows read at a time, and how many such batches make a step
    weight_decay, clip : of AdamW, and the largest norm of a gradient
    average : decay of a running average of the weights, which is then what is kept; 0 for none
    word_dropout : the share of words hidden from the encoder in training
    power : beliefs are raised to it first; above 1 makes them sharper
    loss : "expected" (the paper), or "set": −log of the belief-weighted mass on the classes
    weigh : "rows" count alike, or by "confidence": one minus the relative entropy of the belief
    rounds : how often to train again on what votes and classifier say together, uncovered rows included
    precision : "auto" (bfloat16 products on CUDA), "fp32" or "bf16"
    uncovered : "drop" (the paper) leaves rows without a vote out, "keep" trains on them too
    on : for rows that are tables or dicts, the column of text to read
    seed : of weights, batches and dropout
    device : "auto", "cpu" or a CUDA device
    checkpoint : a file to keep the training in, and to go on from after a kill
    cache : with `frozen`, a folder to keep embeddings in
    progress : show a bar

    Attributes (once fitted)
    ------------------------
    classes_ (k,), history_ (mean loss of each epoch), network_, encoder_, temperature_
    """

    def __init__(
        self,
        encoder: str | os.PathLike[str] = "bert-base-uncased",
        *,
        frozen: bool = False,
        hidden: int = 256,
        dropout: float = 0.5,
        pooling: Literal["mean", "cls"] = "mean",
        max_length: int = 128,
        steps: int | None = None,
        epochs: float = 4,
        lr: float = 1e-5,
        head_lr: float | None = None,
        schedule: Literal["linear", "constant"] = "linear",
        warmup: float = 0.1,
        batch_size: int = 16,
        accumulate: int = 1,
        weight_decay: float = 0.01,
        clip: float | None = 2.0,
        average: float = 0.0,
        word_dropout: float = 0.0,
        power: float = 1.0,
        loss: Literal["expected", "set"] = "expected",
        weigh: Literal["rows", "confidence"] = "rows",
        rounds: int = 0,
        precision: Literal["auto", "fp32", "bf16"] = "auto",
        uncovered: Uncovered = "drop",
        on: str | None = None,
        seed: int = 0,
        device: str = "auto",
        checkpoint: str | os.PathLike[str] | None = None,
        cache: str | os.PathLike[str] | None = None,
        progress: bool = False,
    ) -> None:
        self.encoder = encoder
        self.frozen = frozen
        self.hidden = hidden
        self.dropout = dropout
        self.pooling = pooling
        self.max_length = max_length
        self.steps = steps
        self.epochs = epochs
        self.lr = lr
        self.head_lr = head_lr
        self.schedule = schedule
        self.warmup = warmup
        self.batch_size = batch_size
        self.accumulate = accumulate
        self.weight_decay = weight_decay
        self.clip = clip
        self.average = average
        self.word_dropout = word_dropout
        self.power = power
        self.loss = loss
        self.weigh = weigh
        self.rounds = rounds
        self.precision = precision
        self.uncovered = uncovered
        self.on = on
        self.seed = seed
        self.device = device
        self.checkpoint = checkpoint
        self.cache = cache
        self.progress = progress

    @classmethod
    def paper(cls, encoder: str | os.PathLike[str] = "bert-base-uncased", **options: Any) -> Self:
        """The paper's recipe: 20 epochs at a constant 3e-5; give `dev` to `fit`, which chooses the epoch.

        The paper has a rate and a number of epochs for each data set: TREC 25 at 3e-5, SciCite 20 at 3e-6, AG-News 20
        at 5e-7.
        """
        own = {"pooling": "cls", "schedule": "constant", "epochs": 20, "lr": 3e-5, "head_lr": None, "steps": None}
        plain = {"average": 0.0, "word_dropout": 0.0, "power": 1.0, "weigh": "rows", "loss": "expected", "rounds": 0}
        return cls(encoder, **{**own, **plain, **options})

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
        """Learn from texts and beliefs (m, k), or labels (m,).

        `dev` is (texts, labels): the weights of the epoch with the best macro F1 on them are kept. Without it, those at
        the end are.
        """
        texts = self._texts(rows)
        settings: dict[str, Any] = {"classes": classes, "covered": covered, "sample_weight": sample_weight}
        targets = make_targets(y, len(texts), **settings, uncovered=self.uncovered)
        if len(targets.rows) < 2:
            raise BadFit("one row is too few: batch normalisation needs at least two")
        torch_and_device(self.device)
        encoder = load_encoder(self.encoder)
        self.classes_, self.encoder_ = targets.classes, encoder
        ids = encoder.tokens(texts, self.max_length)
        judged = None if dev is None else self._judged(encoder, dev)
        tuning = self._train(ids, targets, judged, 0)
        for number in range(1, self.rounds + 1):
            targets = self._refined(targets, np.exp(log_softmax(tuning.logits(ids), axis=1)))
            self.encoder_ = load_encoder(self.encoder)
            tuning = self._train(ids, targets, judged, number)
        self.history_, self.temperature_ = np.array(tuning.history), 1.0
        return self

    def _train(self, ids: Any, targets: Targets, judged: Any, number: int) -> FineTuning:
        """One round: a fresh head on a fresh encoder."""
        beliefs = temper(targets.beliefs, self.power) if number == 0 else targets.beliefs
        weights = targets.weights * (confidence(beliefs) + 1e-6 if self.weigh == "confidence" else 1.0)
        tuning = self._tuning()
        self.network_ = tuning.network
        tuning.train([ids[a] for a in targets.rows], beliefs, weights, judged, number)
        return tuning

    def _tuning(self) -> FineTuning:
        return FineTuning(
            self.encoder_, len(self.classes_), self.get_params(deep=False), getattr(self, "network_", None)
        )

    def _refined(self, targets: Targets, read: Floats) -> Targets:
        """All rows, each with what its votes and the classifier say together."""
        m, k = read.shape
        covered = np.zeros(m, np.bool_)
        covered[targets.rows] = True
        beliefs, weights = np.full((m, k), 1 / k), np.ones(m)
        beliefs[targets.rows], weights[targets.rows] = temper(targets.beliefs, self.power), targets.weights
        return Targets(np.arange(m), combine(beliefs, read, covered), weights, targets.classes)

    def _judged(self, encoder: Encoder, dev: tuple[Any, Any]) -> Any:
        texts, where = self._texts(dev[0]), label_positions(dev[1], self.classes_)
        known = np.flatnonzero(where >= 0)
        if not len(known):
            raise BadFit("dev has no row with a known class to choose the epoch by")
        return encoder.tokens([texts[a] for a in known], self.max_length), where[known]

    def _texts(self, rows: Any) -> list[str]:
        texts = read_texts(rows, self.on)
        if texts is None and len(rows):
            raise BadRows("TransformerClassifier reads text; for features there is MLPClassifier")
        return texts or []

    def embed(self, rows: Any) -> npt.NDArray[np.float32]:
        """(m, width): the vectors of the encoder, as they are now."""
        self._check_fitted()
        return self._tuning().embeddings(self.encoder_.tokens(self._texts(rows), self.max_length))

    def _log_proba(self, rows: Any) -> Floats:
        ids = self.encoder_.tokens(self._texts(rows), self.max_length)
        log_p: Floats = log_softmax(self._tuning().logits(ids), axis=1)
        return log_p

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write classifier, encoder and tokenizer to one safetensors file."""
        self._check_fitted()
        config, files = pack_encoder(self.encoder_)
        options = {key: value for key, value in self.get_params().items() if key not in _NOT_KEPT}
        header = {
            "options": options | {"encoder": os.fspath(self.encoder)},
            "classes": self.classes_.tolist(),
            "temperature": self.temperature_,
            "history": self.history_.tolist(),
            "config": config,
        }
        weights = {f"network.{name}": tensor for name, tensor in self.network_.state_dict().items()}
        write_tensors(path, KIND, header, files | weights)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, device: str = "auto") -> Self:
        """Read what `save` wrote; needs neither the network nor the encoder's own files."""
        header, tensors = read_tensors(path, KIND)
        try:
            model = cls(**header["options"] | {"device": device})
            model.classes_, model.history_ = names(header["classes"]), np.array(header["history"])
            model.encoder_ = unpack_encoder(header["config"], part(tensors, "tokenizer"))
            torch, where = torch_and_device(device)
            head = make_head(torch, model.encoder_.width, model.hidden, len(model.classes_), model.dropout)
            model.network_ = reader_class()(model.encoder_.network, head, model.pooling)
            model.network_.load_state_dict(part(tensors, "network"))
            model.network_.to(where).eval()
            model.temperature_ = header["temperature"]
        except (KeyError, TypeError, RuntimeError) as error:
            raise BadFile(f"{path} is no classifier this version can read ({error})") from error
        return model
