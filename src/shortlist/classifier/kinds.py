"""Kinds: the classifiers that shortlist.toml can ask for by name, and how to add one.

    register_kind(Kind("nearest", NearestCentroid, reads="numbers"))

A kind says which class it is, what the class reads, and how its file is called. A package can also announce kinds as
entry points of the group `shortlist.classifiers`; they are found without being registered. No classifier is imported
before it is asked for, and neither is numpy.
"""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeAlias

from shortlist.errors import BadFit
from shortlist.registry import Registry, attribute_of

if TYPE_CHECKING:
    from shortlist.arrays import Floats

RESERVED = ("none",)  # what shortlist.toml calls no classifier at all
Reads: TypeAlias = Literal["text", "numbers", "either"]


class Classifier(Protocol):
    """Interface of a classifier in a project; its options are the parameters of its constructor.

    Rows are a list of texts, a matrix of numbers (m, p), or, where the toml names columns with `on`, a table with those
    columns of text. Beliefs are (m, k), `covered` (m,) says which rows to learn from (in a project, all), and `classes`
    are the k names. If it has an attribute `progress`, a project sets it to a function to call with a line while it
    learns.
    """

    classes_: Any

    def fit(self, rows: Any, y: Any, *, covered: Any, classes: Any) -> Self: ...
    def predict_proba(self, rows: Any) -> Floats: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self: ...


@dataclass(frozen=True)
class Kind:
    """A kind of classifier.

    Parameters
    ----------
    name : what shortlist.toml calls it
    classifier : the class, or "module:Class", which is imported when it is first needed
    reads : "text", "numbers", or "either": text where the project has a column of text
    suffix : how the name of its file ends
    """

    name: str
    classifier: type | str
    reads: Reads
    suffix: str = ".npz"

    def __post_init__(self) -> None:
        if self.reads not in ("text", "numbers", "either"):
            raise BadFit(f'kind {self.name!r}: reads is "text", "numbers" or "either", not {self.reads!r}')

    def find(self) -> type[Classifier]:
        """Return the class, imported if need be."""
        if isinstance(self.classifier, str):
            module, _, name = self.classifier.partition(":")
            imported: type[Classifier] = getattr(importlib.import_module(module), name)
            return imported
        return self.classifier


KINDS: Registry[Kind] = Registry(
    "kind of classifier",
    "shortlist.classifiers",
    attribute_of(Kind, "name"),
    own=[
        Kind("linear", "shortlist.classifier.noise_aware:NoiseAwareClassifier", "either"),
        Kind("mlp", "shortlist.classifier.mlp:MLPClassifier", "numbers", ".safetensors"),
        Kind("transformer", "shortlist.classifier.transformer:TransformerClassifier", "text", ".safetensors"),
    ],
    reserved=RESERVED,
)


def register_kind(kind: Kind) -> None:
    """Add a kind. One of the same name that was registered before is replaced; shortlist's own cannot be."""
    KINDS.add(kind)


def find_kind(name: str) -> Kind | None:
    """The kind of that name: shortlist's own, registered, or announced by an installed package; else None."""
    return KINDS.get(name)


def kind_names(reads: Reads | None = None) -> tuple[str, ...]:
    """The names of all kinds; with `reads`, of those that can read it."""
    return tuple(name for name in sorted(KINDS) if reads is None or KINDS[name].reads in (reads, "either"))
