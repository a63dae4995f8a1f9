"""Several people label the same rows: majority, ties, agreement, and their labels as votes."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from shortlist import Project
from shortlist.errors import ShortlistError
from shortlist.project.gold import GoldFile, Known, agreed, checked_name, entry_for
from tests.project.news import CLASSES, TOML, make

WITHOUT_GOLD = TOML.replace('gold = "label"\n', "")


def label(session, row, **said):
    session.gold_file.add(
        *(entry_for(session.rows, row, [name] if name else [], None, by) for by, name in said.items())
    )


def read(session):
    return Known.read(session.rows, session.gold_file, CLASSES)


def test_most_people_count_and_a_tie_is_no_gold(tmp_path):
    with make(tmp_path, toml=WITHOUT_GOLD).open() as session:
        label(session, 0, anna="sports", bob="sports", eve="politics")
        label(session, 1, anna="sports", bob="politics")
        label(session, 2, anna="sports", bob=None)
        label(session, 3, anna=None, bob=None)
        known = read(session)
        assert known.classes[:4] == ["sports", None, "sports", None]
        assert known.shortlists == {1: ("sports", "politics")}
        assert known.skipped == {3}
        assert known.differing == [0, 1]
        label(session, 1, eve="politics")
        assert read(session).classes[1] == "politics"
        label(session, 1, anna="politics")  # changes her mind
        assert read(session).differing == [0]


def test_several_classes_of_one_person_are_settled_by_another(tmp_path):
    with make(tmp_path, toml=WITHOUT_GOLD).open() as session:
        several = entry_for(session.rows, 0, ["business", "sports"], None, "anna")
        one = entry_for(session.rows, 0, ["sports"], None, "bob")
        assert agreed([several]) == ("business", "sports")
        assert agreed([several, one]) == ("sports",)
        session.gold_file.add(several, one)
        assert read(session).differing == []


def test_a_tie_goes_over_the_gold_column(tmp_path):
    with make(tmp_path).open() as session:
        assert read(session).classes[0] is not None
        label(session, 0, anna="sports", bob="politics")
        assert read(session).classes[0] is None


def test_a_file_without_names_is_read_and_kept(tmp_path):
    path = tmp_path / "gold.jsonl"
    path.write_text('{"kind": "shortlist gold", "version": 1}\n{"id": "doc1", "classes": ["sports"]}\n')
    with make(tmp_path, toml=WITHOUT_GOLD).open() as session:
        assert read(session).classes[1] == "sports"
        label(session, 2, anna="politics")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines == [
        {"kind": "shortlist gold", "version": 2},
        {"id": "doc1", "classes": ["sports"]},
        {"id": "doc2", "classes": ["politics"], "by": "anna"},
    ]
    assert [entry.by for entry in GoldFile(path).entries()] == ["", "anna"]


def test_the_run_scores_by_the_majority(tmp_path):
    project = make(tmp_path, toml=WITHOUT_GOLD)
    with project.open() as session:
        label(session, 0, anna="sports", bob="sports", eve="politics")
        label(session, 1, anna="sports", bob="politics")
    assert project.run(["fit"])[-1].facts["gold_rows"] == 1


@pytest.mark.parametrize("ids", [True, False])
def test_labels_of_people_are_votes_where_wanted(tmp_path, ids):
    toml = WITHOUT_GOLD.replace('text = "body"', 'text = "body"\npeople = "votes"')
    project = make(tmp_path, toml=toml if ids else toml.replace('id = "id"\n', ""))
    with project.open() as session:
        label(session, 0, anna="sports", bob="politics")
        label(session, 1, anna="sports", bob=None)
        session.gold_file.add(entry_for(session.rows, 2, ["business", "sports"], "random", "bob"))
    facts = {one.stage: one.facts for one in project.run(["fit"])}
    votes = project.session.votes
    assert votes.names[-2:] == ("anna (person)", "bob (person)")
    people = [{name: said for name, said in votes.said(a).items() if "person" in name} for a in range(3)]
    assert people == [
        {"anna (person)": ("sports",), "bob (person)": ("politics",)},
        {"anna (person)": ("sports",)},
        {"bob (person)": ("business", "sports")},
    ]
    assert not facts["fit"].get("gold_rows")  # what has voted cannot score
    assert project.session.known.classes is None
    with project.open() as session:
        label(session, 3, anna="business")
    assert Project(tmp_path).run(["vote"])[-1].status == "done"


def test_votes_of_people_need_something_to_find_their_rows_by(tmp_path):
    toml = WITHOUT_GOLD.replace('text = "body"\nid = "id"', 'people = "votes"').replace(
        'kind = "linear"', 'kind = "none"'
    )
    with pytest.raises(ShortlistError, match="an id or a text column"):
        make(tmp_path, toml=toml).run(["vote"])


@pytest.mark.parametrize("name", ["a\nb", "x" * 61, "unnamed", "\x1b[31mred"])
def test_a_name_is_one_line(name):
    with pytest.raises(ShortlistError, match="in one line"):
        checked_name(name)
    assert checked_name(" Åsa ") == "Åsa"


WRITER = """
import sys
from pathlib import Path
from shortlist.project.gold import Entry, GoldFile
file = GoldFile(Path(sys.argv[1]))
for a in range(100_000):
    file.add(Entry(("id", f"doc{a}"), ("sports",), None, "random", "anna"))
    print(a, flush=True)
"""


def test_labels_of_a_killed_process_are_whole_and_others_go_on(tmp_path):
    path = tmp_path / "gold.jsonl"
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        while int(writer.stdout.readline()) < 20:
            pass
        writer.kill()
    kept = GoldFile(path).entries()
    assert [entry.key[1] for entry in kept] == [f"doc{a}" for a in range(len(kept))]
    assert len(kept) > 20
    GoldFile(path).add(replace(kept[0], by="bob", classes=("politics",)))
    assert list(GoldFile(path).by_row()["id", "doc0"]) == ["anna", "bob"]
