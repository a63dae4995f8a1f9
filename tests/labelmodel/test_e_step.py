import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist.labelmodel.e_step import Expectation, posteriors
from shortlist.labelmodel.evidence import unique
from shortlist.labelmodel.kernel import Kernel
from shortlist.labelmodel.likelihood import log_joint, posterior
from tests.labelmodel.reference import some_parameters, some_votes
from tests.labelmodel.test_kernel import counts_by_definition, problem


@given(st.data())
def test_gold_rows_have_their_class_and_others_are_expected(data):
    votes = data.draw(some_votes())
    layout, table = problem(votes, data.draw(some_parameters(votes)))
    gold = np.array([data.draw(st.integers(-1, layout.k - 1)) for _ in range(len(votes))])
    step = Expectation(unique(votes, gold, None), layout)
    joint = log_joint(votes.codes, table, layout)
    beliefs = np.where(gold[:, None] >= 0, np.eye(layout.k)[gold], posterior(joint))
    counts = step(table)
    assert step.total == len(votes)
    assert counts.votes == pytest.approx(counts_by_definition(votes.codes, beliefs, np.ones(len(votes)), layout))
    assert counts.mass == pytest.approx(beliefs.sum(axis=0))


@given(st.data())
def test_posteriors_of_several_tables_are_those_of_each(data):
    votes = data.draw(some_votes())
    tables = [problem(votes, data.draw(some_parameters(votes)))[1] for _ in range(2)]
    layout, _ = problem(votes, data.draw(some_parameters(votes)))
    for table, beliefs in zip(tables, posteriors(votes.codes, layout, *tables), strict=True):
        assert np.array_equal(beliefs, Kernel(votes.codes, np.ones(len(votes)), layout).posterior(table))
