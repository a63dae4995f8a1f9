"""Scores of a text by five published lists of words: above 0 is good, below 0 is bad.

Each reads a package that is installed, or raises `MissingError` (see `PACKAGES`). But for VADER, which has rules
besides its words, the words are read from the package's file and added up here.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from .errors import MissingError

PACKAGES = "vaderSentiment==3.3.2 afinn==0.1 nrclex==4.1.0 textblob==0.20.1 empath==0.89"
REMEMBERED = 20_000  # texts, since several rules ask for the score of one
READ = 3000  # characters that VADER reads of a text
DENIED = -0.5  # times the score of a word, after one of these:
DENIALS = "not no never n't without hardly barely isn't wasn't doesn't don't didn't won't can't cannot nor"


@lru_cache(REMEMBERED)
def vader(text: str) -> float:
    return _vader()(text[:READ])["compound"]


@lru_cache(REMEMBERED)
def afinn(text: str) -> float:
    scores = _afinn()
    return sum(scores.get(word, 0) for word in tokens(text))


@lru_cache(REMEMBERED)
def nrc(text: str) -> float:
    scores = _nrc()
    return sum(scores.get(word, 0) for word in tokens(text))


@lru_cache(REMEMBERED)
def empath(text: str) -> float:
    good, bad = _empath()
    return sum((word in good) - (word in bad) for word in tokens(text))


@lru_cache(REMEMBERED)
def pattern(text: str) -> float:
    """The mean over words with a score, which is halved and turned round after "not" and the like."""
    scores, words, denials = _pattern(), tokens(text), set(DENIALS.split())
    found = [
        scores[word] * (DENIED if denials.intersection(words[max(0, place - 2) : place]) else 1)
        for place, word in enumerate(words)
        if scores.get(word)
    ]
    return sum(found) / len(found) if found else 0.0


def tokens(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())


# -- the lists ------------------------------------------------------------------------------------------------


def home(package: str) -> Path:
    """The folder of an installed package, which is not imported."""
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise MissingError(f"it asks a lexicon; pip install --no-deps {PACKAGES}")
    return Path(found.origin).parent


@cache
def _vader() -> Callable[[str], dict[str, float]]:
    home("vaderSentiment")
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer().polarity_scores


@cache
def _afinn() -> dict[str, int]:
    lines = (home("afinn") / "data" / "AFINN-en-165.txt").read_text("utf-8").splitlines()
    return {word: int(score) for word, score in (line.split("\t") for line in lines)}


@cache
def _nrc() -> dict[str, int]:
    emotions = json.loads((home("nrclex") / "data" / "nrc_en.json").read_text("utf-8"))
    return {word: ("positive" in found) - ("negative" in found) for word, found in emotions.items()}


@cache
def _empath() -> tuple[set[str], set[str]]:
    lines = (home("empath") / "data" / "categories.tsv").read_text("utf-8").splitlines()
    words = {name: set(rest) for name, *rest in (line.strip().split("\t") for line in lines)}
    return words["positive_emotion"], words["negative_emotion"]


@cache
def _pattern() -> dict[str, float]:
    """The mean over the senses of a word."""
    senses: dict[str, list[float]] = {}
    for word in ElementTree.parse(home("textblob") / "en" / "en-sentiment.xml").getroot():
        senses.setdefault(word.get("form", ""), []).append(float(word.get("polarity", "0")))
    return {word: float(np.mean(found)) for word, found in senses.items()}
