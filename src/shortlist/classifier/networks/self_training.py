"""Course: the stages of a fine-tuning, one after the other, each from where a checkpoint says it stood."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import log_softmax

from shortlist.arrays import Floats
from shortlist.classifier.networks.checkpoint import Checkpoint, fingerprint
from shortlist.classifier.networks.encoder import Ids
from shortlist.classifier.networks.finetuning import FineTuning, Judged
from shortlist.classifier.networks.phases import HEAD, LAST, Stage, head_start, last, teacher
from shortlist.classifier.networks.words import Rows, Words

TAUGHT = "taught"
_ELSEWHERE = ("device", "checkpoint", "cache", "progress", "on", "uncovered", "encoder")


@dataclass(frozen=True)
class Lesson:
    """What is learned: token ids of m texts, beliefs (m, k) and weights (m,)."""

    ids: Ids
    beliefs: Floats
    weights: Floats

    def joined(self, other: Lesson) -> Lesson:
        """The rows of both, these first."""
        return Lesson(
            self.ids + other.ids,
            np.concatenate([self.beliefs, other.beliefs]),
            np.concatenate([self.weights, other.weights]),
        )

    def some(self, rows: Rows) -> Lesson:
        """Some of the rows."""
        return Lesson([self.ids[a] for a in rows], self.beliefs[rows], self.weights[rows])


class Course:
    """A network learns what is known, and what a teacher believes of the untold rows: token ids, and weights (m,).

    `apart` are rows, known ones counted first, that it is not to learn from.
    """

    def __init__(self, tuning: FineTuning, known: Lesson, untold: Ids, untold_weights: Floats, apart: Rows) -> None:
        self.tuning, self.known, self.untold, self.untold_weights = tuning, known, untold, untold_weights
        self.apart = apart
        self.checkpoint = self._checkpoint()
        self.reached = None if self.checkpoint is None else self.checkpoint.reached()
        self.lesson = known

    def run(self, judged: Judged | None) -> list[float]:
        """All stages that are not behind us. The mean loss of each epoch of the last one, which dev rows judge.

        From then on the `lesson` is what is believed of all rows.
        """
        tuning = self.tuning
        if self.untold:
            self.lesson = self.known.joined(self._taught())
        rows = np.setdiff1d(np.arange(len(self.lesson.ids)), self.apart)
        shown = self.lesson.some(rows)
        if tuning.options["frozen"]:
            tuning.read_ahead(self.lesson.ids, rows)
        if tuning.options["head_steps"] and self.reached != LAST:
            self._train(head_start(tuning.options), shown)
        return self._train(last(tuning.options, tuning.precision), shown, judged)

    def words(self, texts: list[str]) -> Words:
        """The linear model of words beside the network, from the texts of all rows."""
        lesson, apart = self.lesson, self.apart
        network = log_softmax(self.tuning.logits(lesson.some(apart).ids), axis=1)
        return Words.learn(texts, lesson.beliefs, lesson.weights, apart, network)

    def _taught(self) -> Lesson:
        """The untold rows, with the teacher's beliefs: from the checkpoint where it is past the teacher."""
        if self.checkpoint is not None and self.reached in (HEAD, LAST):
            beliefs = self.checkpoint.kept[TAUGHT].numpy()
        else:
            beliefs = self._teach()
        if self.checkpoint is not None:
            self.checkpoint.kept[TAUGHT] = self.tuning.torch.from_numpy(beliefs)
        return Lesson(self.untold, beliefs, self.untold_weights)

    def _teach(self) -> Floats:
        """(m, k): what a network that was trained on the known rows believes of the others. Only beliefs remain."""
        tuning = self.tuning
        with tuning.borrowed():
            self._train(teacher(tuning.options, tuning.precision), self.known)
            beliefs: Floats = np.exp(log_softmax(tuning.logits(self.untold), axis=1))
        return beliefs

    def _train(self, stage: Stage, lesson: Lesson, judged: Judged | None = None) -> list[float]:
        if self.checkpoint is not None:
            self.checkpoint.stage = stage.name
        return self.tuning.train(stage, lesson.ids, lesson.beliefs, lesson.weights, judged, self.checkpoint)

    def _checkpoint(self) -> Checkpoint | None:
        """Its fingerprint holds what is known before the first stage."""
        options, path = self.tuning.options, self.tuning.options["checkpoint"]
        if path is None:
            return None
        parts: list[Any] = [
            {key: value for key, value in options.items() if key not in _ELSEWHERE},
            os.fspath(options["encoder"]),
        ]
        parts += [np.concatenate(self.known.ids), self.known.beliefs, self.known.weights]
        parts.append(self.apart)
        if self.untold:
            parts += [np.concatenate(self.untold), self.untold_weights]
        return Checkpoint(path, fingerprint(parts))
