"""What somebody else's package would hold: a labeler kind, an engine, an estimator, a stage and a classifier kind.

`tests/test_from_outside.py` installs this file as a package of its own. It imports nothing of the tests.
"""

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shortlist import Labeler
from shortlist.classifier import Kind
from shortlist.labelers import Ballot, Parts, checked_answer, labeler_kind
from shortlist.labelmodel import Estimate, Estimator, Parameters
from shortlist.labelmodel.likelihood import emission
from shortlist.project import Stage
from shortlist.rows import Chunk

ENTRY_POINTS = """
[shortlist.labelers]
longer = outside:longer

[shortlist.estimators]
alike = outside:Alike

[shortlist.stages]
tally = outside:TALLY

[shortlist.classifiers]
letters = outside:LETTERS
"""


class Longer(Labeler):
    """One answer for texts of more than so many characters."""

    def __init__(self, than, says, on, name):
        self.than, self.on, self.name = than, on, name
        self.says = (checked_answer(says, name, "says"),)

    def __call__(self, row):
        return self.says[0] if len(Chunk(0, [row]).text(self.on)[0]) > self.than else None

    def vote(self, columns, codebook):
        ballot = Ballot(codebook)
        ballot.codes = (columns.chunk.text(self.on).str.len_chars() > self.than).to_numpy().astype(codebook.dtype)
        return ballot

    def record(self):
        return {"kind": "longer", "than": self.than, "says": sorted(self.says[0]), "on": self.on, "name": self.name}

    def fingerprint_parts(self):
        return Parts(self.record())

    def on_text(self, column):
        return self if self.on else Longer(self.than, self.says[0], column, self.name)


@labeler_kind("longer")
def longer(than, says, *, on=None, name="longer"):
    return Longer(than, says, on, name)


class Backwards:
    """An engine that does the last piece first, and counts."""

    workers = 2

    def __init__(self):
        self.pieces = 0

    def map(self, function, pieces):
        for number, piece in reversed(list(pieces)):
            self.pieces += 1
            yield number, function(piece)


@dataclass(frozen=True)
class Alike(Estimator):
    """All labelers are equally accurate. Only how often they vote is counted."""

    kind: ClassVar[str] = "alike"
    accuracy: float = 0.75

    def fit(self, problem):
        n, k, step = problem.layout.n, problem.layout.k, problem.expectation
        parameters = Parameters(
            accuracy=np.full((n, k), self.accuracy),
            propensity=problem.layout.per_labeler(step.vote_counts) / step.total,
            balance=np.full(k, 1 / k),
        )
        table = emission(parameters, problem.layout)
        likelihood = np.array([step(table).log_likelihood / step.total])
        return Estimate(
            panel=problem.panel, parameters=parameters, emission=table, history=likelihood, converged=True, n_iter=1
        )


class Tally(Stage):
    """How many votes each labeler casts, and what share of all rows it believes to be of each class."""

    name = "tally"
    help = "Count votes and classes."
    needs = ("vote", "fit")

    def outputs(self, settings):
        return ("tally.json",)

    def do(self, session, paths):
        votes, mass = session.votes, session.analysis.mass
        counts = dict(zip(votes.names, (votes.codes != 0).sum(axis=0).tolist(), strict=True))
        shares = dict(zip(votes.space, (mass / len(votes)).round(3).tolist(), strict=True))
        paths[0].write_text(json.dumps({"votes": counts, "classes": shares}))
        return {"votes": sum(counts.values())}

    def load(self, paths, settings):
        return json.loads(paths[0].read_text())

    def summary(self, facts):
        return f"{facts['votes']:,} votes"


TALLY = Tally()


class Letters:
    """Tells classes apart by how often the letter e is written: the nearest mean counts."""

    def fit(self, rows, y, *, covered, classes):
        found = self.measure(rows)[covered]
        self.means_ = y[covered].T @ found / y[covered].sum(axis=0)
        self.classes_ = np.array(list(classes))
        return self

    @staticmethod
    def measure(rows):
        return np.array([text.count("e") / len(text) for text in rows])

    def predict_proba(self, rows):
        near = np.exp(-100 * np.abs(self.measure(rows)[:, None] - self.means_))
        return near / near.sum(axis=1, keepdims=True)

    def save(self, path):
        path.write_text(json.dumps({"means": self.means_.tolist(), "classes": self.classes_.tolist()}))

    @classmethod
    def load(cls, path):
        found, loaded = json.loads(path.read_text()), cls()
        loaded.means_, loaded.classes_ = np.array(found["means"]), np.array(found["classes"])
        return loaded


LETTERS = Kind("letters", Letters, reads="text", suffix=".json")
