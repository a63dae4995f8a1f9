"""WordList: the different words of texts, and where they stand. Each of them is then looked into once only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from shortlist.classifier.grams.ragged import Ragged


@dataclass(frozen=True)
class WordList:
    """The different words in lower case, as blanks part them; and for each text the numbers of its words."""

    words: list[str]
    texts: Ragged

    def counts(self) -> Any:
        """(texts, words): how often each word stands in each text."""
        places = (self.texts.rows.astype(np.int32), self.texts.items.astype(np.int32))
        shape = (len(self.texts), len(self.words))
        return sp.coo_array((np.ones(len(self.texts.items)), places), shape=shape).tocsr()


def list_words(texts: Sequence[str]) -> WordList:
    """Part texts into words."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__  # a new word gets the next number
    places: list[int] = []
    ends = [0]
    for text in texts:
        places.extend(map(numbers.__getitem__, text.lower().split()))
        ends.append(len(places))
    return WordList(list(numbers), Ragged(np.array(places, np.int64), np.array(ends, np.int64)))
