"""The demo: rows → votes → beliefs → classifier, printed step by step, with all results in a folder."""

from __future__ import annotations

import os
import textwrap
import time
import warnings
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shortlist.beliefs import LabelTable
from shortlist.classifier import NoiseAwareClassifier, TextFeatures
from shortlist.demo import labelers as labelers_file
from shortlist.demo.articles import LICENCE, Article, read_articles
from shortlist.demo.labelers import CLASSES, LABELERS
from shortlist.errors import BadFile, FitWarning, require, warnings_as_notes
from shortlist.identifiability import diagnose
from shortlist.joint import JointModel
from shortlist.labelers import apply
from shortlist.labelmodel import LabelModel, MajorityVote, NearestClass
from shortlist.reporting import report
from shortlist.rows import write_table
from shortlist.votes import Votes

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

Rows = list[dict[str, str]]


def main(folder: str | os.PathLike[str] = "shortlist-demo") -> None:
    """Label, diagnose, fit, train, score; write all results to the folder."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    started, console, home = time.perf_counter(), Console(highlight=False), Path(folder)
    articles = read_articles()
    require("jinja2", extra="demo")  # for the report, which comes last
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(f"{home} cannot be made a folder: {error.strerror}") from error
    train = [article for article in articles if not article.test]
    test = [article for article in articles if article.test]
    console.print(f"[bold]{len(articles):,} articles[/], {len(test)} of them kept for testing. {LICENCE}\n")

    rows = [article.row() for article in train]
    votes = apply(LABELERS, rows, space=CLASSES, progress=False)
    console.print(
        f"[bold]1. What {len(LABELERS)} labelers say[/] (none of them can name a topic)\n{votes}\n", soft_wrap=True
    )
    console.print(f"[bold]2. Can it be learned from that?[/]\n{diagnose(votes).findings[0]}\n")

    model, notes = fit_model(votes)
    a = next(a for a, article in enumerate(train) if " president " in article.row()["opening"])
    console.print("[bold]3. How far to trust each of them.[/] For example, a story with a president in it:\n")
    console.print(Padding(Text(f"“{train[a].title}. {train[a].lead}”", style="italic"), (0, 0, 0, 3)))
    why = textwrap.indent(str(model.explain(votes, a)), "   ")
    console.print(f"   {shares(model.predict_proba(votes[a])[0])}\n{why}\n", markup=False)
    for note in notes:
        console.print(f"note: {note}\n", style="dim", markup=False)

    reader = train_reader(rows, model.predict_proba(votes))
    console.print(
        "[bold]4. A classifier, trained on these beliefs,[/] reads the whole article. About that story it says:"
    )
    console.print(f"   {shares(reader.predict_proba(rows[a : a + 1])[0])}\n")
    joint = fit_joint(votes, rows)
    console.print("[bold]5. Votes and text together[/] make the labels to take home. About that story they say:")
    console.print(f"   {shares(joint.beliefs_[a])}\n")
    console.print(scores(votes, model, reader, joint, train, test))

    save(home, articles, votes, model, joint)
    report(votes, model, rows, path=home / "report.html", title="Ten labelers on BBC News")
    show_files(console, home)
    console.print(f"\n{time.perf_counter() - started:.0f} seconds in all.")


def fit_model(votes: Votes) -> tuple[LabelModel, list[str]]:
    """Fit the default label model; return it with its warnings."""
    notes: list[str] = []
    with warnings_as_notes(notes):
        model = LabelModel().fit(votes)
    return model, notes


def fit_joint(votes: Votes, rows: Rows) -> JointModel:
    with warnings.catch_warnings(action="ignore", category=FitWarning):  # shown already
        return JointModel(classifier=untrained_reader(), progress=False).fit(votes, rows)


def untrained_reader() -> NoiseAwareClassifier:
    """A linear model of words."""
    return NoiseAwareClassifier(features=TextFeatures(words=(1, 1), characters=None), on="text")


def train_reader(rows: Rows, beliefs: Any) -> NoiseAwareClassifier:
    return untrained_reader().fit(rows, beliefs, classes=CLASSES)


def shares(beliefs: Any) -> str:
    return ", ".join(f"{name} {belief:.0%}" for name, belief in zip(CLASSES, beliefs, strict=True))


def scores(
    votes: Votes,
    model: LabelModel,
    reader: NoiseAwareClassifier,
    joint: JointModel,
    train: Sequence[Article],
    test: Sequence[Article],
) -> Table:
    """Accuracy on the test articles by each way of guessing: here, and only here, gold is read."""
    from rich.table import Table

    rows, unseen = [article.row() for article in train], [article.row() for article in test]
    gold = [article.topic for article in test]
    unseen_votes = apply(LABELERS, unseen, space=CLASSES, progress=False)
    table = Table("learned from", "votes alone", "classifier", title=f"right, of {len(test)} test articles")
    for name, count in {"counting (nearest class)": NearestClass(), "counting (1/size each)": MajorityVote()}.items():
        counted = train_reader(rows, count.fit(votes).predict_proba(votes))
        table.add_row(name, f"{count.score(unseen_votes, gold):.1%}", f"{counted.score(unseen, gold):.1%}")
    table.add_row("LabelModel", f"{model.score(unseen_votes, gold):.1%}", f"{reader.score(unseen, gold):.1%}")
    together = np.mean(joint.predict(unseen, unseen_votes) == gold)
    table.add_row("votes and text", f"{together:.1%} *", f"[bold]{joint.classifier_.score(unseen, gold):.1%}[/]")
    ceiling = train_reader(rows, [article.topic for article in train])
    table.add_row(f"all {len(train):,} gold labels", "", f"{ceiling.score(unseen, gold):.1%}")
    table.caption = "* by the votes and the text of a test article"
    return table


def save(home: Path, articles: Sequence[Article], votes: Votes, model: LabelModel, joint: JointModel) -> None:
    """Write everything but the report. Existing labelers and settings are left alone."""
    table = pl.DataFrame([{**article.row(), "topic": article.topic} for article in articles])
    write_table(home / "articles.csv", [table], table.schema)
    labels = LabelTable(CLASSES, ("id", pl.String()))
    keys = pl.Series("id", [article.id for article in articles if not article.test])
    frame = labels.frame(joint.beliefs_, (votes.codes > 0).sum(axis=1)).insert_column(0, keys)
    write_table(home / "labels.csv", [frame], labels.schema)
    votes.save(home / "votes.npz")
    model.save(home / "model.npz")
    joint.classifier_.save(home / "classifier.npz")
    for name, text in {
        "labelers.py": Path(labelers_file.__file__).read_text("utf-8"),
        "shortlist.toml": (resources.files(__package__) / "shortlist.toml").read_text("utf-8"),
    }.items():
        if not (home / name).exists():
            (home / name).write_text(text, "utf-8")


FILES = {
    "report.html": "what the labelers do, to look at: open it in a browser",
    "labels.csv": "topic, belief, margin and shortlist of every training article, from votes and text",
    "classifier.npz": "NoiseAwareClassifier.load",
    "model.npz": "LabelModel.load",
    "votes.npz": "Votes.load",
    "labelers.py": "the ten labelers, to change",
    "articles.csv": "the articles, with their topics for scoring",
    "shortlist.toml": "settings: go on with `shortlist watch` in this folder",
}


def show_files(console: Console, home: Path) -> None:
    console.print("\n[bold]Written[/]")
    for name, what in FILES.items():
        console.print(f"{home / name!s:<{len(str(home)) + 15}}  [dim]{what}[/]", soft_wrap=True)
