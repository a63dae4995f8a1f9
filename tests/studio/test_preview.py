"""What a rule would do, against the same rule kept."""

import numpy as np
import pytest

from shortlist.errors import ShortlistError
from shortlist.studio.preview import Superseded, preview
from shortlist.studio.rules import rules, save_rule

RULE = {"kind": "keywords", "name": "teams", "words": ["team", "w1"], "says": "sports", "no": {"not": "sports"}}


@pytest.fixture
def seen(project):
    return preview(project.current, RULE, None)


def test_figures_are_those_of_the_rule_when_kept(project, seen):
    covered = project.current.votes.covered
    save_rule(project, RULE, None)
    votes, i = project.current.votes, project.current.votes.names.index("teams")
    codes = votes.codes[:, i]
    line = {line["labeler"]: line for line in project.current.analysis.labelers(level=None).to_dicts()}["teams"]
    assert seen["votes"] == line["votes"] == (codes != 0).sum()
    assert seen["coverage"] == line["coverage"]
    assert seen["new"] == ((codes != 0) & ~covered).sum()
    assert seen["gold"]["accuracy"] == line["gold_accuracy"]
    assert seen["gold"]["votes"] == line["gold_votes"]
    said = {tuple(one["classes"]): one["votes"] for one in seen["says"]}
    found = votes.counts()[i]
    assert said == {votes.space.ordered(s): found[c + 1] for c, s in enumerate(votes.codomains[i].says)}


def test_conflicts_are_counted_row_by_row(project, seen):
    save_rule(project, RULE, None)
    votes = project.current.votes
    for line in seen["conflicts"]:
        both = [votes.said(a) for a in range(len(votes)) if {"teams", line["labeler"]} <= votes.said(a).keys()]
        assert line["together"] == len(both)
        assert line["conflict"] == sum(not set(said["teams"]) & set(said[line["labeler"]]) for said in both)
    assert [line["conflict"] for line in seen["conflicts"]] == sorted(
        (line["conflict"] for line in seen["conflicts"]), reverse=True
    )


def test_examples_are_marked_and_judged(seen):
    marked = {text for row in seen["examples"] for text, who in row["pieces"] if who}
    assert marked <= {"team", "w1"}
    assert marked
    for row in seen["examples"]:
        if row["gold"]:
            assert row["right"] == (row["gold"][0] in row["draft"])


def test_a_rule_that_is_edited_is_not_compared_with_itself(project):
    money = next(rule.record for rule in rules(project.current) if rule.name == "money")
    seen = preview(project.current, money, "money")
    assert "money" not in {line["labeler"] for line in seen["conflicts"]}
    others = np.delete(project.current.votes.codes, project.current.votes.names.index("money"), axis=1)
    mine = project.current.votes.codes[:, project.current.votes.names.index("money")]
    assert seen["new"] == ((mine != 0) & ~(others != 0).any(axis=1)).sum()


def test_nothing_is_written(project, folder, seen):
    assert seen
    assert "teams" not in (folder / "shortlist.toml").read_text()
    assert "teams" not in project.current.votes.names


def test_nobody_waits_for_a_question_that_was_changed(project):
    with pytest.raises(Superseded):
        preview(project.current, RULE, None, superseded=lambda: True)


@pytest.mark.filterwarnings("ignore:pattern")
def test_a_pattern_that_backtracks_is_given_up(project, monkeypatch):
    """In linear time where it can be expressed; given up after a limit of time where it cannot."""
    from shortlist.labelers import slow_regex

    monkeypatch.setattr(slow_regex, "TIME_LIMIT", 0.3)
    fast = preview(project.current, {"kind": "pattern", "name": "p", "regex": r"(\w+\s?)+@", "yes": "sports"}, None)
    assert fast["votes"] == 0
    slow = {"kind": "pattern", "name": "p", "regex": r"^(\w+\s?)+(?=@)", "yes": "sports"}
    with pytest.raises(ShortlistError):
        preview(project.current, slow, None)


def test_a_bad_expression_is_told(project):
    with pytest.raises(ShortlistError, match="not a regular expression"):
        preview(project.current, {"kind": "pattern", "name": "p", "regex": "(", "yes": "sports"}, None)
