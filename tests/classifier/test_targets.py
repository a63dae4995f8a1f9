"""What a classifier is told: beliefs or labels, which rows count, and every way to get it wrong."""

import numpy as np
import pandas as pd
import pytest

from shortlist import LabelSpace
from shortlist.classifier.targets import make_targets
from shortlist.errors import BadFit

THREE = np.array([[0.7, 0.2, 0.1], [1 / 3, 1 / 3, 1 / 3], [0.0, 0.5, 0.5]])


def test_uniform_rows_are_uncovered_unless_said_otherwise():
    assert make_targets(THREE, 3).rows.tolist() == [0, 2]
    assert make_targets(THREE, 3, uncovered="keep").rows.tolist() == [0, 1, 2]
    assert make_targets(THREE, 3, covered=np.array([False, True, True])).rows.tolist() == [1, 2]


def test_labels_are_one_hot_beliefs_and_none_is_unknown():
    targets = make_targets(np.array(["b", None, "a"], object), 3)
    assert targets.classes.tolist() == ["a", "b"]
    assert targets.rows.tolist() == [0, 2]
    assert targets.beliefs.tolist() == [[0, 1], [1, 0]]


def test_empty_texts_are_unknown_labels():
    targets = make_targets(["b", "", "a"], 3)
    assert targets.classes.tolist() == ["a", "b"]
    assert targets.rows.tolist() == [0, 2]


def test_named_classes_keep_their_order():
    assert make_targets(THREE, 3, classes=LabelSpace(["c", "a", "b"])).classes.tolist() == ["c", "a", "b"]
    assert make_targets(["a", "c", "a"], 3, classes=["c", "b", "a"]).beliefs.tolist() == [
        [0, 0, 1],
        [1, 0, 0],
        [0, 0, 1],
    ]


def test_a_table_of_beliefs_names_its_classes():
    assert make_targets(pd.DataFrame(THREE, columns=["x", "y", "z"]), 3).classes.tolist() == ["x", "y", "z"]
    assert make_targets(THREE, 3).classes.tolist() == [0, 1, 2]


def test_rounded_beliefs_are_put_right():
    assert make_targets([[0.333, 0.667], [0.25, 0.7501]], 2).beliefs.sum(axis=1) == pytest.approx([1, 1], abs=1e-15)


def test_sharpened_beliefs_by_hand():
    targets = make_targets([[0.6, 0.3, 0.1], [0.5, 0.5, 0.0]], 2)
    assert targets.sharpened(2).beliefs == pytest.approx(np.array([[36, 9, 1], [23, 23, 0]]) / 46)
    assert targets.sharpened(1).beliefs == pytest.approx(targets.beliefs)
    with pytest.raises(BadFit, match="sharpen is the power of beliefs, above 0, not 0"):
        targets.sharpened(0)


def test_rows_without_weight_do_not_count():
    assert make_targets(THREE, 3, sample_weight=[2, 1, 1]).weights.tolist() == [2, 1]
    assert make_targets([[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]], 3, sample_weight=[2, 1, 0]).rows.tolist() == [0]


@pytest.mark.parametrize(
    ("beliefs", "facts"),
    [
        ([[0.5, 0.2], [0.1, 0.9]], ["1 rows", "row 0 sums to 0.7"]),
        ([[0.5, 0.5], [np.nan, 1.0]], ["row 1", "NaN"]),
        ([[0.5, 0.5], [-0.5, 1.5]], ["row 1", "negative"]),
        ([[0.5, 0.5]], ["2 rows but 1"]),
        ([[1.0, 0.0], [1.0, 0.0]], ["one class only", "0"]),
        ([[0.5, 0.5], [0.5, 0.5]], ["no row is covered", "covered=votes.covered"]),
        ([["a", "b"], ["c", "d"]], ["beliefs are numbers"]),
        (np.ones((2, 2, 2)), ["(2, 2, 2)"]),
        (None, ["y is None"]),
        (["a", "a"], ["one class only", "believes in 'a' alone"]),
    ],
)
def test_bad_beliefs(beliefs, facts):
    with pytest.raises(BadFit) as error:
        make_targets(beliefs, 2)
    for fact in facts:
        assert fact in str(error.value)


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        ({"classes": ["a", "b"]}, ["2 classes are named", "3 columns"]),
        ({"classes": ["a", "b", "a"]}, ["named twice"]),
        ({"covered": [True, False]}, ["covered is a mask", "(3,)"]),
        ({"covered": [1, 0, 1]}, ["covered is a mask"]),
        ({"covered": np.zeros(3, bool)}, ["no row is covered"]),
        ({"uncovered": "guess"}, ['"drop" or "keep"', "'guess'"]),
        ({"sample_weight": [1, 2]}, ["(3,)", "(2,)"]),
        ({"sample_weight": [1, 2, -1]}, ["negative"]),
        ({"sample_weight": [0, 0, 0]}, ["zero"]),
    ],
)
def test_bad_options(options, facts):
    with pytest.raises(BadFit) as error:
        make_targets(THREE, 3, **options)
    for fact in facts:
        assert fact in str(error.value)


def test_a_label_that_is_no_class():
    with pytest.raises(BadFit, match=r"row 1 is labelled 'd'.*a, b"):
        make_targets(["a", "d"], 2, classes=["a", "b"])
