"""Lines: the code that does what is advised, in the language of where it is to be written.

Here that is Python. A project has its own, for labelers that are written in shortlist.toml and in labelers.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from shortlist.identifiability.findings import show_not
from shortlist.wording import some_of

MOST = 3  # labelers that are told a line each


class Lines:
    """For who works in Python."""

    def second_answers(self, said: Mapping[str, Sequence[str]]) -> str:
        """Labelers with one answer also say what a row is not: a line for each of the first, the others by name."""
        lines = [self.second_answer(name, classes) for name, classes in list(said.items())[:MOST]]
        others = some_of(list(said)[MOST:])
        return "\n".join([*lines, f"# and so on for {others}"] if others else lines)

    def second_answer(self, name: str, said: Sequence[str]) -> str:
        no = show_not(said)
        return f"{name} = keywords(…, no={no})    # in a function: add {no} to says=, and return it"

    def left_out(self, *names: str) -> str:
        return f"del {', '.join(names)}"

    def failing(self, *names: str) -> str:
        return f'apply([{", ".join(names)}], rows, on_error="raise")    # stops at the first row that fails'

    def longer_fit(self, steps: int) -> str:
        return f"LabelModel(max_iter={steps})"

    def use_gold(self) -> str:
        return "LabelModel().fit(votes, gold)"

    def tells_apart(self, one: str, other: str) -> str:
        """A labeler of two classes, with a name of its own."""
        words = [show_not([name])[4:-1] for name in (one, other)]
        name = re.sub(r"\W+", "_", f"{one}_or_{other}".lower()).strip("_")
        name = name if name.isidentifier() else f"is_{name}"
        return f"@labeler(says=[{', '.join(words)}])\ndef {name}(text): ..."
