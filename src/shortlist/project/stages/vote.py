"""vote: what every labeler says about every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.project.stages.stage import Facts, Stage, noted
from shortlist.wording import number_of

if TYPE_CHECKING:
    from shortlist.project.code.roster import Roster
    from shortlist.project.session import Session
    from shortlist.project.settings import Settings
    from shortlist.votes.vote_parts import VoteParts

LITTLE = 0.1  # of all rows: fewer with a vote are too few to go on with


class Vote(Stage):
    """Labelers are asked about rows that they have not seen; what they said before is kept."""

    name = "vote"
    help = "Ask every labeler about every row; show what each does."
    passing = ("asked",)

    def outputs(self, settings: Settings) -> tuple[str, ...]:  # noqa: ARG002
        return ("votes.json",)

    def key(self, session: Session) -> Any:
        from shortlist.project.code.source import local_files
        from shortlist.project.files import depended_files

        settings, file = session.settings, session.folder / session.settings.labelers.file
        code = [file, *local_files(file)] if file.exists() else []
        files = [(path.name, session.digests.of(path)) for path in (*code, *depended_files(session.folder, settings))]
        how = asdict(settings.labelers) | {"workers": None}  # votes do not depend on who works
        return [
            session.data_digests(),
            asdict(settings.data),
            settings.classes,
            how,
            settings.declared,
            settings.models,
            files,
        ]

    def reads(self, session: Session) -> Sequence[Path]:
        return session.roster.reads

    def size(self, session: Session) -> int:
        return len(session.rows)

    def forget(self, session: Session) -> None:
        session.columns.forget(session.roster.fingerprints)

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        from shortlist.project.parts.voting import vote, vote_parts

        for note in session.roster.notes:  # before the work: a labeler may take long, and this says which
            session.listener.note(f"{self.name}: {note}")
        notes: list[str] = []
        with noted(notes):
            session.prepare()
        roster, advance = session.roster, session.listener.advance
        target = paths[0].parent / "votes"
        done, asked = vote(roster, session.rows, session.columns, session.engine, advance, target=target)
        session.results[self.name] = parts = vote_parts(done, paths[0])
        return vote_facts(parts, asked, roster, notes) | self._spent(session)

    def _spent(self, session: Session) -> Facts:
        """What was spent on language models so far, where one was asked."""
        from shortlist.project.prompting import spent

        found = [one.to_dict() for one in spent(session)]
        return {"spent": found} if found else {}

    def load(self, paths: Sequence[Path], settings: Settings) -> VoteParts:  # noqa: ARG002
        from shortlist.votes.vote_parts import VoteParts

        return VoteParts.open(paths[0])

    def complete(self, paths: Sequence[Path]) -> bool:
        """Whether the files of all parts are there."""
        from shortlist.project.files import listed_files

        return all(path.is_file() for path in listed_files(paths[0]))

    def tell(self, facts: Facts) -> str:
        asked = f"{number_of(facts['labelers'], 'labeler')} on {number_of(facts['rows'], 'row')}"
        return f"{asked}, {facts['covered']:.1%} covered"

    def doubtful(self, facts: Facts) -> bool:
        return bool(facts["covered"] < LITTLE)


def vote_facts(parts: VoteParts, asked: tuple[str, ...], roster: Roster, notes: Sequence[str] = ()) -> Facts:
    from shortlist.votes.codomain import failure_notes

    failed = failure_notes(parts.like.names, parts.like.failures)
    return {
        "rows": len(parts),
        "labelers": len(parts.like.names),
        "asked": list(asked),
        "covered": parts.covered / len(parts),
        "notes": [*roster.notes, *notes, *failed],
    }
