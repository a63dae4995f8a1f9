"""fit: how far each labeler can be trusted, estimated from the votes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.errors import OneSided, ShortlistError
from shortlist.project.stages.stage import Facts, Stage, noted

if TYPE_CHECKING:
    from shortlist.project.session import Session
    from shortlist.project.settings import Settings
    from shortlist.votes import Votes


class Fit(Stage):
    """Known classes score the model. They fit it only where the toml says so."""

    name = "fit"
    help = "Estimate how far each labeler can be trusted."
    needs = ("vote",)

    def outputs(self, settings: Settings) -> tuple[str, ...]:  # noqa: ARG002
        return ("label_model.npz",)

    def key(self, session: Session) -> Any:
        gold = session.settings.data.gold  # known classes are part of what is found, even where they do not fit
        options = dict(session.settings.label_model)
        return [options, session.settings.gold_fits, gold and [gold, session.data_digests()], session.gold_digest()]

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        notes: list[str] = []
        gold = session.gold if session.settings.gold_fits else None
        with noted(notes, but=(OneSided,)):  # `check` finds out whether to do something about it
            model = fit_model(session.settings, session.votes, gold)
        model.save(paths[0])
        session.results[self.name] = model
        facts: Facts = {"notes": notes, "gold_used": gold is not None}
        facts |= {"n_iter": model.n_iter_, "converged": model.converged_}
        return facts | (gold_scores(session) if session.gold is not None else {})

    def load(self, paths: Sequence[Path], settings: Settings) -> Any:  # noqa: ARG002
        from shortlist.labelmodel import LabelModel

        return LabelModel.load(paths[0])

    def tell(self, facts: Facts) -> str:
        stopped = "" if facts["converged"] else ", not converged"
        return f"{facts['n_iter']} steps{stopped}{right_on_gold(facts)}"

    def doubtful(self, facts: Facts) -> bool:
        """Whether counting votes is right more often."""
        return bool(facts.get("accuracy") is not None and facts["accuracy"] < facts["counting"] - 0.005)


def fit_model(settings: Settings, votes: Votes, gold: Any) -> Any:
    """The label model with the options of the toml, fitted. An option that cannot be is told at its line."""
    from shortlist.labelmodel import LabelModel

    try:
        return LabelModel.from_options(settings.label_model).fit(votes, gold)
    except ShortlistError as error:
        if not error.option:
            raise
        raise settings.toml.wrong(error.message, "label_model", *error.option) from error


def gold_scores(session: Session) -> Facts:
    """How often the model, and a mere count of the votes, is right on rows with a known class."""
    analysis = session.analysis
    return {
        "accuracy": analysis.right_on_gold,
        "counting": analysis.counting_on_gold,
        "gold_rows": analysis.known_rows,
    }


def right_on_gold(facts: Facts) -> str:
    return f", {facts['accuracy']:.1%} right on gold rows" if facts.get("accuracy") is not None else ""
