"""The main job on real data, from labelers to a tested classifier: `shortlist demo`, `make demo`.

2,225 BBC News articles are sorted into five topics by ten labelers, none of which can name one. No network and no gold
label is needed; gold is read at the very end, to score.
"""

from shortlist.demo.job import main

__all__ = ["main"]
