"""Images as people have them: a folder with one subfolder a class."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadRows, require

SUFFIXES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp"})
Pixels: TypeAlias = npt.NDArray[np.float32]


@dataclass(frozen=True)
class ImageFolder:
    """The images of a folder, in order of their names: paths (m), and the class of each, None where it has none."""

    paths: tuple[Path, ...]
    labels: tuple[str | None, ...]

    def __len__(self) -> int:
        return len(self.paths)


def image_folder(folder: str | os.PathLike[str], *, unlabelled: str = "unlabelled") -> ImageFolder:
    """Read which images a folder holds.

    `folder/tiger/1.jpg`, and anything deeper under `folder/tiger`, is a tiger. Images that lie in the folder itself, or
    under `folder/unlabelled`, have no class. Hidden files, and those that are no images by their names, are left out.
    """
    root = Path(folder)
    if not root.is_dir():
        raise BadRows(f"{root} is not a folder")
    paths, labels = [], []
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.suffix.lower() in SUFFIXES and path.is_file() and not any(part.startswith(".") for part in parts):
            paths.append(path)
            labels.append(None if len(parts) == 1 or parts[0] == unlabelled else parts[0])
    if not paths:
        raise BadRows(f"{root} holds no images ({', '.join(sorted(SUFFIXES))}). One subfolder a class is expected")
    return ImageFolder(tuple(paths), tuple(labels))


def content_key(image: Any) -> str:
    """A hash of what an image is, not of where it lies: the bytes of a file, or an array with its shape and type."""
    if isinstance(image, (str, os.PathLike)):
        try:
            return hashlib.sha256(Path(image).read_bytes()).hexdigest()
        except OSError as error:
            raise BadRows(f"the image {image} cannot be read ({error})") from error
    array = np.ascontiguousarray(image)
    digest = hashlib.sha256(f"{array.dtype} {array.shape} ".encode())
    digest.update(array.tobytes())
    return digest.hexdigest()


def pixels(image: Any, size: int) -> Pixels:
    """(3, size, size), from 0 to 255: the shorter side scaled to `size`, the middle kept. Grey images are repeated."""
    pillow: Any = require("PIL.Image", extra="vision")
    try:
        opened = pillow.open(image) if isinstance(image, (str, os.PathLike)) else _of_array(pillow, image)
        colour = opened.convert("RGB")
    except (OSError, ValueError, TypeError, SyntaxError) as error:
        raise BadRows(f"{_called(image)} cannot be read as an image ({error})") from error
    width, height = colour.size
    scale = size / min(width, height)
    scaled = colour.resize((max(size, round(width * scale)), max(size, round(height * scale))), pillow.BILINEAR)
    left, top = (scaled.size[0] - size) // 2, (scaled.size[1] - size) // 2
    square = np.asarray(scaled.crop((left, top, left + size, top + size)), np.float32)  # (size, size, 3)
    return np.ascontiguousarray(square.transpose(2, 0, 1))


def _of_array(pillow: Any, image: Any) -> Any:
    array = np.asarray(image)
    if array.dtype != np.uint8 or array.ndim not in (2, 3):
        raise ValueError(f"an array of pixels is uint8, (height, width) or (height, width, 3); got {array.dtype}")
    return pillow.fromarray(array)


def _called(image: Any) -> str:
    return str(image) if isinstance(image, (str, os.PathLike)) else f"an array of shape {np.shape(image)}"
