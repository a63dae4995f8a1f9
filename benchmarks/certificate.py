"""Promises on real sets: are they kept, and how much do they bring?

    python benchmarks/certificate.py                     # every set of SHORTLIST_DATA, and the tasks of takehome.py
    python benchmarks/certificate.py --sets posts demo   # some of them
    python benchmarks/certificate.py --json benchmarks/results/certificate.json

Labels are those of votes and text (`JointModel()`) where there are texts or numbers, else of votes (`LabelModel()`),
fitted without gold. Gold rows are drawn at random again and again; the other known classes say whether a promise was
kept.

- **certificate**: share of rows certified, and of draws in which too many certified rows are wrong (at most 5 %).
- **label sets**: share of rows whose class is in the set of 90 %.
- **rates**: how often the 95 % interval of a class share or of the accuracy holds the true one; its length beside gold.
- **alarms**: random halves of the rows as reference and new rows (at most 5 % false alarms), and with the votes of
  one labeler shuffled.
- **plan**: share that the plan expects to be certified, beside what was.
- **looks**: share of draws in which any certificate was broken, if one looks again and again while gold rows are added.
- **by belief**: gold rows for an accuracy ± 4 points: random ones alone, with beliefs, and drawn with a probability by
  belief (Neyman's allocation, half of it uniform; weighted by its inverse); and the share certified with 100 gold rows
  from all rows, and from the surer 70 % only.
- **gains**: expected and real gain of one labeler, by leaving labelers out; and of one more model, by drawing panels
  of 3 to 20 of the 28 language models of `more/llm_mmlupro`.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import accuracy  # noqa: E402
import takehome  # noqa: E402
from kept import keep  # noqa: E402

from shortlist import JointModel, LabelModel, Votes  # noqa: E402
from shortlist.uncertainty import Monitor, agreement, class_shares, label_sets, next_steps, rate  # noqa: E402
from shortlist.uncertainty.certificate import checked_gold, expected_share, surest_first  # noqa: E402
from shortlist.uncertainty.next_steps import kinds_of  # noqa: E402

GOLD, RIGHT, SURE = (50, 100, 300), (0.8, 0.9, 0.95), 0.95
DRAWS, FEWER = 1_000, 100
LABELERS, ROWS = 150, 4_000  # sets with more labelers are not watched; rows for gains
MODELS, PANELS, TIMES = "more/llm_mmlupro", (3, 5, 8, 12, 20), 4  # models, sizes of panels, panels of each size


@dataclass(eq=False)
class Labelled:
    name: str
    beliefs: np.ndarray  # (m, k)
    truth: np.ndarray  # (m,)
    votes: Votes
    joint: bool

    @property
    def wrong(self) -> np.ndarray:
        """(m,): wrong labels, the surest first."""
        return (self.beliefs.argmax(axis=1) != self.truth)[surest_first(self.beliefs)]


def sets(wanted: list[str]) -> Iterator[Labelled]:
    """All sets, rows of unknown class left out."""
    tasks = [*takehome.SHOWN, *(["posts"] if takehome.POSTS.is_dir() else [])]
    for name in tasks:
        if not wanted or name in wanted:
            task = takehome.task(name, None, None, {"posts": takehome.POSTS})
            joint = JointModel(features=task.features).fit(task.votes, task.rows)
            yield known(name, joint.beliefs_, task.truth, task.votes, True)
    for task in accuracy.tasks(None, [name for name in wanted if name not in tasks]):
        if task.name not in tasks and (not wanted or task.name in wanted):
            beliefs = LabelModel().fit(task.fit).predict_proba(task.score)
            yield known(task.name, beliefs, task.gold, task.score, False)


def known(name: str, beliefs: np.ndarray, truth: np.ndarray, votes: Votes, joint: bool) -> Labelled:
    rows = np.flatnonzero(truth >= 0)
    return Labelled(name, beliefs[rows], truth[rows], votes[rows], joint)


def draws(each: Labelled, n: int, times: int) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(0)
    for _ in range(times):
        yield rng.choice(len(each.truth), min(n, len(each.truth)), replace=False)


def certificates(each: Labelled) -> list[dict[str, Any]]:
    """As `certify` does it; `expected` is the plan before any gold row is known."""
    wrong, errors, m = each.wrong, 1 - np.sort(each.beliefs.max(axis=1))[::-1], len(each.truth)
    found = []
    for right in RIGHT:
        bad = np.cumsum(wrong) > (1 - right) * np.arange(1, m + 1) + 1e-9
        for n in GOLD:
            ranks = [np.sort(drawn) for drawn in draws(each, n, DRAWS)]
            checked = [checked_gold(at, wrong[at], m, right, SURE) for at in ranks]
            sizes = np.array([np.append(at, m)[gold] if gold else 0 for at, gold in zip(ranks, checked, strict=True)])
            found.append({"right": right, "gold": n, "certified": round(float(sizes.mean() / m), 4),
                          "broken": round(float((bad[sizes - 1] & (sizes > 0)).mean()), 4),
                          "expected": round(expected_share(errors, min(n, m), right, SURE), 4)})  # fmt: skip
    return found


LOOKS = (30, 50, 75, 100, 150, 200, 300)


def looks(each: Labelled, right: float = 0.9) -> float:
    """Share of draws in which any of several certificates was broken, from more and more of the same gold rows."""
    wrong, m, broken = each.wrong, len(each.truth), []
    bad = np.cumsum(wrong) > (1 - right) * np.arange(1, m + 1) + 1e-9
    for drawn in draws(each, LOOKS[-1], DRAWS):
        ends = [np.sort(drawn[:n]) for n in LOOKS]
        checked = [checked_gold(at, wrong[at], m, right, SURE) for at in ends]
        broken.append(any(g and bad[np.append(at, m)[g] - 1] for at, g in zip(ends, checked, strict=True)))
    return figure(np.mean(broken))


def by_belief(each: Labelled, n: int = 100, share: float = 0.7) -> dict[str, float]:
    """What drawing gold rows by belief would bring."""
    wrong, top = each.wrong, np.sort(each.beliefs.max(axis=1))[::-1]
    y, spread = 1.0 - wrong, np.sqrt(np.maximum(top * (1 - top), 1e-4))
    left = y - (np.cov(y, top)[0, 1] / max(top.var(), 1e-12)) * top
    variances = [y.var(), left.var(), np.mean((left - left.mean()) ** 2 / (0.5 + 0.5 * spread / spread.mean()))]
    rows = {name: round(1.96**2 / 0.04**2 * v) for name, v in zip(("alone", "random", "drawn"), variances, strict=True)}
    surer, rng = wrong[: int(np.ceil(share * len(wrong)))], np.random.default_rng(0)
    for name, part in (("all", wrong), ("surer", surer)):
        ends = [np.sort(rng.choice(len(part), min(n, len(part)), replace=False)) for _ in range(FEWER)]
        checked = [checked_gold(at, part[at], len(part), 0.9, SURE) for at in ends]
        sizes = [np.append(at, len(part))[g] if g else 0 for at, g in zip(ends, checked, strict=True)]
        rows[name] = figure(np.mean(sizes) / len(wrong))
    return rows


def best(each: Labelled, right: float) -> float:
    """The largest share of rows, by belief, that is right often enough: what all gold would certify."""
    enough = np.flatnonzero(np.cumsum(each.wrong) <= (1 - right) * np.arange(1, len(each.wrong) + 1))
    return round(float((enough[-1] + 1) / len(each.wrong)), 4) if len(enough) else 0.0


def covered(each: Labelled, n: int = 100) -> dict[str, float]:
    rows, held, size = np.arange(len(each.truth)), [], []
    for drawn in draws(each, n, FEWER):
        made = label_sets(each.beliefs, dict(zip(drawn.tolist(), each.truth[drawn].tolist(), strict=True)))
        new = np.delete(rows, drawn)
        held.append(made.sets[new, each.truth[new]].mean() if len(new) else 1.0)
        size.append(made.sets.sum(axis=1).mean())
    return {"covered": round(float(np.mean(held)), 4), "classes": round(float(np.mean(size)), 2)}


def intervals(each: Labelled, n: int = 100) -> dict[str, float]:
    k, labels = each.beliefs.shape[1], each.beliefs.argmax(axis=1)
    true = np.bincount(each.truth, minlength=k) / len(each.truth)
    right, top = (labels == each.truth), each.beliefs.max(axis=1)
    held, wider, ratio, sure = [], [], [], []
    for drawn in draws(each, n, FEWER):
        gold = dict(zip(drawn.tolist(), each.truth[drawn].tolist(), strict=True))
        shares = list(class_shares(each.beliefs, gold).values())
        held += [one.lower - 1e-9 <= share <= one.upper + 1e-9 for one, share in zip(shares, true, strict=True)]
        lengths = np.array([(one.upper - one.lower, one.gold_alone[1] - one.gold_alone[0]) for one in shares])
        wider.append((lengths[:, 0] > lengths[:, 1] + 1e-9).any())
        ratio.append(lengths[:, 0].sum() / max(lengths[:, 1].sum(), 1e-9))
        one = rate(right[drawn], top, drawn)
        sure.append(one.lower - 1e-9 <= right.mean() <= one.upper + 1e-9)
    return {"shares held": round(float(np.mean(held)), 4), "accuracy held": round(float(np.mean(sure)), 4),
            "length": round(float(np.mean(ratio)), 3), "wider": round(float(np.mean(wider)), 4)}  # fmt: skip


def alarms(each: Labelled, times: int = FEWER) -> dict[str, float] | None:
    """False alarms with random halves; alarms where one labeler's votes are shuffled among the new rows."""
    votes = each.votes[: 2 * ROWS]
    if len(votes.names) > LABELERS:
        return None
    scores = agreement(votes)
    false, rng = 0, np.random.default_rng(0)
    for seed in range(times):
        old, new = np.array_split(rng.permutation(len(votes)), 2)
        false += bool(watched(scores, old, scores, new, seed))
    seen = []
    for seed in range(20):
        old, new = np.array_split(rng.permutation(len(votes)), 2)
        i = int(rng.integers(len(votes.names)))
        codes = votes.codes.copy()
        codes[new, i] = rng.permutation(codes[new, i])
        broken = agreement(Votes(codes, votes.codomains, votes.space, votes.names))
        if np.isfinite(scores[votes.names[i]]).sum() >= 200:
            seen.append(votes.names[i] in watched(scores, old, broken, new, seed))
    return {"false": false / times, "seen": round(float(np.mean(seen)), 2) if seen else float("nan")}


def watched(before: dict[str, Any], old: np.ndarray, after: dict[str, Any], new: np.ndarray, seed: int) -> set[str]:
    reference = {name: values[old] for name, values in before.items()}
    if max(np.isfinite(values).sum() for values in reference.values()) < 30:
        return set()
    return {one.name for one in Monitor(reference, seed=seed).update({name: after[name][new] for name in after})}


def gains(each: Labelled) -> dict[str, float] | None:
    """Expected gain of one more labeler, without gold and with 100 gold rows, and the mean real one."""
    rows = np.random.default_rng(0).permutation(len(each.truth))[:ROWS]
    votes, truth, n = each.votes[rows], each.truth[rows], len(each.votes.names)
    if not 3 <= n <= LABELERS:
        return None
    beliefs = LabelModel().fit(votes).predict_proba(votes)
    gold = {a: votes.space[truth[a]] for a in range(100)}  # rows are in random order
    left_out = np.random.default_rng(1).permutation(n)[:10]

    def right(panel: Votes) -> float:
        return float((LabelModel().fit(panel).predict_proba(panel).argmax(axis=1) == truth).mean())

    real = right(votes) - np.mean([right(votes[:, np.delete(np.arange(n), i)]) for i in left_out])
    steps = [next_steps(votes, beliefs, some).steps for some in (None, gold)]
    kinds = {f"one more {kind}": len(names) / n for kind, names in kinds_of(votes).items()}
    expected = [sum(s.gain * kinds.get(s.name, 0) for s in made) for made in steps]
    return {"real": round(float(real), 4), "expected": round(expected[0], 4), "with gold": round(expected[1], 4)}


def panels(each: Labelled) -> list[dict[str, float]] | None:
    """Expected and real gain of one more model, for random panels of models."""
    if each.name != MODELS:
        return None
    rng, found = np.random.default_rng(0), []
    for size in [size for size in PANELS for _ in range(TIMES)]:
        rows, models = rng.permutation(len(each.truth))[: ROWS // 2], rng.permutation(len(each.votes.names))
        votes, truth = each.votes[rows], each.truth[rows]

        def right(chosen: np.ndarray, votes: Votes = votes, truth: np.ndarray = truth) -> float:
            panel = votes[:, chosen]
            return float((LabelModel().fit(panel).predict_proba(panel).argmax(axis=1) == truth).mean())

        panel, others = models[:size], models[size:][:8]
        real = np.mean([right(np.append(panel, one)) for one in others]) - right(panel)
        beliefs = LabelModel().fit(votes[:, panel]).predict_proba(votes[:, panel])
        gold = {a: votes.space[truth[a]] for a in range(100)}  # rows are in random order
        steps = [next_steps(votes[:, panel], beliefs, some).steps for some in (None, gold)]
        expected = [max(s.gain for s in made if "more" in s.name) for made in steps]
        found.append({"models": size, "real": figure(real), "expected": figure(expected[0]),
                      "with gold": figure(expected[1])})  # fmt: skip
    return found


def measured(each: Labelled) -> dict[str, Any]:
    alike = each.name.startswith("lad/") and not each.name.endswith("0")  # other splits of the same detectors
    return {
        "set": each.name,
        "rows": len(each.truth),
        "from": "votes and text" if each.joint else "votes",
        "right": round(float(1 - each.wrong.mean()), 4),
        "best": best(each, 0.9),
        "certificates": certificates(each),
        "label sets": covered(each),
        "rates": intervals(each),
        "alarms": None if alike else alarms(each),
        "gains": None if alike else gains(each),
        "panels": panels(each),
        "looks": looks(each),
        "by belief": by_belief(each),
    }


def summary(every: list[dict[str, Any]]) -> dict[str, Any]:
    """Means over sets, and the worst broken promise."""
    groups = {
        "all": every,
        "votes and text": [f for f in every if f["from"] == "votes and text"],
        "good enough": [f for f in every if f["best"] >= 0.5],
    }
    held = [f["label sets"]["covered"] for f in every]
    rates = {key: [f["rates"][key] for f in every] for key in every[0]["rates"]}
    watch, gained = ([f[name] for f in every if f[name]] for name in ("alarms", "gains"))
    drawn = [one for f in every for one in f["panels"] or ()]
    return {
        "sets": len(every),
        "good enough": len(groups["good enough"]),
        "certificates": [line(every, groups, i) for i in range(len(every[0]["certificates"]))],
        "label sets": {"least": min(held), "mean": figure(np.mean(held))},
        "rates": {key: {"least": min(v), "mean": figure(np.mean(v)), "most": max(v)} for key, v in rates.items()},
        "all gold known": {group: figure(np.mean([f["best"] for f in some])) for group, some in groups.items() if some},
        "looks": {"worst": max(f["looks"] for f in every), "mean": figure(np.mean([f["looks"] for f in every]))},
        "by belief": {
            group: {key: figure(np.mean([f["by belief"][key] for f in members])) for key in every[0]["by belief"]}
            for group, members in groups.items()
            if members
        },
        "alarms": {
            "worst false": max((a["false"] for a in watch), default=None),
            "mean false": figure(np.mean([a["false"] for a in watch])),
            "seen": figure(np.nanmean([a["seen"] for a in watch])),
        },
        **{
            key: {name: fit_of(pairs, name) for name in ("expected", "with gold")} if len(pairs) > 2 else {}
            for key, pairs in (("gains", gained), ("one more model", drawn))
        },
    }


def line(every: list[dict[str, Any]], groups: dict[str, list[dict[str, Any]]], i: int) -> dict[str, Any]:
    cells = [f["certificates"][i] for f in every]
    certified = {
        name: figure(np.mean([f["certificates"][i]["certified"] for f in group] or [0]))
        for name, group in groups.items()
    }
    return {
        "right": cells[0]["right"],
        "gold": cells[0]["gold"],
        **certified,
        "worst broken": max(c["broken"] for c in cells),
        "mean broken": figure(np.mean([c["broken"] for c in cells])),
        "plan error": figure(np.mean([abs(c["expected"] - c["certified"]) for c in cells])),
    }


def fit_of(gained: list[dict[str, float]], name: str) -> dict[str, float]:
    """Rank correlation and mean error of expected gains."""
    expected, real = (np.array([g[key] for g in gained]) for key in (name, "real"))
    return {"rank": figure(spearmanr(expected, real)[0]), "error": figure(np.abs(expected - real).mean())}


def figure(value: Any) -> float:
    return round(float(value), 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=[], help="default: all")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    every = []
    for each in sets(given.sets):
        every.append(measured(each))
        at = {(c["right"], c["gold"]): c for c in every[-1]["certificates"]}
        print(each.name, every[-1]["right"], "certified", [at[0.9, n]["certified"] for n in GOLD], "broken",
              max(c["broken"] for c in at.values()), every[-1]["label sets"], every[-1]["rates"],
              every[-1]["alarms"], every[-1]["gains"], flush=True)  # fmt: skip
        if given.json:
            keep(given.json, ["label model"], {"sets": every, "summary": summary(every)})
    found = summary(every)
    for line in found["certificates"]:
        print(line)
    print({key: value for key, value in found.items() if key != "certificates"})


if __name__ == "__main__":
    main()
