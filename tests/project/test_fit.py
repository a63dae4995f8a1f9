"""A model is scored on known classes that it was not fitted with."""

import numpy as np
import pytest

from shortlist import Analysis, Votes
from shortlist.labelmodel import MajorityVote
from shortlist.labelmodel.evidence import Evidence
from shortlist.project.gold import entry_for
from shortlist.project.stages.fit import gold_scores, judged_by_halves, right_on_gold
from tests.project.news import edit, make

NOISY = """from shortlist import labeler

TOPICS = ["business", "politics", "sports"]


@labeler(says=TOPICS)
def length(text):
    return TOPICS[len(text) % 3]


@labeler(says=TOPICS)
def letters(text):
    return TOPICS[sum(map(ord, text)) % 3]
"""


class Memory:
    """Believes of a row what the rows with the same votes were known to be; else, the first class."""

    def __init__(self, evidence: Evidence) -> None:
        known = evidence.gold >= 0
        self.seen = dict(zip(map(bytes, evidence.votes.codes[known]), evidence.gold[known], strict=True))
        self.class_balance_ = np.full(2, 0.5)

    def predict_proba(self, votes):
        return np.eye(2)[[self.seen.get(bytes(row), 0) for row in votes.codes]]


def tally():
    """Six kinds of rows: three of x and two of y are known, and one that is not."""
    votes = Votes([[1, 1], [1, 2], [2, 1], [2, 2], [1, 0], [2, 0]], [["x", "y"]] * 2, ["x", "y"])
    return Evidence(votes, np.array([2.0, 1, 1, 3, 1, 5]), np.array([0, 0, 0, 1, 1, -1]))


def test_who_has_seen_the_answers_is_scored_by_halves():
    evidence, fitted = tally(), []

    def fit(one):
        fitted.append(one)
        return Memory(one)

    assert gold_scores(evidence, Memory(evidence))["accuracy"] == 1.0
    found = judged_by_halves(evidence, fit)
    # the fifth kind has one row: where its class is hidden, the row is taken for x
    assert found == {"accuracy": 7 / 8, "counting": 6 / 8, "gold_rows": 8, "gold_voted": 8} | {
        "below_counting": False,
        "frequent": {"class": "x", "gold_rows": 4, "gold_voted": 4},
    }
    assert [one.known().total for one in fitted] == [4, 4]


def test_check_tells_the_figure_of_the_fit_where_gold_rows_fit(tmp_path):
    """With its own gold rows among those it was fitted with, a model looks better than it is."""
    project = make(tmp_path, labelers=NOISY)
    edit(tmp_path / "shortlist.toml", "[classifier]", "[label_model]\nuse_gold = true\n\n[classifier]")
    _vote, fit, train, _check = project.run(["fit", "check"])
    session, facts = project.session, train.facts
    assert session.checkup.right == facts["right"]["votes and text"] / facts["gold_rows"]
    assert fit.facts["accuracy"] < session.sampled_analysis.right_on_gold


def test_counting_is_scored_on_the_same_rows():
    # x x: right twice; x y and y x: tied, so half right each; y y: right three times; x alone: wrong
    assert gold_scores(tally(), Memory(tally()))["counting"] == 6 / 8


def test_the_order_of_classes_does_not_change_the_score_of_counting():
    """With a tie on each third row, counting had 71 to 77 % by the order in which the classes were written."""
    codes, scores = np.random.default_rng(0).integers(0, 4, (200, 3)), []
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        names = [["x", "y", "z"][j] for j in order]
        votes = Votes(codes, [["x", "y", "z"]] * 3, names)
        gold = np.array([names.index("xyz"[a % 3]) for a in range(200)])
        analysis = Analysis(votes, MajorityVote().fit(votes), gold=["xyz"[a % 3] for a in range(200)])
        scores.append(gold_scores(Evidence(votes, np.ones(200), gold), MajorityVote().fit(votes))["counting"])
        assert analysis.counting_on_gold == pytest.approx(scores[-1])
    assert scores == pytest.approx([scores[0]] * 3)


@pytest.mark.parametrize(("lost", "won", "below"), [(2, 0, False), (4, 0, False), (5, 0, True), (20, 12, False)])
def test_a_model_is_below_counting_where_rows_that_differ_say_so(lost, won, below):
    """2 rows of 92 were called worse. Of kinds: both right, counting right alone, the model right alone."""
    votes = Votes([[1, 1], [2, 2], [1, 0]], [["x", "y"]] * 2, ["x", "y"])
    evidence = Evidence(votes, np.array([60.0, lost, won]), np.array([0, 1, 1]))
    wrong = Memory(Evidence(votes, np.ones(3), np.array([0, 0, 1])))
    assert gold_scores(evidence, wrong)["below_counting"] is below


def test_rows_without_a_vote_are_not_scored():
    votes = Votes([[1, 1], [2, 2], [0, 0]], [["x", "y"]] * 2, ["x", "y"])
    evidence = Evidence(votes, np.array([2.0, 1, 3]), np.array([0, 0, 0]))
    found = gold_scores(evidence, MajorityVote().fit(votes))
    assert found == {"accuracy": 2 / 3, "counting": 2 / 3, "gold_rows": 6, "gold_voted": 3} | {
        "below_counting": False,
        "frequent": {"class": "x", "gold_rows": 6, "gold_voted": 3},
    }
    assert right_on_gold(found) == ", 66.7% right on the 3 of 6 gold rows with a vote"
    silent = Evidence(votes, np.array([2.0, 1, 3]), np.array([-1, -1, 0]))
    assert gold_scores(silent, MajorityVote().fit(votes)) == {"gold_rows": 3, "gold_voted": 0}
    assert right_on_gold({"gold_rows": 3, "gold_voted": 0}) == ""


def test_rows_that_were_picked_because_they_are_hard_are_counted(tmp_path):
    """Of 100 rows of the gold column, which are not hard, and 4 of the gold file, which are, two of them wrong."""
    project = make(tmp_path)
    before = project.run(["fit"])[-1].facts
    assert "gold_hard" not in before
    session = project.session
    hard = [int(row) for row in np.flatnonzero(session.votes.covered) if row % 3][:4]
    label = [session.votes.space[int(session.analysis.guess[row])] for row in hard]
    label[:2] = ["business" if name == "sports" else "sports" for name in label[:2]]
    said = zip(hard, label, ("gain", "gain", "gain", "random"), strict=True)
    session.gold_file.add(*(entry_for(session.rows, row, [name], how) for row, name, how in said))
    facts = project.run(["fit"])[-1].facts
    assert (facts["gold_rows"], facts["gold_hard"]) == (104, 3)
    assert facts["accuracy"] == pytest.approx((before["accuracy"] * 100 + 2) / 104)
