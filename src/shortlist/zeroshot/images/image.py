"""Image: a file or an array of pixels, by its content, and as the pixels that a network reads."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadRows, require

Pixels: TypeAlias = npt.NDArray[np.float32]


def content_key(image: Any) -> str:
    """A hash of an image's content: the bytes of a file, or an array with its shape and type."""
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
    """(3, size, size), from 0 to 255. The shorter side is scaled to `size`, and the longer one is cut to its middle."""
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
