"""ImageFolder: the images of a folder, with one subfolder a class."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from shortlist.errors import BadRows

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
    paths, labels = [], []
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.suffix.lower() in SUFFIXES and path.is_file() and not any(part.startswith(".") for part in parts):
            paths.append(path)
            labels.append(None if len(parts) == 1 or parts[0] == unlabelled else parts[0])
    if not paths:
        raise BadRows(f"{root} holds no images ({', '.join(sorted(SUFFIXES))}). One subfolder a class is expected")
    return ImageFolder(tuple(paths), tuple(labels))
