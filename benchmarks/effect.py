"""Is the effect that the studio predicts for a rule the effect it has? Rules of real keyword projects, one at a time.

    python benchmarks/effect.py --json benchmarks/results/effect.json --plot benchmarks/results/effect.svg
    python benchmarks/effect.py --skip 0 --projects 6    # those that the trial's constants were chosen on
    python benchmarks/effect.py --cache FOLDER           # rules that a person wrote (handwritten.py)

A project grows: some of its rules are there, at random, and one more is added. Its effect is predicted as the studio
does it, by a trial fit on a sample of rows (`shortlist.browse.trial`). The real effect is that of `JointModel` on all
rows, with and without the rule: how many more of the final labels are right. Projects are those of keyword rules on
real texts (`keywords.py`), each without gold and with 60 gold rows. The first six of each source had a part in choosing
the trial's constants, so the next ones judge.

With gold rows, where effects are small, the real effect is measured twice, with other folds and samples in the fit
(`seed`). The rank correlation of the two is what a perfect prediction could reach.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.feature_extraction.text import TfidfTransformer

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from keywords import SOURCES, projects, sampled, source  # noqa: E402

from shortlist import JointModel, Votes  # noqa: E402
from shortlist.browse.trial import ROWS, SteadyEvidence, TrialFit  # noqa: E402
from shortlist.joint.joint_model import word_features  # noqa: E402
from shortlist.joint.row_evidence import RowEvidence  # noqa: E402

GOLD = 60  # rows
RULES = 4  # of each project, in each way
CHOSEN_ON = 6  # projects of each source


def cases(skip: int, count: int) -> Iterator[tuple[str, Votes, np.ndarray, np.ndarray, Any]]:
    """Name, votes, truth, gold (−1: unknown) and features of each project."""
    for name in SOURCES:
        texts, draws = source(name), enumerate(projects(name, range(100)))
        large = ((seed, one) for seed, one in draws if len(one.truth) >= 900 and one.votes.shape[1] >= RULES + 2)
        for seed, one in islice(large, skip, skip + count):
            draw = np.random.default_rng([list(SOURCES).index(name), seed])
            X = TfidfTransformer().fit_transform(texts.words[sampled(texts, draw)])
            yield from with_and_without_gold(one.name, one.votes, one.truth, X, seed)


def written_cases(cache: Path) -> Iterator[tuple[str, Votes, np.ndarray, np.ndarray, Any]]:
    """The same of the tables of `handwritten.py`."""
    from takehome import written
    from written import TABLES

    for seed, name in enumerate(TABLES):
        task = written(name, cache, None)
        yield from with_and_without_gold(task.name, task.votes, task.truth, word_features(task.rows), seed)


def with_and_without_gold(
    name: str, votes: Votes, truth: np.ndarray, X: Any, seed: int
) -> Iterator[tuple[str, Votes, np.ndarray, np.ndarray, Any]]:
    yield name, votes, truth, np.full(len(truth), -1), X
    yield f"{name}, gold", votes, truth, some_gold(truth, seed), X


def some_gold(truth: np.ndarray, seed: int) -> np.ndarray:
    return np.where(np.random.default_rng(seed).permutation(len(truth)) < GOLD, truth, -1)


def real(votes: Votes, new: Votes, gold: np.ndarray, truth: np.ndarray, X: Any, seed: int) -> int:
    """How many more labels of rows without gold are right with a rule, as `run` fits the joint model."""
    evidence, right = RowEvidence(X, seed), []
    for one in (votes, Votes.beside([votes, new])):
        joint = JointModel(seed=seed)
        joint._combine(one, gold, evidence)
        right.append(int((joint.out_of_fold_.argmax(axis=1) == truth)[gold < 0].sum()))
    return right[1] - right[0]


def measure(name: str, votes: Votes, truth: np.ndarray, gold: np.ndarray, X: Any) -> Iterator[dict[str, Any]]:
    draw, m, n = np.random.default_rng(0), *votes.shape
    known = draw.permutation(np.flatnonzero(gold >= 0))[: ROWS // 2]
    rest = draw.permutation(np.setdiff1d(np.arange(m), known))[: ROWS - len(known)]
    rows = np.sort(np.concatenate([known, rest]))
    small = SteadyEvidence(X[rows])
    for i in sorted(draw.permutation(n)[:RULES]):
        there = sorted(draw.permutation([j for j in range(n) if j != i])[: draw.integers(2, n)])
        trial = TrialFit(votes[rows, there], gold[rows], small)
        found = trial.effect(votes[rows, [i]], None, int((gold < 0).sum()))
        effect = real(votes[:, there], votes[:, [i]], gold, truth, X, 0)
        again = real(votes[:, there], votes[:, [i]], gold, truth, X, 1) if (gold >= 0).any() else None
        line = {"project": name, "rule": votes.names[i], "rows": m, "gold": int((gold >= 0).sum())}
        line |= {"predicted": round(found.rows, 1), "error": round(found.error, 1), "real": effect, "again": again}
        print(f"{name:<40} {votes.names[i]:<20} {found.rows:+7.1f} ± {found.error:5.1f}   {effect:+5d}", flush=True)
        yield line


def summary(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Rank correlation of predicted and real shares of rows, share of right signs, and share within two errors."""
    names = ("predicted", "error", "real")
    predicted, error, effect = (np.array([line[what] / line["rows"] for line in lines]) for what in names)
    twice = [[line["real"] / line["rows"], line["again"] / line["rows"]] for line in lines if line["again"] is not None]
    matters = np.abs(effect) >= 0.005
    return {
        "rules": len(lines),
        "rank_correlation": round(float(spearmanr(predicted, effect).statistic), 3),
        "real_effect_twice": round(float(spearmanr(twice).statistic), 3) if twice else None,
        "same_sign": round(float((np.sign(predicted) == np.sign(effect))[matters].mean()), 3),
        "within_two_errors": round(float((np.abs(predicted - effect) <= 2 * error).mean()), 3),
    }


def plot(lines: list[dict[str, Any]], path: str) -> None:
    """Draw predicted (across) and real effects, in % of the rows, each from −10 to 20; filled: with gold rows."""
    at = lambda share: 20 + 360 * (min(max(100 * share, -10), 20) + 10) / 30  # noqa: E731
    dots = "".join(
        f'<circle r="3" cx="{at(x["predicted"] / x["rows"]):.1f}" cy="{400 - at(x["real"] / x["rows"]):.1f}" '
        f'stroke="#2563c9" fill="{"#2563c9" if x["gold"] else "none"}"/>'
        for x in lines
    )
    axes = f'<path d="M20 380L380 20M{at(0)} 20V380M20 {400 - at(0)}H380" stroke="#999" fill="none"/>'
    text = '<text x="22" y="396" font-size="11">predicted change, % of rows: −10 to 20; real change upwards</text>'
    Path(path).write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400">{axes}{dots}{text}</svg>\n')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--projects", type=int, default=3, help="of each source of keywords.py")
    parser.add_argument("--skip", type=int, default=CHOSEN_ON, help="projects of each source that are left out first")
    parser.add_argument("--cache", type=Path, help="take the hand-written tables; the folder for their texts")
    parser.add_argument("--json", help="keep every rule in this file")
    parser.add_argument("--plot", help="draw predicted against real effects")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    taken = written_cases(options.cache) if options.cache else cases(options.skip, options.projects)
    lines = [line for case in taken for line in measure(*case)]
    parts = {"all": lines, "with gold": [x for x in lines if x["gold"]], "without": [x for x in lines if not x["gold"]]}
    found = {name: summary(part) for name, part in parts.items()}
    print(json.dumps(found, indent=1))
    if options.json:
        Path(options.json).write_text(json.dumps({**found, "lines": lines}, indent=1) + "\n")
    if options.plot:
        plot(lines, options.plot)


if __name__ == "__main__":
    main()
