"""Families of data sets, and what is reported by family. Sets of one family are alike, so families count the same.

`expanded` makes more sets of the families that have few, for choosing among estimators: some labelers are dropped, and
rows of some classes thinned out. Of the detectors, which have many and take longest, it takes the first split of each.
Simulated votes (`simulated.py`), keyword projects (`keywords.py`), people with rules (`mixed.py`), tables
(`tabular.py`) and hand-written rules (`handwritten.py`) are families of their own.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import keywords
import mixed
import numpy as np
import simulated

from shortlist import Votes

FAMILIES = {
    **dict.fromkeys(("agnews", "scicite", "trec"), "text rules"),
    **dict.fromkeys(("wrench", "published"), "WRENCH"),
    **dict.fromkeys(("awa2", "lad"), "detectors"),
    "crowd": "crowds",
    "people": "people",
    "simulated": "simulated",
    "keywords": "keywords",
    "mixed": "people and rules",
    "tabular": "tables",
    "written": "hand-written",
}
MORE = {  # of sets in data/more, by the first word of their names
    "prompts": "prompts",
    "llm": "language models",
    "llmrules": "rules by a language model",
    "wrench": "rules",
    "keywords": "rules",
    "ner": "rules",
    "crowd": "more crowds",
    "people": "more people",
    "models": "models",
}
OTHERS = "others"
TOLERATED = 2.0  # points below majority vote
DROPPED = {"crowds": (2, 0.5), "people": (1, 0.5)}  # how many times, and what share of labelers
DROPPED_ELSE = (4, 0.25)
THINNED, KEPT = {"crowds": 2, "people": 1}, 0.25  # how many times, and the share of rows of a thinned class that stays
THINNED_ELSE = 3
LARGE = 300  # labelers: sets with more are taken as they are
SEED = 300  # of simulated votes: other ones than `simulated.py` shows
PROJECTS = range(1000, 1016)  # of keywords, of each source: other ones than `keywords.py` shows
MIXTURES = range(1000, 1040)  # of people and rules: other ones than `mixed.py` shows


@dataclass(frozen=True, eq=False)
class Task:
    """Votes to fit, votes to score, and the classes of these."""

    name: str
    fit: Votes
    score: Votes
    gold: np.ndarray  # (m,) class positions, −1 unknown

    @property
    def family(self) -> str:
        return family(self.name)


def family(name: str) -> str:
    """The family of a data set, or of a variant of it (`trec~labelers 0`), by the first part of its name."""
    first, *rest = name.split("~")[0].split("/")
    return MORE.get(rest[-1].split("_")[0], OTHERS) if first == "more" else FAMILIES.get(first, OTHERS)


def by_family(values: Mapping[str, np.ndarray | None]) -> dict[str, np.ndarray | None]:
    """The mean over the sets of each family; None where one of them has no value."""
    groups: dict[str, list[np.ndarray | None]] = {}
    for name, value in values.items():
        groups.setdefault(family(name), []).append(value)
    order = [each for each in dict.fromkeys([*FAMILIES.values(), *MORE.values(), OTHERS]) if each in groups]
    return {each: None if any(v is None for v in groups[each]) else np.mean(groups[each], axis=0) for each in order}


# -- more sets ------------------------------------------------------------------------------------------------


def expanded(tasks: Iterable[Task]) -> Iterator[Task]:
    """Each set; the same with fewer labelers; and, where fitted rows are the scored ones, with another balance."""
    for task in tasks:
        many = task.family == "detectors" or len(task.fit.names) > LARGE
        if not (task.name.startswith("lad/") and not task.name.endswith("0")):
            yield task
        if many:
            continue
        draw = np.random.default_rng(zlib.crc32(task.name.encode()))
        yield from _fewer_labelers(task, draw)
        if task.fit is task.score:
            times = THINNED.get(task.family, THINNED_ELSE)
            yield from (_thinned(task, f"{task.name}~balance {i}", draw) for i in range(times))


def _fewer_labelers(task: Task, draw: np.random.Generator) -> Iterator[Task]:
    n = len(task.fit.names)
    times, share = DROPPED.get(task.family, DROPPED_ELSE)
    out = max(1, round(share * n))
    dropped = [draw.permutation(n)[:out] for _ in range(times)] if n > times else [[i] for i in range(n)]
    for number, gone in enumerate(dropped):
        kept = np.setdiff1d(np.arange(n), gone)
        fit = task.fit[:, kept]
        score = fit if task.score is task.fit else task.score[:, kept]
        yield Task(f"{task.name}~labelers {number}", fit, score, task.gold)


def _thinned(task: Task, name: str, draw: np.random.Generator) -> Task:
    k = len(task.fit.space)
    share = np.where(draw.permutation(k) < max(1, k // 2), KEPT, 1.0)  # of half of the classes, a quarter of the rows
    kept = (task.gold < 0) | (draw.random(len(task.gold)) < share[np.maximum(task.gold, 0)])
    votes = task.fit[np.flatnonzero(kept)]
    return replace(task, name=name, fit=votes, score=votes, gold=task.gold[kept])


def simulated_tasks() -> Iterator[Task]:
    makers = (simulated.rules, simulated.copied_rules, simulated.crowd, simulated.models, simulated.detectors)
    for make in makers:
        for balance in simulated.BALANCES:
            votes, truth = make(np.random.default_rng(SEED), balance)
            yield Task(f"simulated/{make.__name__} {simulated.shown(balance)}", votes, votes, truth)


def keyword_tasks(home: str | None) -> Iterator[Task]:
    for source in keywords.SOURCES:
        for project in keywords.projects(source, PROJECTS, home):
            yield Task(project.name, project.votes, project.votes, project.truth)


def mixed_tasks() -> Iterator[Task]:
    for each in mixed.mixtures(MIXTURES):
        yield Task(each.name, each.votes, each.votes, each.truth)
