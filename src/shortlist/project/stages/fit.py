"""fit: how far each labeler can be trusted, estimated from the votes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.errors import OneSided, ShortlistError
from shortlist.project.stages.stage import Facts, Stage, noted

if TYPE_CHECKING:
    from shortlist.labelmodel.formulae.evidence import Evidence
    from shortlist.project.session import Session
    from shortlist.project.settings import Settings


SAMPLED = "more rows differ in their votes than are counted: what is told rests on {:,} of them, drawn by their votes"


class Fit(Stage):
    """Known classes score the model. They fit it only where the toml says so."""

    name = "fit"
    help = "Estimate how far each labeler can be trusted."
    needs = ("vote",)
    revision = 2  # goes up when the same votes give another model

    def outputs(self, settings: Settings) -> tuple[str, ...]:  # noqa: ARG002
        return ("label_model.npz",)

    def key(self, session: Session) -> Any:
        gold = session.settings.data.gold  # known classes are part of what is found, even where they do not fit
        options = dict(session.settings.label_model)
        return [
            self.revision,
            options,
            session.settings.gold_fits,
            gold and [gold, session.data_digests()],
            session.gold_digest(),
        ]

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        notes = [SAMPLED.format(len(session.tally.weights))] if session.counted.sampled else []
        evidence = session.tally if session.settings.gold_fits else session.tally.without_gold()
        with noted(notes, but=(OneSided,)):  # `check` finds out whether to do something about it
            if session.counted.sampled and not session.settings.gold_fits:
                model = fitted(session.settings, session.parts, engine=session.engine)
            else:
                model = fit_model(session.settings, evidence)
        model.save(paths[0])
        session.results[self.name] = model
        facts: Facts = {"notes": notes, "gold_used": bool((evidence.gold >= 0).any())}
        facts |= {"n_iter": model.n_iter_, "converged": model.converged_}
        return facts | (gold_scores(session.tally, model) if session.has_gold else {})

    def load(self, paths: Sequence[Path], settings: Settings) -> Any:  # noqa: ARG002
        from shortlist.labelmodel import LabelModel

        return LabelModel.load(paths[0])

    def tell(self, facts: Facts) -> str:
        stopped = "" if facts["converged"] else ", not converged"
        return f"{facts['n_iter']} steps{stopped}{right_on_gold(facts)}"

    def doubtful(self, facts: Facts) -> bool:
        """Whether counting votes is right more often."""
        return bool(facts.get("accuracy") is not None and facts["accuracy"] < facts["counting"] - 0.005)


def fit_model(settings: Settings, evidence: Evidence) -> Any:
    """The label model with the options of the toml, fitted to rows that were counted."""
    space = evidence.votes.space
    gold = [None if j < 0 else space[j] for j in evidence.gold.tolist()] if (evidence.gold >= 0).any() else None
    return fitted(settings, evidence.votes, gold, weights=evidence.weights)


def fitted(settings: Settings, *votes: Any, **how: Any) -> Any:
    """The label model with the options of the toml, fitted. An option that cannot be is told at its line."""
    from shortlist.labelmodel import LabelModel

    try:
        return LabelModel.from_options(settings.label_model).fit(*votes, **how)
    except ShortlistError as error:
        if not error.option:
            raise
        raise settings.toml.wrong(error.message, "label_model", *error.option) from error


def gold_scores(tally: Evidence, model: Any) -> Facts:
    """How often the model, and a mere count of the votes, is right on rows with a known class."""
    import numpy as np

    from shortlist.beliefs import most_likely
    from shortlist.labelmodel import MajorityVote

    known = np.flatnonzero(tally.gold >= 0)
    votes, gold, counts = tally.votes[known], tally.gold[known], tally.weights[known]
    guesses = [
        most_likely(one.predict_proba(votes), one.class_balance_) for one in (model, MajorityVote().fit(tally.votes))
    ]
    right, counted = (float(np.average(guess == gold, weights=counts)) for guess in guesses)
    return {"accuracy": right, "counting": counted, "gold_rows": int(counts.sum().round())}


def right_on_gold(facts: Facts) -> str:
    return f", {facts['accuracy']:.1%} right on gold rows" if facts.get("accuracy") is not None else ""
