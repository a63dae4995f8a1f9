"""Stage 3: classifiers trained on beliefs.

    reader = NoiseAwareClassifier().fit(questions, beliefs, classes=votes.space)
    reader.predict(more_questions)

`NoiseAwareClassifier` wraps any classifier of scikit-learn's kind and has a default for text and for features.
`MLPClassifier` is the paper's head on features [torch], `TransformerClassifier` its fine-tuned encoder [transformers].
`evaluate` compares predictions with gold labels, over seeds. `register_kind` lets shortlist.toml ask for a classifier
of your own.
"""

from __future__ import annotations

from shortlist.lazy import lazy_names

__getattr__, __all__ = lazy_names(__name__)
