"""vote: the votes of every labeler on every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.errors import warnings_as_notes
from shortlist.project.parts import depended_files, listed_files
from shortlist.project.session import Session
from shortlist.project.settings import Settings
from shortlist.project.stages.stage import Facts, Stage
from shortlist.wording import number_of

if TYPE_CHECKING:
    from shortlist.votes.vote_parts import VoteParts


class Vote(Stage):
    """Labelers are called on rows that they have not seen; their earlier votes are cached."""

    name = "vote"
    help = "Apply every labeler to every row."
    transient_facts = ("asked",)

    def outputs(self, settings: Settings) -> tuple[str, ...]:  # noqa: ARG002
        return ("votes.json",)

    def key(self, session: Session) -> Any:
        from shortlist.project.code.source import local_files

        settings, file = session.settings, session.folder / session.settings.labelers.file
        code = [file, *local_files(file)] if file.exists() else []
        files = [(path.name, session.digests.of(path)) for path in (*code, *depended_files(session.folder, settings))]
        how = asdict(settings.labelers) | {"workers": None}  # votes do not depend on who works
        data = [session.data_digests(), asdict(settings.data), settings.classes, settings.classifier.encoder]
        people = session.gold_digest() if settings.data.people == "votes" else None
        return [*data, how, settings.declared, settings.models, files, people]

    def reads(self, session: Session) -> Sequence[Path]:
        return session.roster.reads

    def size(self, session: Session) -> int:
        return len(session.rows)

    def clear_cache(self, session: Session) -> None:
        session.vote_cache.remove(session.roster.fingerprints)

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        from shortlist.project.voting import save_parts, vote
        from shortlist.votes import Votes
        from shortlist.votes.codomain import failure_notes

        for note in session.roster.notes:  # before the work: a labeler may take long, and this says which
            session.listener.note(f"{self.name}: {note}")
        notes: list[str] = []
        with warnings_as_notes(notes):
            session.prepare()
        roster, rows, advance = session.roster, session.rows, session.listener.advance
        target = None if session.in_memory else paths[0].parent / "votes"
        results, asked = vote(roster, rows, session.vote_cache, session.engine, advance, target=target)
        if session.in_memory:
            like = Votes.concat([voted.votes for voted in results if voted.votes is not None])
            session.votes = Votes(
                like.codes, like.codomains, like.space, like.names, ids=rows.ids(), failures=like.failures
            )
        else:
            session.results[self.name] = parts = save_parts(results, paths[0])
            like = parts.like
        spent = [asdict(one) for one in session.spent]
        facts = {
            "rows": len(rows),
            "labelers": len(like.names),
            "asked": list(asked),
            "covered": sum(voted.covered for voted in results) / len(rows),
            "notes": [*roster.notes, *notes, *failure_notes(like.names, like.failures)],
        }
        return facts | ({"spent": spent} if spent else {})

    def load(self, paths: Sequence[Path], settings: Settings) -> VoteParts:  # noqa: ARG002
        from shortlist.votes.vote_parts import VoteParts

        return VoteParts.open(paths[0])

    def complete(self, paths: Sequence[Path]) -> bool:
        return all(path.is_file() for path in listed_files(paths[0]))

    def summary(self, facts: Facts) -> str:
        asked = f"{number_of(facts['labelers'], 'labeler')} on {number_of(facts['rows'], 'row')}"
        return f"{asked}, {'only ' * self.is_poor(facts)}{facts['covered']:.1%} covered"

    def is_poor(self, facts: Facts) -> bool:
        return bool(facts["covered"] < 0.1)
