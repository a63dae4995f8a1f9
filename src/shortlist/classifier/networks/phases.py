"""Stage: one training of several. A teacher for rows without a vote, a head start, then everything together.

Covered rows are not a random sample: trained on them alone, a network learns the rules' surface instead of the classes,
the more so the longer it is trained. A short training has not got there yet, and can say what to believe of the other
rows; with those among them, a long training is safe. A fresh head pulls at its encoder at random; one that has learned
something already does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shortlist.classifier.networks.training import Plan
from shortlist.errors import BadFit

TEACHER, HEAD, LAST = "teacher", "head", "last"
TEACHER_LR, TEACHER_HEAD_LR = 1e-5, 1e-4
HEAD_LR, HEAD_BATCH = 1e-3, 256


@dataclass(frozen=True)
class Stage:
    """How long, how fast, how many rows at a time, and whether the head learns alone, on vectors of the encoder."""

    name: str
    bar: str
    plan: Plan
    lr: float
    head_lr: float
    batch_size: int
    head_alone: bool = False


def teacher(options: dict[str, Any], precision: str) -> Stage:
    """Short and slow: the covered rows' classes, not yet their rules. Whatever the last stage is asked to do."""
    plan = Plan(options["teacher_steps"], clip=options["clip"], accumulate=options["accumulate"], precision=precision)
    return Stage(TEACHER, "teacher", plan, TEACHER_LR, TEACHER_HEAD_LR, options["batch_size"])


def head_start(options: dict[str, Any]) -> Stage:
    """The head alone, on an encoder as it came."""
    plan = Plan(options["head_steps"], warmup=0.0, clip=None, loss=options["loss"])
    return Stage(HEAD, "head", plan, 0.0, HEAD_LR, HEAD_BATCH, head_alone=True)


def last(options: dict[str, Any], precision: str) -> Stage:
    """What `steps`, `lr` and the like are about."""
    frozen = options["frozen"]
    plan = Plan(
        steps=options["steps"],
        epochs=options["epochs"],
        schedule=options["schedule"],
        warmup=options["warmup"],
        clip=options["clip"],
        accumulate=options["accumulate"],
        precision="fp32" if frozen else precision,
        loss=options["loss"],
    )
    head_lr = options["lr"] if options["head_lr"] is None else options["head_lr"]
    bar = "training" if frozen else "fine-tuning"
    return Stage(LAST, bar, plan, options["lr"], head_lr, options["batch_size"], head_alone=frozen)


def check_lengths(options: dict[str, Any]) -> None:
    """Every stage but the head start takes a step at least."""
    least = {"teacher_steps": 1, "head_steps": 0} | ({"steps": 1} if options["epochs"] is None else {})
    for name, lowest in least.items():
        if not options[name] >= lowest:
            raise BadFit(f"{name} is {lowest} or more, not {options[name]!r}")
