"""Is the effect that the studio predicts for a rule the effect it has? Rules of real keyword projects, one at a time.

    python benchmarks/effect.py --json benchmarks/results/effect.json --plot effect.svg

A project grows: some of its rules are there, at random, and one more is added. Its effect is predicted as the studio
does it, by a trial fit on a sample of rows (`shortlist.browse.trial`). The real effect is that of `JointModel` on all
rows, with and without the rule: how many more of the final labels are right. Projects are `posts` and projects of
keyword rules on real texts (`keywords.py`), each without gold and with 60 gold rows.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.feature_extraction.text import TfidfTransformer

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from keywords import SOURCES, projects, sampled, source  # noqa: E402
from takehome import POSTS, project  # noqa: E402

from shortlist import JointModel, Votes  # noqa: E402
from shortlist.browse.trial import ROWS, SteadyEvidence, TrialFit  # noqa: E402
from shortlist.classifier import TextFeatures  # noqa: E402
from shortlist.joint.row_evidence import RowEvidence  # noqa: E402

GOLD = 60  # rows
RULES = 4  # of each project of keywords.py, in each way


def cases(count: int) -> Iterator[tuple[str, Votes, np.ndarray, np.ndarray, Any, Any]]:
    """Name, votes, truth, gold (−1: unknown) and features of each project, for `run` and for the trial."""
    posts = project(POSTS)
    X = [features.fit_transform(posts.rows) for features in (TextFeatures(), TextFeatures(characters=None))]
    yield "posts", posts.votes, posts.truth, np.full(len(posts.truth), -1), *X
    yield "posts, gold", posts.votes, posts.truth, some_gold(posts.truth, 0), *X
    for name in SOURCES:
        yield from keyword_cases(name, count)


def keyword_cases(name: str, count: int) -> Iterator[tuple[str, Votes, np.ndarray, np.ndarray, Any, Any]]:
    texts, kept = source(name), 0
    for seed, one in enumerate(projects(name, range(100))):
        if len(one.truth) < 900 or one.votes.shape[1] < RULES + 2 or kept == count:
            continue
        kept += 1
        draw = np.random.default_rng([list(SOURCES).index(name), seed])
        X = TfidfTransformer().fit_transform(texts.words[sampled(texts, draw)])
        yield one.name, one.votes, one.truth, np.full(len(one.truth), -1), X, X
        yield f"{one.name}, gold", one.votes, one.truth, some_gold(one.truth, seed), X, X


def some_gold(truth: np.ndarray, seed: int) -> np.ndarray:
    return np.where(np.random.default_rng(seed).permutation(len(truth)) < GOLD, truth, -1)


def real(votes: Votes, gold: np.ndarray, truth: np.ndarray, evidence: RowEvidence) -> int:
    """Right labels of rows without gold by the joint model, as `run` fits it."""
    joint = JointModel()
    joint._combine(votes, gold, evidence)
    return int((joint.out_of_fold_.argmax(axis=1) == truth)[gold < 0].sum())


def measure(
    name: str, votes: Votes, truth: np.ndarray, gold: np.ndarray, X: Any, tried: Any
) -> Iterator[dict[str, Any]]:
    draw, m, n = np.random.default_rng(0), *votes.shape
    known = draw.permutation(np.flatnonzero(gold >= 0))[: ROWS // 2]
    rest = draw.permutation(np.setdiff1d(np.arange(m), known))[: ROWS - len(known)]
    rows = np.sort(np.concatenate([known, rest]))
    small, whole = SteadyEvidence(tried[rows]), SteadyEvidence(X)
    for i in range(n) if name.startswith("posts") else sorted(draw.permutation(n)[:RULES]):
        there = sorted(draw.permutation([j for j in range(n) if j != i])[: draw.integers(2, n)])
        trial = TrialFit(votes[rows, there], gold[rows], small)
        found = trial.effect(votes[rows, [i]], None, int((gold < 0).sum()))
        effect = real(votes[:, [*there, i]], gold, truth, whole) - real(votes[:, there], gold, truth, whole)
        line = {"project": name, "rule": votes.names[i], "rows": m, "gold": int((gold >= 0).sum())}
        yield line | {"predicted": round(found.rows, 1), "error": round(found.error, 1), "real": effect}
        print(f"{name:<40} {votes.names[i]:<20} {found.rows:+7.1f} ± {found.error:5.1f}   {effect:+5d}", flush=True)


def summary(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Rank correlation of predicted and real shares of rows, share of right signs, and share within two errors."""
    predicted, effect = (np.array([line[what] / line["rows"] for line in lines]) for what in ("predicted", "real"))
    error = np.array([line["error"] / line["rows"] for line in lines])
    matters = np.abs(effect) >= 0.005
    return {
        "rules": len(lines),
        "rank_correlation": round(float(spearmanr(predicted, effect).statistic), 3),
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
    parser.add_argument("--projects", type=int, default=2, help="of each source of keywords.py")
    parser.add_argument("--json", help="keep every rule in this file")
    parser.add_argument("--plot", help="draw predicted against real effects")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = [line for case in cases(options.projects) for line in measure(*case)]
    parts = {"all": lines, "with gold": [x for x in lines if x["gold"]], "without": [x for x in lines if not x["gold"]]}
    found = {name: summary(part) for name, part in parts.items()}
    print(json.dumps(found, indent=1))
    if options.json:
        Path(options.json).write_text(json.dumps({**found, "lines": lines}, indent=1) + "\n")
    if options.plot:
        plot(lines, options.plot)


if __name__ == "__main__":
    main()
