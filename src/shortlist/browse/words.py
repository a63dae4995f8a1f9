"""Words that would make good rules, found in the rows at hand, without a language model.

What is believed about the sample of a trial (gold classes, else votes and text together) tells how often a row with a
word is of a class. A suggestion is worth the rows that it would label right, less those it would label wrong, counted
where that matters: in rows that no labeler covers, or about which beliefs are undecided.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

from shortlist.arrays import Floats, Mask
from shortlist.browse.trial import TrialFit, TrialRows
from shortlist.wording import UNSPACED

FEWEST = 5  # rows of the sample with a word
PRIOR = 4.0  # rows with the class shares that are counted beside those with a word: rare words are no sure signs
SURE, OPEN = 0.5, 0.7  # least precision of a suggestion above chance; rows believed less than this are open
ELSEWHERE = 0.1  # weight of a row that other labelers have settled


@dataclass(frozen=True)
class Suggestion:
    """A word or phrase for some classes: rows of the project with it, its precision, and undecided rows with it.

    precision is None if nothing is known yet, and the word is in the name of the class.
    """

    word: str
    says: tuple[str, ...]
    rows: int
    precision: float | None
    new: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class Words:
    """Words and phrases of two words in the sample of a trial."""

    def __init__(self, sample: TrialRows) -> None:
        self.texts: list[str] = sample.inputs if isinstance(sample.inputs, list) else []

    @cached_property
    def reader(self) -> CountVectorizer:
        fewest = min(FEWEST, max(1, len(self.texts) // 20))
        # A word of three letters, or two characters of a script without spaces between words.
        word = rf"(?u)(?=(\b[^\W{UNSPACED}]{{3,}}\b|[{UNSPACED}]{{2}}))"
        return CountVectorizer(binary=True, ngram_range=(1, 2), min_df=fewest, max_df=0.5, token_pattern=word)

    @cached_property
    def found(self) -> Any:
        """(s, w) sparse: which text holds which word."""
        if not self.texts:
            return sp.csr_matrix((0, 0))
        try:
            return self.reader.fit_transform(self.texts).astype(np.float32)
        except ValueError:  # no word is in enough texts
            self.reader.vocabulary_ = {}
            return sp.csr_matrix((len(self.texts), 0), dtype=np.float32)

    @cached_property
    def names(self) -> Any:
        """(w,): the words."""
        names = sorted(self.reader.vocabulary_, key=self.reader.vocabulary_.__getitem__) if self.found.shape[1] else []
        return np.array(names, object)

    @cached_property
    def counts(self) -> Floats:
        """(w,): texts with each word."""
        return np.asarray(self.found.sum(axis=0), np.float64).ravel()

    @cached_property
    def telling(self) -> Mask:
        """(w,): words that say something; a phrase must, at both ends, and has its space in the texts."""
        unspaced = re.compile(f"[{UNSPACED}]")
        ends = [(name, name.split()) for name in self.names]
        return np.array(
            [
                not {words[0], words[-1]} & ENGLISH_STOP_WORDS and not (len(words) > 1 and unspaced.search(name))
                for name, words in ends
            ],
            np.bool_,
        )


def suggest(
    trial: TrialFit,
    words: Words,
    rows: int,
    classes: Sequence[str] = (),
    *,
    among: str | None = None,
    taken: Sequence[str] = (),
    most: int = 8,
) -> list[Suggestion]:
    """Suggest words that tell these classes from the others, or words for each class.

    among    take only words of this text
    taken    words that rules have already
    rows     number of rows of the project
    """
    groups = [tuple(classes)] if classes else [(name,) for name in trial.votes.space]
    if not words.found.shape[1]:
        return []
    allowed = words.telling & ~np.isin(words.names, [word.lower() for word in taken])
    if among is not None:
        allowed &= np.isin(words.names, words.reader.build_analyzer()(among))
    heard = heard_of(trial)
    finders = [_by_beliefs if heard.intersection(group) else _by_name for group in groups]
    return [
        one
        for find, group in zip(finders, groups, strict=True)
        for one in find(trial, words, rows, group, allowed, most)
    ]


def heard_of(trial: TrialFit) -> set[str]:
    """Classes that a gold label or a vote names; a vote for more than half of all classes names none."""
    votes, space = trial.votes, trial.votes.space
    heard = {space[j] for j in np.unique(trial.gold) if j >= 0}
    for i, codomain in enumerate(votes.codomains):
        given = np.unique(votes.codes[:, i])
        shortlists = [codomain.shortlists[int(c) - 1] for c in given if c > 0]
        heard = heard.union(*(one for one in shortlists if 2 * len(one) <= len(space)))
    return heard


def _by_beliefs(
    trial: TrialFit, words: Words, rows: int, classes: tuple[str, ...], allowed: Mask, most: int
) -> list[Suggestion]:
    belief = trial.truth[:, [trial.votes.space.position(name) for name in classes]].sum(axis=1)
    undecided, chance = openness(trial), float(belief.mean())
    precision = precisions(words.found, words.counts, belief)
    good = allowed & (precision >= chance + SURE * (1 - chance))
    chosen = greedy(words.found, good, precision, np.where(undecided, 1.0, ELSEWHERE), most)
    new = words.found.T @ undecided.astype(np.float32)
    scale = rows / len(belief)
    return [
        Suggestion(words.names[w], classes, round(scale * words.counts[w]), float(precision[w]), round(scale * new[w]))
        for w in chosen
    ]


def _by_name(
    trial: TrialFit, words: Words, rows: int, classes: tuple[str, ...], allowed: Mask, most: int
) -> list[Suggestion]:
    """The words of class names that are in the texts, where nothing else is known."""
    parts = {part for name in classes for part in (name.lower(), *re.findall(r"\w{3,}", name.lower()))}
    parts |= {part.removesuffix("s") for part in parts}
    counts = np.round(words.counts * rows / len(trial.gold)).astype(int).tolist()
    places = [w for w, word in enumerate(words.names) if word in parts and allowed[w]]
    return [Suggestion(words.names[w], classes, counts[w], None, counts[w]) for w in places[:most]]


def precisions(found: Any, counts: Floats, belief: Floats) -> Floats:
    """(w,): cautious estimate of the share of rows with a word that are of a class."""
    mean = (found.T @ belief + PRIOR * belief.mean()) / (counts + PRIOR)
    spread: Floats = np.sqrt(mean * (1 - mean) / (counts + PRIOR))
    return np.asarray(mean - 0.5 * spread)


def openness(trial: TrialFit) -> Mask:
    """(s,): rows without gold that have no vote, or of which beliefs are undecided."""
    undecided: Mask = (trial.gold < 0) & (~trial.votes.covered | (trial.beliefs.max(axis=1) < OPEN))
    return undecided


def greedy(found: Any, good: Mask, precision: Floats, weight: Floats, most: int) -> list[int]:
    """Words in the order in which each adds most right rows to those before it, less wrong ones."""
    places, left, chosen = np.flatnonzero(good), weight.copy(), list[int]()
    part, value = found[:, places].tocsc(), np.maximum(2 * precision[places] - 1, 0.05)
    while len(chosen) < min(most, len(places)):
        gain = (part.T @ left) * value
        best = int(gain.argmax())
        if gain[best] <= 0:
            break
        chosen.append(int(places[best]))
        left[part.indices[part.indptr[best] : part.indptr[best + 1]]] = 0.0
    return chosen
