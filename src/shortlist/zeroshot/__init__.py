"""Zero-shot classification from attributes: detectors trained on seen classes become labelers for unseen ones.

    model = ZeroShotClassifier(table).fit(X, y, unlabelled=X_new)       # y holds no unseen class
    model.predict(X_new)

`AttributeDetectors` is its first stage. `image_folder` and `image_features` get features out of images [extra
`vision`].
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from shortlist.labelers.attributes import AttributeTable
from shortlist.zeroshot.images import ImageFolder, image_folder
from shortlist.zeroshot.task import Scores, zero_shot_scores

if TYPE_CHECKING:
    from shortlist.zeroshot.attribute_detectors import AttributeDetectors as AttributeDetectors
    from shortlist.zeroshot.classifier import ZeroShotClassifier as ZeroShotClassifier
    from shortlist.zeroshot.images import Backbone as Backbone
    from shortlist.zeroshot.images import efficientnet_lite0 as efficientnet_lite0
    from shortlist.zeroshot.images import image_features as image_features
    from shortlist.zeroshot.mixture import SeededMixture as SeededMixture

_LATER = {  # these bring scikit-learn in, so they wait until they are asked for
    "AttributeDetectors": "attribute_detectors",
    "Backbone": "images",
    "SeededMixture": "mixture",
    "ZeroShotClassifier": "classifier",
    "efficientnet_lite0": "images",
    "image_features": "images",
}

__all__ = [
    "AttributeDetectors",
    "AttributeTable",
    "Backbone",
    "ImageFolder",
    "Scores",
    "SeededMixture",
    "ZeroShotClassifier",
    "efficientnet_lite0",
    "image_features",
    "image_folder",
    "zero_shot_scores",
]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(importlib.import_module(f"shortlist.zeroshot.{_LATER[name]}"), name)
    raise AttributeError(f"module 'shortlist.zeroshot' has no attribute {name!r}")
