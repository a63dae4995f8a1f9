"""Which classes are held out, which jobs that makes, and what they are validated on."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shortlist.zeroshot.detectors.holdout import hold_out

HAS = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 0]], bool)  # three attributes of four classes
TRUTH = np.array([0, 0, 0, 1, 2, 2, 3])


def test_one_fold_is_the_papers_tenth_of_the_classes():
    held = hold_out(np.arange(40), np.eye(40, dtype=bool), 1, np.random.default_rng(0)).held
    assert held.shape == (1, 40)
    assert held.sum() == 4
    assert hold_out(TRUTH, HAS, 1, np.random.default_rng(0)).held.sum() == 1


def test_every_class_is_held_out_once_and_the_last_fold_holds_out_none():
    holdout = hold_out(TRUTH, HAS, 3, np.random.default_rng(0))
    assert holdout.held.shape == (4, 4)
    assert holdout.held.sum(axis=0).tolist() == [1, 1, 1, 1]
    assert not holdout.held[-1].any()
    assert holdout.attribute[holdout.final].tolist() == [0, 1, 2]


def test_an_attribute_of_one_class_cannot_be_learned_while_that_class_is_held_out():
    holdout = hold_out(TRUTH, HAS, 4, np.random.default_rng(0))
    fold = int(np.flatnonzero(holdout.held[:, 2])[0])
    assert 2 not in holdout.attribute[holdout.fold == fold]
    validated = holdout.validated[(holdout.attribute == 2)].any(axis=0)
    assert validated.all()  # its one class is then validated on by the detector that is kept


def test_rows_are_drawn_half_and_half_and_never_from_held_out_classes():
    holdout = hold_out(TRUTH, HAS, 4, np.random.default_rng(0))
    weights, yes = holdout.weights(), holdout.targets()
    np.testing.assert_allclose((weights * yes).sum(axis=1), 0.5)
    np.testing.assert_allclose((weights * ~yes).sum(axis=1), 0.5)
    assert not weights[holdout.held[holdout.fold][:, TRUTH]].any()


@given(st.integers(0, 1000), st.integers(1, 6))
def test_no_job_is_ever_validated_on_what_it_learned_unless_nothing_else_is_there(seed, folds):
    rng = np.random.default_rng(seed)
    has = rng.random((6, 5)) < 0.5
    holdout = hold_out(np.repeat(np.arange(6), 2), has, folds, rng)
    for g, (f, i) in enumerate(zip(holdout.fold, holdout.attribute, strict=True)):
        own = holdout.validated[g] & ~holdout.held[f]
        others = holdout.validated[holdout.attribute == i][:, has[:, i]].any(axis=0)
        assert not own.any() or g in holdout.final
        assert others.any()  # some class with the attribute is always validated on


def test_scores_are_gathered_from_the_job_that_did_not_see_the_row():
    holdout = hold_out(TRUTH, HAS, 4, np.random.default_rng(0))
    scores = np.tile(np.arange(holdout.jobs, dtype=float), (len(TRUTH), 1))  # every job says its own number
    found = holdout.gather(scores)
    for a, j in enumerate(TRUTH):
        g = int(found[a, 0])
        assert holdout.held[holdout.fold[g], j]
        assert holdout.attribute[g] == 0
