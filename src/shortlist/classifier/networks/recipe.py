"""Recipe: how a TransformerClassifier builds and trains its network.

It holds every option that decides what the trained network is. Where it is trained and what is kept on the way (device,
checkpoint, cache, progress) is not part of it. A checkpoint only goes on with the recipe it was begun with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self, TypeAlias, get_args

from shortlist.registry import check_choice, check_whole

Pooling: TypeAlias = Literal["mean", "cls"]
Schedule: TypeAlias = Literal["linear", "constant", "plateau"]
Loss: TypeAlias = Literal["expected", "set"]
Precision: TypeAlias = Literal["fp32", "bf16"]


@dataclass(frozen=True)
class Recipe:
    """The options have the names and meanings of TransformerClassifier's. Making one checks them."""

    frozen: bool
    hidden: int
    dropout: float
    pooling: Pooling
    max_length: int
    steps: int
    epochs: float | None
    teacher_steps: int
    head_steps: int
    lr: float
    head_lr: float | None
    schedule: Schedule
    warmup: float
    batch_size: int
    accumulate: int
    weight_decay: float
    clip: float | None
    loss: Loss
    precision: Literal["auto", "fp32", "bf16"]
    words: bool
    seed: int

    def __post_init__(self) -> None:
        check_choice("pooling", self.pooling, get_args(Pooling))
        check_choice("schedule", self.schedule, get_args(Schedule))
        check_choice("loss", self.loss, get_args(Loss))
        check_choice("precision", self.precision, ("auto", *get_args(Precision)))
        check_whole("teacher_steps", self.teacher_steps, least=1)
        check_whole("head_steps", self.head_steps, least=0)
        if self.epochs is None:
            check_whole("steps", self.steps, least=1)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """The recipe among all options of a classifier."""
        return cls(**{field.name: options[field.name] for field in fields(cls)})

    def identity(self) -> dict[str, Any]:
        """What a checkpoint knows the recipe by: all options, sorted by name."""
        return dict(sorted(asdict(self).items()))

    def precision_on(self, device: str) -> Precision:
        """How matrix products are computed: "auto" is bfloat16 on CUDA, else float32."""
        if self.precision == "auto":
            return "bf16" if device.startswith("cuda") else "fp32"
        return self.precision
