"""Three sets of real things that ship inside registry packages, as features, classes and a table of attributes.

digits    scikit-learn's 1,797 handwritten digits of 8 × 8 pixels. Features: 63 numbers that describe a shape (below).
fashion   Fashion-MNIST, 28 × 28 pixels, from the npm package `fashion-mnist` 1.1.0 (MIT). The first 250 images of each
          class, through EfficientNet-Lite0 at 64 pixels; 1,280 features, reduced to the space of their first 64
          principal components.
zoo       101 animals × 16 traits × 7 types (Forsyth, 1990, by way of the UCI repository), from the PyPI package
          `orange3` 3.40.0. Its data file is taken out of the wheel; the package is not installed and not needed.

The two packages are fetched once, by npm and pip, into a folder of your choice; what comes is checked by its hash.
"""

import hashlib
import io
import json
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.ndimage import label, sobel

from experiments.zeroshot.tables import DIGITS, FASHION, ZOO
from shortlist.zeroshot import AttributeTable, efficientnet_lite0, image_features

FASHION_HASH = "7fe48b6f9470efb6e15354b1b2005d60a544177bd24cf4b5da500e3e83d1f396"
ZOO_HASH = "4cbf8af5bda8edcb35b37a4cae3ac42544abcd84ecfa9e21dd3da94f5f6758ff"
EACH = 250  # images a class of Fashion-MNIST


@dataclass
class Set:
    """Features X (m, p), classes y (m,), and the attributes of the classes."""

    name: str
    X: np.ndarray
    y: np.ndarray
    table: AttributeTable


def load(name, folder):
    return {"digits": digits, "fashion": fashion, "zoo": zoo}[name](Path(folder))


# -- digits ---------------------------------------------------------------------------------------------


def digits(folder=None):  # noqa: ARG001
    from sklearn.datasets import load_digits

    found = load_digits()
    X = np.array([shape(image) for image in found.images])
    return Set("digits", X, found.target.astype(str), DIGITS)


def shape(image):
    """A shape in 63 numbers: loops, symmetry, ink and stroke directions in nine fields, depth from four sides."""
    ink = image / 16
    return [*loops(image), *symmetry(ink), *fields(ink), *depths(ink > 0.4)]


def loops(image):
    """How many regions of paper are enclosed, and how many cells of them lie above and below the middle."""
    regions, count = label(np.pad(image < 6, 1, constant_values=True))
    enclosed = [np.nonzero(regions == r)[0] for r in range(1, count + 1) if r != regions[0, 0]]
    above = sum(int((rows < 4.5).sum()) for rows in enclosed)
    return [len(enclosed), above, sum(len(rows) for rows in enclosed) - above]


def symmetry(ink):
    """Correlation with the mirror image left to right, top to bottom, and both."""
    centred = ink - ink.mean()
    total = max(float((centred**2).sum()), 1e-9)
    return [float((centred * other).sum()) / total for other in (centred[:, ::-1], centred[::-1], centred[::-1, ::-1])]


def fields(ink):
    """In each of 3 × 3 fields: the ink, and how much of its edges runs in each of four directions."""
    down, across = sobel(ink, 0), sobel(ink, 1)
    strength = np.hypot(down, across)
    direction = np.floor(np.arctan2(down, across) % np.pi / np.pi * 4 + 0.5).astype(int) % 4
    cuts = (slice(0, 3), slice(3, 5), slice(5, 8))
    found = []
    for field in ((rows, columns) for rows in cuts for columns in cuts):
        edges = [strength[field][direction[field] == d].sum() / 10 for d in range(4)]
        found += [ink[field].mean(), *edges]
    return found


def depths(on):
    """How deep one sees into the picture from each side, in its first, middle and last third."""
    found = []
    for view in (on, on[:, ::-1], on.T, on.T[:, ::-1]):
        depth = np.where(view.any(axis=1), view.argmax(axis=1), view.shape[1]) / 8
        found += [depth[:3].mean(), depth[3:5].mean(), depth[5:].mean()]
    return found


# -- fashion --------------------------------------------------------------------------------------------


def fashion(folder):
    from sklearn.decomposition import PCA

    images = [np.array(some, np.uint8).reshape(-1, 28, 28) for some in fashion_images(folder)]
    stacked = np.concatenate(images)
    read = image_features(stacked, efficientnet_lite0(size=64, device="cpu"), cache=folder / "features")
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(64, 64)))[0]  # so that all 64 matter alike
    X = PCA(64, random_state=0).fit_transform(read) @ rotation  # reads no class
    return Set("fashion", X, np.repeat(FASHION.classes, [len(some) for some in images]), FASHION)


def fashion_images(folder):
    """Per class, the pixels of its first images; a few entries of the package are empty and passed over."""
    archive = fetched(folder / "fashion-mnist-1.1.0.tgz", ["npm", "pack", "--silent", "fashion-mnist@1.1.0"])
    check(archive, FASHION_HASH, "fashion-mnist 1.1.0")
    with tarfile.open(fileobj=io.BytesIO(archive)) as package:
        for j in range(10):
            content = json.load(package.extractfile(f"package/src/clothes/{j}.json"))
            yield [pixels for pixels in content["data"][: EACH + 10] if len(pixels) == 784][:EACH]


# -- zoo ------------------------------------------------------------------------------------------------


def zoo(folder):
    lines = [line.split("\t") for line in zoo_file(folder).decode().splitlines()[3:]]
    y = np.array([line[-1] for line in lines])
    legs = np.array([line[13] for line in lines])
    flags = np.array([line[1:13] + line[14:-1] for line in lines], float)
    return Set("zoo", np.hstack([flags, legs[:, None] == np.array(list("024568"))]), y, ZOO)


def zoo_file(folder):
    """zoo.tab out of orange3's wheel."""
    kept = folder / "zoo.tab"
    if not kept.exists():
        folder.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        subprocess.run([*pip, "orange3==3.40.0"], cwd=folder, check=True)
        (wheel,) = folder.glob("orange3-3.40.0*.whl")
        with zipfile.ZipFile(wheel) as package:
            content = package.read("Orange/datasets/zoo.tab")
        check(content, ZOO_HASH, "zoo.tab of orange3 3.40.0")
        kept.write_bytes(content)
        wheel.unlink()
    content = kept.read_bytes()
    check(content, ZOO_HASH, "zoo.tab of orange3 3.40.0")
    return content


# -- fetching -------------------------------------------------------------------------------------------


def fetched(path, command):
    """The bytes of a file, which the command puts there where it is not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        subprocess.run(command, cwd=path.parent, check=True, stdout=subprocess.DEVNULL)
    return path.read_bytes()


def check(content, expected, what):
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise SystemExit(f"{what} is not the file this experiment was made for: its hash is {found}, not {expected}")
