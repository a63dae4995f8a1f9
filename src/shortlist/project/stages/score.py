"""Score: how often the label model, and a mere count of the votes, is right on rows with a known class.

A row without any vote has no label, so it is neither right nor wrong: shares are those of rows with a vote.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from shortlist.errors import FitWarning
from shortlist.project.stages.stage import Facts

if TYPE_CHECKING:
    from shortlist.arrays import Floats
    from shortlist.labelmodel.evidence import Evidence
    from shortlist.project.session import Session


def gold_scores(tally: Evidence, model: Any) -> Facts:
    """Of a model that has not seen the known classes."""
    return _facts(tally, lambda known: _right(model, known, known.weights))


def judged_by_halves(tally: Evidence, fit: Callable[[Evidence], Any]) -> Facts:
    """Where known classes fit the model: each half of them is judged by a model that was fitted with the other."""
    from shortlist.labelmodel.evidence import two_folds

    def right(known: Evidence) -> Floats:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FitWarning)  # the fit with all of them has told
            first, second = (_right(fit(fold), known, judging) for fold, judging in two_folds(tally))
        return first + second

    return _facts(tally, right)


def without_hard(session: Session, model: Any) -> Facts:
    """Where people labelled rows that were picked because they are hard: how many, and the scores on the others.

    Where known classes fit the model, there is no score on the others: it has seen them.
    """
    from shortlist.project.gold.known import picked_rows

    picked = picked_rows(session.rows, session.gold_file)
    hard = sorted(row for row, how in picked.items() if how == "gain" and session.said.get(row, -1) >= 0)
    if not hard:
        return {}
    facts: Facts = {"gold_hard": len(hard)}
    if session.settings.gold_fits or session.counted.sampled:
        return facts
    return facts | {"others": _on_others(session, model, hard)}


def _on_others(session: Session, model: Any, hard: list[int]) -> Facts:
    """What all rows of known class give, less what the hard ones do."""
    import numpy as np

    from shortlist.labelmodel import MajorityVote
    from shortlist.labelmodel.evidence import Evidence

    every = session.tally.known()
    gold = np.array([session.said[row] for row in hard])
    some = Evidence(session.parts.take(np.array(hard)), np.ones(len(hard)), gold)
    voted = round(_voted(every) - _voted(some))
    if not voted:
        return {"gold_voted": 0}
    models = {"accuracy": model, "counting": MajorityVote().fit(session.tally.votes)}
    right = {
        name: float(_right(one, every, every.weights).sum() - _right(one, some, some.weights).sum())
        for name, one in models.items()
    }
    return {"gold_voted": voted} | {name: count / voted for name, count in right.items()}


def model_score(session: Session) -> dict[str, float]:
    """How often the label model is right, as `fit` found it, under its name in the report."""
    from shortlist.reporting.overview import LABEL_MODEL

    record = session.state.records.get("fit")
    share = None if record is None else record.facts.get("accuracy")
    return {} if share is None else {LABEL_MODEL: share}


def hard_rows(session: Session) -> int:
    """How many gold rows were picked because they are hard, as `fit` found it."""
    record = session.state.records.get("fit")
    return 0 if record is None else int(record.facts.get("gold_hard", 0))


def right_on_gold(facts: Facts) -> str:
    if facts.get("accuracy") is None:
        return ""
    some = facts.get("gold_voted", facts["gold_rows"]) < facts["gold_rows"]
    return f", {facts['accuracy']:.1%} right on gold rows{' with a vote' if some else ''}"


def _facts(tally: Evidence, right: Callable[[Evidence], Floats]) -> Facts:
    from shortlist.labelmodel import MajorityVote

    known = tally.known()
    voted = _voted(known)
    facts: Facts = {"gold_rows": round(float(known.weights.sum())), "gold_voted": round(voted)}
    if not voted:
        return facts
    found, counted = right(known), _right(MajorityVote().fit(tally.votes), known, known.weights)
    shares = {"accuracy": float(found.sum()) / voted, "counting": float(counted.sum()) / voted}
    return shares | facts | {"below_counting": _below(found, counted), "frequent": _frequent(known)}


def _below(found: Floats, counted: Floats) -> bool:
    """Whether counting votes is right more often than a model, by more than chance explains.

    Only rows on which one of the two is right and the other wrong tell: a sign test.
    """
    from shortlist.reporting.trials import surely_more

    differ = counted - found
    return surely_more(float(differ[differ > 0].sum()), -float(differ[differ < 0].sum()))


def _frequent(known: Evidence) -> Facts:
    """The most frequent class of the known rows: on how many of them it is right, and on how many with a vote."""
    import numpy as np

    counts = np.bincount(known.gold, known.weights)
    j = int(counts.argmax())
    voted = known.weights @ (known.votes.covered & (known.gold == j))
    return {"class": known.votes.space[j], "gold_rows": round(float(counts[j])), "gold_voted": round(float(voted))}


def _right(model: Any, known: Evidence, counts: Floats) -> Floats:
    """How many rows of each kind, of so many, have a vote and are labelled right."""
    from shortlist.beliefs import most_likely

    guess = most_likely(model.predict_proba(known.votes), model.class_balance_)
    right: Floats = counts * ((guess == known.gold) & known.votes.covered)
    return right


def _voted(known: Evidence) -> float:
    """How many of the rows have a vote."""
    return float(known.weights @ known.votes.covered)
