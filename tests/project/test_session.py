"""One run: votes, model, known classes, diagnosis and beliefs are loaded or computed once, whoever asks."""

from collections import Counter

import pytest

import shortlist.project.counting
import shortlist.reporting.advice
from shortlist import LabelModel, Project
from shortlist.analysis.measures import Distinct
from shortlist.classifier import NoiseAwareClassifier
from shortlist.project.gold import Known
from shortlist.votes.vote_parts import VoteParts
from tests.project.news import edit, make

ROWS = 300


@pytest.fixture
def done(monkeypatch):
    """What was done how often: votes and beliefs count where they are those of all rows."""
    counts = Counter()

    def count(what, owner, name, counts_if=lambda *_: True):
        found = owner.__dict__[name]
        function = found.__func__ if isinstance(found, classmethod) else found

        def counted(*given, **named):
            counts[what] += bool(counts_if(*given))
            return function(*given, **named)

        monkeypatch.setattr(owner, name, classmethod(counted) if isinstance(found, classmethod) else counted)

    count("votes loaded", VoteParts, "open")
    count("rows counted", shortlist.project.counting, "count_rows")
    count("model fitted", LabelModel, "fit", lambda *_: True)
    count("model loaded", LabelModel, "load")
    count("gold read", Known, "read")
    count("diagnosed", shortlist.reporting.advice, "diagnose")
    count("beliefs of all rows", Distinct, "of")
    count("classifier loaded", NoiseAwareClassifier, "load")
    return counts


@pytest.fixture
def project(tmp_path):
    return make(tmp_path / "news", m=ROWS)


def test_a_first_run_loads_nothing_and_computes_all_once(project, done):
    assert {one.status for one in project.run()} == {"done"}
    done.pop("model fitted")  # to all rows, and to some of them for the advice of the check
    assert +done == {"rows counted": 1, "gold read": 1, "diagnosed": 1, "beliefs of all rows": 1}


def test_a_run_that_needs_what_earlier_ones_made_loads_it_once(project, done):
    project.run()
    done.clear()
    for name in ("labels.parquet", "report.html"):
        (project.folder / "out" / name).unlink()
    again = [one.stage for one in Project(project.folder).run() if one.status == "done"]
    assert again == ["export", "report"]
    done.pop("model fitted", None)  # to some of the rows, for the report
    assert done.pop("model loaded") == 2  # that of votes alone, and that of votes and text
    assert +done == {"votes loaded": 1, "classifier loaded": 1, "gold read": 1, "beliefs of all rows": 1}


def test_a_run_with_nothing_to_do_loads_nothing(project, done):
    project.run()
    done.clear()
    assert {one.status for one in Project(project.folder).run()} == {"up to date"}
    assert not +done


def test_what_a_session_holds_is_loaded_once_for_all_that_ask(project, done):
    project.run()
    done.clear()
    with Project(project.folder).open() as session:
        for _ in range(2):
            assert len(session.votes) == len(session.analysis.votes) == ROWS
            assert session.model is session.analysis.model
            assert session.checkup.diagnosis.findings
            assert session.classifier.classes_.tolist() == ["business", "politics", "sports"]
            assert session.analysis.mass.sum() == pytest.approx(ROWS)
    assert done.pop("model loaded") == 2  # that of votes alone, and that of votes and text
    assert set((+done).values()) == {1}
    assert set(+done) == {"votes loaded", "gold read", "beliefs of all rows", "classifier loaded"}


def test_another_session_sees_the_files_as_they_are_then(project):
    before = project.votes
    edit(project.folder / "labelers.py", '"president" in text', '"presidents" in text')
    assert (project.votes.codes != before.codes).any()
