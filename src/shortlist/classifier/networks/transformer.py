"""TransformerClassifier: a pretrained encoder with the paper's head, fine-tuned on beliefs. Needs transformers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax

from shortlist.arrays import Floats
from shortlist.classifier.file import names
from shortlist.classifier.networks.checkpoint import part, read_tensors, write_tensors
from shortlist.classifier.networks.encoder import Ids, load_encoder, pack_encoder, unpack_encoder
from shortlist.classifier.networks.finetuning import FineTuning
from shortlist.classifier.networks.network import make_head, reader_class, torch_and_device
from shortlist.classifier.networks.self_training import Course, Lesson
from shortlist.classifier.networks.words import Words, kept_apart
from shortlist.classifier.predictor import Predictor
from shortlist.classifier.rows import read_texts
from shortlist.classifier.targets import Targets, check_two_rows, known_labels, make_targets, untold_rows
from shortlist.errors import BadFile, BadFit, BadRows

KIND = "shortlist transformer"
FORMAT = 2  # 1 had neither words nor its number
_NOT_KEPT = ("checkpoint", "cache", "progress")


class TransformerClassifier(Predictor):
    """Text → a pretrained encoder → three layers → P(class | text).

    The end model of the paper's experiments on text, with a recipe that needs no labelled rows to stop in time: a short
    training on the covered rows teaches what to believe of the others, a head is trained on the encoder as it came, and
    then both are, on all rows. A linear model of words stands beside it. `TransformerClassifier.paper()` has the
    paper's own.

    Parameters
    ----------
    encoder : the name of an encoder on the Hugging Face hub, or a folder that holds one
    frozen : leave the encoder as it is and train the head alone, on embeddings that are computed once; no teacher then
    hidden, dropout : of the head
    pooling : "mean" of the token vectors, or "cls", the first
    max_length : how many tokens of a text are read
    steps, epochs : how long to train, in steps of the optimiser; `epochs` takes the place of `steps` where it is given
    teacher_steps : how long the teacher trains, where rows are uncovered
    head_steps : how long the head trains by itself first, 256 rows a step, on the encoder as it came; 0: not at all
    lr, head_lr : the learning rates of the encoder and of the head (None: the encoder's)
    schedule, warmup : "linear" rises over the first share of the steps and falls to nothing; or "constant"
    batch_size, accumulate : rows read at a time, and how many such batches make a step
    weight_decay, clip : of AdamW, and the largest norm of a gradient
    loss : "expected" (the paper), or "set": −log of the belief-weighted mass on the classes
    precision : "auto" (bfloat16 products on CUDA), "fp32" or "bf16"
    uncovered : "teach" trains on rows without a vote (or label) too, with the beliefs of a first, short training on the
        others; "drop" (the paper) leaves them out, "keep" takes their beliefs as they are
    words : let a linear model of words have a say, as much as the beliefs of a tenth of the rows ask for, kept
        apart from both; where a tenth is fewer than 50 rows, or no text holds a word, the network is alone
    on : for rows that are tables or dicts, the column of text to read, or several to read one after the other
    seed : of weights, batches and dropout
    device : "auto", "cpu" or a CUDA device
    checkpoint : a file to keep the training in, and to go on from after a kill, whatever stage it was in
    cache : with `frozen`, a folder to keep embeddings in
    progress : show a bar

    Attributes (once fitted)
    ------------------------
    classes_ (k,), history_ (mean loss of each epoch of the last stage), network_, encoder_, words_ (`share`: the say of
    the words; None without), temperature_
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
        steps: int = 800,
        epochs: float | None = None,
        teacher_steps: int = 400,
        head_steps: int = 400,
        lr: float = 1e-5,
        head_lr: float | None = 1e-4,
        schedule: Literal["linear", "constant"] = "linear",
        warmup: float = 0.1,
        batch_size: int = 16,
        accumulate: int = 1,
        weight_decay: float = 0.01,
        clip: float | None = 2.0,
        loss: Literal["expected", "set"] = "expected",
        precision: Literal["auto", "fp32", "bf16"] = "auto",
        uncovered: Literal["teach", "drop", "keep"] = "teach",
        words: bool = True,
        on: str | Sequence[str] | None = None,
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
        self.teacher_steps = teacher_steps
        self.head_steps = head_steps
        self.lr = lr
        self.head_lr = head_lr
        self.schedule = schedule
        self.warmup = warmup
        self.batch_size = batch_size
        self.accumulate = accumulate
        self.weight_decay = weight_decay
        self.clip = clip
        self.loss = loss
        self.precision = precision
        self.uncovered = uncovered
        self.words = words
        self.on = on
        self.seed = seed
        self.device = device
        self.checkpoint = checkpoint
        self.cache = cache
        self.progress = progress

    @classmethod
    def paper(cls, encoder: str | os.PathLike[str] = "bert-base-uncased", **options: Any) -> Self:
        """The paper's recipe: covered rows, 20 epochs at a constant 3e-5; give `dev` to `fit`, which chooses the epoch.

        The paper has a rate and a number of epochs for each data set: TREC 25 at 3e-5, SciCite 20 at 3e-6, AG-News 20
        at 5e-7.
        """
        epochs = None if "steps" in options else 20
        own = {"pooling": "cls", "schedule": "constant", "epochs": epochs, "lr": 3e-5, "head_lr": None}
        stages = {"uncovered": "drop", "head_steps": 0, "words": False}
        return cls(encoder, **{**own, **stages, **options})

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
        targets = self._targets(y, len(texts), classes=classes, covered=covered, sample_weight=sample_weight)
        torch_and_device(self.device)
        self.classes_, self.encoder_ = targets.classes, load_encoder(self.encoder)
        known = Lesson(self._ids(texts, targets.rows), targets.beliefs, targets.weights)
        untold, weights = untold_rows(targets, len(texts), sample_weight)
        if self.uncovered != "teach" or self.frozen:
            untold, weights = untold[:0], weights[:0]
        tuning = self._tuning()
        self.network_ = tuning.network
        read = [texts[a] for a in (*targets.rows, *untold)]
        apart = kept_apart(len(read) if self.words and any(map(str.strip, read)) else 0, self.seed)
        course = Course(tuning, known, self._ids(texts, untold), weights, apart)
        self.history_ = np.array(course.run(None if dev is None else self._judged(dev)))
        self.words_ = course.words(read) if len(apart) else None
        self.temperature_ = 1.0
        return self

    def _targets(self, y: Any, m: int, **told: Any) -> Targets:
        """The rows about which something is believed. The teacher's are none of them."""
        if self.uncovered not in ("teach", "drop", "keep"):
            raise BadFit(f'uncovered is "teach", "drop" or "keep", not {self.uncovered!r}')
        targets = make_targets(y, m, **told, uncovered="keep" if self.uncovered == "keep" else "drop")
        check_two_rows(targets)
        return targets

    def _ids(self, texts: list[str], rows: npt.NDArray[np.int64]) -> Ids:
        return self.encoder_.tokens([texts[a] for a in rows], self.max_length)

    def _tuning(self) -> FineTuning:
        return FineTuning(
            self.encoder_, len(self.classes_), self.get_params(deep=False), getattr(self, "network_", None)
        )

    def _judged(self, dev: tuple[Any, Any]) -> tuple[Ids, npt.NDArray[np.int64]]:
        texts, (known, gold) = self._texts(dev[0]), known_labels(dev[1], self.classes_)
        return self._ids(texts, known), gold

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
        texts = self._texts(rows)
        ids = self.encoder_.tokens(texts, self.max_length)
        log_p: Floats = log_softmax(self._tuning().logits(ids), axis=1)
        return log_p if self.words_ is None or not texts else self.words_.beside(log_p, texts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write classifier, encoder and tokenizer to one safetensors file."""
        self._check_fitted()
        config, files = pack_encoder(self.encoder_)
        options = {key: value for key, value in self.get_params().items() if key not in _NOT_KEPT}
        words, arrays = (None, {}) if self.words_ is None else self.words_.state()
        header = {
            "version": FORMAT,
            "words": words,
            "options": options | {"encoder": os.fspath(self.encoder)},
            "classes": self.classes_.tolist(),
            "temperature": self.temperature_,
            "history": self.history_.tolist(),
            "config": config,
        }
        weights = {f"network.{name}": tensor for name, tensor in self.network_.state_dict().items()}
        torch, _ = torch_and_device("cpu")
        weights |= {f"words.{name}": torch.from_numpy(array.copy()) for name, array in arrays.items()}
        write_tensors(path, KIND, header, files | weights)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, device: str = "auto") -> Self:
        """Read what `save` wrote; needs neither the network nor the encoder's own files."""
        header, tensors = read_tensors(path, KIND)
        version = header.get("version", 1)
        if version not in (1, FORMAT):
            raise BadFile(f"{path} is a classifier of format {version}; this shortlist reads formats 1 and {FORMAT}")
        try:
            model = cls(**{"words": False} | header["options"] | {"device": device})
            model.words_ = _words(header.get("words"), part(tensors, "words"), path)
            model.classes_, model.history_ = names(header["classes"]), np.array(header["history"])
            model.encoder_ = unpack_encoder(header["config"], part(tensors, "tokenizer"))
            torch, where = torch_and_device(device)
            head = make_head(torch, model.encoder_.width, model.hidden, len(model.classes_), model.dropout)
            model.network_ = reader_class()(model.encoder_.network, head, model.pooling)
            model.network_.load_state_dict(part(tensors, "network"))
            model.network_.to(where).eval()
            model.temperature_ = header["temperature"]
        except BadFile:
            raise
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise BadFile(f"{path} is no classifier this version can read ({error})") from error
        return model


def _words(header: dict[str, Any] | None, tensors: dict[str, Any], path: str | os.PathLike[str]) -> Words | None:
    return None if header is None else Words.restore(header, {name: t.numpy() for name, t in tensors.items()}, path)
