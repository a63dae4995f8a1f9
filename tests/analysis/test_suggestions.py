"""What to label next: the gain by hand, and by trying every label."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist import Analysis, LabelModel, Not, Votes, ask
from shortlist.analysis.suggestions import answered, best_split, expected_rise, information
from shortlist.errors import BadFit
from shortlist.models import Model
from tests.analysis.worked import newspaper, oracle, quietly_fitted


def test_the_rise_by_hand():
    # b = (.5, .5), κ = 1: either label makes it (.75, .25); from .5 to .75
    assert expected_rise(np.array([[0.5, 0.5]]), 1.0) == pytest.approx([0.25])
    assert expected_rise(np.array([[1.0, 0.0]]), 1.0) == pytest.approx([0.0])
    # b = (.9, .1), κ = 1: .9 · .95 + .1 · .55 − .9
    assert expected_rise(np.array([[0.9, 0.1]]), 1.0) == pytest.approx([0.01])
    # b = (.9, .1), κ = 9: no single label changes the guess
    assert expected_rise(np.array([[0.9, 0.1]]), 9.0) == pytest.approx([0.0], abs=1e-12)


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=5), st.floats(0.1, 20))
def test_the_rise_by_trying_every_label(parts, trust):
    b = np.array(parts) / sum(parts)
    after = [np.max((trust * b + np.eye(len(b))[y]) / (trust + 1)) for y in range(len(b))]
    assert expected_rise(b[None], trust)[0] == pytest.approx(b @ after - b.max(), abs=1e-12)
    assert expected_rise(b[None], trust)[0] > -1e-12


def test_the_newspaper():
    votes = newspaper()[[0, 1, 2, 2, 3, 4, 5]]
    table = Analysis(votes, oracle()).suggest()
    # row 2 and the next have the same votes and beliefs (.5, .5): 2 · .25; then (.25, .25, .5): .1875
    assert table["row"].to_list()[:2] == [2, 6]
    assert table["rows"].to_list()[:2] == [2, 1]
    assert table["gain"].to_list()[:2] == pytest.approx([0.5, 0.1875])
    assert table.row(0, named=True)["said"] == "goal: sports; abroad: {sports, world}; money: business"
    assert (table["class"][1], table["or"][1], table["or_belief"][1]) == ("world", "business", 0.25)
    assert table["gain"].is_sorted(descending=True)


def test_rows_that_are_labelled_are_not_suggested():
    votes = newspaper()[[2, 2, 5]]
    table = Analysis(votes, oracle(), gold={0: "sports"}).suggest()
    assert sorted(table["row"].to_list()) == [1, 2]
    assert table["rows"].to_list() == [1, 1]


def test_nothing_is_left_to_label():
    votes = newspaper()
    table = Analysis(votes, oracle(), gold=["world"] * 6).suggest()
    assert table.is_empty()
    assert table["class"].dtype == Analysis(votes, oracle()).suggest()["class"].dtype


def test_bad_input():
    analysis = Analysis(newspaper(), oracle())
    with pytest.raises(BadFit, match="0"):
        analysis.suggest(0)
    with pytest.raises(BadFit, match="model"):
        Analysis(newspaper()).suggest()


CLASSES = ["person", "place", "number", "date"]


def test_information_worked_by_hand():
    """A fair coin and a sure answer: one bit. An answer that is right half the time, or a known class: none."""
    fair, mask = np.array([[0.5, 0.5]]), np.array([[True, False]])
    assert information(fair, np.ones(1), mask, 1.0)[0] == pytest.approx(1.0)
    assert information(fair, np.ones(1), mask, 0.8)[0] == pytest.approx(1 - 0.7219281)
    assert information(fair, np.ones(1), mask, 0.5)[0] == pytest.approx(0.0)
    assert information(np.array([[1.0, 0.0]]), np.ones(1), mask, 0.8)[0] == pytest.approx(0.0)


def test_information_is_what_answers_are_expected_to_take_off_the_entropy():
    """Two ways to the same number: the formula, and the entropy of the class before and after the answer."""
    draw = np.random.default_rng(0)
    beliefs, weights = draw.dirichlet(np.ones(4), 20), np.full(20, 1 / 20)
    mask = np.array([True, False, True, False])

    def uncertainty(b, w):
        return -(w @ (b * np.log2(np.maximum(b, 1e-300))).sum(axis=1))

    after, chances = answered(beliefs, weights, mask)
    assert chances.sum() == pytest.approx(1)
    told = uncertainty(beliefs, weights) - uncertainty(after, chances)
    assert information(beliefs, weights, mask[None], 0.8)[0] == pytest.approx(told)


def test_the_best_split_is_the_best_of_all():
    draw = np.random.default_rng(1)
    for _ in range(5):
        beliefs, weights = draw.dirichlet(np.full(5, 0.5), 12), np.full(12, 1 / 12)
        sets = [[(s >> j) & 1 for j in range(5)] for s in range(1, 31) if 1 <= bin(s).count("1") <= 2]
        gains = information(beliefs, weights, np.array(sets, bool))
        one = gains[[sum(each) == 1 for each in sets]].max()
        expected = gains.max() if gains.max() > 1.25 * one else one  # two classes have to tell a quarter more than one
        assert best_split(beliefs, weights, 2, lambda _split: True)[1] == pytest.approx(expected)


def test_a_question_that_separates_nothing_is_skipped_for_one_that_does():
    beliefs, weights = np.array([[0.9, 0.06, 0.02, 0.02], [0.02, 0.02, 0.94, 0.02]]), np.array([0.5, 0.5])
    split, gain = best_split(beliefs, weights, 2, lambda split: split == (2,))
    assert split == (2,)
    assert gain < information(beliefs, weights, np.array([[True, False, False, False]]))[0] + 1e-9


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
    table = Analysis(votes, LabelModel().fit(votes)).suggest_questions(3)
    first = table.row(0, named=True)
    assert ("person" in first["classes"]) != ("place" in first["classes"])
    assert first["separates"] == 1
    assert (table["gain"] > 0).all()


def test_the_text_is_a_labeler():
    votes = votes_that_mix_up_two_classes()

    class Coin(Model):
        id = "coin"

        def scores(self, prompts, choices):
            return np.zeros((len(prompts), len(choices)))

    for line in Analysis(votes, quietly_fitted(votes)).suggest_questions(3, largest=2).iter_rows(named=True):
        made = eval(line["text"], {"ask": ask, "Not": Not, "lm": Coin()})
        assert made.says[0] == frozenset(line["classes"])


@pytest.mark.parametrize("wrong", [{"n": 0}, {"largest": 0}])
def test_options_that_cannot_be(wrong):
    votes = votes_that_mix_up_two_classes()
    with pytest.raises(BadFit):
        Analysis(votes, quietly_fitted(votes)).suggest_questions(**wrong)


def test_a_question_that_tells_little_is_not_proposed():
    """Newcomer: "Is this about autos or hockey or space?", with no new pair told apart."""
    draw = np.random.default_rng(3)
    truth = draw.integers(0, 4, 400)
    codes = np.column_stack([np.where(draw.random(400) < 0.8, truth, draw.integers(0, 4, 400)) + 1 for _ in range(4)])
    votes = Votes(codes, [[*CLASSES]] * 4, CLASSES)
    for line in Analysis(votes, quietly_fitted(votes)).suggest_questions(5).iter_rows(named=True):
        assert line["separates"] or line["gain"] >= 0.14
    assert Analysis(votes, quietly_fitted(votes)).suggest_questions(5).is_empty()
