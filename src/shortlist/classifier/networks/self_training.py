"""SelfTraining: the phases of a fine-tuning, one after the other; a checkpoint says where to go on.

A teacher, trained on covered rows, gives the uncovered rows their beliefs. The network is then trained on all rows.
"""

from __future__ import annotations

import os

import numpy as np
from scipy.special import log_softmax

from shortlist.arrays import Floats
from shortlist.classifier.networks.checkpoint import Checkpoint, fingerprint
from shortlist.classifier.networks.examples import Examples, TrainingSet
from shortlist.classifier.networks.finetuning import DevRows, FineTuning
from shortlist.classifier.networks.phases import HEAD, LAST, Phase, head_phase, last_phase, teacher_phase
from shortlist.classifier.networks.recipe import Recipe
from shortlist.classifier.networks.word_model import WordModel

TAUGHT = "taught"  # what a checkpoint calls the teacher's beliefs


class SelfTraining:
    """Fine-tunes a network on a training set. `examples` are the covered rows, and all rows once `run` has run."""

    def __init__(self, tuning: FineTuning, data: TrainingSet, checkpoint: Checkpoint | None) -> None:
        self.tuning, self.data, self.checkpoint = tuning, data, checkpoint
        self.reached = None if checkpoint is None else checkpoint.reached()
        self.examples = data.covered

    def run(self, dev: DevRows | None) -> list[float]:
        """Run all phases that the checkpoint has not finished.

        Returns the mean loss of each epoch of the last phase. `dev` rows choose the best epoch of that phase.
        """
        tuning, recipe = self.tuning, self.tuning.recipe
        if self.data.uncovered:
            self.examples = self.data.covered.and_then(self._taught())
        rows = np.setdiff1d(np.arange(len(self.examples.ids)), self.data.held_out)
        shown = self.examples.take(rows)
        if recipe.frozen:
            tuning.read_ahead(self.examples.ids, rows)
        if recipe.head_steps and self.reached != LAST:
            self._train(head_phase(recipe), shown)
        return self._train(last_phase(recipe, tuning.precision), shown, dev)

    def word_model(self, texts: list[str]) -> WordModel:
        """The linear model of words beside the network, from the texts of all rows."""
        held_out = self.data.held_out
        network = log_softmax(self.tuning.logits(self.examples.take(held_out).ids), axis=1)
        return WordModel.learn(texts, self.examples.beliefs, self.examples.weights, held_out, network)

    def _taught(self) -> Examples:
        """The uncovered rows with the teacher's beliefs, from the checkpoint where it has them."""
        if self.checkpoint is not None and self.reached in (HEAD, LAST):
            beliefs = self.checkpoint.kept[TAUGHT].numpy()
        else:
            beliefs = self._teach()
        if self.checkpoint is not None:
            self.checkpoint.kept[TAUGHT] = self.tuning.torch.from_numpy(beliefs)
        return Examples(self.data.uncovered, beliefs, self.data.uncovered_weights)

    def _teach(self) -> Floats:
        """(m, k): beliefs of a teacher about the uncovered rows. Afterwards the network is as it was before."""
        tuning = self.tuning
        with tuning.borrowed():
            self._train(teacher_phase(tuning.recipe, tuning.precision), self.data.covered)
            beliefs: Floats = np.exp(log_softmax(tuning.logits(self.data.uncovered), axis=1))
        return beliefs

    def _train(self, phase: Phase, examples: Examples, dev: DevRows | None = None) -> list[float]:
        if self.checkpoint is not None:
            self.checkpoint.phase = phase.name
        return self.tuning.train(phase, examples, dev, self.checkpoint)


def make_checkpoint(
    path: str | os.PathLike[str] | None, encoder: str | os.PathLike[str], recipe: Recipe, data: TrainingSet
) -> Checkpoint | None:
    """The checkpoint of a fine-tuning. Its fingerprint holds all that is known before the first phase."""
    if path is None:
        return None
    return Checkpoint(path, fingerprint([recipe.identity(), os.fspath(encoder), *data.parts()]))
