import json
from datetime import date

import numpy as np
import pytest

from shortlist import LabelModel, LabelSpace, Votes
from shortlist.errors import BadFit
from shortlist.labelmodel import EM, Likelihood, Pooled
from shortlist.labelmodel.model_options import shares_of


@pytest.mark.parametrize(
    "model",
    [
        LabelModel(),
        LabelModel(estimator=Pooled(class_votes=5.0), balance={"a": 0.4, "b": 0.6}, threads=2),
        LabelModel.paper(solver=EM(memory=3), tol=1e-3, seed=np.int64(7), balance=np.array([0.5, 0.5])),
    ],
)
def test_options_go_through_json(model):
    again = LabelModel.from_options(json.loads(json.dumps(model.to_options())))
    assert again.to_options() == model.to_options()
    assert again.estimator == model.estimator


@pytest.mark.parametrize(
    ("table", "estimator"),
    [
        ({}, "pooled"),
        ({"estimator": "likelihood"}, "likelihood"),
        ({"estimator": {"class_votes": 7.0}}, Pooled(class_votes=7.0)),
        ({"estimator": {"kind": "likelihood", "split": "equal"}}, Likelihood(split="equal")),
        ({"estimator": {"kind": "likelihood", "solver": "em"}}, Likelihood(solver="em")),
        (
            {"estimator": {"kind": "likelihood", "solver": {"kind": "em", "memory": 3}}},
            Likelihood(solver=EM(memory=3)),
        ),
    ],
)
def test_an_estimator_is_a_name_or_a_table(table, estimator):
    assert LabelModel.from_options(table).estimator == estimator


@pytest.mark.parametrize(
    ("table", "path", "words"),
    [
        ({"max_itr": 3}, ("max_itr",), "'max_iter'"),
        ({"acuracy_mean": 0.8}, ("acuracy_mean",), "'accuracy_mean'"),
        ({"n_starts": 3}, ("n_starts",), 'estimator = { kind = "likelihood", n_starts = … }'),
        (
            {"accuracy_mean": 0.8},
            ("accuracy_mean",),
            'kind = "pooled", accuracy_mean = … } or estimator = { kind = "li',
        ),
        ({"estimator": {"kind": "pool"}}, ("estimator", "kind"), "'pooled'"),
        ({"estimator": {"clas_votes": 7}}, ("estimator", "clas_votes"), "'class_votes'"),
        ({"estimator": {"accuracy_mean": 7}}, ("estimator", "accuracy_mean"), "accuracy_mean"),
        ({"estimator": {"kind": "likelihood", "split": 1}}, ("estimator", "split"), '"equal"'),
        ({"estimator": {"kind": "likelihood", "solver": "newton"}}, ("estimator", "solver"), "EM(...)"),
        (
            {"estimator": {"kind": "likelihood", "solver": {"kind": "em", "memory": 0}}},
            ("estimator", "solver", "memory"),
            "from 1",
        ),
    ],
)
def test_an_error_says_where_it_is_and_what_was_meant(table, path, words):
    with pytest.raises(BadFit) as error:
        LabelModel.from_options(table)
    assert error.value.option == path
    assert words in str(error.value)


# -- class balance -------------------------------------------------------------------------------------


SPACE = LabelSpace(["a", "b"])
VOTES = Votes([[1, 2, 1], [2, 2, 1], [0, 1, 1], [1, 1, 0]], [["a", "b"]] * 3, ["a", "b"])


@pytest.mark.parametrize(
    ("given", "total"),
    [({"a": 1.0, "b": 0.25}, "1.25"), ([30, 70], "100"), ([0.5, 0.48], "0.98"), ([1e308, 1e308], "inf")],
)
def test_shares_that_do_not_sum_to_one_are_a_mistake(given, total):
    """Newcomer B7: a sum of 1.25 was taken without a word."""
    with pytest.raises(BadFit, match=rf"the shares sum to {total}, not to 1") as error:
        LabelModel(balance=given).fit(VOTES)
    assert error.value.option == ("balance",)


def test_the_mistake_tells_the_shares_that_may_be_meant():
    with pytest.raises(BadFit, match=r"they are a 0\.8, b 0\.2$"):
        shares_of([1.0, 0.25], SPACE)


def test_rounded_shares_sum_to_one():
    """As `shortlist init` writes them: 0.33 for each of three classes."""
    three = LabelSpace(["a", "b", "c"])
    assert shares_of([0.33, 0.33, 0.33], three).tolist() == pytest.approx([1 / 3] * 3)
    assert shares_of(np.full(40, 1 / 40, np.float32), LabelSpace(map(str, range(40)))) == pytest.approx(1 / 40)
    with pytest.raises(BadFit, match=r"sum to 0\.9,"):
        shares_of([0.3, 0.3, 0.3], three)


@pytest.mark.parametrize(
    "given", [["a", "b"], [1, date(1979, 5, 27)], {"a": 1, "b": "x"}, [[1], [2, 3]], 3, [1, np.inf]]
)
def test_what_is_no_share_is_told_with_its_option(given):
    """Attack C1: a bare TypeError or ValueError."""
    with pytest.raises(BadFit) as error:
        LabelModel(balance=given).fit(VOTES)
    assert error.value.option == ("balance",)
