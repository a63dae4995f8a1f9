"""Places: where each labeler of a project is written, and what to write there to follow an advice."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from shortlist.identifiability.findings import show_not
from shortlist.labelers.core import FunctionLabeler
from shortlist.labelers.text import TextLabeler
from shortlist.project.code.toml_labelers import toml_not
from shortlist.reporting.lines import Lines

if TYPE_CHECKING:
    from shortlist.labelers import Labeler
    from shortlist.project.code.roster import Roster


class Places(Lines):
    """For who works in a project: lines of shortlist.toml and of labelers.py."""

    def __init__(self, roster: Roster) -> None:
        self.toml, self.code, self.written = roster.settings.toml.name, roster.code, roster.settings.toml.values
        self.labelers = {labeler.name: labeler for labeler in roster.labelers}
        self.in_code = {labeler.name for labeler in roster.code.labelers} if roster.code else set()

    def second_answer(self, name: str, said: Sequence[str]) -> str:
        labeler = self.labelers[name]
        if name in self.in_code:
            return self._in_code(name, labeler, said)
        setting = "no = " if isinstance(labeler, TextLabeler) else "# another answer: "
        return f"{setting}{toml_not(said)}    # in {self.toml}, at the labeler {json.dumps(name, ensure_ascii=False)}"

    def _in_code(self, name: str, labeler: Labeler, said: Sequence[str]) -> str:
        no, place = show_not(said), self._place(name)
        if isinstance(labeler, TextLabeler):
            return f"{name} = {(labeler.record() or {})['kind']}(…, no={no})    # {place}"
        if not isinstance(labeler, FunctionLabeler):
            return f"# {name}, {place}: another answer, {no}"
        yes = show_not(said)[4:-1]
        answers = f"[{yes if len(said) == 1 else '{' + yes + '}'}, {no}]"
        decorator = f"@labeler(says={answers})" if labeler.says is not None else "@labeler"
        return f"{decorator}    # {place}\ndef {name}(…):\n    …\n    return {no}    # where nothing matches"

    def _place(self, name: str) -> str:
        file = self.code.source.path.name if self.code else "labelers.py"
        line = self.code.source.find_definition(name) if self.code else None
        return f"in {file}" if line is None else f"in {file}, line {line}"

    def left_out(self, *names: str) -> str:
        off = dict.fromkeys([*self.written.get("labelers", {}).get("off", ()), *names])
        return self._setting("labelers", "off", json.dumps(list(off), ensure_ascii=False))

    def failing(self, *names: str) -> str:  # noqa: ARG002
        return self._setting("labelers", "on_error", '"raise"') + ": it stops at the first row that fails"

    def longer_fit(self, steps: int) -> str:
        return self._setting("label_model", "max_iter", str(steps))

    def use_gold(self) -> str:
        return self._setting("label_model", "use_gold", "true")

    def _setting(self, table: str, key: str, value: str) -> str:
        """A line of shortlist.toml, and where it goes."""
        there = f", in place of its line {key}" if key in self.written.get(table, {}) else ""
        return f"{key} = {value}    # in {self.toml}, under [{table}]{there}"

    def tells_apart(self, one: str, other: str) -> str:
        return f"{super().tells_apart(one, other)}    # in labelers.py"
