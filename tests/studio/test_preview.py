"""The preview of a rule: figures that hold when it is saved, its effect on the final labels, and suggested words."""

import numpy as np
import pytest

from shortlist.browse.query import alike
from shortlist.browse.trial import measured
from shortlist.classifier import embeddings
from shortlist.errors import ShortlistError
from shortlist.studio.preview import TrialFits, preview
from shortlist.studio.rules import Superseded, rules, save_rule, use_gold
from shortlist.studio.service import Service
from shortlist.studio.views import overview
from tests.project.news import edit

DRAFT = {"kind": "keywords", "name": "teams", "words": ["team", "w1"], "says": "sports", "no": {"not": "sports"}}


@pytest.fixture
def seen(project):
    return preview(project.current, DRAFT, None)


def test_figures_are_those_of_the_rule_when_kept(project, seen):
    covered = project.current.votes.covered
    save_rule(project, DRAFT, None)
    votes, i = project.current.votes, project.current.votes.names.index("teams")
    codes = votes.codes[:, i]
    line = {line["labeler"]: line for line in project.current.analysis.labelers(level=None).to_dicts()}["teams"]
    assert seen["votes"] == line["votes"] == (codes != 0).sum()
    assert seen["coverage"] == line["coverage"]
    assert seen["new"] == ((codes != 0) & ~covered).sum()
    right = seen["gold"]["votes"] - seen["gold"]["wrong"]
    assert right / seen["gold"]["votes"] == pytest.approx(line["gold_accuracy"])
    assert seen["gold"]["votes"] == line["gold_votes"]
    said = {tuple(one["classes"]): one["votes"] for one in seen["says"]}
    found = votes.counts()[i]
    assert said == {votes.space.ordered(s): found[c + 1] for c, s in enumerate(votes.codomains[i].says)}


def test_conflicts_are_counted_row_by_row(project, seen):
    save_rule(project, DRAFT, None)
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
        preview(project.current, DRAFT, None, superseded=lambda: True)


@pytest.mark.filterwarnings("ignore:pattern")
def test_a_pattern_that_backtracks_is_given_up(project, monkeypatch):
    """In linear time where it can be expressed; given up after a limit of time where it cannot."""
    from shortlist.labelers import regex

    monkeypatch.setattr(regex, "TIME_LIMIT", 0.3)
    fast = preview(project.current, {"kind": "pattern", "name": "p", "regex": r"(\w+\s?)+@", "yes": "sports"}, None)
    assert fast["votes"] == 0
    slow = {"kind": "pattern", "name": "p", "regex": r"^(\w+\s?)+(?=@)", "yes": "sports"}
    with pytest.raises(ShortlistError):
        preview(project.current, slow, None)


def test_a_bad_expression_is_told(project):
    with pytest.raises(ShortlistError, match="not a regular expression"):
        preview(project.current, {"kind": "pattern", "name": "p", "regex": "(", "yes": "sports"}, None)


def test_precision_and_recall_are_those_of_gold_rows(project, seen):
    """Counted here by hand, from the votes of the saved rule."""
    save_rule(project, DRAFT, None)
    session = project.current
    gold, said = session.gold, [session.votes.said(a).get("teams") for a in range(len(session.votes))]
    known = [(one, a) for one, a in zip(gold, said, strict=True) if one is not None]
    for line in seen["says"]:
        voted = [one for one, a in known if a == tuple(line["classes"])]
        theirs = [a for one, a in known if one in line["classes"]]
        assert line["precision"] == pytest.approx(np.mean([one in line["classes"] for one in voted]))
        assert line["recall"] == pytest.approx(np.mean([a == tuple(line["classes"]) for a in theirs]))
        assert line["chance"] == pytest.approx(len(theirs) / len(known))
        assert line["recall_chance"] == pytest.approx(len(voted) / len(known))


def test_the_effect_of_a_rule_is_that_of_saving_it_where_all_rows_are_the_sample(project):
    trials, session = TrialFits(), project.current
    rule = {"kind": "keywords", "name": "teams", "words": ["team", "goal", "w1", "w2"], "says": "politics"}
    told = trials.effect(session, rule, None)
    before, known = trials.of(session).beliefs, session.known.positions
    save_rule(project, rule, None)
    after = trials.of(project.current).beliefs
    assert not np.allclose(before, after)
    assert told["rows_without_gold"] == (known < 0).sum() == 200
    expected = measured(before, after, known, 200)
    assert (told["rows"], told["margin"]) == pytest.approx((expected.rows, expected.error))
    assert (told["changed"], told["gold"]) == (expected.changed, 100)
    nothing = trials.effect(project.current, rule, "teams")
    assert (nothing["changed"], nothing["rows"]) == (0, 0)  # it is saved as it is


def test_gold_rows_that_only_score_are_labelled_by_votes_and_teach_no_trial(project):
    use_gold(project, fits=False)
    session, trials = project.current, TrialFits()
    rule = {"kind": "keywords", "name": "teams", "words": ["team", "goal", "w1", "w2"], "says": "politics"}
    assert trials.effect(session, rule, None)["rows_without_gold"] == len(session.votes) == 300
    blind = trials.of(session).blind
    assert (blind.gold >= 0).sum() == 100  # they still measure the effect
    assert (blind.taught < 0).all()
    assert trials.of(session).taught is blind.gold  # words are suggested with their help


def test_words_of_a_class_are_suggested_until_a_rule_has_them(project):
    trials = TrialFits()
    words = trials.suggest(project.current, ["sports"], [], None)
    assert words
    assert all(one["says"] == ("sports",) and one["precision"] > 0.5 for one in words)
    first = words[0]["word"]
    assert first not in {one["word"] for one in trials.suggest(project.current, ["sports"], [first], None)}
    text = project.current.rows.take([7])["body"][0]
    assert all(one["word"] in text for one in trials.suggest(project.current, [], [], 7))


NEAR = {"kind": "similar", "name": "near", "examples": ["0"], "yes": "sports", "above": 0.8}


@pytest.fixture
def angles(project, monkeypatch):
    """The project with an encoder whose vectors are known: the angle of a text is its number of letters, times ten."""
    made = []

    def vectors(_encoder, texts):
        made.extend(texts)
        turned = np.radians([10.0 * len(text) for text in texts])
        return np.stack([np.cos(turned), np.sin(turned)], axis=1).astype(np.float32)

    monkeypatch.setattr(embeddings, "_loaded", lambda name: name)
    monkeypatch.setattr(embeddings, "mean_vectors", vectors)
    edit(project.folder / "shortlist.toml", 'kind = "linear"', 'kind = "linear"\nencoder = "angles"')
    project.refresh()
    return made


def test_a_rule_of_similarity_is_tried_and_kept(project, angles):
    texts = project.current.rows.take(range(300))["body"].to_list()
    cosines = np.cos(np.radians([10.0 * len(text) - 10 for text in texts]))
    service, told = Service(project), []
    project.subscribers.append(lambda kind, facts: told.append((kind, facts.get("stage"))))
    seen = service.preview({"record": NEAR})
    lines = ["1 text with the encoder: 0%", *(f"300 texts with the encoder: {share}" for share in ("0%", "85%"))]
    assert told == [*(("working", f"reading {line}") for line in lines), ("idle", None)]
    assert seen["votes"] == (cosines >= 0.8).sum()
    assert preview(project.current, NEAR | {"above": 0.2}, None)["votes"] == (cosines >= 0.2).sum()
    effect = TrialFits().effect(project.current, NEAR, None)
    assert effect["estimated"][0]["judged"] == seen["votes"]
    save_rule(project, NEAR, None)
    votes = project.current.votes
    assert (votes.codes[:, votes.names.index("near")] != 0).sum() == seen["votes"]
    assert len(angles) == 301  # each text once, for two previews, the effect and the vote
    assert rules(project.current)[1].record == NEAR
    assert overview(project)["encoder"]


def test_a_mistake_in_a_rule_of_similarity_is_not_looked_for_in_the_file(project, angles):
    """It named a line of shortlist.toml, where the rule is not written yet."""
    with pytest.raises(ShortlistError, match=r"^similar 'near': above is a cosine from 0 to 1; got 2$"):
        preview(project.current, NEAR | {"above": 2}, None)


def test_rows_like_one_are_found_by_vectors_once_there_are_some(project, angles):
    lengths = np.array([len(text) for text in project.current.rows.take(range(300))["body"]])
    words = alike(project.current, "7")
    assert not angles  # not read for this
    preview(project.current, NEAR, None)
    found = alike(project.current, "7")
    far = np.abs((lengths[found] - lengths[7] + 18) % 36 - 18)  # in tens of degrees
    assert (np.diff(far) >= 0).all()
    assert not np.array_equal(found, words)


def test_without_an_encoder_there_is_no_rule_of_similarity(project):
    assert not overview(project)["encoder"]
    with pytest.raises(ShortlistError, match=r"under \[classifier\]"):
        preview(project.current, NEAR, None)
