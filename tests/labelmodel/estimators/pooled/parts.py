"""What tests of the parts of the default estimator begin with."""

import numpy as np

from shortlist.labelmodel import Pooled
from shortlist.labelmodel.estimators.pooled.sample import Sample
from shortlist.labelmodel.estimators.pooled.says import Says
from shortlist.labelmodel.estimators.pooled.settle import prior_parameters
from shortlist.labelmodel.formulae.counts import vote_counts
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.likelihood import emission
from shortlist.labelmodel.formulae.panel import Panel


def parts(votes, gold=None):
    """(what labelers say, rows, the table of the prior under equal classes)"""
    evidence, panel = Evidence.gather(votes, gold), Panel.of(votes)
    says = Says.of(panel, vote_counts(evidence.votes.codes.T, evidence.weights, panel.layout), evidence.total)
    k = len(votes.space)
    table = emission(prior_parameters(Pooled(), says, np.full(k, 1 / k)), panel.layout)
    return says, Sample.of(evidence, panel.layout), table
