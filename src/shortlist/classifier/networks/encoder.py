"""Encoder: a pretrained Hugging Face encoder and its tokenizer, by name or from a folder, and back into a file."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadFile, require
from shortlist.tensors import Tensors

_TOKENIZER = ("tokenizer.json", "vocab", "spiece", "sentencepiece", "tokenizer.model")
Ids = list[npt.NDArray[np.int32]]


@dataclass(frozen=True)
class Encoder:
    """The network that turns tokens into vectors, and the tokenizer that turns texts into tokens."""

    network: Any
    tokenizer: Any

    @property
    def width(self) -> int:
        return int(self.network.config.hidden_size)

    @property
    def pad(self) -> int:
        return int(self.tokenizer.pad_token_id or 0)

    def tokens(self, texts: Sequence[str], max_length: int) -> Ids:
        """Token ids of each text, cut to the length the encoder can read."""
        if not len(texts):
            return []
        length = min(max_length, getattr(self.network.config, "max_position_embeddings", max_length))
        encoded = self.tokenizer(list(texts), truncation=True, max_length=length, padding=False)
        return [np.array(ids, np.int32) for ids in encoded["input_ids"]]


def load_encoder(name: str | os.PathLike[str]) -> Encoder:
    """An encoder by its name on the Hugging Face hub, or from a folder."""
    transformers: Any = require("transformers", extra="transformers")
    require("torch", extra="transformers")
    if _is_folder(name):
        _check_folder(Path(name))
    try:
        with quiet(transformers):
            network = transformers.AutoModel.from_pretrained(name)
            tokenizer = transformers.AutoTokenizer.from_pretrained(name)
    except Exception as error:  # a missing name, a broken download and a damaged file each fail in their own way
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise BadFile(
            f"the encoder {os.fspath(name)!r} cannot be read ({reason}). Give the name of a model on the Hugging Face "
            "hub (needs network, or its cache), or a folder with config.json, the weights and the tokenizer"
        ) from error
    return Encoder(network.float(), tokenizer)


def _check_folder(folder: Path) -> None:
    """Refuse a folder without configuration or tokenizer: transformers would replace them silently."""
    if not (folder / "config.json").is_file():
        raise BadFile(f"there is no encoder in '{folder}': no file config.json")
    if not any(path.name.startswith(_TOKENIZER) for path in folder.iterdir()):
        raise BadFile(f"the encoder in '{folder}' has no tokenizer: no file {', '.join(_TOKENIZER)}")


def pack_encoder(encoder: Encoder) -> tuple[dict[str, Any], Tensors]:
    """(configuration, tokenizer): the tokenizer's files as tensors of bytes, by their names."""
    torch: Any = require("torch", extra="transformers")
    with tempfile.TemporaryDirectory() as folder:
        encoder.tokenizer.save_pretrained(folder)
        files = {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir()) if path.is_file()}
    tensors = {name: torch.frombuffer(bytearray(data), dtype=torch.uint8) for name, data in files.items()}
    return json.loads(encoder.network.config.to_json_string(use_diff=False)), tensors


def unpack_encoder(config: dict[str, Any], files: Tensors) -> Encoder:
    """The encoder that was packed. Its weights are random, and are loaded with the network."""
    transformers: Any = require("transformers", extra="transformers")
    with tempfile.TemporaryDirectory() as folder, quiet(transformers):
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data.numpy().tobytes())
        (Path(folder) / "config.json").write_text(json.dumps(config))
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        network = transformers.AutoModel.from_config(transformers.AutoConfig.from_pretrained(folder))
    return Encoder(network.float(), tokenizer)


@contextmanager
def quiet(transformers: Any) -> Iterator[None]:
    """A context without the progress bars and hints of transformers."""
    logging = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _is_folder(name: str | os.PathLike[str]) -> bool:
    """Whether this is a folder, or cannot be a name on the hub (owner/name)."""
    text = os.fspath(name)
    return (
        os.path.isdir(text) or isinstance(name, os.PathLike) or text.startswith((".", "/", "~")) or text.count("/") > 1
    )
