"""fit: how far each labeler can be trusted, estimated from the votes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.errors import OneSided, ShortlistError
from shortlist.project.stages.score import gold_scores, judged_by_halves, right_on_gold, without_hard
from shortlist.project.stages.stage import Facts, Stage, noted
from shortlist.wording import number_of

if TYPE_CHECKING:
    from shortlist.labelmodel.evidence import Evidence
    from shortlist.project.session import Session
    from shortlist.project.settings import Settings


SAMPLED = "too many rows differ in their votes to count them all: scores and tables are those of {:,} of them, a sample"


class Fit(Stage):
    """Known classes score the model. They fit it only where the toml says so."""

    name = "fit"
    help = "Estimate how far each labeler can be trusted."
    needs = ("vote",)
    revision = 11  # goes up when the same votes give another model, or other figures

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
        notes = list(_notes(session))
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
        return facts | self._scores(session, model) | without_hard(session, model)

    def _scores(self, session: Session, model: Any) -> Facts:
        if not session.has_gold:
            return {}
        if session.settings.gold_fits:
            return judged_by_halves(session.tally, lambda evidence: fit_model(session.settings, evidence))
        return gold_scores(session.tally, model)

    def load(self, paths: Sequence[Path], settings: Settings) -> Any:  # noqa: ARG002
        from shortlist.labelmodel import LabelModel

        return LabelModel.load(paths[0])

    def tell(self, facts: Facts) -> str:
        stopped = "" if facts["converged"] else ", not converged"
        return f"{number_of(facts['n_iter'], 'step')}{stopped}{right_on_gold(facts)}"

    def doubtful(self, facts: Facts) -> bool:
        """Whether counting votes is right more often, beyond chance."""
        return bool(facts.get("below_counting"))


def _notes(session: Session) -> Iterator[str]:
    from shortlist.reporting.overview import GOLD_FITS

    if session.counted.sampled:
        yield SAMPLED.format(len(session.tally.weights))
    if session.settings.gold_fits and session.has_gold:
        yield GOLD_FITS
    if len(session.said) < sum(bool(entry.classes) for entry in session.gold_file.latest().values()):
        yield from _lost(session)


def _lost(session: Session) -> Iterator[str]:
    """A note about labels of the gold file that belong to no row."""
    from shortlist.project.gold.known import lost_labels

    lost = lost_labels(session.rows, session.gold_file)
    if lost:
        name, value = lost[0].key
        which = f"id {value!r}" if name == "id" else f"row {value}, which is not there, or has another text now"
        file = session.gold_file.path.name
        if len(lost) == 1:
            yield f"1 label of {file} belongs to no row, so it is not used. It is about {which}"
        else:
            yield f"{len(lost):,} labels of {file} belong to no row, so they are not used. The first is about {which}"


def fit_model(settings: Settings, evidence: Evidence) -> Any:
    """The label model with the options of the toml, fitted to rows that were counted."""
    return fitted(settings, evidence.votes, evidence.gold_names(), weights=evidence.weights)


def fitted(settings: Settings, *votes: Any, **how: Any) -> Any:
    """The label model with the options of the toml, fitted. An option that cannot be is told at its line."""
    from shortlist.labelmodel import LabelModel

    try:
        return LabelModel.from_options(settings.label_model).fit(*votes, **how)
    except ShortlistError as error:
        if not error.option:
            raise
        raise settings.toml.wrong(error.message, "label_model", *error.option) from error
