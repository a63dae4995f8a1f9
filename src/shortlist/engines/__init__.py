"""Where pieces of work run. An engine is an object with `workers` and `map`; it knows nothing of labels."""

from shortlist.engines.engine import Engine, is_elsewhere, ordered
from shortlist.engines.local import Local, Threads, chosen_engine

__all__ = ["Engine", "Local", "Threads", "chosen_engine", "is_elsewhere", "ordered"]
