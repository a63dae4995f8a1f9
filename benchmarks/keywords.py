"""Projects as people write them: keyword rules on real texts, and the default against counting their votes.

    python benchmarks/keywords.py                  # 60 projects of each source, by source and by style
    python benchmarks/keywords.py --json FILE      # every project with its scores
    python benchmarks/keywords.py --against-rest   # one class against all others, rules with one answer only
    python benchmarks/keywords.py --first 2000     # other projects
    PYTHONPATH=OTHER/src python benchmarks/keywords.py     # the default of another version

A writer knows the language: for a class, they think of words that are typical of it. That knowledge is taken from
gold labels of the same texts, so rules are a little better than a writer's; nothing is fitted with them. A rule is a
list of one to six such words, and a project has 3 to 25 rules about 300 to 3,000 texts, whose classes are as they come,
equal, or one of them frequent. In each style rules say something else:

    one       the class, or abstain
    partial   the class and some others in which the words are frequent, or abstain (not where there are two classes)
    not       the class, and otherwise every class but this
    mixed     one of the three, or a second list of words for a second class
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from scipy.sparse import csc_matrix
from simulated import scored
from sklearn.feature_extraction.text import CountVectorizer

sys.path.insert(0, str(Path(__file__).parent.parent))  # experiments/ lies beside benchmarks/

from experiments import datasets
from shortlist import LabelModel, MajorityVote, NearestClass, Votes

SOURCES = {  # data set, its texts, and its classes where they are not the gold labels
    "trec": ("trec", "text", None),
    "trec fine": ("trec", "text", "fine_label"),
    "scicite": ("scicite", "string", None),
    "agnews": ("agnews", "string", None),
    "youtube": ("wrench/youtube", "text", None),
}
STYLES = ("one", "partial", "not", "mixed")
MIXED = ("partial", "one", "not", "two")
BALANCES = ("as it comes", "equal", "one frequent")
SIZES = (300, 1000, 3000)
SURE = (0.4, 0.6, 0.8)  # share of the texts with a word that are of the class it is written for, at least
TYPICAL = 0.25  # of the way from the frequency of a class to 1, at least
FEWEST, MOST_TYPICAL = 3, 20  # known words of a class; if there are fewer, so many that are the most typical
HEARD = 8  # texts with a word, at least
MOST_CLASSES = 8
RARER = {"rarer class up to 10 %": 0.1, "10 to 20 %": 0.2, "20 to 35 %": 0.35, "35 to 50 %": 0.5}
KEPT = 0.15  # of the rows of all classes but one, where one is frequent


@dataclass(frozen=True, eq=False)
class Source:
    """Texts as words, and what a writer knows of these."""

    words: csc_matrix  # (texts, words) of zeros and ones
    truth: np.ndarray  # (texts,) class positions
    classes: list[str]
    texts: np.ndarray | None = None

    @property
    def k(self) -> int:
        return len(self.classes)

    def against_rest(self, j: int) -> Source:
        """The same texts with two classes: one, and all others."""
        return Source(self.words, (self.truth == j).astype(int), ["the others", self.classes[j]], self.texts)

    @cached_property
    def frequency(self) -> np.ndarray:
        return np.bincount(self.truth, minlength=self.k) / len(self.truth)

    @cached_property
    def counts(self) -> np.ndarray:
        """(words, classes): in how many texts of a class a word is."""
        return np.stack([np.asarray(self.words[self.truth == j].sum(axis=0)).ravel() for j in range(self.k)], axis=1)


@dataclass(frozen=True, eq=False)
class Project:
    name: str
    style: str
    votes: Votes
    truth: np.ndarray
    texts: list[str]


@cache
def source(name: str, home: str | None = None) -> Source:
    data_set, text, label = SOURCES[name]
    data = datasets.load(data_set, home)
    split = data[next(split for split in data.splits if split.startswith("train"))]
    labels = np.array([str(each) for each in (split.rows[label] if label else split.gold)])
    found, counts = np.unique(labels, return_counts=True)
    classes = sorted(found[np.argsort(-counts, kind="stable")][:MOST_CLASSES])
    kept = np.isin(labels, classes)
    reader = CountVectorizer(binary=True, min_df=5, max_df=0.3, token_pattern=r"[a-zA-Z]{2,}")
    texts = np.array(split.rows[text].to_list(), dtype=object)[kept]
    return Source(reader.fit_transform(texts).tocsc(), np.searchsorted(classes, labels[kept]), classes, texts)


def projects(name: str, seeds: Iterable[int], home: str | None = None) -> Iterator[Project]:
    """The styles take turns."""
    texts = source(name, home)
    styles = [style for style in STYLES if style != "partial" or texts.k > 2]
    for seed in seeds:
        draw = np.random.default_rng([list(SOURCES).index(name), seed])
        yield written(texts, name, seed, styles[seed % len(styles)], draw)


def pairs(name: str, seeds: Iterable[int], home: str | None = None) -> Iterator[Project]:
    """One class against all others, for each class in turn. Rules have one answer."""
    whole = source(name, home)
    for j in range(whole.k):
        texts = whole.against_rest(j)
        for seed in seeds:
            draw = np.random.default_rng([list(SOURCES).index(name), j, seed])
            yield written(texts, f"{name}, {whole.classes[j]}", seed, "one", draw)


def written(texts: Source, name: str, seed: int, style: str, draw: np.random.Generator) -> Project:
    rows = sampled(texts, draw)
    writer = Writer(texts, texts.words[rows], draw, float(draw.choice(SURE)))
    n = int(draw.integers(max(3, texts.k), 26))
    about = [*draw.permutation(texts.k), *draw.integers(texts.k, size=n)][:n]
    made = [writer.rule(int(j), style) for j in about]
    codes = np.column_stack([codes for codes, _ in made])
    return Project(
        f"keywords/{name} {seed}", style, Votes(codes, [says for _, says in made], texts.classes), texts.truth[rows],
        [] if texts.texts is None else texts.texts[rows].tolist(),
    )  # fmt: skip


def sampled(texts: Source, draw: np.random.Generator) -> np.ndarray:
    """Positions of the project's texts."""
    balance, m = draw.choice(BALANCES), int(draw.choice(SIZES))
    order = draw.permutation(len(texts.truth))
    truth = texts.truth[order]
    share = np.ones(texts.k) if balance == "as it comes" else texts.frequency.min() / texts.frequency
    if balance == "one frequent":
        share = np.where(np.arange(texts.k) == draw.integers(texts.k), share, KEPT * share)
    return order[draw.random(len(order)) < share[truth]][:m]


@dataclass(frozen=True, eq=False)
class Writer:
    """Someone who writes rules about `here`, the words of a project's texts."""

    texts: Source
    here: csc_matrix
    draw: np.random.Generator
    sure: float

    def rule(self, j: int, style: str) -> tuple[np.ndarray, list]:
        """Codes (m,) of a rule about class j, and what its answers say."""
        style = self.draw.choice(MIXED if self.texts.k > 2 else MIXED[1:]) if style == "mixed" else style
        words = self.thinks_of(j)
        found, only = self.with_one_of(words), self.names([j])
        if style == "not":
            return np.where(found, 1, 2), [only, self.names(np.delete(np.arange(self.texts.k), j))]
        if style == "two":
            other = int(self.draw.choice(np.delete(np.arange(self.texts.k), j)))
            second = self.with_one_of(self.thinks_of(other))
            return np.where(found, 1, np.where(second, 2, 0)), [only, self.names([other])]
        return found.astype(int), [self.names(self.also(j, words)) if style == "partial" else only]

    def thinks_of(self, j: int) -> np.ndarray:
        """Words for a class, frequent ones first to mind."""
        counts = self.texts.counts
        total = counts.sum(axis=1)
        share = counts[:, j] / total
        frequency = self.texts.frequency[j]
        typical = max(self.sure, frequency + TYPICAL * (1 - frequency))
        known = np.flatnonzero((share > typical) & (total >= HEARD))
        if len(known) < FEWEST:
            known = np.lexsort((-total, -share * (total >= HEARD)))[:MOST_TYPICAL]
        odds = total[known] / total[known].sum()
        return self.draw.choice(known, min(int(self.draw.integers(1, 7)), len(known)), replace=False, p=odds)

    def also(self, j: int, words: np.ndarray) -> list[int]:
        """The class, and one to half of the others: those that the words are most typical of."""
        typical = np.argsort(-self.texts.counts[words].sum(axis=0) / self.texts.frequency)
        others = [int(c) for c in typical if c != j]
        return [j, *others[: int(self.draw.integers(1, max(2, len(others) // 2 + 1)))]]

    def with_one_of(self, words: np.ndarray) -> np.ndarray:
        return np.asarray(self.here[:, words].sum(axis=1)).ravel() > 0

    def names(self, classes) -> str | set[str]:
        named = {self.texts.classes[c] for c in classes}
        return named if len(named) > 1 else named.pop()


MODELS = {
    "majority vote": MajorityVote,
    "Nearest Class": NearestClass,
    "likelihood": lambda: LabelModel(estimator="likelihood"),
    "LabelModel()": LabelModel,
    "equal classes": lambda: LabelModel(balance="uniform"),
}


def line(name: str, rows: list[dict]) -> str:
    counted = np.array([row["majority vote"][0] for row in rows])
    cells = [f" {a:.1f} / {nll:.2f} |" for a, nll in (np.mean([row[m] for row in rows], axis=0) for m in MODELS)]
    gap = np.array([row["LabelModel()"][0] for row in rows]) - counted
    tail = f" {gap.min():+.0f} | {100 * (gap < -2).mean():.0f} % | {100 * (gap < -5).mean():.0f} % |"
    return f"| {name} | {len(rows)} |" + "".join(cells) + tail


def rarer(project: Project) -> str:
    """How many of the rows with a vote are of the rarer of two classes."""
    covered = project.truth[project.votes.covered]
    share = min(covered.mean(), 1 - covered.mean()) if len(covered) else 0.0
    return next(name for name, most in RARER.items() if share <= most)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-home", help="the folder of data sets (default: SHORTLIST_DATA)")
    parser.add_argument("--projects", type=int, default=60, help="of each source, or with --against-rest of each class")
    parser.add_argument("--first", type=int, default=0, help="the number of the first project")
    parser.add_argument("--against-rest", action="store_true", help="one class against all others")
    parser.add_argument("--json", help="keep every project's scores in this file")
    given = parser.parse_args()
    rows, seeds = [], range(given.first, given.first + given.projects)
    for name in SOURCES:
        for project in (pairs if given.against_rest else projects)(name, seeds, given.data_home):
            found = {model: scored(make(), project.votes, project.truth) for model, make in MODELS.items()}
            kind = {"rarer": rarer(project)} if given.against_rest else {"style": project.style}
            rows.append({"source": name, **kind, "name": project.name, **found})
    print("| | projects |" + "".join(f" {name} |" for name in MODELS) + " worst | > 2 below | > 5 below |")
    print("|---|" + "---:|" * (len(MODELS) + 4))
    for kind, values in {"source": SOURCES, **({"rarer": RARER} if given.against_rest else {"style": STYLES})}.items():
        for value in values:
            if some := [row for row in rows if row[kind] == value]:
                print(line(value, some))
    print(line("all", rows))
    if given.json:
        Path(given.json).write_text(json.dumps(rows))


if __name__ == "__main__":
    main()
