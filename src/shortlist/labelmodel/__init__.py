"""Stage 2: from votes to beliefs, by estimating the accuracy of each labeler."""

from __future__ import annotations

from shortlist.labelmodel.simulate import simulate as simulate  # its file has the same name: it must come first
from shortlist.lazy import lazy_names

__getattr__, __all__ = lazy_names(__name__)
