"""Phases: the trainings that one fine-tuning is made of. A teacher, then the head alone, then everything.

Covered rows are not a random sample. A network that is trained on them alone for long learns the labelers' rules
instead of the classes. After a short training it has not learned the rules yet; such a network, the teacher, gives
beliefs for the uncovered rows. With those rows among the examples, a long training is safe. The head is trained first
because a head of random weights would disturb the pretrained encoder.
"""

from __future__ import annotations

from dataclasses import dataclass

from shortlist.classifier.networks.recipe import Precision, Recipe
from shortlist.classifier.networks.training import Plan

TEACHER, HEAD, LAST = "teacher", "head", "last"
TEACHER_LR, TEACHER_HEAD_LR = 1e-5, 1e-4
HEAD_LR, HEAD_BATCH = 1e-3, 256


@dataclass(frozen=True)
class Phase:
    """How long and how fast to train, in batches of how many rows.

    With `head_alone` only the head is trained, on vectors of the encoder. `bar` is what a progress bar calls the phase.
    """

    name: str
    bar: str
    plan: Plan
    lr: float
    head_lr: float
    batch_size: int
    head_alone: bool = False


def teacher_phase(recipe: Recipe, precision: Precision) -> Phase:
    """Short, and at rates of its own: the classes of the covered rows, before the labelers' rules are learned."""
    plan = Plan(recipe.teacher_steps, clip=recipe.clip, accumulate=recipe.accumulate, precision=precision)
    return Phase(TEACHER, "teacher", plan, TEACHER_LR, TEACHER_HEAD_LR, recipe.batch_size)


def head_phase(recipe: Recipe) -> Phase:
    """The head alone, on the pretrained encoder."""
    plan = Plan(recipe.head_steps, warmup=0.0, clip=None, loss=recipe.loss)
    return Phase(HEAD, "head", plan, 0.0, HEAD_LR, HEAD_BATCH, head_alone=True)


def last_phase(recipe: Recipe, precision: Precision) -> Phase:
    """Encoder and head together; the head alone where the encoder is frozen."""
    plan = Plan(
        steps=recipe.steps,
        epochs=recipe.epochs,
        schedule=recipe.schedule,
        warmup=recipe.warmup,
        clip=recipe.clip,
        accumulate=recipe.accumulate,
        precision="fp32" if recipe.frozen else precision,
        loss=recipe.loss,
    )
    head_lr = recipe.lr if recipe.head_lr is None else recipe.head_lr
    bar = "training" if recipe.frozen else "fine-tuning"
    return Phase(LAST, bar, plan, recipe.lr, head_lr, recipe.batch_size, head_alone=recipe.frozen)
