"""Kept results and the tables on pages that are made of them.

    make tables        # python benchmarks/kept.py: writes every table again

A page marks the place of a table: `<!-- table NAME -->` … `<!-- /table -->`. What stands between is written from a JSON
file in `benchmarks/results/` or `experiments/results/`. `tests/test_figures.py` fails where a page and its JSON differ.

A JSON file holds `"measured"`: what the code that it is about answers on small fixed inputs (`ANSWERS`). The same test
fails where today's code gives other answers. So a figure of an earlier model is noticed, and a refactoring that changes
nothing is not.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parent.parent
PLACE = re.compile(r"<!-- table (?P<name>[\w-]+) -->\n(?P<body>.*?)<!-- /table -->", re.DOTALL)
PAGES = [ROOT / "README.md", ROOT / "benchmarks" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


# -- what a result was measured with ----------------------------------------------------------------------------


def votes() -> Any:
    """Partial votes, one-sided rules and a crowd about 60 rows of three classes."""
    from shortlist import Votes

    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 60)
    answer = np.where(rng.random((60, 4)) < 0.75, truth[:, None] + 1, rng.integers(1, 4, (60, 4)))
    rules = (rng.random((60, 3)) < 0.6) & (truth[:, None] == np.arange(3))
    partial = np.where(rng.random((60, 2)) < 0.8, (truth[:, None] == np.arange(2)) + 1, 0)
    said = [["a", "b", "c"]] * 4 + [["a"], ["b"], ["c"]] + [[{"b", "c"}, "a"], [{"a", "c"}, "b"]]
    return Votes(np.hstack([answer, rules, partial]), said, ["a", "b", "c"])


def label_model() -> np.ndarray:
    from shortlist import LabelModel

    return LabelModel().fit(votes()).predict_proba(votes())[:8]


def paper() -> np.ndarray:
    from shortlist import LabelModel

    return LabelModel.paper().fit(votes()).predict_proba(votes())[:8]


def classifier() -> np.ndarray:
    from shortlist import NoiseAwareClassifier

    texts = [f"{['red', 'green', 'blue'][i % 3]} thing {i % 7} of {i % 5}" for i in range(60)]
    beliefs = np.full((60, 3), 0.1) + 0.7 * np.eye(3)[np.arange(60) % 3]
    return NoiseAwareClassifier().fit(texts, beliefs).predict_proba(texts[:8])


def joint() -> np.ndarray:
    """Labels and predictions, since both end up on pages."""
    from shortlist import JointModel

    texts = [f"{['red', 'green', 'blue'][i % 3]} thing {i % 7} of {i % 5}" for i in range(60)]
    model = JointModel().fit(votes(), texts)
    return np.vstack([model.beliefs_[:8], model.predict_proba(texts[:8])])


ANSWERS: dict[str, Callable[[], np.ndarray]] = {
    "label model": label_model,
    "paper": paper,
    "classifier": classifier,
    "joint": joint,
}


def measured(names: Iterable[str]) -> dict[str, list[list[float]]]:
    """Today's answers, to keep in a JSON file beside the figures."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: np.round(ANSWERS[name](), 5).tolist() for name in names}


def keep(path: Path, names: Iterable[str], result: dict[str, Any]) -> None:
    """Write a result with the answers of what it measured."""
    path.write_text(json.dumps({"measured": measured(names), **result}, indent=1, ensure_ascii=False) + "\n")


# -- tables -----------------------------------------------------------------------------------------------------


def table(heads: list[str], rows: Iterable[Iterable[str]]) -> str:
    head, *body = ("| " + " | ".join(line) + " |\n" for line in [heads, *rows])
    return "".join([head, "|---" + "|---:" * (len(heads) - 1) + "|\n", *body])


def load(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / name).read_text("utf-8"))
    return found


NAMES = {
    "nearest class": "nearest class (counting)",
    "majority vote": "majority vote (1/size each)",
    "LabelModel.paper()": "the paper's model, `LabelModel.paper()`",
    "likelihood": '`LabelModel(estimator="likelihood")`',
    "LabelModel()": "`LabelModel()`",
    "Snorkel": "Snorkel's `LabelModel`",
    "crowd-kit DS": "crowd-kit's Dawid–Skene",
    "crowd-kit GLAD": "crowd-kit's GLAD",
}
ACCURACY = "benchmarks/results/accuracy.json"
SHORT = ["agnews", "scicite", "trec", "awa2", "crowd/rte", "crowd/web", "wrench/trec", "wrench/youtube"]


def cell(scores: dict[str, float] | None) -> str:
    return "–" if scores is None else f"{scores['covered_accuracy']:.1f}"


def accuracy_short() -> str:
    results = load(ACCURACY)["results"]
    rows = [[NAMES[name], *(cell(results[s][name]) for s in SHORT)] for name in results[SHORT[0]]]
    return table(["", *SHORT], rows)


def accuracy() -> str:
    results = load(ACCURACY)["results"]
    names = list(results[SHORT[0]])
    return table(["", *names], [[s, *(cell(scores[name]) for name in names)] for s, scores in results.items()])


def accuracy_families() -> str:
    families = load(ACCURACY)["families"]
    heads = list(families[0]["means"])
    rows = [[NAMES[line["method"]], *(line["means"][head] or "–" for head in heads)] for line in families]
    return table(["", *heads], rows)


def demo() -> str:
    rows = load("benchmarks/results/demo.json")["rows"]
    return table(
        ["learned from", "votes", "classifier", "NLL of votes"],
        [[r["name"], f"{r['votes']:.1f}", f"{r['classifier']:.1f}", f"{r['nll']:.2f}"] for r in rows],
    )


def demo_short() -> str:
    rows = [r for r in load("benchmarks/results/demo.json")["rows"] if r["short"]]
    return table(
        ["learned from", "votes", "classifier"],
        [[r["name"], f"{r['votes']:.1f}", f"{r['classifier']:.1f}"] for r in rows],
    )


def takehome() -> str:
    """Labels of rows with a vote, and a classifier on test rows, by what it learned from."""
    columns = {"counting": "counting", "label model": "label model", "joint": "joint", "encoder": "joint, encoder"}
    rows = [
        [f["task"], *(f"{f[name][i]:.1f}" for i in (0, 1) for name in columns), f"{f['gold']:.1f}"]
        for f in load("benchmarks/results/takehome.json")["tasks"]
    ]
    heads = [f"{what}: {name}" for what in ("labels", "classifier") for name in columns.values()]
    return table(["", *heads, "classifier: gold"], rows)


PEERS = "benchmarks/results/peers.json"


def peers() -> str:
    """Accuracy / NLL / calibration error in points / seconds, by set and label model; then end models."""
    kept = load(PEERS)
    sets, ends = kept["results"], kept["end_models"]
    names = list(dict.fromkeys(name for found in sets.values() for name in found))
    rows = [
        [
            _versioned(name, kept),
            *(_peer(sets[s].get(name)) for s in sets),
            *(_end(ends[s].get(name)) for s in ends),
        ]
        for name in names
    ]
    return table(["", *sets, *(f"end model: {s}" for s in ends)], rows)


def _end(right: float | str | None) -> str:
    return f"{right:.1f}" if isinstance(right, float) else _peer(right)


def _versioned(name: str, kept: dict[str, Any]) -> str:
    version = kept["versions"].get(name) if name != "BWA" else None
    return NAMES.get(name, name) + (f" {version}" if version else "")


def _peer(scores: dict[str, float] | str | None) -> str:
    if scores is None or isinstance(scores, str):  # "t/o", or the name of an exception
        return {None: "–", "t/o": "t/o"}.get(scores, "fails")
    ece = 100 * scores["ece"]
    return f"{scores['covered_accuracy']:.1f} / {scores['nll']:.2f} / {ece:.0f} / {scores['seconds']:.2f}"


TABLE1_VOTES, TABLE1_END = "experiments/results/table1-votes.json", "experiments/results/table1-end.json"
TABLE1_TASKS = {"scicite": "SciCite", "trec": "TREC", "agnews": "AG-News"}
TABLE1_LINES = {  # method: (the paper's name, its key there, what stands for it here)
    "supervised": ("Supervised (dev set)", "supervised", "gold labels of the dev rows"),
    "lfs": ("LFs only", "lfs", '`LabelModel(estimator="likelihood")`'),
    "nc": ("NC", "nc", "`NearestClass()`"),
    "paper": ("NPLM", "nplm", "`LabelModel.paper()`"),
    "ours": ("", "", "`LabelModel()`"),
}


def table1_votes() -> str:
    """The lines without end model: accuracy / macro F1, published and here."""
    kept, lines = load(TABLE1_VOTES), []
    for method, found in kept["lines"].items():
        name, key, here = TABLE1_LINES[method]
        published = [kept["published"][task][key][1] if key else "" for task in TABLE1_TASKS]
        ours = [" / ".join(f"{value:.1f}" for value in found[task]) for task in TABLE1_TASKS]
        lines.append([f"{name} (w/o End)" if name else "", here, *_in_turn(published, ours)])
    return _table1(lines)


def table1_end() -> str:
    """The lines with end model: means over five seeds with 95 % intervals, published and here."""
    kept, runs, lines = load(TABLE1_VOTES), load(TABLE1_END)["runs"], []
    for method, (name, key, here) in TABLE1_LINES.items():
        published = [kept["published"][task][key][0] if key else "" for task in TABLE1_TASKS]
        scores = [[run["test"] for run in runs if (run["method"], run["task"]) == (method, t)] for t in TABLE1_TASKS]
        lines.append([name, here, *_in_turn(published, [over_seeds(some) for some in scores])])
    return _table1(lines)


def over_seeds(scores: list[dict[str, float]]) -> str:
    """Accuracy / macro F1."""
    from shortlist.classifier.evaluation import Estimate

    both = (str(Estimate.of([one[metric] for one in scores])) for metric in ("accuracy", "macro_f1") if scores)
    return " / ".join(both) or "–"


def _in_turn(first: list[str], second: list[str]) -> list[str]:
    return [cell for pair in zip(first, second, strict=True) for cell in pair]


def _table1(lines: list[list[str]]) -> str:
    heads = [f"{name}, {which}" for name in TABLE1_TASKS.values() for which in ("published", "here")]
    return table(["the paper's line", "here", *heads], lines)


def certificate() -> str:
    """Share of rows certified and promises broken, by what was asked for and gold rows."""
    lines = load("benchmarks/results/certificate.json")["summary"]["certificates"]
    groups = ("all", "good enough", "votes and text")
    rows = [
        [
            f"{line['right']:.0%} right, {line['gold']} gold rows",
            *(f"{line[name]:.0%}" for name in groups),
            *(f"{line[name]:.1%}" for name in ("mean broken", "worst broken")),
        ]
        for line in lines
    ]
    heads = ["certified: all sets", "good enough", "with text", "broken: mean", "broken: worst set"]
    return table(["", *heads], rows)


def table2() -> str:
    """LAD: accuracy, means over the splits of a super-class; AwA2: mean class accuracy."""
    kept = load("experiments/results/table2.json")
    published = {f"{name}, published": values for name, values in kept["published"].items()}
    rows = {**published, **{f"`{name}`": values for name, values in kept["lines"].items()}}
    cells = {name: ["–" if value is None else f"{value:.1f}" for value in row] for name, row in rows.items()}
    return table(["", *kept["columns"]], [[name, *row] for name, row in cells.items()])


TABLES: dict[str, tuple[str, Callable[[], str]]] = {
    "accuracy-short": (ACCURACY, accuracy_short),
    "accuracy": (ACCURACY, accuracy),
    "accuracy-families": (ACCURACY, accuracy_families),
    "demo-models": ("benchmarks/results/demo.json", demo),
    "peers": (PEERS, peers),
    "takehome": ("benchmarks/results/takehome.json", takehome),
    "table1-votes": (TABLE1_VOTES, table1_votes),
    "table1-end": (TABLE1_VOTES, table1_end),  # stale where the votes are; to train again needs a GPU
    "certificate": ("benchmarks/results/certificate.json", certificate),
    "table2": ("experiments/results/table2.json", table2),
    "demo": ("benchmarks/results/demo.json", demo_short),
}


def written(page: str) -> str:
    """The page, with every table as its JSON has it."""
    return PLACE.sub(lambda m: f"<!-- table {m['name']} -->\n\n{TABLES[m['name']][1]()}\n<!-- /table -->", page)


def main() -> None:
    for page in PAGES:
        page.write_text(written(page.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
