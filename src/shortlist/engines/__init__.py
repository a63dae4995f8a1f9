"""Where pieces of work run. An engine is an object with `workers` and `map`; it knows nothing of labels."""

from shortlist.engines.engine import Engine, ordered
from shortlist.engines.local import Local, Threads

__all__ = ["Engine", "Local", "Threads", "ordered"]
