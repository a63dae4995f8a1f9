"""Regular expressions: Python's meaning in linear time, and what cannot be had that way under a limit of time."""

from shortlist.labelers.regex.characters import Inexpressible, disputed_characters, non_word_characters
from shortlist.labelers.regex.linear import Linear, linear

__all__ = ["Inexpressible", "Linear", "disputed_characters", "linear", "non_word_characters"]
