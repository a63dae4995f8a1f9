"""TransformerClassifier: a pretrained encoder with the paper's head, fine-tuned on beliefs. Needs transformers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax

from shortlist.arrays import Floats, Positions
from shortlist.classifier.file import understood, unpack_classes
from shortlist.classifier.networks.encoder import Ids, load_encoder, pack_encoder, unpack_encoder
from shortlist.classifier.networks.examples import Examples, TrainingSet
from shortlist.classifier.networks.finetuning import DevRows, FineTuning
from shortlist.classifier.networks.network import make_head, text_network_class
from shortlist.classifier.networks.recipe import Loss, Pooling, Recipe
from shortlist.classifier.networks.self_training import SelfTraining, make_checkpoint
from shortlist.classifier.networks.word_model import WordModel, held_out_rows
from shortlist.classifier.predictor import Predictor
from shortlist.classifier.targets import Targets, check_two_rows, known_labels, make_targets, uncovered_rows
from shortlist.errors import BadFile, BadRows
from shortlist.progress import Tell
from shortlist.registry import check_choice
from shortlist.rows import read_texts
from shortlist.tensors import Module, Tensors, put_under, read_tensors, torch_on, under, write_tensors

KIND = "shortlist transformer"
FORMAT = 2  # 1 had neither words nor its number
_NOT_KEPT = ("checkpoint", "cache", "progress")


class TransformerClassifier(Predictor):
    """Text → a pretrained encoder → three layers → P(class | text).

    The end model of the paper's experiments on text, with a recipe that needs no labelled rows to stop in time. It has
    three phases. A teacher is trained for a short time on covered rows, and gives uncovered rows their beliefs. Then a
    fresh head is trained on the pretrained encoder. Then encoder and head are trained together on all rows. A linear
    model of words answers together with the network. `TransformerClassifier.paper()` is the paper's own recipe.

    Parameters
    ----------
    encoder : the name of an encoder on the Hugging Face hub, or a folder that holds one
    frozen : leave the encoder as it is and train the head alone, on vectors that are computed once; without a teacher
    hidden, dropout : the width of the head's two hidden layers, and the share of units that training drops
    pooling : "mean" of the token vectors, or "cls", the first of them
    max_length : how many tokens of a text are read
    steps, epochs : how long the last phase is, in optimiser steps; `epochs` replaces `steps` where it is given
    teacher_steps : how long the teacher is trained, where rows are uncovered
    head_steps : how long the head is trained alone, 256 rows a step; 0 leaves this phase out
    lr, head_lr : the learning rates of encoder and head in the last phase (None: the encoder's)
    schedule, warmup : "linear" rises during the first share of the steps and then falls to zero; or "constant"
    batch_size, accumulate : rows in a batch, and batches in a step
    weight_decay, clip : of AdamW, and the largest norm of a gradient
    loss : "expected" (the paper), or "set": −log of the belief-weighted mass on the classes
    precision : "auto" (bfloat16 products on CUDA), "fp32" or "bf16"
    uncovered : "teach" also trains on rows without a vote (or label), with the teacher's beliefs; "drop" (the paper)
        leaves them out; "keep" trains on their beliefs as they are
    words : combine the network with a linear model of words. Its share is found on a tenth of the rows, which are held
        out from both. With fewer than 500 rows, or no word in any text, the network answers alone.
    on : for rows that are tables or dicts, the column of text to read, or several to read one after the other
    seed : of weights, batches and dropout
    device : "auto" (CUDA where there is one), "cpu" or a CUDA device
    checkpoint : a file to keep the training in; an interrupted `fit` goes on from it, in whichever phase it was
    cache : with `frozen`, a folder to keep the encoder's vectors in
    progress : show a progress bar, or a function that is told each line of progress

    Attributes (once fitted)
    ------------------------
    classes_ (k,), history_ (mean loss of each epoch of the last phase), network_, encoder_, words_ (the model of words,
    with its `share`; None without), temperature_
    """

    def __init__(
        self,
        encoder: str | os.PathLike[str] = "bert-base-uncased",
        *,
        frozen: bool = False,
        hidden: int = 256,
        dropout: float = 0.5,
        pooling: Pooling = "mean",
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
        loss: Loss = "expected",
        precision: Literal["auto", "fp32", "bf16"] = "auto",
        uncovered: Literal["teach", "drop", "keep"] = "teach",
        words: bool = True,
        on: str | Sequence[str] | None = None,
        seed: int = 0,
        device: str = "auto",
        checkpoint: str | os.PathLike[str] | None = None,
        cache: str | os.PathLike[str] | None = None,
        progress: bool | Tell = False,
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
        one_phase = {"uncovered": "drop", "head_steps": 0, "words": False}
        return cls(encoder, **{**own, **one_phase, **options})

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
        recipe = self._recipe()
        torch_on(self.device)  # refuse a bad device before the encoder is loaded
        self.classes_, self.named_ = targets.classes, targets.named
        self.encoder_ = load_encoder(self.encoder)
        uncovered, weights = self._uncovered(targets, len(texts), sample_weight)
        read = [texts[a] for a in (*targets.rows, *uncovered)]
        held_out = held_out_rows(len(read) if self.words and any(map(str.strip, read)) else 0, self.seed)
        examples = Examples(self._ids(texts, targets.rows), targets.beliefs, targets.weights)
        data = TrainingSet(examples, self._ids(texts, uncovered), weights, held_out)
        tuning = self._tuning(recipe)
        self.network_ = tuning.network
        training = SelfTraining(tuning, data, make_checkpoint(self.checkpoint, self.encoder, recipe, data))
        self.history_ = np.array(training.run(None if dev is None else self._dev_rows(dev)))
        self.words_ = training.word_model(read) if len(held_out) else None
        self.temperature_ = 1.0
        return self

    def _targets(self, y: Any, m: int, **given: Any) -> Targets:
        """The rows with beliefs to learn from. Those that the teacher gives beliefs to are not among them."""
        check_choice("uncovered", self.uncovered, ("teach", "drop", "keep"))
        targets = make_targets(y, m, **given, uncovered="keep" if self.uncovered == "keep" else "drop")
        check_two_rows(targets)
        return targets

    def _uncovered(
        self, targets: Targets, m: int, sample_weight: npt.ArrayLike | None
    ) -> tuple[Positions, npt.NDArray[np.float64]]:
        """(rows, weights): the rows that the teacher gives beliefs to; none where there is no teacher."""
        rows, weights = uncovered_rows(targets, m, sample_weight)
        return (rows, weights) if self.uncovered == "teach" and not self.frozen else (rows[:0], weights[:0])

    def _recipe(self) -> Recipe:
        return Recipe.of(self.get_params(deep=False))

    def _tuning(self, recipe: Recipe, network: Module | None = None) -> FineTuning:
        return FineTuning(
            self.encoder_,
            len(self.classes_),
            recipe,
            device=self.device,
            cache=self.cache,
            progress=self.progress,
            network=network,
        )

    def _ids(self, texts: list[str], rows: Positions) -> Ids:
        return self.encoder_.tokens([texts[a] for a in rows], self.max_length)

    def _dev_rows(self, dev: tuple[Any, Any]) -> DevRows:
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
        ids = self.encoder_.tokens(self._texts(rows), self.max_length)
        return self._tuning(self._recipe(), self.network_).embeddings(ids)

    def _log_proba(self, rows: Any) -> Floats:
        texts = self._texts(rows)
        ids = self.encoder_.tokens(texts, self.max_length)
        log_p: Floats = log_softmax(self._tuning(self._recipe(), self.network_).logits(ids), axis=1)
        return log_p if self.words_ is None or not texts else self.words_.combine(log_p, texts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write classifier, encoder and tokenizer to one safetensors file."""
        self._check_fitted()
        config, tokenizer = pack_encoder(self.encoder_)
        words, word_tensors = self._pack_words()
        options = {key: value for key, value in self.get_params().items() if key not in _NOT_KEPT}
        header = {
            "version": FORMAT,
            "words": words,
            "options": options | {"encoder": os.fspath(self.encoder)},
            "classes": self.classes_.tolist(),
            "dtype": self.classes_.dtype.str,
            "temperature": self.temperature_,
            "history": self.history_.tolist(),
            "config": config,
        }
        weights = put_under("network", self.network_.state_dict())
        write_tensors(path, KIND, header, put_under("tokenizer", tokenizer) | weights | word_tensors)

    def _pack_words(self) -> tuple[dict[str, Any] | None, Tensors]:
        if self.words_ is None:
            return None, {}
        header, arrays = self.words_.state()
        torch, _ = torch_on("cpu")
        return header, put_under("words", {name: torch.from_numpy(array.copy()) for name, array in arrays.items()})

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, device: str = "auto") -> Self:
        """Read what `save` wrote. The encoder's own files are not needed."""
        header, tensors = read_tensors(path, KIND)
        version = header.get("version", 1)
        if version not in (1, FORMAT):
            raise BadFile(f"{path} is a classifier of format {version}; this shortlist reads formats 1 and {FORMAT}")
        torch, where = torch_on(device)
        with understood(path):
            model = cls(**{"words": False} | header["options"] | {"device": device})
            model.words_ = _unpack_words(header.get("words"), under("words", tensors), path)
            model.classes_, model.history_ = unpack_classes(header), np.array(header["history"])
            model.encoder_ = unpack_encoder(header["config"], under("tokenizer", tensors))
            head = make_head(torch, model.encoder_.width, model.hidden, len(model.classes_), model.dropout)
            model.network_ = text_network_class()(model.encoder_.network, head, model.pooling)
            model.network_.load_state_dict(under("network", tensors))
            model.network_.to(where).eval()
            model.temperature_ = header["temperature"]
        return model


def _unpack_words(header: dict[str, Any] | None, tensors: Tensors, path: str | os.PathLike[str]) -> WordModel | None:
    return None if header is None else WordModel.restore(header, {name: t.numpy() for name, t in tensors.items()}, path)
