"""Zero-shot classification from attributes: detectors trained on seen classes become labelers for unseen ones.

    model = ZeroShotClassifier(table).fit(X, y, unlabelled=X_new)       # y holds no unseen class
    model.predict(X_new)

`AttributeDetectors` is its first stage. `image_folder` and `image_features` get features out of images [extra
`vision`].
"""

from shortlist.lazy import lazy_names

__getattr__, __all__ = lazy_names(__name__)
