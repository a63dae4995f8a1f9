"""Who is asked again after an edit, counted by the calls themselves: models are dear, and are asked once."""

import joblib
import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from tests.project.news import TOML, edit, make

CODE = '''"""Labelers that take down who is called."""

from pathlib import Path

import joblib
import numpy as np

from shortlist import from_classifier, keywords, labeler

HERE = Path(__file__).parent


def called(name):
    with (HERE / "calls.txt").open("a") as file:
        file.write(name + " ")


class Model:
    """A model with weights of its own, and a word that it looks for."""

    def __init__(self, weights, word):
        self.weights, self.word = weights, word

    def predict(self, texts):
        called("model")
        return [found(text, self.word) for text in texts]


def found(text, word):
    return word in text


def outside(texts):
    called("outside")
    return pipeline.predict(texts)


weights = np.load(HERE / "weights.npz")["w"]
pipeline = joblib.load(HERE / "pipeline.joblib")

by_model = from_classifier(Model(weights, "goal"), {True: "sports", False: None}, on="body", name="model")
others = [
    from_classifier(outside, {"play": "sports", "work": {"business", "politics"}}, on="body", name="outside"),
    keywords(["minister"], says="politics", name="minister"),
]


@labeler(says=["sports"])
def team(text):
    called("team")
    return "sports" if "team" in text else None
'''


def trained(words):
    return make_pipeline(CountVectorizer(), LogisticRegression()).fit(words, ["play", "work"])


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "news"
    folder.mkdir()
    np.savez(folder / "weights.npz", w=np.ones(3))
    joblib.dump(trained(["goal match team", "shares election"]), folder / "pipeline.joblib")
    return make(folder, labelers=CODE, toml=TOML)


def asked(project):
    """Who is asked by a run, as the run says and as the calls say."""
    calls = project.folder / "calls.txt"
    calls.unlink(missing_ok=True)
    (vote,) = project.run(["vote"])
    said = set(vote.facts.get("asked", ())) if vote.status == "done" else set()
    heard = set(calls.read_text().split()) if calls.exists() else set()
    assert heard == said - {"money", "minister"}  # words are data: nothing of theirs is called
    return said


EVERYBODY = {"money", "model", "outside", "minister", "team"}
CODED = {"model", "outside", "team"}


@pytest.mark.parametrize(
    ("old", "new", "who"),
    [
        ("\n\n\n@labeler", "\n\n# a comment\n\n@labeler", set()),
        ('"""Labelers that take', '"""These take', set()),
        ('keywords(["minister"]', 'keywords(["minister", "vote"]', {"minister"}),
        ('"team" in text', '"teams" in text', {"team"}),
        ('Model(weights, "goal")', 'Model(weights, "match")', {"model"}),
        ('{True: "sports", False: None}', '{True: "sports", False: "politics"}', {"model"}),
        ('{"play": "sports", "work": {"business", "politics"}}', '{"play": "sports", "work": None}', {"outside"}),
        ("return pipeline.predict(texts)", "return list(pipeline.predict(texts))", {"outside"}),
        ("return word in text", "return word in text.lower()", CODED),  # a class names it, which may do anything
    ],
)
def test_who_is_asked_after_an_edit(old, new, who, project):
    assert asked(project) == EVERYBODY
    assert asked(project) == set()
    edit(project.folder / "labelers.py", old, new)
    assert asked(project) == who
    assert asked(project) == set()


def test_an_edit_of_the_toml_asks_no_model(project):
    assert asked(project) == EVERYBODY
    edit(project.folder / "shortlist.toml", '["shares", "profit"]', '["shares"]')
    assert asked(project) == {"money"}


@pytest.mark.parametrize("name", ["weights.npz", "pipeline.joblib"])
def test_a_file_that_a_model_is_loaded_from(name, project):
    assert asked(project) == EVERYBODY
    if name == "weights.npz":
        np.savez(project.folder / name, w=np.zeros(3))
    else:
        joblib.dump(trained(["shares election", "goal match team"]), project.folder / name)
    assert asked(project) == CODED
