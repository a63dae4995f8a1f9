"""Zero-shot classification from attributes: detectors trained on seen classes become labelers for unseen ones.

    model = ZeroShotClassifier(table).fit(X, y, unlabelled=X_new)       # y holds no unseen class
    model.predict(X_new)

`AttributeDetectors` is its first stage. `image_folder` and `image_features` get features out of images [extra
`vision`]. `ConSE`, `ESZSL`, `SynC`, `VCL`, `QFSL` and `WDVSc` are there to compare with.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from shortlist.zeroshot.images import ImageFolder, image_folder
from shortlist.zeroshot.scores import Scores, zero_shot_scores
from shortlist.zeroshot.table import AttributeTable

if TYPE_CHECKING:
    from shortlist.zeroshot.backbone import Backbone as Backbone
    from shortlist.zeroshot.backbone import efficientnet_lite0 as efficientnet_lite0
    from shortlist.zeroshot.classifier import ZeroShotClassifier as ZeroShotClassifier
    from shortlist.zeroshot.conse import ConSE as ConSE
    from shortlist.zeroshot.detectors import AttributeDetectors as AttributeDetectors
    from shortlist.zeroshot.eszsl import ESZSL as ESZSL
    from shortlist.zeroshot.imagefeatures import image_features as image_features
    from shortlist.zeroshot.mixture import SeededMixture as SeededMixture
    from shortlist.zeroshot.qfsl import QFSL as QFSL
    from shortlist.zeroshot.sync import SynC as SynC
    from shortlist.zeroshot.vcl import VCL as VCL
    from shortlist.zeroshot.wdvsc import WDVSc as WDVSc

_LATER = {  # these bring scikit-learn in, so they wait until they are asked for
    "AttributeDetectors": "detectors",
    "Backbone": "backbone",
    "ConSE": "conse",
    "ESZSL": "eszsl",
    "QFSL": "qfsl",
    "SeededMixture": "mixture",
    "SynC": "sync",
    "VCL": "vcl",
    "WDVSc": "wdvsc",
    "ZeroShotClassifier": "classifier",
    "efficientnet_lite0": "backbone",
    "image_features": "imagefeatures",
}

__all__ = [
    "ESZSL",
    "QFSL",
    "VCL",
    "AttributeDetectors",
    "AttributeTable",
    "Backbone",
    "ConSE",
    "ImageFolder",
    "Scores",
    "SeededMixture",
    "SynC",
    "WDVSc",
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
