"""A project whose rows are in six parquet files and one csv file, with labelers that are data, code, and a model."""

from __future__ import annotations

import polars as pl

from shortlist.project import Project
from tests.project.news import head, rows

TOML = f"""{head("rows/*")}
[engine]
part_rows = {{part_rows}}

[output]
partitioned = true
stages = ["vote", "fit", "check", "export"]

[classifier]
kind = "none"

[[labeler]]
kind = "keywords"
name = "money"
words = ["shares", "profit"]
says = "business"
"""
LABELERS = '''"""Labelers of the tests of engines."""

from helper import clean

from shortlist import Not, from_classifier, labeler, pattern


class Model:
    def predict(self, texts):
        assert len(texts) <= 16
        return ["goal" in text for text in texts]


minister = pattern("minister|election", yes="politics", no=Not("politics"), name="minister")
model = from_classifier(Model(), {True: "sports", False: None}, on="body", name="model", batch_size=16)


@labeler(says=[{"business", "politics"}, "sports"])
def power(text):
    from lazily import words_of

    words = words_of(clean(text))
    if "president" in words:
        return {"business", "politics"}
    return "sports" if "team" in words else None


@labeler
def inferred(text):
    if "match" in text:
        return "sports"
    return {"politics", "business"} if "profit" in text else None
'''


def make(folder, part_rows=40, labelers=LABELERS, files=6, toml=TOML):
    (folder / "rows").mkdir(parents=True)
    for number in range(files):
        some = rows(50, seed=number).with_columns(id=pl.format("{}-{}", pl.lit(number), pl.col("id")))
        some.write_parquet(folder / "rows" / f"a{number}.parquet", row_group_size=25)
    some.with_columns(id=pl.format("csv-{}", pl.col("id"))).write_csv(folder / "rows" / "b.csv")
    (folder / "shortlist.toml").write_text(toml.format(part_rows=part_rows))
    (folder / "labelers.py").write_text(labelers)
    (folder / "helper.py").write_text("def clean(text):\n    return text.lower()\n")
    (folder / "lazily.py").write_text("def words_of(text):\n    return text.split()\n")
    return Project(folder)


def outputs(project):
    """Every byte of the results. What a killed worker left half written is none; the next run sweeps it."""
    out = project.folder / "out"
    found = [path for path in sorted(out.rglob("[!.]*")) if path.is_file()]
    return {str(path.relative_to(out)): path.read_bytes() for path in found}
