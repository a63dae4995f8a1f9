"""Stage 3: classifiers trained on beliefs.

    reader = NoiseAwareClassifier().fit(questions, beliefs, classes=votes.space)
    reader.predict(more_questions)

`NoiseAwareClassifier` wraps any classifier of scikit-learn's kind and has a default for text and for features.
`MLPClassifier` is the paper's head on features [torch], `TransformerClassifier` its fine-tuned encoder [transformers].
`evaluate` compares predictions with gold labels, over seeds. `register_kind` lets shortlist.toml ask for a classifier
of your own.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from shortlist.classifier.kinds import Kind, register_kind

if TYPE_CHECKING:
    from shortlist.classifier.evaluation import Evaluation as Evaluation
    from shortlist.classifier.evaluation import evaluate as evaluate
    from shortlist.classifier.linear import SoftLogisticRegression as SoftLogisticRegression
    from shortlist.classifier.mlp import MLPClassifier as MLPClassifier
    from shortlist.classifier.noise_aware import NoiseAwareClassifier as NoiseAwareClassifier
    from shortlist.classifier.text import TextFeatures as TextFeatures
    from shortlist.classifier.transformer import TransformerClassifier as TransformerClassifier

_LATER = {  # these import scikit-learn, so they wait until they are asked for
    "Evaluation": "evaluation",
    "MLPClassifier": "mlp",
    "NoiseAwareClassifier": "noise_aware",
    "SoftLogisticRegression": "linear",
    "TextFeatures": "text",
    "TransformerClassifier": "transformer",
    "evaluate": "evaluation",
}

__all__ = [
    "Evaluation",
    "Kind",
    "MLPClassifier",
    "NoiseAwareClassifier",
    "SoftLogisticRegression",
    "TextFeatures",
    "TransformerClassifier",
    "evaluate",
    "register_kind",
]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(importlib.import_module(f"shortlist.classifier.{_LATER[name]}"), name)
    raise AttributeError(f"module 'shortlist.classifier' has no attribute {name!r}")
