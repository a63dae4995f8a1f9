"""Folders of images, features through a backbone, and a cache that forgets nothing and confuses nothing."""

import numpy as np
import pytest

from shortlist.errors import BadFile, BadFit, BadRows
from shortlist.zeroshot import Backbone, efficientnet_lite0, image_features, image_folder
from shortlist.zeroshot.images import pixels

torch = pytest.importorskip("torch")
Image = pytest.importorskip("PIL.Image")
pytestmark = pytest.mark.heavy


class Means(torch.nn.Module):
    """Three features: the mean of each colour, times a weight. It counts what it reads."""

    def __init__(self, weight=1.0):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor(weight))
        self.seen = 0

    def forward(self, batch):
        self.seen += len(batch)
        return batch * self.weight  # maps (b, 3, h, w), to be averaged


def means(weight=1.0):
    return Backbone(Means(weight), name="means", size=8, mean=0, std=255, device="cpu")


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "photos"
    colours = {"cat/1.png": (255, 0, 0), "cat/deep/2.png": (0, 255, 0), "dog/1.png": (0, 0, 255), "3.png": (9, 9, 9)}
    colours |= {"unlabelled/4.png": (0, 0, 51), "dog/.hidden.png": (1, 1, 1)}
    for name, colour in colours.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (20, 12), colour).save(root / name)
    (root / "dog" / "notes.txt").write_text("not an image")
    (root / "empty").mkdir()
    return root


def test_a_folder_names_the_classes(folder):
    found = image_folder(folder)
    assert [path.name for path in found.paths] == ["3.png", "1.png", "2.png", "1.png", "4.png"]
    assert found.labels == (None, "cat", "cat", "dog", None)
    with pytest.raises(BadRows, match="no images"):
        image_folder(folder / "empty")
    with pytest.raises(BadRows, match="not a folder"):
        image_folder(folder / "nothing")


def test_features_by_hand(folder):
    X = image_features(image_folder(folder).paths, means())
    expected = [[9 / 255] * 3, [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0.2]]
    np.testing.assert_allclose(X, expected, atol=1e-6)


def test_pixels_keep_the_middle_and_repeat_grey():
    wide = np.zeros((4, 12), np.uint8)
    wide[:, 4:8] = 200  # the middle third
    square = pixels(wide, 4)
    assert square.shape == (3, 4, 4)
    assert (square == 200).all()


def test_an_image_is_read_once_in_a_lifetime(folder, tmp_path):
    paths, cache = list(image_folder(folder).paths), tmp_path / "features"
    first = means()
    X = image_features([*paths, paths[0]], first, cache=cache)
    assert first.module.seen == 5  # the sixth is the first again
    again = means()
    np.testing.assert_array_equal(image_features(paths, again, cache=cache), X[:5])
    assert again.module.seen == 0
    paths[1].rename(folder / "moved.png")  # moved: the same content
    Image.new("RGB", (20, 12), (7, 7, 7)).save(paths[2])  # changed: another
    image_features([folder / "moved.png", paths[2]], again, cache=cache)
    assert again.module.seen == 1
    other = means(weight=2.0)  # other weights, other features
    np.testing.assert_allclose(image_features(paths[3:4], other, cache=cache), 2 * X[3:4])
    assert other.module.seen == 1


def test_an_interrupted_run_goes_on(folder, tmp_path):
    paths, cache = image_folder(folder).paths, tmp_path / "features"

    class Killed(Means):
        def forward(self, batch):
            if self.seen >= 2:
                raise KeyboardInterrupt
            return super().forward(batch)

    reader = Backbone(Killed(), name="means", size=8, mean=0, std=255, device="cpu")
    with pytest.raises(KeyboardInterrupt):
        image_features(paths, reader, cache=cache, batch_size=2)
    resumed = means()
    image_features(paths, resumed, cache=cache)
    assert resumed.module.seen == 3


def test_a_foreign_file_in_the_cache_is_not_read(folder, tmp_path):
    cache = tmp_path / "features"
    image_features(image_folder(folder).paths, means(), cache=cache)
    (kept,) = cache.glob("*.npz")
    kept.write_bytes(kept.read_bytes()[:100])
    with pytest.raises(BadFile, match="truncated"):
        image_features(image_folder(folder).paths, means(), cache=cache)


def test_bad_images_and_bad_backbones(folder, tmp_path):
    (folder / "cat" / "broken.png").write_bytes(b"not a picture")
    with pytest.raises(BadRows, match=r"broken\.png"):
        image_features(image_folder(folder).paths, means())
    with pytest.raises(BadRows, match=r"gone\.png"):
        image_features([tmp_path / "gone.png"], means())
    with pytest.raises(BadRows, match="uint8"):
        image_features([np.zeros((4, 4))], means())
    with pytest.raises(BadRows, match="no images"):
        image_features([], means())
    flat = Backbone(lambda batch: batch.mean(), name="flat", size=8, device="cpu")
    with pytest.raises(BadFit, match="'flat'"):
        image_features([np.zeros((4, 4), np.uint8)], flat)


def test_the_default_backbone_sees_what_is_alike():
    """Two noisy pictures of stripes are more alike than stripes and a disc."""
    pytest.importorskip("efficientnet_lite_pytorch")
    rng = np.random.default_rng(0)
    across = np.arange(64)
    stripes = [((across[None, :] // 8 % 2) * 200 + rng.integers(0, 30, (64, 64))).astype(np.uint8) for _ in range(2)]
    disc = (np.hypot(across[:, None] - 32, across[None, :] - 32) < 20) * 200 + rng.integers(0, 30, (64, 64))
    X = image_features([*stripes, disc.astype(np.uint8)], efficientnet_lite0(size=64, device="cpu"))
    assert X.shape == (3, 1280)
    assert np.linalg.norm(X[0] - X[1]) < 0.5 * np.linalg.norm(X[0] - X[2])
