"""image_features(): images through a backbone, with a cache in which each image is read once.

The cache is a folder of npz files, some hundred images each, by the hash of an image's content. Moved or renamed images
are found again, changed images are read again, and an interrupted run goes on where its last file ends.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from shortlist.archive import read_archive, write_archive
from shortlist.errors import BadFile, BadRows
from shortlist.progress import progress_bar
from shortlist.zeroshot.images.backbone import Backbone, efficientnet_lite0
from shortlist.zeroshot.images.image import content_key
from shortlist.zeroshot.task import Features

KIND, FORMAT = "image features", 1
SHARD = 256  # images a file


def image_features(
    images: Iterable[Any],
    backbone: Backbone | None = None,
    *,
    cache: str | os.PathLike[str] | None = None,
    batch_size: int = 32,
    progress: bool = False,
) -> Features:
    """(m, p): features of images, given as paths or as uint8 arrays (height, width) or (height, width, 3).

    backbone : None for `efficientnet_lite0()`
    cache : a folder to keep features in, which is made if need be. None keeps nothing.
    """
    given = list(images)
    if not given:
        raise BadRows("there are no images")
    reader = efficientnet_lite0() if backbone is None else backbone
    keys = [content_key(image) for image in given]
    store = None if cache is None else _Store(Path(cache), reader)
    found = {} if store is None else store.read(set(keys))
    first = {key: a for a, key in reversed(list(enumerate(keys)))}  # an image that is there twice is read once
    missing = [key for key in dict.fromkeys(keys) if key not in found]
    with progress_bar(progress, "images") as tick:
        for start in range(0, len(missing), SHARD):
            some = missing[start : start + SHARD]
            features = _read([given[first[key]] for key in some], reader, batch_size)
            if store is not None:
                store.write(some, features)
            found |= dict(zip(some, features, strict=True))
            if tick:
                tick((start + len(some)) / len(missing))
    return np.stack([found[key] for key in keys])


def _read(images: Sequence[Any], backbone: Backbone, size: int) -> Features:
    return np.concatenate([backbone(images[a : a + size]) for a in range(0, len(images), size)])


class _Store:
    """Features of one backbone in a folder of npz files."""

    def __init__(self, folder: Path, backbone: Backbone) -> None:
        self.folder, self.name, self.identity = folder, backbone.name, backbone.identity()
        folder.mkdir(parents=True, exist_ok=True)

    def read(self, wanted: set[str]) -> dict[str, Features]:
        found: dict[str, Features] = {}
        for path in sorted(self.folder.glob(f"{self.identity[:16]}-*.npz")):
            header, arrays = read_archive(path, kind=KIND, version=FORMAT)
            if header.get("backbone") != self.identity or not {"keys", "features"} <= set(arrays):
                raise BadFile(f"{path} does not hold the features its name says; delete it, and it is made again")
            pairs = zip(arrays["keys"].tolist(), arrays["features"], strict=True)
            found |= {key: features for key, features in pairs if key in wanted}
        return found

    def write(self, keys: list[str], features: Features) -> None:
        path = self.folder / f"{self.identity[:16]}-{keys[0][:24]}.npz"
        header = {"backbone": self.identity, "name": self.name}
        write_archive(path, kind=KIND, version=FORMAT, header=header, arrays={"keys": keys, "features": features})
