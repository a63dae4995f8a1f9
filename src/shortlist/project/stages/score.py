"""Score: how often the label model, and a mere count of the votes, is right on rows with a known class."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from shortlist.errors import FitWarning
from shortlist.project.stages.stage import Facts

if TYPE_CHECKING:
    from shortlist.arrays import Floats
    from shortlist.labelmodel.formulae.evidence import Evidence


def gold_scores(tally: Evidence, model: Any) -> Facts:
    """Of a model that has not seen the known classes."""
    return _facts(tally, lambda known: _right(model, known, known.weights))


def judged_by_halves(tally: Evidence, fit: Callable[[Evidence], Any]) -> Facts:
    """Where known classes fit the model: each half of them is judged by a model that was fitted with the other."""

    def right(known: Evidence) -> float:
        first = _every_other(known.weights)
        halves = first, known.weights - first
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FitWarning)  # the fit with all of them has told
            return sum(_right(fit(_knowing(tally, one)), known, other) for one, other in (halves, halves[::-1]))

    return _facts(tally, right)


def right_on_gold(facts: Facts) -> str:
    return f", {facts['accuracy']:.1%} right on gold rows" if facts.get("accuracy") is not None else ""


def _facts(tally: Evidence, right: Callable[[Evidence], float]) -> Facts:
    from shortlist.labelmodel import MajorityVote

    known, rows = _known(tally), float(tally.weights[tally.gold >= 0].sum())
    counted = _right(MajorityVote().fit(tally.votes), known, known.weights)
    return {"accuracy": right(known) / rows, "counting": counted / rows, "gold_rows": round(rows)}


def _right(model: Any, known: Evidence, counts: Floats) -> float:
    """How many of the rows, so many of each, are labelled right."""
    from shortlist.beliefs import most_likely

    guess = most_likely(model.predict_proba(known.votes), model.class_balance_)
    return float(counts @ (guess == known.gold))


def _known(tally: Evidence) -> Evidence:
    from shortlist.labelmodel.formulae.evidence import Evidence

    known = tally.gold >= 0
    return Evidence(tally.votes[known], tally.weights[known], tally.gold[known])


def _every_other(counts: Floats) -> Floats:
    """How many of each are odd, where rows are numbered from 1, those of a kind one after the other."""
    import numpy as np

    odd: Floats = np.diff((np.cumsum(counts) + 1) // 2, prepend=0)
    return odd


def _knowing(tally: Evidence, counts: Floats) -> Evidence:
    """The same rows, of which the class of so many of each known kind is known."""
    import numpy as np

    from shortlist.labelmodel.formulae.evidence import Evidence, merged

    weights = tally.weights.copy()
    weights[tally.gold >= 0] -= counts
    known = _known(tally)
    hidden = Evidence(tally.votes, weights, np.full_like(tally.gold, -1))
    return merged([hidden, Evidence(known.votes, counts, known.gold)])
