"""A project: what is out of date is done, and nothing else."""

import json
import shutil
import threading
import warnings

import numpy as np
import polars as pl
import pytest

from shortlist import LabelModel, apply, keywords, labeler, pattern
from shortlist.engines import Local
from shortlist.errors import FitWarning, ShortlistError
from shortlist.labelmodel import Likelihood
from shortlist.project import BadProject
from shortlist.project.parts import Part
from shortlist.project.session import Listener
from shortlist.project.stages.run import STAGES
from tests.project.news import CLASSES, TOML, edit, make, rows
from tests.project.part_files import Elsewhere

QUICK = ["vote", "fit", "train", "check", "export"]


@pytest.fixture
def project(tmp_path):
    return make(tmp_path / "news")


def did(project, stages=QUICK, **options):
    return [one.stage for one in project.run(stages, **options) if one.status == "done"]


def asked(project):
    (vote,) = [one for one in project.run(["vote"]) if one.stage == "vote"]
    return vote.facts.get("asked", []) if vote.status == "done" else None


def test_all_stages_once_and_then_none(project):
    assert [one.stage for one in project.run() if one.status == "done"] == list(STAGES)
    for one in project.run():
        assert one.status == "up to date"
        assert all(path.exists() for path in one.outputs)


def test_every_stage_is_told_when_it_ends(project):
    """What MLflow and Weights & Biases are given: docs/project.md."""
    told = []
    outcomes = project.run(on_stage=told.append)
    assert told == outcomes
    fit = told[1].metrics
    assert fit["fit/n_iter"] == outcomes[1].facts["n_iter"]
    assert set(fit) >= {"fit/n_iter", "fit/converged", "fit/seconds"}
    assert "train/accuracy" in told[2].metrics
    assert all(isinstance(value, float) for one in told for value in one.metrics.values())


@pytest.mark.heavy
def test_an_mlp_reads_the_features_of_a_project_whose_labelers_read_text(project):
    edit(project.folder / "shortlist.toml", 'text = "body"', 'text = "body"\nfeatures = ["n"]')
    edit(project.folder / "shortlist.toml", 'kind = "linear"', 'kind = "mlp"\nepochs = 2')
    assert did(project, ["train"]) == ["vote", "fit", "train"]
    assert project.classifier.predict_proba(np.ones((1, 1))).shape == (1, 3)


def test_votes_are_those_that_apply_gives(project):
    """The same labelers, asked in Python about the same rows."""
    frame = rows()

    @labeler(says=["sports"])
    def sport(row):
        if {"goal", "match"} & set(row.body.split()):
            return "sports"

    rules = [
        keywords(["shares", "profit"], says="business", on="body", name="money"),
        sport,
        pattern("election|minister", yes="politics", on="body", name="polls"),
    ]
    mine = apply(rules, frame, space=CLASSES)
    votes = project.votes
    assert votes.names == ("money", "sport", "power", "polls")
    assert np.array_equal(votes[:, ["money", "sport", "polls"]].codes, mine.codes)
    assert votes.ids.tolist() == frame["id"].to_list()


def test_labels_by_votes_join_to_rows_and_are_the_models(project, tmp_path):
    votes = project.votes
    labels = pl.read_parquet(project.export(tmp_path / "votes.parquet", votes_only=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        model = LabelModel().fit(votes)
    beliefs = model.predict_proba(votes)
    joined = rows().join(labels, on="id", how="left", maintain_order="left")
    assert labels.columns == [
        "id",
        "class",
        "belief",
        "margin",
        "shortlist",
        "source",
        "votes",
        *(f"belief_{c}" for c in CLASSES),
    ]
    assert np.allclose(joined.select(pl.col("^belief_.*$")).to_numpy(), beliefs)
    assert joined["class"].to_list() == model.predict(votes, uncovered=None).tolist()
    assert joined["votes"].to_list() == (votes.codes != 0).sum(axis=1).tolist()
    ranked = np.sort(beliefs, axis=1)
    assert np.allclose(joined["margin"], ranked[:, -1] - ranked[:, -2])
    assert [set(s) for s in joined["shortlist"].to_list()] == [set(s) for s in model.predict_set(votes)]


@pytest.mark.parametrize(
    ("old", "new", "again"),
    [
        ('if "president" in text:', 'if "president" in text or "vote" in text:', ["power"]),
        ("election|minister", "election|poll", ["polls"]),
        ("words = [\"shares\", \"profit\"]", "words = [\"shares\"]", ["money"]),
        ('WORDS = ["goal", "match"]', 'WORDS = ["goal"]', ["sport", "power"]),  # a statement that may do anything
        ("return text.lower().split()", "return text.split()", ["sport"]),  # a feature that one labeler asks for
        ('"""Labelers of the tests."""', '"""Others."""', []),
        ("\n\n\npolls", "\n# a comment\n\n\npolls", []),
    ],
)  # fmt: skip
def test_an_edit_asks_the_labelers_it_concerns_again(project, old, new, again):
    assert asked(project) == ["money", "sport", "power", "polls"]
    name = "shortlist.toml" if old.startswith("words = [") else "labelers.py"
    edit(project.folder / name, old, new)
    assert asked(project) == again
    assert asked(project) is None


def test_a_comment_does_not_reach_the_model(project):
    assert did(project) == QUICK
    edit(project.folder / "labelers.py", "\n\n\npolls", "\n# a comment\n\n\npolls")
    assert did(project) == ["vote"]  # which asks nobody, and finds the same votes


def test_an_edit_undone_asks_nobody(project):
    project.run(["vote"])
    file = project.folder / "labelers.py"
    edit(file, '"president" in text', '"presidents" in text')
    assert asked(project) == ["power"]
    edit(file, '"presidents" in text', '"president" in text')
    assert asked(project) == []


def test_a_labeler_that_is_new_or_gone(project):
    project.run(["fit"])
    file = project.folder / "labelers.py"
    file.write_text(file.read_text() + "\n\nteams = keywords(['team'], says='sports', name='teams')\n")
    assert asked(project) == ["teams"]
    edit(file, "teams = keywords", "_teams = keywords")  # put aside
    assert asked(project) == []
    assert "teams" not in project.votes.names


def test_a_file_that_is_added_is_read_and_the_others_are_not(project):
    folder = project.folder
    project.run(["vote"])
    edit(folder / "shortlist.toml", '"news.csv"', '"news.csv", "more.csv"')
    rows(50, seed=1).with_columns(id=pl.col("id") + "b").write_csv(folder / "more.csv")
    votes = project.votes
    assert len(votes) == 350
    kept = list((folder / ".shortlist" / "votes").glob("*/*.parquet"))
    assert len(kept) == 2  # all labelers together, two files


def test_options_of_the_model_only_fit_again(project):
    project.run(QUICK)
    edit(project.folder / "shortlist.toml", "[classifier]", "[label_model]\nmax_iter = 900\n\n[classifier]")
    assert did(project) == ["fit", "train", "check", "export"]
    assert project.model.max_iter == 900


def test_settings_of_the_estimator_are_a_table(project):
    edit(
        project.folder / "shortlist.toml",
        "[classifier]",
        "[label_model.estimator]\naccuracy_mean = 0.7\n\n[classifier]",
    )
    assert project.model.estimator.accuracy_mean == 0.7
    assert project.run(["fit"])[-1].status == "up to date"
    edit(project.folder / "shortlist.toml", "accuracy_mean = 0.7", 'kind = "likelihood"\naccuracy_mean = 0.9')
    assert project.model.estimator == Likelihood(accuracy_mean=0.9)


def test_gold_scores_and_does_not_fit(project):
    with_gold = project.model.predict_proba(project.votes)
    edit(project.folder / "shortlist.toml", 'gold = "label"\n', "")
    assert np.array_equal(project.model.predict_proba(project.votes), with_gold)
    assert "accuracy" not in project.run(["fit"])[-1].facts


def test_gold_fits_where_it_is_asked_to(project):
    without = project.model.predict_proba(project.votes)
    edit(project.folder / "shortlist.toml", "[classifier]", "[label_model]\nuse_gold = true\n\n[classifier]")
    outcome = project.run(["fit"])[-1]
    assert outcome.facts["gold_used"]
    assert not np.array_equal(project.model.predict_proba(project.votes), without)


def test_an_output_that_was_deleted_or_changed_is_made_again(project):
    project.run(QUICK)
    before = (project.folder / "out" / "labels.parquet").read_bytes()
    (project.folder / "out" / "labels.parquet").unlink()
    assert did(project) == ["export"]
    (project.folder / "out" / "labels.parquet").write_bytes(b"mine")
    assert did(project) == ["export"]
    assert (project.folder / "out" / "labels.parquet").read_bytes() == before


def files_in(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_what_is_hidden_can_be_deleted_or_damaged(project):
    project.run(QUICK)
    before = {path.name: path.read_bytes() for path in files_in(project.folder / "out")}
    shutil.rmtree(project.folder / ".shortlist")
    assert did(project) == QUICK
    for path in (project.folder / ".shortlist").rglob("*"):
        if path.is_file() and path.name != "lock":
            path.write_bytes(b"\x00nonsense")
    assert did(project) == QUICK
    assert {path.name: path.read_bytes() for path in files_in(project.folder / "out")} == before


def test_force_does_one_stage_again(project):
    project.run(QUICK)
    assert did(project, ["export"], force=True) == ["export"]
    assert project.run(["vote"], force=True)[0].facts["asked"] == ["money", "sport", "power", "polls"]


def test_files_that_labelers_read_or_import_count(tmp_path):
    code = (
        "from pathlib import Path\nfrom shortlist import keywords, labeler\nfrom helper import clean\n"
        "WORDS = (Path(__file__).parent / 'words.txt').read_text().split()\n"
        "@labeler(says=['sports'])\ndef sport(text):\n    if set(clean(text)) & set(WORDS):\n        return 'sports'\n"
    )
    (tmp_path / "news").mkdir()
    (tmp_path / "news" / "words.txt").write_text("goal")
    (tmp_path / "news" / "helper.py").write_text("def clean(text):\n    return text.split()\n")
    project = make(tmp_path / "news", labelers=code)
    assert asked(project) == ["money", "sport"]
    assert asked(project) is None
    (tmp_path / "news" / "words.txt").write_text("goal match")
    assert asked(project) == ["sport"]
    (tmp_path / "news" / "helper.py").write_text("def clean(text):\n    return text.upper().split()\n")
    assert asked(project) == ["sport"]
    assert project.votes.coverage[1] == 0
    (tmp_path / "news" / "extra.bin").write_bytes(b"1")
    edit(project.folder / "shortlist.toml", "[classifier]", '[labelers]\ndepends = ["extra.bin"]\n\n[classifier]')
    assert asked(project) == ["sport"]
    (tmp_path / "news" / "extra.bin").write_bytes(b"2")
    assert asked(project) == ["sport"]


def test_a_row_is_named_by_its_number_among_all(tmp_path):
    code = (
        "from shortlist import labeler\n\n@labeler(says=['sports'])\ndef odd(row):\n"
        "    if row.id == 'doc234':\n        raise ValueError('no')\n"
    )
    project = make(tmp_path / "news", labelers=code, toml=in_parts(100))
    with pytest.raises(ShortlistError, match=r"labelers.py, line 6: labeler 'odd' failed on row 234: ValueError: no"):
        project.run(["vote"])
    edit(project.folder / "shortlist.toml", "[classifier]", '[labelers]\non_error = "abstain"\n\n[classifier]')
    (outcome,) = project.run(["vote"])
    assert "'odd' failed on 1 row and" in outcome.notes[0]


@pytest.mark.parametrize("workers", [1, 2])
def test_the_place_of_a_failure_is_told_whoever_works(workers, tmp_path):
    """In labelers.py, in a module beside it, in a feature; a row counted over all files."""
    code = (
        "from helper import broken\nfrom shortlist import feature, labeler\n\n\n@labeler(says=['sports'])\n"
        "def here(row):\n    if row.id == 'doc234':\n        raise ValueError('no')\n"
    )
    toml = TOML.replace("[classifier]", f"[labelers]\nworkers = {workers}\n\n[classifier]")
    project = make(tmp_path / "news", labelers=code, toml=toml)
    (project.folder / "helper.py").write_text("def broken(text):\n    return 1 / 0\n")
    for old, new, place in (
        ("", "", "labelers.py, line 8: labeler 'here' failed on row 234: ValueError: no"),
        ("raise ValueError('no')", "broken(row.body)", "helper.py, line 2: labeler 'here' failed on row 234"),
        ("def here(row)", "def here(row, far)", "labelers.py, line 13: feature 'far' failed on row 0: KeyError"),
    ):
        if old:
            edit(project.folder / "labelers.py", old, new)
        if "far" in new:
            with (project.folder / "labelers.py").open("a") as file:
                file.write("\n\n@feature\ndef far(row):\n    return {}[row.id]\n")
        with pytest.raises(BadProject, match=f"^{place}") as caught:
            project.run(["vote"])
        assert caught.value.facts.keys() >= {"file", "line", "row"}


@pytest.mark.parametrize("quick", [0.0, 100.0])
def test_pieces_do_not_show(quick, tmp_path, monkeypatch):
    """Labelers that declare nothing are seen to say different things in each piece."""
    code = (
        "from shortlist import labeler\n\n\n@labeler\ndef by_number(n, id):\n"
        "    said = [None, 'sports', 'politics', {'sports', 'business'}, 'business'][n]\n"
        "    return said if int(id[3:]) > 40 * n else None\n"
    )
    whole = make(tmp_path / "whole", labelers=code).votes
    monkeypatch.setattr("shortlist.rows.reading.FIRST", 7)
    monkeypatch.setattr("shortlist.rows.reading.QUICK", quick)
    monkeypatch.setattr("shortlist.rows.reading.FALLING", 0)
    told = []
    cut = make(tmp_path / "cut", labelers=code)

    class Counting(Listener):
        def advance(self, rows):
            told.append(rows)

    cut.run(["vote"], listener=Counting())
    assert cut.votes == whole
    assert sum(told) == 300
    assert len(told) == (43 if quick == 0 else 6)  # of 7 rows each; of 7, 14, 28, …


def test_the_classifier_tells_how_it_learns(tmp_path):
    told = []

    class Lines(Listener):
        def __init__(self):
            self.screen = threading.RLock()  # as a terminal has: it cannot travel to the workers that label

        def tell(self, line):
            told.append(line)

    make(tmp_path).run(listener=Lines(), engine=Local(2))
    assert any(line.startswith("learning from") and "step 1" in line for line in told)


def in_parts(rows):
    return TOML.replace("[classifier]", f"[engine]\npart_rows = {rows}\n\n[classifier]")


def test_parts_do_not_show(tmp_path):
    whole = make(tmp_path / "whole")
    labels, votes = whole.labels, whole.votes
    cut = make(tmp_path / "cut", toml=in_parts(70))
    assert cut.votes == votes
    assert cut.labels.equals(labels)


def test_without_an_id_rows_are_numbered(tmp_path):
    project = make(tmp_path / "news", toml=TOML.replace('id = "id"\n', ""))
    assert project.labels["row"].to_list() == list(range(300))


def test_columns_of_numbers_will_do(tmp_path):
    toml = TOML.replace('text = "body"', 'features = ["n"]').replace("[[labeler]]", '[[labeler]]\non = "body"')
    labelers = "from shortlist import labeler\n@labeler(says=['sports', 'politics'])\ndef n(n):\n" \
               "    return 'sports' if n == 1 else 'politics' if n == 2 else None\n"  # fmt: skip
    project = make(tmp_path / "news", toml=toml, labelers=labelers)
    assert project.classifier.n_features_in_ == 1
    assert len(project.labels) == 300


def test_predict_other_files_and_export_elsewhere(project, tmp_path):
    rows(40, seed=5).write_ndjson(tmp_path / "new.jsonl")
    facts = project.predict(tmp_path / "new.jsonl", path=tmp_path / "new.csv")
    assert facts["rows"] == 40
    assert 0 <= facts["accuracy"] <= 1
    found = pl.read_csv(tmp_path / "new.csv")
    assert found["id"].to_list() == [f"doc{a}" for a in range(40)]
    rows(40, seed=5).select("id", "body").write_csv(tmp_path / "unknown.csv")
    assert project.predict(tmp_path / "unknown.csv", path=tmp_path / "unknown.parquet") == {"rows": 40, "written": 40}
    with pytest.raises(ShortlistError, match=r"^\S+missing.csv does not exist"):
        project.predict(tmp_path / "missing.csv", path=tmp_path / "new.csv")
    assert project.export(tmp_path / "labels.jsonl").exists()
    assert pl.read_ndjson(tmp_path / "labels.jsonl").shape == project.labels.shape


def test_workers_on_other_machines_read_the_rows_of_train_export_and_predict(tmp_path):
    """On Spark, the driver classified all rows itself."""
    toml = TOML.replace("[classifier]", "[engine]\npart_rows = 100\n\n[classifier]")
    toml = toml.replace('kind = "linear"', 'kind = "linear"\nmax_rows = 60')
    here, there = (make(tmp_path / name, toml=toml) for name in ("here", "there"))
    rows(250, seed=5).write_parquet(tmp_path / "new.parquet")
    engine = Elsewhere()
    here.run(["export"])
    there.run(["export"], engine=engine)
    written = pl.concat([pl.read_parquet(file) for file in sorted((tmp_path / "there/out/labels").iterdir())])
    assert here.labels.equals(written)
    engine.pieces.clear()
    facts = there.predict(tmp_path / "new.parquet", path=tmp_path / "there.csv", columns="body", engine=engine)
    parts = [part for piece in engine.pieces for part in piece if isinstance(part, Part)]
    assert [part.rows for part in parts] == [100, 100, 50]
    assert facts == here.predict(tmp_path / "new.parquet", path=tmp_path / "here.csv", columns="body")
    assert (tmp_path / "here.csv").read_bytes() == (tmp_path / "there.csv").read_bytes()


def test_training_on_some_rows_says_so(project):
    edit(project.folder / "shortlist.toml", 'kind = "linear"', 'kind = "linear"\nmax_rows = 50')
    outcome = project.run(["train"])[-1]
    assert outcome.facts["trained_on"] == 130  # 50 rows, and 100 gold rows, 20 of which are among the 50
    assert "130 of" in outcome.notes[-1]
    labels = project.labels  # of all rows: those that were not learned from are predicted, with their votes
    assert labels["class"].null_count() == 0
    assert labels["source"].value_counts(sort=True)["source"].to_list() == ["votes and text", "gold"]


def test_gold_wins_in_labels_and_trains_the_classifier(project):
    """Exports contradicted 108 of a person's own 582 labels."""
    known = rows().filter(pl.col("label").is_not_null())
    joined = known.join(project.labels, on="id")
    assert joined["class"].equals(joined["label"], check_names=False)
    assert set(joined["source"]) == {"gold"}
    assert set(joined["belief"]) == {1.0}
    edit(project.folder / "shortlist.toml", "[classifier]", "[label_model]\nuse_gold = false\n\n[classifier]")
    scored = known.join(project.labels, on="id")
    assert set(scored["source"]) == {"votes and text"}
    facts = project.run(["train"])[-1].facts
    right = (scored["class"] == scored["label"]).sum()
    assert (facts["gold_rows"], facts["right"]["votes and text"]) == (100, right)  # scored, not used


def test_who_teaches_can_be_said(project):
    project.run(["export"], by="counting")
    assert project.session.joint.teacher_.name == "counting"
    edit(project.folder / "shortlist.toml", "[classifier]", '[output]\nby = "label-model"\n\n[classifier]')
    assert project.joint.teacher_.name == "label-model"
    with pytest.raises(ShortlistError, match="labels are made by one of 'auto', 'counting'"):
        project.run(by="gut feeling")


def test_the_doctor_and_the_report(project):
    assert project.check().diagnosis.findings
    page = project.report()
    assert "<html" in page.read_text()
    assert json.loads((project.folder / "out" / "check.json").read_text())["findings"] if did(project, ["check"]) else 1


def test_workers_give_the_same_votes(tmp_path):
    one = make(tmp_path / "one")
    two = make(tmp_path / "two", toml=TOML.replace("[classifier]", "[labelers]\nworkers = 2\n\n[classifier]"))
    assert one.votes == two.votes


def test_labelers_that_never_vote(tmp_path):
    """As those that `init` writes may: the run goes on as far as it can, and says so."""
    labelers = "from shortlist import keywords\n\nno = keywords(['nowhere'], says='sports', name='no')\n"
    project = make(tmp_path / "news", toml=TOML.split("[[labeler]]")[0], labelers=labelers)
    status = {one.stage: one for one in project.run()}
    assert [stage for stage, one in status.items() if one.status == "skipped"] == ["train"]
    assert "no labeler votes on any row" in status["train"].notes[0]
    assert project.labels["class"].null_count() == 200  # all but gold rows
    with pytest.raises(ShortlistError, match="no labeler votes"):
        project.run(["train"])


def test_unknown_stages(project):
    with pytest.raises(ShortlistError, match="Did you mean 'export'"):
        project.run(["exprot"])
