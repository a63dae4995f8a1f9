"""From scores to votes."""

import numpy as np
import pytest

from shortlist.errors import BadLabeler
from shortlist.labelspace import Not
from shortlist.prompts.answer_map import AnswerMap, either, mean_scores

MAP = AnswerMap.of({" a": "A", " b": {"B", "C"}, " d": "D", " x": None}, "it")
A, BC, D = frozenset("A"), frozenset("BC"), frozenset("D")


def said(shares, margin=0.0, widen=False, answers=MAP, offsets=None):
    with np.errstate(divide="ignore"):
        places = answers.decide(np.log(np.array([shares], float)), margin, widen, offsets)
    says = answers.says(widen)
    return says[places[0] - 1] if places[0] else None


def test_the_likeliest_choice():
    assert said([0.1, 0.6, 0.2, 0.1]) == BC
    assert said([0.1, 0.1, 0.2, 0.6]) is None


def test_a_lead_below_the_margin_abstains_or_widens():
    """0.5 against 0.3: a lead of 0.2."""
    assert said([0.5, 0.1, 0.3, 0.1], margin=0.2 - 1e-9) == A
    assert said([0.5, 0.1, 0.3, 0.1], margin=0.25) is None
    assert said([0.5, 0.1, 0.3, 0.1], margin=0.25, widen=True) == A | D
    assert said([0.5, 0.1, 0.1, 0.3], margin=0.25, widen=True) is None  # one of the two abstains


def test_scores_count_among_the_choices_only():
    """0.05 and 0.03 of all words are 5/8 and 3/8 of the choices."""
    answers = AnswerMap.of({"a": "A", "b": "B"}, "it")
    assert said([0.05, 0.03], margin=0.249, answers=answers) == A
    assert said([0.05, 0.03], margin=0.251, answers=answers) is None


def test_choices_that_mean_the_same_stand_together():
    answers = AnswerMap.of({"a": "A", "b": "B", "bee": "B"}, "it")
    assert said([0.4, 0.3, 0.3], answers=answers) == frozenset("B")


def test_a_tie_is_no_vote():
    assert said([0.4, 0.4, 0.1, 0.1]) is None
    assert said([0.4, 0.4, 0.1, 0.1], widen=True) == A | BC


def test_no_answer_abstains():
    assert MAP.decide(np.full((2, 4), np.nan), 0.0, False).tolist() == [0, 0]


def test_a_choice_without_a_score_has_no_share():
    assert MAP.shares(np.array([[0.0, np.nan, np.nan, np.nan]])).tolist() == [[1.0, 0.0, 0.0, 0.0]]


def test_two_answers_that_leave_nothing_out_are_no_shortlist():
    answers = AnswerMap.of({" yes": {"A"}, " no": Not("A")}, "it")
    assert answers.says(True) == (A, Not("A"))
    assert said([0.5, 0.5], widen=True, answers=answers) is None
    parts = AnswerMap.of({"a": {"A", "B"}, "b": {"C"}}, "it")
    assert parts.says(True) == (frozenset("AB"), frozenset("C"))


def test_either():
    assert either(Not("A", "B"), frozenset("A")) == Not("B")
    assert either(Not("A", "B"), Not("B", "C")) == Not("B")
    assert either(Not("A"), frozenset("A")) is None
    assert either(frozenset("A"), None) is None


def test_calibration_takes_the_mean_off():
    """Scores that always favour the first choice; what differs from the mean decides."""
    scores = np.log([[0.8, 0.2], [0.6, 0.4]])
    answers = AnswerMap.of({"a": "A", "b": "B"}, "it")
    assert answers.decide(scores, 0.0, False).tolist() == [1, 1]
    mean = mean_scores([scores, np.full((1, 2), np.nan)])
    np.testing.assert_allclose(mean, scores.mean(axis=0))
    assert answers.decide(scores, 0.0, False, mean).tolist() == [1, 2]
    assert mean_scores([np.full((1, 2), np.nan)]) is None


@pytest.mark.parametrize(
    "answers",
    [
        {" a": "A"}, {}, "a", {" a": "A", "A ": "B"}, {" a": "A", "": "B"}, {" a": "A", 3: "B"},
        {" a": "A", " b": "A"}, {" a": None, " b": None}, {" a": "A", " b": {}}, {" a": "A", " b": 7},
    ],
)  # fmt: skip
def test_a_map_is_checked_before_anything_is_asked(answers):
    with pytest.raises(BadLabeler) as raised:
        AnswerMap.of(answers, "it")
    assert raised.value.labeler == "it"
    assert raised.value.option == ("answers",)
