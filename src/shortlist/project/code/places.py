"""Places: the place of each labeler in the files of a project, and the line to write there to follow an advice."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.identifiability.findings import show_not
from shortlist.labelers.labeler import FunctionLabeler
from shortlist.labelers.text_search import TextLabeler
from shortlist.project.code.toml_labelers import toml_not
from shortlist.reporting.snippets import MOST_LINES, Snippets, each_share
from shortlist.wording import number_of, some_of

if TYPE_CHECKING:
    from shortlist.project.code.roster import Roster


class Places(Snippets):
    """Lines of shortlist.toml and of labelers.py, for advice in a project."""

    def __init__(self, roster: Roster) -> None:
        self.toml, self.code, self.written = roster.settings.toml.name, roster.code, roster.settings.toml.values
        self.labelers = {labeler.name: labeler for labeler in roster.labelers}
        self.file = Path(roster.settings.labelers.file).name
        self.namespace: Mapping[str, Any] = roster.code.namespace if roster.code else {}
        self.in_code = {labeler.name for labeler in roster.code.labelers} if roster.code else set()

    def second_answers(self, said: Mapping[str, Sequence[str]]) -> str:
        imported = self._imported("Not") if self.in_code.intersection(said) else ""
        return imported + super().second_answers(said)

    def second_answer(self, name: str, said: Sequence[str]) -> str:
        labeler = self.labelers[name]
        if name not in self.in_code:
            setting = "no = " if isinstance(labeler, TextLabeler) else "# another answer: "
            where = f"in {self.toml}, at the labeler {json.dumps(name, ensure_ascii=False)}"
            return f"{setting}{toml_not(said)}    # {where}"
        no, place = show_not(said), self._place(name)
        if isinstance(labeler, TextLabeler):
            return f"# add no={no} to {name} ({place})"
        if not isinstance(labeler, FunctionLabeler):
            return f"# {name} ({place}): another answer, {no}"
        yes = no[4:-1]
        answers = f"[{yes if len(said) == 1 else '{' + yes + '}'}, {no}]"
        declare = f"write @labeler(says={answers}), and " if labeler.says is not None else ""
        return f"# {name} ({place}): {declare}return {no} where nothing matches"

    def _place(self, name: str) -> str:
        line = self.code.source.find_definition(name) if self.code else None
        return self.file if line is None else f"{self.file}, line {line}"

    def silence(self, names: Sequence[str], m: int) -> str:
        """A function returned nothing; words that are looked for may be misspelt."""
        functions = [name for name in names if isinstance(self.labelers.get(name), FunctionLabeler)]
        others = [name for name in names if name not in functions]
        if not functions:
            return super().silence(others, m)
        who = some_of(functions) if others else "It" if len(functions) == 1 else "They"
        message = f"{who} returned nothing on all {number_of(m, 'row')}."
        if any("row" in getattr(self.labelers[name], "parameters", ()) for name in functions):
            message += ' ("word" in row looks for a column of that name; in a column: "word" in row["text"].)'
        return f"{message} Is a word misspelt that {some_of(others)} should find?" if others else message

    def left_out(self, *names: str) -> str:
        off = dict.fromkeys([*self.written.get("labelers", {}).get("off", ()), *names])
        return self._setting("labelers", "off", json.dumps(list(off), ensure_ascii=False))

    def failing(self, *names: str) -> str:
        """Only a function can be told where to abstain."""
        lines = []
        for name in names[:MOST_LINES]:
            function = name in self.in_code and isinstance(self.labelers.get(name), FunctionLabeler)
            what = "return None on rows where it cannot answer" if function else "change what fails on such rows"
            lines.append(f"# {name} ({self._place(name) if name in self.in_code else self.toml}): {what}")
        return "\n".join(lines)

    def longer_fit(self, steps: int) -> str:
        return self._setting("label_model", "max_iter", str(steps))

    def balance(self, shares: Mapping[str, float]) -> str:
        if len(shares) > MOST_LINES:
            return self.any_balance(list(shares))
        line = self._setting("label_model", "balance", f"{{ {each_share(shares, ' = ')} }}")
        return f"{line}; as in the votes: write what you know"

    def any_balance(self, names: Sequence[str]) -> str:
        name = json.dumps(names[0], ensure_ascii=False)
        return f"# balance = {{ {name} = ..., ... }} in {self.toml}, under [label_model], with a share for each class"

    def by_counting(self) -> str:
        return self._setting("output", "by", '"counting"')

    def _setting(self, table: str, key: str, value: str) -> str:
        there = f", in place of its line {key}" if key in self.written.get(table, {}) else ""
        return f"{key} = {value}    # in {self.toml}, under [{table}]{there}"

    def tells_apart(self, one: str, other: str, taken: Collection[str] = ()) -> str:
        """Add the file of the functions; no other name of the file may be lost."""
        head, body = super().tells_apart(one, other, self._taken(taken)).split("\n", 1)
        return f"{self._imported('labeler')}{head}    # in {self.file}\n{body}"

    def names(self, name: str, taken: Collection[str] = ()) -> str:
        return f"{self._imported('keywords')}{super().names(name, self._taken(taken))}    # in {self.file}"

    def _taken(self, taken: Collection[str]) -> set[str]:
        return {*taken, *self.labelers, *self.written.get("labelers", {}).get("off", ()), *self.namespace}

    def _imported(self, name: str) -> str:
        """The line that brings a name of Shortlist into labelers.py, where it is not there yet."""
        return "" if name in self.namespace else f"from shortlist import {name}    # in {self.file}\n"
