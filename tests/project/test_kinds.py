"""A kind of classifier from outside the package: named in shortlist.toml, trained, saved, loaded, asked."""

import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from shortlist import Project
from shortlist.classifier import Kind, kinds, register_kind
from shortlist.project.toml import BadProject
from tests.project.news import edit, make, rows

OUTSIDE = '''
import numpy as np

from shortlist.classifier import Kind


class Centroids:
    """The mean row of each class, weighted by belief; a row belongs to the nearest mean."""

    def __init__(self, sharpness=1.0):
        self.sharpness = sharpness

    def fit(self, rows, y, *, covered, classes):
        share = y[covered] / y[covered].sum(axis=0)
        self.means_, self.classes_ = share.T @ rows[covered], np.array(list(classes))
        return self

    def predict_proba(self, rows):
        near = np.exp(-self.sharpness * ((rows[:, None] - self.means_) ** 2).sum(axis=2))
        return near / near.sum(axis=1, keepdims=True)

    def save(self, path):
        with open(path, "wb") as file:
            np.savez(file, means=self.means_, classes=self.classes_, sharpness=self.sharpness)

    @classmethod
    def load(cls, path):
        with np.load(path) as file:
            loaded = cls(float(file["sharpness"]))
            loaded.means_, loaded.classes_ = file["means"], file["classes"]
        return loaded


KIND = Kind("centroids", Centroids, reads="numbers", suffix=".centroids")
'''


@pytest.fixture
def outside(monkeypatch):
    """What a package of somebody else's would define, registered for the length of a test."""
    monkeypatch.setattr(kinds.KINDS, "added", {})
    defined = {}
    exec(OUTSIDE, defined)
    register_kind(defined["KIND"])
    return defined["Centroids"]


@pytest.fixture
def project(tmp_path):
    """The news project, with a column of numbers for each topic; no labeler votes on one row in ten."""
    made = make(tmp_path / "news")
    silent = pl.int_range(pl.len()) % 10 == 0
    frame = rows().with_columns(pl.when(silent).then(pl.lit("w1 w2")).otherwise("body").alias("body"))
    words = {"business": "shares|profit", "politics": "election|minister", "sports": "goal|match|team"}
    counts = [frame["body"].str.count_matches(found).alias(topic) for topic, found in words.items()]
    frame.with_columns(counts).write_csv(made.folder / "news.csv")
    toml = made.folder / "shortlist.toml"
    edit(toml, 'text = "body"', 'text = "body"\nfeatures = ["business", "politics", "sports"]')
    edit(toml, 'kind = "linear"', 'kind = "centroids"\nsharpness = 0.5')
    return made.folder


def test_it_is_trained_saved_loaded_and_asked(outside, project, tmp_path):
    facts = {one.stage: one.facts for one in Project(project).run()}
    assert facts["train"]["right"]["votes and text"] > 0.8 * facts["train"]["gold_rows"]
    assert (project / "out" / "classifier.centroids").is_file()
    trained = Project(project).classifier
    assert isinstance(trained, outside)
    assert trained.sharpness == 0.5
    assert trained.predict_proba(np.eye(3)).argmax(axis=1).tolist() == [0, 1, 2]
    pl.read_csv(project / "news.csv").head(20).write_csv(tmp_path / "more.csv")
    assert Project(project).predict(tmp_path / "more.csv", path=tmp_path / "out.csv")["rows"] == 20


def test_rows_without_a_vote_teach_as_well(outside, project):
    assert Project(project).run(["train"])[-1].facts["trained_on"] == 300
    labels = Project(project).labels
    assert labels.filter(pl.col("votes") == 0)["source"].unique().sort().to_list() == ["gold", "text alone"]


def test_mistakes_are_told_at_their_line(outside, project):
    toml = project / "shortlist.toml"
    edit(toml, "sharpness", "sharpnes")
    with pytest.raises(BadProject, match=r"line 13: classifier.sharpnes is no option of Centroids. Did you mean"):
        Project(project).run(["train"])
    edit(toml, "sharpnes = 0.5", 'on = ["body"]')
    with pytest.raises(BadProject, match=r'line 13: "centroids" reads the features'):
        Project(project)
    edit(toml, '\non = ["body"]', "")
    edit(toml, 'features = ["business", "politics", "sports"]\n', "")
    with pytest.raises(
        BadProject, match=r'line 11: "centroids" reads columns of numbers.*: \'linear\', \'transformer\''
    ):
        Project(project)


def test_an_unknown_kind_is_told_which_there_are(outside, project):
    edit(project / "shortlist.toml", '"centroids"', '"centroid"')
    with pytest.raises(BadProject, match="'centroids', 'linear', 'mlp', 'transformer', 'none'; got 'centroid'"):
        Project(project)


def test_a_kind_that_takes_no_columns(outside, project):
    register_kind(Kind("centroids", outside, reads="text"))
    edit(project / "shortlist.toml", "sharpness = 0.5", 'on = ["body"]')
    with pytest.raises(BadProject, match=r"line 13: classifier.on is no option of Centroids"):
        Project(project).run(["train"])


def test_settings_are_read_without_any_classifier():
    """shortlist.toml is checked before scikit-learn or torch is needed."""
    code = "import sys, shortlist.project.settings; print({'sklearn', 'scipy', 'torch'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


def test_an_installed_package_announces_its_kinds(project, tmp_path):
    """Nothing is registered: the command line finds the entry point."""
    site = tmp_path / "site"
    (site / "centroids-1.0.dist-info").mkdir(parents=True)
    (site / "centroids.py").write_text(OUTSIDE)
    (site / "centroids-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: centroids\nVersion: 1.0\n")
    announced = "[shortlist.classifiers]\ncentroids = centroids:KIND\nwrong = centroids:Centroids\n"
    (site / "centroids-1.0.dist-info" / "entry_points.txt").write_text(announced)
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, "-m", "shortlist", "run"]
    ran = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert (project / "out" / "classifier.centroids").is_file()
    code = "from shortlist.classifier import kinds; kinds.find_kind('wrong')"
    broken = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert "not a kind of classifier of that name" in broken.stderr
