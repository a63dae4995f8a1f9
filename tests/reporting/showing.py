"""Votes, models and rows to report about, nasty ones among them."""

from __future__ import annotations

import numpy as np

from shortlist import Analysis, Votes, simulate
from shortlist.labelmodel import Parameters
from shortlist.reporting.overview import Overview
from shortlist.votes import Failure
from tests.analysis.worked import quietly_fitted

SCRIPT = "<script>window.hacked = 1</script>"
ATTACK = "\"><img src=x onerror='window.hacked=1'>{{ 7 * 7 }}"


def overview_of(votes, model=None, *, gold=None):
    """What there is to say about them."""
    return Overview(Analysis(votes, model, gold=gold))


def drawn(m=300, *, names=("goal", "abroad", "money", "score"), classes=("business", "sports", "world"), seed=0):
    """Four labelers, three classes; votes and truth."""
    b, s, w = classes
    says = [[b, s, w], [b, {s, w}], [{b, s}, w], [s, {b, w}]]
    truth = Parameters(np.full((4, 3), 0.8), np.full(4, 0.8), np.full(3, 1 / 3))
    return simulate(truth, says, m, space=list(classes), seed=seed, names=list(names))


def hostile():
    """Everything a user can name is an attack: classes, labelers, ids, failures, rows."""
    classes = ["business" + SCRIPT, "sports" + ATTACK, "world & <b>"]
    names = ["goal" + SCRIPT, "abroad" + ATTACK, "money[/]", "[bold]score"]
    votes, truth = drawn(names=names, classes=classes)
    ids = [f"{a}{SCRIPT}" for a in range(len(votes))]
    failures = [Failure(3, "ValueError: " + SCRIPT), None, None, None]
    votes = Votes(votes.codes, votes.codomains, votes.space, votes.names, ids=ids, failures=failures)
    rows = [{"title" + SCRIPT: f"row {a} {SCRIPT}", "body": ATTACK} for a in range(len(votes))]
    return votes, quietly_fitted(votes), rows, list(truth)
