"""Engines, which run pieces of work. An engine is an object with `workers` and `map`; it knows nothing of labels.

Local, Threads              processes and threads of this machine
Dask, Ray, Spark            clusters: `from shortlist.engines.dask import Dask`
make_engine("dask")         any of them by name
"""

from shortlist.engines.engine import Engine, is_elsewhere, ordered
from shortlist.engines.local import ENGINES, Local, Threads, chosen_engine, make_engine

__all__ = ["ENGINES", "Engine", "Local", "Threads", "chosen_engine", "is_elsewhere", "make_engine", "ordered"]
