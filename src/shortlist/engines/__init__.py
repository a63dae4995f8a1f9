"""Where chunks of work run. An engine is an object with a `map`; it knows nothing of labels."""

from shortlist.engines.local import Local

__all__ = ["Local"]
