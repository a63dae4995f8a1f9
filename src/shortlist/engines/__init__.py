"""Engines, which run pieces of work. An engine is an object with `workers` and `map`; it knows nothing of labels.

Local, Threads              processes and threads of this machine
Dask, Ray, Spark            clusters: `from shortlist.engines.dask import Dask`
make_engine("dask")         any of them by name
"""

from shortlist.engines.engine import ENGINES, Engine, Local, Threads, chosen_engine, is_elsewhere, make_engine, ordered

__all__ = ["ENGINES", "Engine", "Local", "Threads", "chosen_engine", "is_elsewhere", "make_engine", "ordered"]
