"""Which choice a model means."""

import numpy as np
import pytest

from shortlist.models.protocols import first_token_scores, matched

CHOICES = (" yes", " no")


def test_all_spellings_of_a_choice_count():
    tokens = [(" yes", np.log(0.3)), ("Yes", np.log(0.2)), (" no,", np.log(0.1)), (" banana", np.log(0.4))]
    np.testing.assert_allclose(np.exp(first_token_scores(tokens, CHOICES)), [0.5, 0.1])


def test_the_beginning_of_a_choice_is_enough():
    tokens = [(" per", np.log(0.6)), (" pl", np.log(0.2))]
    np.testing.assert_allclose(np.exp(first_token_scores(tokens, (" person", " place"))), [0.6, 0.2])


def test_a_choice_that_is_not_told_of_is_at_most_as_likely_as_the_rest():
    """0.05 is left, and the least likely token has 0.25: so the other choice has 0.05 at most."""
    tokens = [(" yes", np.log(0.7)), (" banana", np.log(0.25))]
    np.testing.assert_allclose(np.exp(first_token_scores(tokens, CHOICES)), [0.7, 0.05])


def test_none_of_the_choices_is_no_answer():
    assert np.isnan(first_token_scores([(" banana", -0.1)], CHOICES)).all()


def test_a_token_that_begins_two_choices_tells_nothing():
    assert first_token_scores([(" person", -0.1)], (" personal", " personnel")) is None


def test_the_longest_beginning_counts():
    """Single letters are no beginnings; a whole word is that word, also where it begins a longer one."""
    tokens = [(" p", np.log(0.5)), (" person", np.log(0.2)), (" personal", np.log(0.1))]
    np.testing.assert_allclose(np.exp(first_token_scores(tokens, (" person", " personal"))), [0.2, 0.1])
    assert np.isnan(first_token_scores([(" p", -0.1)], (" person", " place"))).all()


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("yes", 0), (" Yes.", 0), ("No, it is not", 1), ('{"answer": "no"}', 1), ('"yes"', 0), ("The answer is no.", 1),
        ("yes or no", 0), ("perhaps", None), ("nobody knows", None), ("", None), ("I say yes, not no", None),
    ],
)  # fmt: skip
def test_what_was_written(written, place):
    assert matched(written, CHOICES) == place
