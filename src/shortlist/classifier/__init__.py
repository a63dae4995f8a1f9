"""Stage 3: classifiers trained on beliefs.

    reader = NoiseAwareClassifier().fit(questions, beliefs, classes=votes.space)
    reader.predict(more_questions)

`NoiseAwareClassifier` wraps any classifier of scikit-learn's kind and has a default for text and for features.
"""

from __future__ import annotations

from shortlist.classifier.linear import SoftLogisticRegression
from shortlist.classifier.noise_aware import NoiseAwareClassifier
from shortlist.classifier.text import TextFeatures

__all__ = ["NoiseAwareClassifier", "SoftLogisticRegression", "TextFeatures"]
