"""Transformers: a local model of Hugging Face: a causal one, or one for natural language inference (zero-shot)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shortlist.arrays import Floats
from shortlist.errors import BadLabeler, require
from shortlist.models.language_model import Budget, Model, checked_budget, model_kind
from shortlist.tensors import torch_on


@model_kind("transformers")
class Transformers(Model):
    """A model that runs in this process with torch.

    name     its folder, or its name on the Hub
    task     "causal": the log-probability of each whole choice after the prompt. "nli": the log-probability that the
             prompt entails each choice, which is then a whole sentence, such as "It is about sports."
    device   "auto", "cpu", "cuda"
    batch    strings that go through the network at a time
    """

    is_code = False

    def __init__(
        self,
        name: str | os.PathLike[str],
        *,
        task: str = "causal",
        device: str = "auto",
        batch: int = 16,
        budget: Budget | Mapping[str, float] | None = None,
        kept: str | os.PathLike[str] | None = None,
        max_failed: float = 0.2,
    ) -> None:
        if task not in ("causal", "nli"):
            raise BadLabeler(f'task is "causal" or "nli"; got {task!r}', option=("task",))
        self.name, self.task, self.device, self.batch = str(name), task, device, batch
        self.budget, self.kept, self.max_failed = checked_budget(budget, None), kept, max_failed

    @property
    def id(self) -> str:  # type: ignore[override]
        config = Path(self.name) / "config.json"
        size = sum(path.stat().st_size for path in Path(self.name).glob("*.safetensors")) if config.exists() else 0
        return f"{Path(self.name).name if size else self.name} ({self.task}{f', {size:,} bytes' if size else ''})"

    def __repr__(self) -> str:
        return f"Transformers({self.name!r}, task={self.task!r})"

    def scores(self, prompts: Sequence[str], choices: Sequence[str]) -> Floats:
        score = self._continued if self.task == "causal" else self._entailed
        pairs = [(str(prompt), choice) for prompt in prompts for choice in choices]
        scores = [score(pairs[at : at + self.batch]) for at in range(0, len(pairs), self.batch)]
        return np.concatenate(scores).reshape(len(prompts), len(choices)) if scores else np.zeros((0, len(choices)))

    def _continued(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """The log-probability of each continuation, summed over the tokens that the prompt alone does not have."""
        torch, tokenizer, network, device = self._loaded
        whole = [tokenizer(prompt + choice)["input_ids"] for prompt, choice in pairs]
        starts = [self._common(tokenizer, prompt, ids) for (prompt, _), ids in zip(pairs, whole, strict=True)]
        longest = max(map(len, whole))
        padded = torch.tensor([ids + [0] * (longest - len(ids)) for ids in whole], device=device)
        mask = torch.tensor([[1] * len(ids) + [0] * (longest - len(ids)) for ids in whole], device=device)
        with torch.inference_mode():
            logits = network(input_ids=padded, attention_mask=mask).logits.float()
            logs = torch.log_softmax(logits[:, :-1], dim=-1).gather(2, padded[:, 1:, None])[:, :, 0]
        rows = zip(logs.cpu().numpy(), whole, starts, strict=True)
        return np.array([row[first - 1 : len(ids) - 1].sum() for row, ids, first in rows], np.float64)

    def _common(self, tokenizer: Any, prompt: str, ids: Sequence[int]) -> int:
        """Number of tokens that the prompt shares with the whole; a continuation has at least one of its own."""
        own = tokenizer(prompt)["input_ids"]
        same = next((i for i, (a, b) in enumerate(zip(own, ids, strict=False)) if a != b), min(len(own), len(ids)))
        return max(1, min(same, len(ids) - 1))

    def _entailed(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """The log-probability of entailment, against contradiction."""
        torch, tokenizer, network, device = self._loaded
        entails, contradicts = self._labels(network.config.label2id)
        texts, hypotheses = zip(*pairs, strict=True)
        inputs = tokenizer(list(texts), list(hypotheses), padding=True, truncation="only_first", return_tensors="pt")
        with torch.inference_mode():
            logits = network(**inputs.to(device)).logits.float()[:, [entails, contradicts]]
        return np.asarray(torch.log_softmax(logits, dim=-1)[:, 0].cpu().numpy(), np.float64)

    def _labels(self, label2id: Mapping[str, int]) -> tuple[int, int]:
        """The outputs for entailment and contradiction."""
        places = {name.lower()[:6]: place for name, place in label2id.items()}
        if "entail" not in places or not {"contra", "not_en"} & set(places):
            raise BadLabeler(f"{self.name} is no model for inference: its labels are {', '.join(label2id)}")
        return places["entail"], places.get("contra", places.get("not_en", 0))

    def write(self, prompt: str, *, max_tokens: int = 400) -> str:
        if self.task != "causal":
            return super().write(prompt)
        torch, tokenizer, network, device = self._loaded
        ids = torch.tensor([tokenizer(prompt)["input_ids"]], device=device)
        with torch.inference_mode():
            tokens = network.generate(ids, max_new_tokens=max_tokens, do_sample=False, pad_token_id=0)
        return str(tokenizer.decode(tokens[0, ids.shape[1] :], skip_special_tokens=True))

    @cached_property
    def _loaded(self) -> tuple[Any, Any, Any, str]:
        """(torch, tokenizer, network, device), loaded when first asked."""
        torch, device = torch_on(self.device)
        library = require("transformers", extra="transformers")
        kind = library.AutoModelForCausalLM if self.task == "causal" else library.AutoModelForSequenceClassification
        try:
            tokenizer = library.AutoTokenizer.from_pretrained(self.name)
            network = kind.from_pretrained(self.name).to(device).eval()
        except (OSError, ValueError, json.JSONDecodeError) as error:
            reason = str(error).splitlines()[0]
            raise BadLabeler(f"transformers cannot load {self.name!r}: {reason}", option=("name",)) from error
        return torch, tokenizer, network, device

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_loaded"}
