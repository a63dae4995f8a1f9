import json

import numpy as np
import pytest

from shortlist import LabelModel
from shortlist.errors import BadFit
from shortlist.labelmodel import Gradient, Likelihood, Pooled


@pytest.mark.parametrize(
    "model",
    [
        LabelModel(),
        LabelModel(estimator=Pooled(class_votes=5.0), balance={"a": 0.4, "b": 0.6}, threads=2),
        LabelModel.paper(solver=Gradient(lr=0.2), tol=1e-3, seed=np.int64(7), balance=np.array([0.5, 0.5])),
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
        ({"estimator": {"kind": "likelihood", "solver": "gradient"}}, Likelihood(solver="gradient")),
        (
            {"estimator": {"kind": "likelihood", "solver": {"kind": "gradient", "lr": 0.2}}},
            Likelihood(solver=Gradient(lr=0.2)),
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
        ({"estimator": {"kind": "likelihood", "solver": "newton"}}, ("estimator", "solver"), "Gradient(...)"),
        (
            {"estimator": {"kind": "likelihood", "solver": {"kind": "gradient", "lr": 0}}},
            ("estimator", "solver", "lr"),
            "above 0",
        ),
    ],
)
def test_an_error_says_where_it_is_and_what_was_meant(table, path, words):
    with pytest.raises(BadFit) as error:
        LabelModel.from_options(table)
    assert error.value.option == path
    assert words in str(error.value)
