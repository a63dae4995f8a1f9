"""The summary of a session of `shortlist label`."""

from pathlib import Path

import pytest

from shortlist.cli.label import LabelingSession, summary
from shortlist.cli.screen import Screen
from shortlist.project.gold import Entry
from tests.project.news import TOML, make

ONE_CLASS = "`shortlist run` uses rows with one class"


@pytest.mark.parametrize(
    ("sizes", "line"),
    [
        ([], "nothing labelled"),
        ([1], "1 labelled → gold.jsonl. `shortlist run` uses it"),
        ([1, 1], "2 labelled → gold.jsonl. `shortlist run` uses them"),
        ([1, 2], f"1 labelled, 1 with several classes → gold.jsonl. {ONE_CLASS}"),
        ([1, 1, 0], "2 labelled, 1 skipped → gold.jsonl. `shortlist run` uses them"),
        ([2, 0], f"1 with several classes, 1 skipped → gold.jsonl. {ONE_CLASS}"),
        ([0], "1 skipped → gold.jsonl"),
    ],
)
def test_only_rows_with_one_class_are_said_to_be_used(sizes, line):
    """One class and one shortlist: "2 labelled. `shortlist run` uses them"."""
    entries = [Entry(("id", str(a)), ("a", "b")[:size]) for a, size in enumerate(sizes)]
    assert summary(entries, Path("gold.jsonl")) == line


def test_two_people_label_in_turn_and_a_third_settles(tmp_path, capsys):
    project = make(tmp_path, toml=TOML.replace('gold = "label"\n', ""))
    project.run(["fit"])

    def press(keys, picked, by):
        pressed = iter([*keys, "q"])
        LabelingSession(project.session, Screen(as_json=False), lambda: next(pressed), picked, by).run()
        return capsys.readouterr().out

    press("123", "random", "anna")
    assert "known" not in press("1?33", "random", "bob")
    printed = press("3", "differ", "eve")
    assert "anna: politics; bob: sports" in printed
    assert "no row is left; 1 labelled" in printed
    entries = project.session.gold_file.entries()
    assert [(entry.by, *entry.classes) for entry in entries] == [
        ("anna", "business"), ("anna", "politics"), ("anna", "sports"),
        ("bob", "business"), ("bob", "sports"), ("bob", "sports"), ("eve", "sports"),
    ]  # fmt: skip
    check = {one.stage: one.facts for one in project.run(["check"])}["check"]
    assert check["verdict"]
    people = project.session.checkup.agreement
    assert people.startswith("anna, bob, eve: 67% of 3 rows with several labels have one class; Krippendorff's α")
    assert people.endswith("People differ on 1 row: shortlist label --differ")
