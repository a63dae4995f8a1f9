"""A small project about news, made anew for each test: text in which a few words tell the topic."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl

from shortlist.project import Project

CLASSES = ["business", "politics", "sports"]
WORDS = {
    "business": ["shares", "profit", "president"],
    "politics": ["election", "minister", "president"],
    "sports": ["goal", "match", "team"],
}


def head(files: str) -> str:
    """The head of shortlist.toml, for rows that are in these files."""
    return f"""version = 1
classes = ["business", "politics", "sports"]

[data]
files = ["{files}"]
text = "body"
id = "id"
gold = "label"
"""


TOML = f"""{head("news.csv")}
[classifier]
kind = "linear"

[[labeler]]
kind = "keywords"
name = "money"
words = ["shares", "profit"]
says = "business"
"""
LABELERS = '''"""Labelers of the tests."""

from shortlist import Not, feature, keywords, labeler, pattern

WORDS = ["goal", "match"]


@feature
def words(text):
    return text.lower().split()


@labeler(says=["sports"])
def sport(words):
    if any(word in words for word in WORDS):
        return "sports"


@labeler(says=[{"business", "politics"}, Not("politics")])
def power(text):
    if "president" in text:
        return {"business", "politics"}
    if "team" in text:
        return Not("politics")


polls = pattern(r"election|minister", yes="politics", name="polls")
'''


def rows(m: int = 300, seed: int = 0) -> pl.DataFrame:
    """Rows of which every third has a gold label."""
    draw = random.Random(seed)
    lines = []
    for a in range(m):
        topic = draw.choice(CLASSES)
        text = [*(f"w{draw.randrange(80)}" for _ in range(8)), *draw.sample(WORDS[topic], 2)]
        draw.shuffle(text)
        lines.append((f"doc{a}", " ".join(text), topic if a % 3 == 0 else None, a % 5))
    return pl.DataFrame(lines, schema=["id", "body", "label", "n"], orient="row")


def make(folder: Path, *, toml: str = TOML, labelers: str = LABELERS, m: int = 300) -> Project:
    """Write the files of the project."""
    folder.mkdir(exist_ok=True)
    rows(m).write_csv(folder / "news.csv")
    (folder / "shortlist.toml").write_text(toml, "utf-8")
    (folder / "labelers.py").write_text(labelers, "utf-8")
    return Project(folder)


def edit(path: Path, old: str, new: str) -> None:
    """Replace a piece of text that is there once."""
    text = path.read_text("utf-8")
    assert text.count(old) == 1, (old, text.count(old))
    path.write_text(text.replace(old, new), "utf-8")
