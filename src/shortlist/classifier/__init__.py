"""Stage 3: classifiers trained on beliefs.

    reader = NoiseAwareClassifier().fit(questions, beliefs, classes=votes.space)
    reader.predict(more_questions)

`NoiseAwareClassifier` wraps any classifier of scikit-learn's kind and has a default for text and for features.
`MLPClassifier` is the paper's head on features [torch], `TransformerClassifier` its fine-tuned encoder [transformers].
`evaluate` compares predictions with gold labels, over seeds.
"""

from __future__ import annotations

from shortlist.classifier.evaluation import Evaluation, evaluate
from shortlist.classifier.linear import SoftLogisticRegression
from shortlist.classifier.networks.mlp import MLPClassifier
from shortlist.classifier.networks.transformer import TransformerClassifier
from shortlist.classifier.noise_aware import NoiseAwareClassifier
from shortlist.classifier.text import TextFeatures

__all__ = [
    "Evaluation",
    "MLPClassifier",
    "NoiseAwareClassifier",
    "SoftLogisticRegression",
    "TextFeatures",
    "TransformerClassifier",
    "evaluate",
]
