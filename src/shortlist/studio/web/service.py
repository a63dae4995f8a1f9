"""Service: what the page can ask for: a name, plain data in, plain data out."""

from __future__ import annotations

from typing import Any

from shortlist.browse import Query, select, show_rows, why
from shortlist.browse.queue import PICKS
from shortlist.errors import ShortlistError
from shortlist.project.gold.file import Picked
from shortlist.studio.comparing import compare
from shortlist.studio.desk import Desk
from shortlist.studio.exporting import export, export_own
from shortlist.studio.figures import figures
from shortlist.studio.labelling import label_row, next_to_label, take_back
from shortlist.studio.overview import overview
from shortlist.studio.preview import preview, tried
from shortlist.studio.rules import remove_rule, rules, save_rule, source, switch_rule, use_gold
from shortlist.studio.setup import offered, set_up

WINDOW = 200  # rows at a time
Given = dict[str, Any]


class Service:
    """What the page can ask for: a name, plain data in, plain data out."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._latest: dict[str, int] = {}  # tab → the number of its last preview
        self._found: tuple[Any, Any] | None = None  # the last selection of rows, which is asked for window by window
        self._figures: tuple[int, dict[str, Any]] | None = None

    def overview(self, _given: Given) -> Any:
        return overview(self.desk)

    def figures(self, _given: Given) -> Any:
        """What takes longer, worked out once a revision."""
        revision = self.desk.revision
        if self.desk.bare:
            return {"labelers": {}, "todo": []}
        if self._figures is None or self._figures[0] != revision:
            self._figures = (revision, figures(self.desk.opened))
        return {"revision": revision, **self._figures[1]}

    def rows(self, given: Given) -> Any:
        session, query = self.desk.opened, Query.from_dict(given.get("query", {}))
        key = (id(session), self.desk.revision, query)
        if self._found is None or self._found[0] != key:
            self._found = (key, select(session, query))
        found = self._found[1]
        offset, limit = _whole(given, "offset", 0), min(_whole(given, "limit", 50), WINDOW)
        rows = show_rows(session, found[offset : offset + limit], query.labeler)
        return {"found": len(found), "offset": offset, "rows": [row.to_dict() for row in rows]}

    def why(self, given: Given) -> Any:
        if self.desk.bare:
            raise ShortlistError("no labeler votes yet")
        return why(self.desk.opened, _whole(given, "row"), given.get("against")).to_dict()

    def rules(self, _given: Given) -> Any:
        session = self.desk.opened
        return {"rules": [rule.to_dict() for rule in rules(session)], "source": source(session)}

    def preview(self, given: Given) -> Any:
        """What a rule would do. A newer question of the same tab makes this one end early."""
        tab, number = str(given.get("tab")), _whole(given, "number", 0)
        self._latest[tab] = max(number, self._latest.get(tab, 0))
        return preview(
            self.desk.opened, given.get("record"), given.get("replaces"), lambda: self._latest[tab] != number
        )

    def tried(self, given: Given) -> Any:
        """What a prompt says about a few rows: those about which the model is least sure."""
        session = self.desk.opened
        rows = [int(row) for row in select(session, Query(unsure=not self.desk.bare))[: _whole(given, "rows", 5)]]
        return {"rows": tried(session, given.get("record"), given.get("replaces"), rows)}

    def save(self, given: Given) -> Any:
        save_rule(self.desk, given["record"], given.get("before"))
        return overview(self.desk)

    def remove(self, given: Given) -> Any:
        remove_rule(self.desk, given["before"])
        return overview(self.desk)

    def switch(self, given: Given) -> Any:
        switch_rule(self.desk, str(given["name"]), on=bool(given["on"]))
        return overview(self.desk)

    def use_gold(self, given: Given) -> Any:
        use_gold(self.desk, fits=bool(given["fits"]))
        return overview(self.desk)

    def next(self, given: Given) -> Any:
        passed = [int(row) for row in given.get("passed", ())]
        return next_to_label(self.desk, passed, _picked(given) or "gain")

    def label(self, given: Given) -> Any:
        return label_row(self.desk, _whole(given, "row"), [str(name) for name in given["classes"]], _picked(given))

    def undo(self, given: Given) -> Any:
        return take_back(self.desk, given["entry"])

    def compare(self, given: Given) -> Any:
        before, after = _whole(given, "before"), _whole(given, "after")
        return compare(self.desk, before, after, offset=_whole(given, "offset", 0))

    def export(self, given: Given) -> Any:
        return export(self.desk, str(given["what"]))

    def export_own(self, given: Given) -> Any:
        return export_own(self.desk, given)

    def setup(self, given: Given) -> Any:
        if "file" in given:
            set_up(self.desk, given["file"], classes=list(given["classes"]), text=given["text"],
                   id=given.get("id"), gold=given.get("gold"))  # fmt: skip
            return overview(self.desk)
        return {"files": offered(self.desk)}


READS = ("overview", "figures", "rules")  # by GET; everything else by POST, which other pages cannot send
ASKS = (
    "rows", "why", "preview", "tried", "save", "remove", "switch", "use_gold", "next", "label", "undo", "compare",
    "export", "export_own", "setup",
)  # fmt: skip


def _picked(given: Given) -> Picked | None:
    """How a row is picked; None where a person chose it."""
    value: Picked | None = given.get("picked")
    if value not in (None, *PICKS):
        raise ShortlistError(f"rows are picked by {' or '.join(PICKS)}; got {value!r}")
    return value


def _whole(given: Given, name: str, default: int | None = None) -> int:
    value = given.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ShortlistError(f"{name} is a whole number from 0; got {value!r}")
    return value
