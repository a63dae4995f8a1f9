"""Which question to ask next."""

import numpy as np
import pytest

from shortlist import Analysis, LabelModel, Not, Votes, ask, suggest_questions
from shortlist.errors import BadFit
from shortlist.uncertainty.questions import answered, best_split, entropy, information

CLASSES = ["person", "place", "number", "date"]


def test_information_worked_by_hand():
    """A fair coin and a sure answer: one bit. An answer that is right half the time, or a known class: none."""
    fair, mask = np.array([[0.5, 0.5]]), np.array([[True, False]])
    assert information(fair, np.ones(1), mask, 1.0)[0] == pytest.approx(1.0)
    assert information(fair, np.ones(1), mask, 0.8)[0] == pytest.approx(1 - 0.7219281)
    assert information(fair, np.ones(1), mask, 0.5)[0] == pytest.approx(0.0)
    assert information(np.array([[1.0, 0.0]]), np.ones(1), mask, 0.8)[0] == pytest.approx(0.0)
    assert entropy(np.array([0.0, 1.0])).tolist() == [0.0, 0.0]


def test_information_is_what_answers_are_expected_to_take_off_the_entropy():
    """Two ways to the same number: the formula, and the entropy of the class before and after the answer."""
    draw = np.random.default_rng(0)
    beliefs, weights = draw.dirichlet(np.ones(4), 20), np.full(20, 1 / 20)
    mask = np.array([True, False, True, False])

    def uncertainty(b, w):
        return -(w @ (b * np.log2(np.maximum(b, 1e-300))).sum(axis=1))

    after, chances = answered(beliefs, weights, mask, 0.8)
    assert chances.sum() == pytest.approx(1)
    told = uncertainty(beliefs, weights) - uncertainty(after, chances)
    assert information(beliefs, weights, mask[None], 0.8)[0] == pytest.approx(told)


def test_the_best_split_is_the_best_of_all():
    draw = np.random.default_rng(1)
    for _ in range(5):
        beliefs, weights = draw.dirichlet(np.full(5, 0.5), 12), np.full(12, 1 / 12)
        sets = [[(s >> j) & 1 for j in range(5)] for s in range(1, 31) if 1 <= bin(s).count("1") <= 2]
        gains = information(beliefs, weights, np.array(sets, bool), 0.9)
        assert best_split(beliefs, weights, 0.9, 2)[1] == pytest.approx(gains.max())


def votes_that_mix_up_two_classes():
    """Two labelers tell {person, place} from the rest, and nobody tells person from place."""
    draw = np.random.default_rng(2)
    truth = draw.integers(0, 4, 400)
    codes = np.column_stack([np.where(draw.random(400) < 0.9, truth // 2, 1 - truth // 2) + 1 for _ in range(3)])
    other = np.where(truth == 2, 1, np.where(truth == 3, 2, 0))
    says = [[{"person", "place"}, {"number", "date"}]] * 3 + [["number", "date"]]
    return Votes(np.column_stack([codes, other]), says, CLASSES)


@pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")
def test_what_nobody_tells_apart_is_asked_about():
    votes = votes_that_mix_up_two_classes()
    table = suggest_questions(votes, n=3)
    first = table.row(0, named=True)
    assert ("person" in first["classes"]) != ("place" in first["classes"])
    assert first["separates"] == 1
    assert (table["gain"] > 0).all()
    again = Analysis(votes, LabelModel().fit(votes)).suggest_questions(3)
    assert again.equals(table)


def test_the_text_is_a_labeler():
    votes = votes_that_mix_up_two_classes()

    class Coin:
        id = "coin"

        def scores(self, prompts, choices):
            return np.zeros((len(prompts), len(choices)))

    for line in suggest_questions(votes, n=3, largest=2).iter_rows(named=True):
        made = eval(line["text"], {"ask": ask, "Not": Not, "lm": Coin()})
        assert made.says[0] == frozenset(line["classes"])


@pytest.mark.parametrize("wrong", [{"n": 0}, {"accuracy": 0.5}, {"accuracy": 1.2}, {"largest": 0}])
def test_options_that_cannot_be(wrong):
    with pytest.raises(BadFit):
        suggest_questions(votes_that_mix_up_two_classes(), **wrong)
