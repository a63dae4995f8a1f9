"""How long do the analysis tables take on 1,000,000 rows × 50 labelers?

    python benchmarks/analysis.py              both kinds of votes
    python benchmarks/analysis.py --rows 100000

Two kinds of votes over 10 classes: `rules` vote on few rows, and on the same ones (some thousand patterns, as keyword
rules make); `noise` are independent labelers with 2 to 4 shortlists that vote on a third of the rows each, so that
nearly every row is a pattern of its own. The model is fitted to the first 20,000 rows; that is not counted, since it is
not analysis. Each table is timed by itself, on an Analysis that has computed nothing yet, and then all together.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np

from shortlist import Analysis, LabelModel, Votes
from shortlist.errors import FitWarning
from shortlist.labelmodel import Likelihood

CLASSES = [f"class {j}" for j in range(10)]
TABLES = ["labelers", "shortlists", "pairs", "classes", "rows", "buckets", "suggest"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--labelers", type=int, default=50)
    options = parser.parse_args()
    for kind, make in {"rules": rules, "noise": noise}.items():
        votes = make(options.rows, options.labelers)
        model = fitted(votes[:20_000])
        patterns = len(votes.pattern_counts()[1])
        print(f"\n{kind}: {len(votes):,} rows × {len(votes.names)} labelers, {patterns:,} patterns")
        alone = ["labelers", "shortlists", "pairs", "classes", "buckets"]
        timed("votes alone, five tables", lambda v=votes, a=alone: everything(Analysis(v), a))
        for table in TABLES:
            timed(table, lambda t=table, v=votes, m=model: everything(Analysis(v, m), [t]))
        timed("all tables", lambda v=votes, m=model: everything(Analysis(v, m), TABLES))
        timed("worth (fits half a sample)", lambda v=votes, m=model: Analysis(v, m).worth())


def everything(analysis: Analysis, tables: list[str]) -> None:
    for table in tables:
        getattr(analysis, table)()


def timed(name: str, work) -> None:  # type: ignore[no-untyped-def]
    wall, processor = time.perf_counter(), time.process_time()
    work()
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    print(f"  {name:<28} {wall:6.2f} s   ({processor:.2f} s of processor time)")


def fitted(votes: Votes) -> LabelModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        return LabelModel(estimator=Likelihood(accuracy="labeler"), max_iter=30).fit(votes)


def codomains(n: int, rng: np.random.Generator) -> list[list[list[str]]]:
    """2 to 4 shortlists a labeler that share the classes out."""
    parts = [np.array_split(rng.permutation(CLASSES), 2 + i % 3) for i in range(n)]
    return [[[str(name) for name in part] for part in parts[i]] for i in range(n)]


def noise(m: int, n: int) -> Votes:
    rng = np.random.default_rng(0)
    says = codomains(n, rng)
    truth = rng.integers(len(CLASSES), size=m)
    codes = np.zeros((m, n), np.uint8, order="F")
    for i, shortlists in enumerate(says):
        codes[:, i] = answers(shortlists, truth, rng) * (rng.random(m) < 0.33)
    return Votes(codes, says, CLASSES)


def rules(m: int, n: int) -> Votes:
    """Rows are drawn from a few thousand kinds of text; a rule is a function of the kind."""
    rng = np.random.default_rng(1)
    kinds = noise(5_000, n)
    return kinds[rng.integers(len(kinds), size=m)]


def answers(shortlists: list[list[str]], truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The code of the shortlist with the class in it, four times in five; else any."""
    of_class = np.array([next(c for c, s in enumerate(shortlists, 1) if name in s) for name in CLASSES])
    chance = rng.integers(1, len(shortlists) + 1, size=len(truth))
    return np.where(rng.random(len(truth)) < 0.8, of_class[truth], chance)


if __name__ == "__main__":
    main()
