"""What tests of the parts of the default estimator begin with."""

import numpy as np

from shortlist.labelmodel import Pooled
from shortlist.labelmodel.estimators.pooled.sample import Sample
from shortlist.labelmodel.estimators.pooled.says import Says
from shortlist.labelmodel.estimators.pooled.settle import prior_parameters
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.layout import Panel
from shortlist.labelmodel.likelihood import emission
from shortlist.labelmodel.m_step import vote_counts


def parts(votes, gold=None):
    """(what labelers say, rows, the table of the prior under equal classes)"""
    evidence, panel = Evidence.gather(votes, gold), Panel.of(votes)
    says = Says.of(panel, vote_counts(evidence.votes.codes.T, evidence.weights, panel.layout), evidence.total)
    k = len(votes.space)
    table = emission(prior_parameters(Pooled(), says, np.full(k, 1 / k)), panel.layout)
    return says, Sample.of(evidence, panel.layout), table
