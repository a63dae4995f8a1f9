"""fit: the accuracy of each labeler, estimated from the votes; and how often the model is right on known classes.

A row without any vote has no label, so it is neither right nor wrong: shares are those of rows with a vote.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.errors import FitWarning, OneSided, ShortlistError, warnings_as_notes
from shortlist.project.session import Session
from shortlist.project.settings import Settings
from shortlist.project.stages.stage import Facts, Stage
from shortlist.wording import number_of

if TYPE_CHECKING:
    from shortlist.arrays import Floats
    from shortlist.labelmodel.evidence import Evidence


class Fit(Stage):
    """Known classes score the model. They fit it only if the settings say so."""

    name = "fit"
    help = "Estimate the accuracy of each labeler."
    needs = ("vote",)
    revision = 12  # goes up when the same votes give another model, or other figures

    def outputs(self, settings: Settings) -> tuple[str, ...]:  # noqa: ARG002
        return ("label_model.npz",)

    def key(self, session: Session) -> Any:
        settings, gold = session.settings, session.settings.data.gold
        read = gold and [gold, session.data_digests()]  # known classes score the model, even where they do not fit it
        return [self.revision, dict(settings.label_model), settings.gold_fits, read, session.gold_digest()]

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        notes = [] if session.in_memory else list(_notes(session))
        evidence = session.evidence if session.settings.gold_fits else session.evidence.without_gold()
        with warnings_as_notes(notes, but=(OneSided,)):  # `check` finds out whether to do something about it
            model = fit_model(session.settings, evidence)
        session.results[self.name] = model
        facts: Facts = {"notes": notes, "gold_used": bool((evidence.gold >= 0).any())}
        facts |= {"n_iter": model.n_iter_, "converged": model.converged_}
        if session.in_memory:
            return facts
        model.save(paths[0])
        if session.has_gold:
            facts |= score_fit(session.settings, session.evidence, model)
        return facts | hard_rows(session)

    def load(self, paths: Sequence[Path], settings: Settings) -> Any:  # noqa: ARG002
        from shortlist.labelmodel import LabelModel

        return LabelModel.load(paths[0])

    def summary(self, facts: Facts) -> str:
        stopped = "" if facts["converged"] else ", not converged"
        return f"{number_of(facts['n_iter'], 'step')}{stopped}{right_on_gold(facts)}"

    def is_poor(self, facts: Facts) -> bool:
        """Counting votes is right more often, beyond chance."""
        return bool(facts.get("below_counting"))


def _notes(session: Session) -> Iterator[str]:
    from shortlist.project.gold import lost_labels
    from shortlist.reporting.overview import GOLD_FITS

    if session.evidence_sum.sampled:
        yield (
            "too many rows differ in their votes to count them all: scores and tables are those of "
            f"{len(session.evidence.weights):,} of them, a sample"
        )
    if session.settings.gold_fits and session.has_gold:
        yield GOLD_FITS
    if lost := lost_labels(session.rows, session.gold_file):
        name, value = lost[0].key
        which = f"id {value!r}" if name == "id" else f"row {value}, which is not there, or has another text now"
        file = session.gold_file.path.name
        if len(lost) == 1:
            yield f"1 label of {file} belongs to no row, so it is not used. It is about {which}"
        else:
            yield f"{len(lost):,} labels of {file} belong to no row, so they are not used. The first is about {which}"


def fit_model(settings: Settings, evidence: Evidence) -> Any:
    """Fit a label model with the options of the settings to counted rows. A wrong option is an error at its line."""
    from shortlist.labelmodel import LabelModel

    try:
        model = LabelModel.from_options(settings.label_model)
        return model.fit(evidence.votes, evidence.gold_names(), weights=evidence.weights)
    except ShortlistError as error:
        if not error.option:
            raise
        raise settings.toml.wrong(error.message, "label_model", *error.option) from error


def score_fit(settings: Settings, evidence: Evidence, model: Any) -> Facts:
    """Scores of the model of a project on known classes, which it may have been fitted with."""
    if settings.gold_fits:
        return judged_by_halves(evidence, lambda some: fit_model(settings, some))
    return gold_scores(evidence, model)


def gold_scores(evidence: Evidence, model: Any) -> Facts:
    """Scores of a model that has not seen the known classes."""
    return _facts(evidence, lambda known: _right(model, known, known.weights))


def judged_by_halves(evidence: Evidence, fit: Callable[[Evidence], Any]) -> Facts:
    """Scores if known classes fit the model: each half is judged by a model fitted with the other."""
    from shortlist.labelmodel.evidence import two_folds

    def right(known: Evidence) -> Floats:
        with warnings.catch_warnings(action="ignore", category=FitWarning):  # the fit with all of them has told
            first, second = (_right(fit(fold), known, judging) for fold, judging in two_folds(evidence))
        return first + second

    return _facts(evidence, right)


def hard_rows(session: Session) -> Facts:
    """Number of gold rows that were picked because they are hard, if there are any."""
    from shortlist.project.gold import picked_rows

    picked = picked_rows(session.rows, session.gold_file)
    hard = sum(how != "random" and session.gold_by_row.get(row, -1) >= 0 for row, how in picked.items())
    return {"gold_hard": hard} if hard else {}


def right_on_gold(facts: Facts) -> str:
    if facts.get("accuracy") is None:
        return ""
    rows = int(facts["gold_rows"])
    voted = int(facts.get("gold_voted", rows))
    where = f"the {voted:,} of {rows:,} gold rows with a vote" if voted < rows else "gold rows"
    return f", {facts['accuracy']:.1%} right on {where}"


def _facts(evidence: Evidence, right: Callable[[Evidence], Floats]) -> Facts:
    from shortlist.labelmodel import MajorityVote

    known = evidence.known()
    voted = _voted(known)
    facts: Facts = {"gold_rows": round(float(known.weights.sum())), "gold_voted": round(voted)}
    if not voted:
        return facts
    correct, counted = right(known), _right(MajorityVote().fit(evidence.votes), known, known.weights)
    shares = {"accuracy": float(correct.sum()) / voted, "counting": float(counted.sum()) / voted}
    return shares | facts | {"below_counting": _below(correct, counted), "frequent": _frequent(known)}


def _below(correct: Floats, counted: Floats) -> bool:
    """Sign test: counting votes is right more often than a model, by more than chance explains.

    Only rows on which one of the two is right and the other wrong count.
    """
    from shortlist.reporting.trials import surely_more

    differ = counted - correct
    return surely_more(float(differ[differ > 0].sum()), -float(differ[differ < 0].sum()))


def _frequent(known: Evidence) -> Facts:
    """The most frequent class of the known rows: on how many of them it is right, and on how many with a vote."""
    import numpy as np

    counts = np.bincount(known.gold, known.weights)
    j = int(counts.argmax())
    voted = known.weights @ (known.votes.covered & (known.gold == j))
    return {"class": known.votes.space[j], "gold_rows": round(float(counts[j])), "gold_voted": round(float(voted))}


def _right(model: Any, known: Evidence, counts: Floats) -> Floats:
    import numpy as np

    from shortlist.beliefs import most_likely, shared_credit
    from shortlist.labelmodel import MajorityVote

    beliefs = model.predict_proba(known.votes)
    counting = isinstance(model, MajorityVote)  # classes tie on many rows, and their order must not matter
    right = shared_credit(beliefs, known.gold) if counting else most_likely(beliefs, model.class_balance_) == known.gold
    return np.asarray(counts * right * known.votes.covered)


def _voted(known: Evidence) -> float:
    return float(known.weights @ known.votes.covered)
