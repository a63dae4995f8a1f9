"""Rules that are written in the page: kept in shortlist.toml, told where somebody else was there first."""

import threading

import pytest

from shortlist.errors import ShortlistError
from shortlist.studio.rules import (
    Conflict,
    remove_rule,
    rules,
    save_rule,
    source,
    switch_rule,
    use_gold,
)
from shortlist.studio.toml_edit import TomlEdit
from tests.project.news import TOML, edit

RULE = {"kind": "keywords", "name": "teams", "words": ["team"], "says": "sports"}


def record(project, name):
    return next(rule.record for rule in rules(project.current) if rule.name == name)


def test_rules_say_where_they_are_written(project):
    found = {rule.name: rule for rule in rules(project.current)}
    assert list(found) == ["money", "sport", "power", "polls"]
    assert found["money"].origin == "toml"
    assert found["power"].origin == "python"
    assert found["power"].says == [["business", "politics"], ["business", "sports"]]
    lines = source(project.current)["text"].splitlines()
    assert lines[found["power"].line - 1].startswith("def power")


def test_a_rule_is_kept_and_the_model_is_fitted_again(project, folder):
    before = (folder / "shortlist.toml").read_text()
    save_rule(project, RULE, None)
    assert (folder / "shortlist.toml").read_text().startswith(before)
    assert "teams" in project.current.votes.names
    assert project.change.edits == {"teams": "new"}
    assert project.states.all[-1].title == "teams added"


def test_a_rule_is_edited_in_its_place(project, folder):
    old = record(project, "money")
    save_rule(project, {**old, "words": ["shares"]}, old)
    text = (folder / "shortlist.toml").read_text()
    assert 'words = ["shares"]' in text
    assert text.count("[[labeler]]") == 1
    assert project.change.edits == {"money": "edited"}


def test_a_rule_is_removed(project):
    save_rule(project, RULE, None)
    remove_rule(project, record(project, "teams"))
    assert "teams" not in project.current.votes.names


def test_what_somebody_else_changed_meanwhile_is_told_and_not_lost(project, folder):
    mine = record(project, "money")
    edit(folder / "shortlist.toml", 'words = ["shares", "profit"]', 'words = ["shares", "bonds"]')
    with pytest.raises(Conflict) as told:
        save_rule(project, {**mine, "words": ["profit"]}, mine)
    assert told.value.now["words"] == ["shares", "bonds"]
    assert "bonds" in (folder / "shortlist.toml").read_text()
    save_rule(project, {**mine, "words": ["profit"]}, told.value.now)  # knowing of it, one may go on
    assert record(project, "money")["words"] == ["profit"]


def test_other_parts_of_the_file_may_change_meanwhile(project, folder):
    mine = record(project, "money")
    edit(folder / "shortlist.toml", "[classifier]", "# a comment of somebody else\n[classifier]")
    save_rule(project, {**mine, "words": ["profit"]}, mine)
    text = (folder / "shortlist.toml").read_text()
    assert "# a comment of somebody else" in text
    assert 'words = ["profit"]' in text


@pytest.mark.parametrize("cut", [0, 12, 80, 140], ids=["empty", "version", "classes", "half a table"])
def test_a_file_that_is_no_whole_project_is_not_taken_for_one(project, folder, cut):
    """attack.md 3: a rule was written to the file that an editor had just emptied, and all else was lost."""
    path = folder / "shortlist.toml"
    whole = path.read_text()
    path.write_text(whole[:cut])
    for change in (lambda: save_rule(project, RULE, None), lambda: use_gold(project, fits=True)):
        with pytest.raises(ShortlistError):
            change()
    assert path.read_text() == whole[:cut]
    path.write_text(whole)  # the editor has ended
    save_rule(project, RULE, None)
    assert path.read_text().startswith(whole)


def test_a_file_that_is_written_meanwhile_is_not_replaced(project, folder, monkeypatch):
    path = folder / "shortlist.toml"
    theirs = path.read_text().replace("profit", "bonds")

    def written_meanwhile(edit, record, replaces=None):
        path.write_text(theirs)

    monkeypatch.setattr(TomlEdit, "put", written_meanwhile)
    with pytest.raises(ShortlistError, match="another program"):
        save_rule(project, RULE, None)
    assert path.read_text() == theirs
    assert not list(folder.glob(".*.tmp"))


def test_an_editor_that_writes_in_place_all_the_time(project, folder):
    path, ours, refused = folder / "shortlist.toml", TOML, 0
    for number in range(8):
        file = path.open("w")  # as nano does: emptied first, then written
        timer = threading.Timer(0.01 * number, lambda file=file, text=ours: (file.write(text), file.close()))
        timer.start()
        try:
            save_rule(project, {**RULE, "name": f"teams{number}"}, None)
        except ShortlistError:
            refused += 1
        timer.join()
        ours = path.read_text()
        assert ours.startswith(TOML)
    assert refused


def test_the_last_version_is_kept(project, folder):
    path = folder / "shortlist.toml"
    save_rule(project, RULE, None)
    assert (folder / ".shortlist" / "shortlist.toml.before").read_text() == TOML
    path.write_text(
        TOML.split("[classifier]")[0] + '[[labeler]]\nkind = "pattern"\nname = "p"\nregex = "x"\nyes = "sports"\n'
    )
    use_gold(project, fits=True)  # a project, but rules are gone: they are in the copy
    assert "teams" in (folder / ".shortlist" / "shortlist.toml.before").read_text()


def test_two_new_rules_of_one_name(project, folder):
    path = folder / "shortlist.toml"
    theirs = '[[labeler]]\nkind = "keywords"\nname = "teams"\nwords = ["x"]\nsays = "sports"\n'
    path.write_text(path.read_text() + theirs)
    with pytest.raises(Conflict):
        save_rule(project, RULE, None)
    assert path.read_text().endswith(theirs)


def test_a_rule_that_is_gone(project, folder):
    save_rule(project, RULE, None)
    text = (folder / "shortlist.toml").read_text()
    (folder / "shortlist.toml").write_text(text[: text.rindex("[[labeler]]")])
    with pytest.raises(Conflict) as told:
        save_rule(project, {**RULE, "words": ["match"]}, RULE)
    assert told.value.now is None


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"kind": "attributes"}, "only rules of kind"),
        ({"kind": "function", "code": "import os"}, "only rules of kind"),
        ({"says": "sprots"}, "Did you mean 'sports'"),
        ({"words": []}, "words"),
        ({"name": "power"}, "another labeler"),
        ({"kind": "pattern", "regex": "(", "yes": "sports"}, "regular expression|no 'words'"),
    ],
)
def test_a_rule_that_cannot_be_is_told_and_nothing_is_written(project, folder, change, what):
    before = (folder / "shortlist.toml").read_text()
    with pytest.raises(ShortlistError, match=what):
        save_rule(project, {**RULE, **change}, None)
    assert (folder / "shortlist.toml").read_text() == before


def test_a_labeler_is_switched_off_and_on(project, folder):
    switch_rule(project, "polls", on=False)
    assert "polls" not in project.current.votes.names
    assert 'off = ["polls"]' in (folder / "shortlist.toml").read_text()
    assert [rule.on for rule in rules(project.current) if rule.name == "polls"] == [False]
    switch_rule(project, "polls", on=True)
    assert "polls" in project.current.votes.names
    assert "polls" not in (folder / "shortlist.toml").read_text()


def test_the_last_labeler_stays_on(project):
    for name in ("sport", "power", "polls"):
        switch_rule(project, name, on=False)
    with pytest.raises(ShortlistError, match="only labeler"):
        switch_rule(project, "money", on=False)


def test_known_classes_may_fit(project, folder):
    use_gold(project, fits=True)
    assert project.current.settings.gold_fits
    assert "use_gold = true" in (folder / "shortlist.toml").read_text()
