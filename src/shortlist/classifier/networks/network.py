"""Network: the paper's three-layer head, an encoder under it, and the losses they are trained on."""

from __future__ import annotations

from functools import cache
from typing import Any

from shortlist.errors import require
from shortlist.tensors import Module, Tensor


def make_head(torch: Any, inputs: int, hidden: int, k: int, dropout: float) -> Module:
    """Three linear layers; batch normalisation, LeakyReLU and dropout after the first two."""
    nn = torch.nn

    def layer(width: int) -> list[Module]:
        return [nn.Linear(width, hidden), nn.BatchNorm1d(hidden), nn.LeakyReLU(), nn.Dropout(dropout)]

    return nn.Sequential(*layer(inputs), *layer(hidden), nn.Linear(hidden, k))


@cache
def text_network_class() -> Any:
    """The class TextNetwork: an encoder with a head. A function, because its base class comes from torch."""
    torch: Any = require("torch", extra="torch")

    class TextNetwork(torch.nn.Module):  # type: ignore[misc]
        """Token ids (m, length) and their mask → logits (m, k)."""

        def __init__(self, encoder: Module, head: Module, pooling: str) -> None:
            super().__init__()
            self.encoder, self.head, self.pooling = encoder, head, pooling

        def embed(self, ids: Tensor, mask: Tensor) -> Tensor:
            states = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
            if self.pooling == "cls":
                return states[:, 0]
            counted = mask.unsqueeze(-1).to(states.dtype)
            return (states * counted).sum(dim=1) / counted.sum(dim=1).clamp(min=1)

        def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
            return self.head(self.embed(ids, mask).float())

    return TextNetwork


def soft_cross_entropy(logits: Tensor, beliefs: Tensor, weights: Tensor) -> Tensor:
    """Σ_a w_a Σ_j −P(j | G_a) log softmax_j(logits_a): the expected log loss, summed over rows."""
    log_p = logits.float().log_softmax(dim=1)
    return -((beliefs * log_p).sum(dim=1) * weights).sum()


def set_likelihood(logits: Tensor, beliefs: Tensor, weights: Tensor) -> Tensor:
    """Σ_a w_a · −log Σ_j P(j | G_a) softmax_j(logits_a): the network may choose among the classes believed in."""
    log_p = logits.float().log_softmax(dim=1)
    return -((log_p + beliefs.clamp(min=1e-12).log()).logsumexp(dim=1) * weights).sum()


LOSSES = {"expected": soft_cross_entropy, "set": set_likelihood}
