"""A project without labelers: its rows can be read, searched and labelled before the first rule is written."""

from __future__ import annotations

import numpy as np

from shortlist.labelmodel import NearestClass
from shortlist.project.code.roster import Roster
from shortlist.project.session import Session
from shortlist.project.watch import Watch
from shortlist.votes import Votes

NOBODY = "(no labeler yet)"


def bare_look(watch: Watch) -> Session:
    """The project as if one labeler abstained everywhere: all classes are believed alike."""
    with watch.project.open() as session:
        watch.take_rows(session)
        classes = session.settings.classes
        codes = np.zeros((len(session.rows), 1), np.uint8)
        votes = Votes(codes, [[[classes[0]]]], classes, [NOBODY], ids=session.rows.ids())
        session.roster = Roster((), (), None, session.settings, session.folder, ())
        session.votes, session.results["fit"] = votes, NearestClass().fit(votes)
        for _ in session.rows.segments():  # read once, and kept in memory
            pass
    return session
