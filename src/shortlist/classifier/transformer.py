"""TransformerClassifier: a pretrained encoder with the paper's head, fine-tuned on beliefs. Needs transformers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from shortlist.arrays import Floats, Positions
from shortlist.classifier.base import BaseClassifier, pack_classes, reading, unpack_classes
from shortlist.classifier.finetuning import FineTuning, load_encoder, pack_encoder, unpack_encoder
from shortlist.classifier.noise_aware import NoiseAwareClassifier
from shortlist.classifier.targets import Targets, make_targets, uncovered_rows
from shortlist.classifier.training import check_two_rows
from shortlist.errors import BadRows
from shortlist.progress import Tell
from shortlist.registry import check_choice, check_whole
from shortlist.rows import read_texts
from shortlist.tensors import Tensors, put_under, read_tensors, torch_on, under, write_tensors

KIND = "shortlist transformer"


class TransformerClassifier(BaseClassifier):
    """Text → a pretrained encoder → three layers → P(class | text).

    The end model of the paper's experiments on text, with a recipe that needs no labelled rows to stop in time. It has
    three phases. A teacher is trained for a short time on covered rows, and gives uncovered rows their beliefs. Then a
    fresh head is trained on the pretrained encoder. Then encoder and head are trained together on all rows. A linear
    model of words is averaged with the network.

    Parameters
    ----------
    encoder : the name of an encoder on the Hugging Face hub, or a folder that holds one
    frozen : leave the encoder as it is and train the head alone, on vectors that are computed once; without a teacher
    max_length : how many tokens of a text are read
    steps : length of the last phase, in optimiser steps; the other two take half as many
    lr : the learning rate of the encoder; that of the head is ten times as large
    batch_size : rows in a batch
    uncovered : "teach" also trains on rows without a vote (or label), with the teacher's beliefs; "drop" (the paper)
        leaves them out
    words : average the network with a linear model of words. Its share is found on a tenth of the rows, which are held
        out from both. With fewer than 500 rows, or no word in any text, the network predicts alone.
    on : for rows that are tables or dicts, the column of text to read, or several to read one after the other
    seed : of weights, batches and dropout
    device : "auto" (CUDA where there is one), "cpu" or a CUDA device
    progress : show a line of progress, or a function to call with each

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
        max_length: int = 128,
        steps: int = 800,
        lr: float = 1e-5,
        batch_size: int = 16,
        uncovered: Literal["teach", "drop"] = "teach",
        words: bool = True,
        on: str | Sequence[str] | None = None,
        seed: int = 0,
        device: str = "auto",
        progress: bool | Tell = False,
    ) -> None:
        self.encoder, self.frozen, self.max_length = encoder, frozen, max_length
        self.steps, self.lr, self.batch_size = steps, lr, batch_size
        self.uncovered, self.words, self.on = uncovered, words, on
        self.seed, self.device, self.progress = seed, device, progress

    def fit(
        self,
        rows: Any,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        covered: npt.ArrayLike | None = None,
        classes: Sequence[Any] | None = None,
    ) -> Self:
        """Learn from texts and beliefs (m, k), or labels (m,)."""
        texts = self._texts(rows)
        check_choice("uncovered", self.uncovered, ("teach", "drop"))
        check_whole("steps", self.steps, least=1)
        targets = make_targets(y, len(texts), classes=classes, covered=covered, sample_weight=sample_weight)
        check_two_rows(targets)
        torch_on(self.device)  # refuse a bad device before the encoder is loaded
        self.classes_, self.named_ = targets.classes, targets.named
        self.encoder_ = load_encoder(self.encoder)
        tuning = FineTuning(self)
        read, beliefs, weights = self._examples(texts, targets, sample_weight, tuning)
        held_out = held_out_rows(len(read) if self.words and any(map(str.strip, read)) else 0, self.seed)
        ids = self.encoder_.tokens(read, self.max_length)
        shown = np.setdiff1d(np.arange(len(read)), held_out)
        self.history_ = np.array(tuning.run([ids[a] for a in shown], beliefs[shown], weights[shown]))
        self.network_, self.words_ = tuning.network, None
        if len(held_out):
            network = log_softmax(tuning.logits([ids[a] for a in held_out]), axis=1)
            self.words_ = WordModel.learn(read, beliefs, weights, held_out, network)
        self.temperature_ = 1.0
        return self

    def _examples(
        self, texts: list[str], targets: Targets, sample_weight: Any, tuning: FineTuning
    ) -> tuple[list[str], Floats, Floats]:
        """(texts, beliefs, weights): covered rows first; then those that the teacher gives beliefs to, if any."""
        read, (rows, weights) = [texts[a] for a in targets.rows], uncovered_rows(targets, len(texts), sample_weight)
        if self.uncovered == "drop" or self.frozen or not len(rows):
            return read, targets.beliefs, targets.weights
        others = [texts[a] for a in rows]
        ids, more = (self.encoder_.tokens(some, self.max_length) for some in (read, others))
        taught = tuning.teach(ids, targets.beliefs, targets.weights, more)
        beliefs = np.concatenate([targets.beliefs, taught])
        return [*read, *others], beliefs, np.concatenate([targets.weights, weights])

    def _texts(self, rows: Any) -> list[str]:
        texts = read_texts(rows, self.on)
        if texts is None and len(rows):
            raise BadRows("TransformerClassifier reads text; for features there is MLPClassifier")
        return texts or []

    def _log_proba(self, rows: Any) -> Floats:
        texts = self._texts(rows)
        ids = self.encoder_.tokens(texts, self.max_length)
        log_p: Floats = log_softmax(FineTuning(self, self.network_).logits(ids), axis=1)
        return log_p if self.words_ is None or not texts else self.words_.combine(log_p, texts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write classifier, encoder and tokenizer to one safetensors file."""
        self._check_fitted()
        config, tokenizer = pack_encoder(self.encoder_)
        words, word_tensors = self._pack_words()
        header = pack_classes(self) | {
            "version": 1,
            "words": words,
            "options": self.get_params() | {"encoder": os.fspath(self.encoder), "progress": False},
            "history": self.history_.tolist(),
            "config": config,
        }
        weights = put_under("network", self.network_.state_dict())
        write_tensors(path, KIND, header, put_under("tokenizer", tokenizer) | weights | word_tensors)

    def _pack_words(self) -> tuple[dict[str, Any] | None, Tensors]:
        if self.words_ is None:
            return None, {}
        header, arrays = self.words_.classifier.pack()
        torch, _ = torch_on("cpu")
        tensors = {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}
        return header | {"share": self.words_.share}, put_under("words", tensors)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, device: str = "auto") -> Self:
        """Read what `save` wrote. The encoder's own files are not needed."""
        header, tensors = read_tensors(path, KIND)
        torch_on(device)
        with reading(path):
            model = cls(**header["options"] | {"device": device})
            unpack_classes(model, header)
            model.history_, model.words_ = np.array(header["history"]), None
            if words := header["words"]:
                arrays = {name: tensor.numpy() for name, tensor in under("words", tensors).items()}
                model.words_ = WordModel(NoiseAwareClassifier.unpack(words, arrays, path), words["share"])
            model.encoder_ = unpack_encoder(header["config"], under("tokenizer", tensors))
            model.network_ = FineTuning(model).network.eval()
            model.network_.load_state_dict(under("network", tensors))
        return model


# -- the model of words ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WordModel:
    """A linear model of words, and its weight (from 0 to 1) in a geometric mean with the network.

    A short fine-tuning does not learn every single word that tells classes apart; a linear model does. The weight needs
    no labels: it is the one with the least expected loss under the beliefs (Section 3.3 of the paper) of held-out rows.
    """

    classifier: NoiseAwareClassifier
    share: float

    @classmethod
    def learn(cls, texts: list[str], beliefs: Floats, weights: Floats, held_out: Positions, network: Floats) -> Self:
        """Learn from texts, beliefs (m, k) and weights (m,). `network` is its log P(class | text) of held-out rows.

        Once its share is known, the linear model learns from the held-out rows too. Only the ratios of the weights
        matter, as they do for the network.
        """
        weights = weights / weights.mean()

        def fitted(rows: Positions) -> NoiseAwareClassifier:
            model = NoiseAwareClassifier(uncovered="keep", sharpen=1.0, progress=False)
            return model.fit([texts[a] for a in rows], beliefs[rows], weights[rows])

        everything = np.arange(len(texts))
        trial = fitted(np.setdiff1d(everything, held_out))._log_proba([texts[a] for a in held_out])
        share = best_share(network, trial, beliefs[held_out], weights[held_out])
        return cls(fitted(everything), share)

    def combine(self, network: Floats, texts: list[str]) -> Floats:
        """(m, k): log P(class | text) of network and words together, from that of the network."""
        return geometric_mean(network, self.classifier._log_proba(texts), self.share)


def held_out_rows(m: int, seed: int) -> Positions:
    """A tenth of m rows, to be held out; none where that would be fewer than 50."""
    rows: Positions = np.sort(np.random.default_rng(seed).permutation(m)[: m // 10])
    return rows if len(rows) >= 50 else rows[:0]


def geometric_mean(one: Floats, other: Floats, share: float) -> Floats:
    """(m, k): the weighted geometric mean of two beliefs, all logarithms. `share` is the weight of the other."""
    both: Floats = log_softmax((1 - share) * one + share * other, axis=1)
    return both


def best_share(one: Floats, other: Floats, beliefs: Floats, weights: Floats) -> float:
    """argmin_s of −Σ_a w_a Σ_j P(j | G_a) log geometric_mean_j(one_a, other_a; s), 0 ≤ s ≤ 1: convex in s."""

    def loss(share: float) -> float:
        return -float(weights @ np.einsum("ak,ak->a", beliefs, geometric_mean(one, other, share)))

    inside: Any = minimize_scalar(loss, bounds=(0, 1), method="bounded")
    return min((0.0, 1.0, float(inside.x)), key=loss)
