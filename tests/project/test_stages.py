"""The list of stages: in order after what they need, others' beside ours, mistakes told."""

import pytest

from shortlist.errors import ShortlistError
from shortlist.project import Project, Stage, register_stage
from shortlist.project.stages.run import STAGES, find_stage, in_order
from tests.project.news import edit, make

OURS = ["vote", "fit", "train", "check", "export", "report"]


def a_stage(of, *needs, facts=None):
    class Written(Stage):
        """Writes one word."""

        name = of
        help = f"Write {of}."

        def outputs(self, settings):
            return (f"{of}.txt",)

        def do(self, session, paths):
            paths[0].write_text(of)
            return dict(facts or {})

    Written.needs = needs
    return Written()


@pytest.fixture(autouse=True)
def only_ours(monkeypatch):
    """What a test registers is forgotten after it."""
    monkeypatch.setattr(STAGES, "added", {})


@pytest.fixture
def project(tmp_path):
    return make(tmp_path / "news")


def names(stages):
    return [stage.name for stage in stages]


def test_ours_come_in_their_order(project):
    assert list(STAGES)[:6] == OURS
    assert names(in_order(reversed(OURS), project.settings)) == OURS


def test_a_stage_brings_all_that_it_needs_before_it(project):
    assert names(in_order(["train"], project.settings)) == ["vote", "fit", "train"]
    assert names(in_order(["report"], project.settings)) == ["vote", "fit", "train", "check", "report"]


def test_what_a_stage_uses_is_left_out_where_it_is_switched_off(project):
    edit(project.folder / "shortlist.toml", 'kind = "linear"', 'kind = "none"')
    assert names(in_order(["export"], Project(project.folder).settings)) == ["vote", "fit", "export"]


def test_a_stage_may_need_one_that_was_registered_later(project):
    register_stage(a_stage("last", "first", "export"))
    register_stage(a_stage("first", "vote"))
    assert names(in_order(["last"], project.settings)) == ["vote", "first", "fit", "train", "export", "last"]


def test_stages_that_need_each_other_are_an_error(project):
    register_stage(a_stage("hen", "egg"))
    register_stage(a_stage("egg", "hen"))
    with pytest.raises(ShortlistError, match="'hen' needs itself: hen needs egg needs hen"):
        in_order(["hen"], project.settings)


def test_a_name_that_no_stage_has(project):
    with pytest.raises(ShortlistError, match=r"'fitt' is no stage. Did you mean 'fit'\? Stages: vote, fit"):
        find_stage("fitt")
    register_stage(a_stage("lonely", "nobody"))
    with pytest.raises(ShortlistError, match="'nobody' is no stage"):
        in_order(["lonely"], project.settings)


def test_ours_cannot_be_replaced_and_what_is_no_stage_cannot_be_added():
    with pytest.raises(ShortlistError, match="'fit' is a name of shortlist's own"):
        register_stage(a_stage("fit"))
    with pytest.raises(ShortlistError, match="no stage with a name"):
        register_stage("tally")


def test_a_registered_stage_is_part_of_a_run_and_is_left_alone_when_it_is_up_to_date(project):
    register_stage(a_stage("note", "vote", facts={"notes": ["look at it"]}))
    wanted = ["note", "fit"]
    first = {one.stage: one for one in project.run(wanted)}
    assert [one.status for one in first.values()] == ["done"] * 3
    assert first["note"].notes == ["look at it"]
    assert (project.folder / "out" / "note.txt").read_text() == "note"
    assert {one.status for one in project.run(wanted)} == {"up to date"}
    edit(project.folder / "labelers.py", '"president" in text', '"presidents" in text')
    assert {one.status for one in project.run(wanted)} == {"done"}


def test_a_stage_that_is_not_loaded_from_files_says_so(project):
    register_stage(a_stage("note", "vote"))
    project.run(["note"])
    with pytest.raises(ShortlistError, match="'note' does not say how its files are loaded"):
        project.session.result("note")


def test_output_stages_of_the_toml_may_name_it(project):
    register_stage(a_stage("note", "vote"))
    toml = project.folder / "shortlist.toml"
    toml.write_text(toml.read_text() + '\n[output]\nstages = ["note"]\n')
    assert [one.stage for one in project.run()] == ["vote", "note"]
    edit(toml, '["note"]', '["nota"]')
    with pytest.raises(ShortlistError, match="vote, fit, train, check, export, report, note"):
        project.run()


def test_without_that_a_run_does_every_stage_that_is_registered(project):
    register_stage(a_stage("note", "vote"))
    assert [one.stage for one in project.run()] == [*OURS, "note"]
