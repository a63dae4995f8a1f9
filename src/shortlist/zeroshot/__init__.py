"""Zero-shot classification from attributes: detectors trained on seen classes become labelers for unseen ones.

    model = ZeroShotClassifier(table).fit(X, y, unlabelled=X_new)       # y holds no unseen class
    model.predict(X_new)

`AttributeDetectors` is its first stage. `image_folder` and `image_features` get features out of images [extra
`vision`].
"""

from shortlist.labelers.attributes import AttributeTable
from shortlist.zeroshot.attribute_detectors import AttributeDetectors
from shortlist.zeroshot.classifier import ZeroShotClassifier
from shortlist.zeroshot.images import Backbone, ImageFolder, efficientnet_lite0, image_features, image_folder
from shortlist.zeroshot.task import Scores, zero_shot_scores

__all__ = [
    "AttributeDetectors",
    "AttributeTable",
    "Backbone",
    "ImageFolder",
    "Scores",
    "ZeroShotClassifier",
    "efficientnet_lite0",
    "image_features",
    "image_folder",
    "zero_shot_scores",
]
