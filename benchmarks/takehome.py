"""What users take home: labels of their rows and a classifier, by counting, label model, joint model and gold.

    python benchmarks/takehome.py                                             # the tasks that need no download
    python benchmarks/takehome.py --cache FOLDER                              # also the texts of handwritten.py
    python benchmarks/takehome.py --tasks posts wrench/youtube --json out.json
    python benchmarks/takehome.py --data-home FOLDER --tasks wrench/sms       # any other set of WRENCH
    python benchmarks/takehome.py --projects FOLDER ... --tasks NAME          # any folder with a shortlist.toml
    python benchmarks/takehome.py --encoder FOLDER                            # also with vectors of an encoder

Nothing is fitted with gold labels, except the column "gold". *Labels* is the share of training rows with a vote
whose most likely class is right; tied classes share the credit, as in all benchmarks. *Classifier* is the share of test
rows that the trained classifier gets right.

| task | rows | test rows |
|---|---|---|
| trec, scicite | the paper's training rows and labelers | the paper's test rows |
| agnews | 5,500 of the rows with entities and lemmas | 2,600 others |
| wrench/NAME | train.json | test.json |
| a project | all of its rows | the same rows: a user's rows are what is to be labelled |
| demo | articles, the classifier of the demo (single words) | its test articles |
| written/NAME (`handwritten.py`, 36 tables) | 2,000 texts | 1,000 others |
| keywords/SOURCE/N (`keywords.py`) | the texts of a project with rules that were drawn | the same rows |
| digits, wine | two thirds of scikit-learn's tables; rules of one or two thresholds | the last third |

A project is scored by the column "truth" if its file has one, else by its gold column. With "truth" and a gold column,
the joint model is fitted a second time with the gold rows, and scored on the others.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
import tomllib
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from kept import keep  # noqa: E402

from experiments import datasets  # noqa: E402
from shortlist import LabelModel, MajorityVote, NoiseAwareClassifier, Not, Project, Votes, apply  # noqa: E402

SHOWN = ["trec", "scicite", "agnews", "wrench/youtube", "wrench/trec", "demo", "digits", "wine"]
POSTS = ROOT.parent / "shared/projects/posts"
SEED = 28
AGNEWS_ROWS = 5500
WRITTEN_ROWS, WRITTEN_TEST = 2000, 1000


@dataclass(eq=False)
class Task:
    """Rows with votes and truth (m,); test rows with their truth; gold (m,) that a person gave, −1 unknown."""

    name: str
    rows: Any
    votes: Votes
    truth: np.ndarray
    test_rows: Any
    test_truth: np.ndarray
    test_votes: Votes
    gold: np.ndarray | None = None
    features: Any = None  # of texts; None for the default

    def classifier(self) -> NoiseAwareClassifier:
        return NoiseAwareClassifier(features=self.features)


# -- tasks ------------------------------------------------------------------------------------------------------


def paper(name: str, home: str | None) -> Task:
    """TREC and SciCite: the paper's labelers on its training and test rows."""
    from experiments.votes import MODULES

    space, labelers = MODULES[name].SPACE, MODULES[name].labelers
    data, text = datasets.load(name, home), {"trec": "text", "scicite": "string"}[name]
    parts = [data[split] for split in ("train", "test")]
    votes = [apply(labelers, part.rows, space=space, progress=False) for part in parts]
    texts, truth = [part.rows[text].to_list() for part in parts], [space.positions(part.gold) for part in parts]
    return Task(name, texts[0], votes[0], truth[0], texts[1], truth[1], votes[1])


def agnews(home: str | None) -> Task:
    """The rows of dev and test, which have what the paper's labelers read, in another split."""
    from experiments.agnews import SPACE, labelers

    data = datasets.load("agnews", home)
    parts = [data[split] for split in ("dev", "test")]
    votes = Votes.concat([apply(labelers, part.rows, space=SPACE, progress=False) for part in parts])
    columns = [zip(part.rows["title"].to_list(), part.rows["string"].to_list(), strict=True) for part in parts]
    texts = [f"{title}. {text}" if title else text for pairs in columns for title, text in pairs]
    truth = np.concatenate([SPACE.positions(part.gold) for part in parts])
    return split_rows("agnews", texts, votes, truth, AGNEWS_ROWS, len(texts) - AGNEWS_ROWS)


def wrench(name: str, home: str | None) -> Task:
    parts = [datasets.load(name, home)[split] for split in ("train", "test")]
    texts = [part.rows["text"].to_list() for part in parts]
    space = parts[0].votes.space
    truth = [space.positions(part.gold) for part in parts]
    return Task(name, texts[0], parts[0].votes, truth[0], texts[1], truth[1], parts[1].votes)


def project(folder: Path) -> Task:
    """A folder with a shortlist.toml. It is copied first, so that nothing is written to it."""
    settings = tomllib.loads((folder / "shortlist.toml").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as home:
        copy = Path(home) / folder.name
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".shortlist", "out"))
        votes = Project(copy).votes
    data = settings["data"]
    frame = pl.concat([read_table(folder / file) for file in data["files"]])
    classes = list(votes.space)
    truth = positions(frame["truth" if "truth" in frame.columns else data["gold"]], classes)
    gold = positions(frame[data["gold"]], classes) if "truth" in frame.columns and "gold" in data else None
    rows = numbers(frame, data) if "text" not in data else frame[data["text"]].fill_null("").to_list()
    return Task(folder.name, rows, votes, truth, rows, truth, votes, gold)


def read_table(path: Path) -> pl.DataFrame:
    return pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path, infer_schema_length=None)


def positions(column: pl.Series, classes: Sequence[Any]) -> np.ndarray:
    """(m,): the place of each value among the classes, −1 where there is none."""
    place = {str(name): j for j, name in enumerate(classes)}
    return np.array([place.get(str(value), -1) for value in column.to_list()])


def numbers(frame: pl.DataFrame, data: dict[str, Any]) -> np.ndarray:
    """The columns of numbers, standardised."""
    left_out = {data.get("gold"), data.get("id"), "truth"}
    kept = [c for c in frame.columns if frame[c].dtype.is_numeric() and c not in left_out]
    return standardised(frame.select(kept).fill_null(0).to_numpy().astype(float))


def standardised(X: np.ndarray) -> np.ndarray:
    return (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)


def demo() -> Task:
    from shortlist.classifier import TextFeatures
    from shortlist.demo.articles import read_articles
    from shortlist.demo.labelers import CLASSES, LABELERS

    articles = read_articles()
    parts = [[a for a in articles if a.test == test] for test in (False, True)]
    votes = [apply(LABELERS, [a.row() for a in part], space=CLASSES, progress=False) for part in parts]
    texts, truth = [[a.text for a in p] for p in parts], [np.array([CLASSES.index(a.topic) for a in p]) for p in parts]
    words = TextFeatures(words=(1, 1), characters=None)  # as the demo has it
    return Task("demo", texts[0], votes[0], truth[0], texts[1], truth[1], votes[1], features=words)


def written(name: str, cache: Path, home: str | None) -> Task:
    import handwritten
    from written import TABLES
    from written.texts import read

    table = handwritten.as_task(name, cache, home)
    texts = read(TABLES[name].source, cache, home).texts
    return split_rows(f"written/{name}", texts, table.fit, table.gold, WRITTEN_ROWS, WRITTEN_TEST)


def keyword_project(source: str, seed: int, home: str | None) -> Task:
    import keywords

    (made,) = keywords.projects(source, [seed], home)
    name = f"keywords/{source}/{seed}"
    return Task(name, made.texts, made.votes, made.truth, made.texts, made.truth, made.votes)


def written_names() -> list[str]:
    from written import TABLES

    return [f"written/{name}" for name in TABLES]


def digits() -> Task:
    """Rules about ink: how much there is in parts of the 8 × 8 picture, by one or two thresholds."""
    from sklearn.datasets import load_digits

    table = load_digits()
    names = [str(j) for j in range(10)]
    pictures = table.images / 16
    votes = Votes(*votes_of(digit_rules(pictures), len(pictures)), names)
    return split_rows("digits", table.data / 16, votes, table.target, 1198, 599)


def wine() -> Task:
    from sklearn.datasets import load_wine

    table = load_wine()
    column = {name: table.data[:, i] for i, name in enumerate(table.feature_names)}
    votes = Votes(*votes_of(wine_rules(column), len(table.data)), ["0", "1", "2"])
    return split_rows("wine", standardised(table.data), votes, table.target, 119, 59)


Rule = list[tuple[np.ndarray, Any]]  # (rows (m,) where it says so, what it says); the first that holds


def votes_of(rules: list[Rule], m: int) -> tuple[np.ndarray, list[list[Any]]]:
    codes = np.zeros((m, len(rules)), np.uint8)
    for i, rule in enumerate(rules):
        for code, (holds, _) in reversed(list(enumerate(rule, 1))):
            codes[holds, i] = code
    return codes, [[says for _, says in rule] for rule in rules]


def two_sided(holds: np.ndarray, yes: Any, no: Any) -> Rule:
    return [(holds, yes), (~holds, no)]


def digit_rules(p: np.ndarray) -> list[Rule]:
    """What anybody would say of shapes; `p` (m, 8, 8) is ink from 0 to 1."""
    middle, centre = p[:, 3:5, 3:5].mean(axis=(1, 2)), p[:, :, 3:5].mean(axis=(1, 2))
    top, bottom = p[:, 0, 2:6].mean(axis=1), p[:, 7, 2:6].mean(axis=1)
    upper_left, upper_right = p[:, 1:4, 1:3].mean(axis=(1, 2)), p[:, 1:4, 5:7].mean(axis=(1, 2))
    lower_left, lower_right = p[:, 4:7, 1:3].mean(axis=(1, 2)), p[:, 4:7, 5:7].mean(axis=(1, 2))
    ink, sides = p.mean(axis=(1, 2)), upper_left + lower_left + upper_right + lower_right
    loops = {"0", "6", "8", "9"}
    return [
        two_sided(middle < 0.15, "0", Not("0")),
        [((centre > 0.7) & (sides < 0.9), "1")],
        [(sides < 0.7, {"1", "7"})],
        two_sided(top < 0.35, {"1", "4", "6"}, Not("4", "6")),
        two_sided(bottom < 0.35, {"1", "4", "7", "9"}, Not("4", "7")),
        [(upper_left < 0.15, {"2", "3", "7", "1"}), (upper_left > 0.5, {"0", "4", "5", "6", "8", "9"})],
        [(lower_left > 0.5, {"0", "2", "6", "8"}), (lower_left < 0.1, {"1", "3", "4", "5", "7", "9"})],
        [(upper_right < 0.15, {"5", "6", "1"}), (upper_right > 0.5, Not("5", "6"))],
        [(lower_right < 0.15, {"2", "7", "1"}), (lower_right > 0.5, {"0", "3", "5", "6", "8", "9", "4"})],
        [(ink > 0.36, loops), (ink < 0.27, Not("0", "8"))],
        [((lower_left > 0.4) & (lower_right > 0.4) & (upper_right < 0.3), "6")],
        [((upper_left > 0.4) & (upper_right > 0.4) & (lower_left < 0.15), {"9", "4"})],
        [((lower_left < 0.15) & (upper_left < 0.25) & (lower_right > 0.3), "3")],
        [((p[:, 6:, :].mean(axis=(1, 2)) > 0.45) & (lower_right < 0.3), "2")],
        [((middle > 0.7) & (upper_left > 0.3) & (lower_left > 0.25) & (lower_right > 0.25), {"8", "6", "5"})],
    ]


def wine_rules(c: dict[str, np.ndarray]) -> list[Rule]:
    """The newcomer's kind of rules: one or two thresholds each."""
    return [
        two_sided(c["alcohol"] > 12.8, {"0", "2"}, "1"),
        [(c["proline"] > 900, "0"), (c["proline"] < 500, {"1", "2"})],
        two_sided(c["flavanoids"] < 1.3, "2", Not("2")),
        [(c["color_intensity"] < 3.5, "1"), (c["color_intensity"] > 7, "2")],
        two_sided(c["hue"] < 0.8, "2", Not("2")),
        [((c["malic_acid"] > 3) & (c["proline"] < 900), {"1", "2"})],
    ]


def split_rows(name: str, rows: Any, votes: Votes, truth: np.ndarray, m: int, tests: int) -> Task:
    """m rows and other ones to test on, drawn at random, always the same."""
    order = np.random.default_rng(SEED).permutation(len(truth))
    if len(order) < m + tests:
        m, tests = len(order) * 2 // 3, len(order) - len(order) * 2 // 3
    fit, test = order[:m], order[m : m + tests]
    pick: Callable[[np.ndarray], Any] = lambda some: (  # noqa: E731
        rows[some] if isinstance(rows, np.ndarray) else [rows[a] for a in some]
    )
    return Task(name, pick(fit), votes[fit], truth[fit], pick(test), truth[test], votes[test])


def task(name: str, home: str | None, cache: Path | None, projects: dict[str, Path]) -> Task:
    if name in projects:
        return project(projects[name])
    if name.startswith("wrench/"):
        return wrench(name, home)
    if name.startswith("keywords/"):
        _, source, seed = name.split("/")
        return keyword_project(source, int(seed), home)
    if name.startswith("written/"):
        if cache is None:
            raise SystemExit(f"{name} needs --cache FOLDER for its texts (see handwritten.py)")
        return written(name.removeprefix("written/"), cache, home)
    fixed: dict[str, Callable[[], Task]] = {
        "trec": lambda: paper("trec", home),
        "scicite": lambda: paper("scicite", home),
        "agnews": lambda: agnews(home),
        "demo": demo,
        "digits": digits,
        "wine": wine,
    }
    if name not in fixed:
        raise SystemExit(f"no task is called {name}; there are {', '.join([*fixed, *projects])}, wrench/…, written/…")
    return fixed[name]()


# -- measuring --------------------------------------------------------------------------------------------------


def measured(each: Task, encoder: str | None = None) -> dict[str, Any]:
    """Labels of covered rows and classifier on test rows, in percent, by each method."""
    from shortlist import JointModel

    classes, covered = list(each.votes.space), each.votes.covered & (each.truth >= 0)
    found: dict[str, Any] = {"task": each.name, "rows": len(each.truth), "covered": round(float(covered.mean()), 3)}
    for name, model in (("counting", MajorityVote()), ("label model", LabelModel())):
        beliefs = model.fit(each.votes).predict_proba(each.votes)
        reader = each.classifier().fit(each.rows, beliefs, covered=each.votes.covered, classes=classes)
        found[name] = right(beliefs, each.truth, covered), right(reader.predict_proba(each.test_rows), each.test_truth)
    started = time.perf_counter()
    joint = JointModel(features=each.features).fit(each.votes, each.rows)
    found["joint"] = (
        right(joint.beliefs_, each.truth, covered),
        right(joint.predict_proba(each.test_rows), each.test_truth),
    )
    found["seconds"] = round(time.perf_counter() - started, 1)
    found["votes and text"] = right(joint.predict_proba(each.test_rows, each.test_votes), each.test_truth)
    found["teacher"] = joint.teacher_.name
    found["gold"] = gold_trained(each, classes)
    if encoder is not None:
        found["encoder"] = found["joint"] if not isinstance(each.rows, list) else with_encoder(each, encoder, covered)
    if each.gold is not None:
        found |= with_gold(each, classes)
    return found


def with_encoder(each: Task, encoder: str, covered: np.ndarray) -> tuple[float, float]:
    """Labels and classifier of the joint model, with vectors of the encoder beside words."""
    from shortlist import JointModel
    from shortlist.classifier import TextFeatures

    options = {} if each.features is None else each.features.get_params()
    joint = JointModel(features=TextFeatures(**{**options, "encoder": encoder})).fit(each.votes, each.rows)
    return right(joint.beliefs_, each.truth, covered), right(joint.predict_proba(each.test_rows), each.test_truth)


def gold_trained(each: Task, classes: Sequence[Any]) -> float:
    """The classifier taught by all gold; cross-fitted where test rows are the rows it learns from."""
    known = np.flatnonzero(each.truth >= 0)
    labels = np.eye(len(classes))[each.truth[known]]
    rows = [each.rows[a] for a in known] if isinstance(each.rows, list) else each.rows[known]
    if each.test_rows is not each.rows:
        reader = each.classifier().fit(rows, labels, covered=np.ones(len(known), bool), classes=classes)
        return right(reader.predict_proba(each.test_rows), each.test_truth)
    return right(cross_fitted(each, rows, labels, classes), each.truth[known])


def cross_fitted(each: Task, rows: Any, labels: np.ndarray, classes: Sequence[Any], folds: int = 5) -> np.ndarray:
    fold = np.random.default_rng(SEED).permutation(len(labels)) % folds
    found = np.zeros_like(labels)
    for f in range(folds):
        learned, judged = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
        parts = [[rows[a] for a in some] if isinstance(rows, list) else rows[some] for some in (learned, judged)]
        reader = each.classifier().fit(parts[0], labels[learned], covered=np.ones(len(learned), bool), classes=classes)
        found[judged] = reader.predict_proba(parts[1])
    return found


def with_gold(each: Task, classes: Sequence[Any]) -> dict[str, Any]:
    """The joint model fitted with the gold rows of a project, scored on the others."""
    from shortlist import JointModel

    others = (each.gold < 0) & (each.truth >= 0)
    joint = JointModel(features=each.features).fit(
        each.votes, each.rows, [None if j < 0 else classes[j] for j in each.gold]
    )
    labels, read = right(joint.beliefs_, each.truth, others), right(joint.predict_proba(each.rows), each.truth, others)
    expected = right(joint.out_of_fold_, each.gold, each.gold >= 0)
    return {"joint with gold": (labels, read), "expected by gold": expected, "teacher with gold": joint.teacher_.name}


def right(beliefs: np.ndarray, truth: np.ndarray, where: np.ndarray | None = None) -> float:
    """Percent of the rows with a known class whose most likely class is right. Tied classes share the credit."""
    kept = (truth >= 0) if where is None else where & (truth >= 0)
    best = beliefs[kept] >= beliefs[kept].max(axis=1, keepdims=True) - 1e-9
    return round(100 * float((best[np.arange(len(best)), truth[kept]] / best.sum(axis=1)).mean()), 1)


HEAD = (
    "| | rows | labels: counting | label model | joint | classifier: counting | label model | joint | gold "
    "| taught by |\n"
    "|---|" + "---:|" * 8 + "---|"
)


def line(found: dict[str, Any]) -> str:
    methods = ("counting", "label model", "joint")
    numbers = [found[name][i] for i in (0, 1) for name in methods] + [found["gold"]]
    return f"| {found['task']} | {found['rows']:,} | {' | '.join(f'{x:.1f}' for x in numbers)} | {found['teacher']} |"


def means(every: list[dict[str, Any]]) -> dict[str, Any]:
    """The mean over tasks. Tables of handwritten.py are one task together."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for found in every:
        groups.setdefault("written" if found["task"].startswith("written/") else found["task"], []).append(found)
    names = [name for name in ("counting", "label model", "joint", "encoder") if name in every[0]]
    mean = {name: tuple(_mean(groups, name, i) for i in (0, 1)) for name in names}
    return {"task": "mean", "rows": 0, **mean, "gold": _mean(groups, "gold", None), "teacher": ""}


def _mean(groups: dict[str, list[dict[str, Any]]], name: str, i: int | None) -> float:
    pick = [[f[name] if i is None else f[name][i] for f in group] for group in groups.values()]
    return float(np.mean([np.mean(values) for values in pick]))


def verdict(every: list[dict[str, Any]]) -> str:
    """The distance to the label model on average, and to the better teacher on the worst task."""
    mean, lines = means(every), []
    for i, what in enumerate(("labels", "classifier")):
        gaps = {f["task"]: f["joint"][i] - max(f["counting"][i], f["label model"][i]) for f in every}
        worst = min(gaps, key=lambda task: gaps[task])
        gain = mean["joint"][i] - mean["label model"][i]
        lines.append(f"{what}: {gain:+.1f} over the label model; worst {gaps[worst]:+.1f} below the better ({worst})")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", nargs="+", help="default: all shown tasks, and those of --projects")
    parser.add_argument("--projects", nargs="+", type=Path, default=[], help="folders with a shortlist.toml")
    parser.add_argument("--data-home", help="the folder of data sets (default: SHORTLIST_DATA)")
    parser.add_argument("--cache", type=Path, help="a folder for the texts of handwritten.py")
    parser.add_argument("--encoder", help="folder or name of an encoder, for a last column")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # scores are what is asked for here
    projects = {folder.resolve().name: folder for folder in [*([POSTS] if POSTS.is_dir() else []), *given.projects]}
    names = given.tasks or [*SHOWN, *projects, *(written_names() if given.cache else [])]
    every: list[dict[str, Any]] = []
    print(HEAD, flush=True)
    for name in names:
        every.append(measured(task(name, given.data_home, given.cache, projects), given.encoder))
        print(line(every[-1]), flush=True)
        if given.json:
            keep(given.json, ["label model", "classifier", "joint"], {"tasks": [*every, means(every)]})
    print(line(means(every)))
    if given.encoder:
        print("\n| with vectors of the encoder | labels | classifier |\n|---|---:|---:|")
        for found in [*every, means(every)]:
            print(f"| {found['task']} | {found['encoder'][0]:.1f} | {found['encoder'][1]:.1f} |")
    print("\n" + verdict(every))
    for found in every:
        if "joint with gold" in found:
            labels, read = found["joint with gold"]
            print(f"{found['task']} with its gold rows, on the others: labels {labels}, classifier {read}")


if __name__ == "__main__":
    main()
