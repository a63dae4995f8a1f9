"""Lines: the code that does what is advised, in the language of where it is to be written.

Here that is Python. A project has its own, for labelers that are written in shortlist.toml and in labelers.py. A line
can be pasted as it is, or else it is a comment that says what to change where.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import count

from shortlist.identifiability.findings import quoted, show_not
from shortlist.wording import number_of, some_of

MOST = 12  # labelers that are told a line each


class Lines:
    """For who works in Python."""

    def second_answers(self, said: Mapping[str, Sequence[str]]) -> str:
        """Labelers with one answer also say what a row is not: a line for each of the first, the others by name."""
        lines = [self.second_answer(name, classes) for name, classes in list(said.items())[:MOST]]
        others = some_of(list(said)[MOST:])
        return "\n".join([*lines, f"# and so on for {others}"] if others else lines)

    def second_answer(self, name: str, said: Sequence[str]) -> str:
        no = show_not(said)
        return f"# add no={no} to {name}; in a function: add {no} to says=, and return it where nothing matches"

    def silence(self, names: Sequence[str], m: int) -> str:
        """What may be the matter with labelers that never voted on so many rows."""
        they, look = ("It", "it looks") if len(names) == 1 else ("They", "they look")
        return f"{they} gave no answer on all {number_of(m, 'row')}. If {look} for words, is one misspelt?"

    def left_out(self, *names: str) -> str:
        return f"del {', '.join(names)}"

    def failing(self, *names: str) -> str:
        it = "it" if len(names) == 1 else "they"
        return f"# in {some_of(names)}: return None on rows where {it} cannot answer"

    def longer_fit(self, steps: int) -> str:
        return f"LabelModel(max_iter={steps})"

    def balance(self, shares: Mapping[str, float]) -> str:
        """As it was tried; who knows better writes other shares."""
        if len(shares) > MOST:
            return self.any_balance(list(shares))
        return f"model.set_params(balance={{{each_share(shares, ': ')}}})    # as in the votes; write what you know"

    def any_balance(self, names: Sequence[str]) -> str:
        """What to write where it is not known."""
        first = json.dumps(names[0], ensure_ascii=False)
        return f"# model.set_params(balance={{{first}: ..., ...}}), with a share for each class"

    def use_gold(self) -> str:
        return "LabelModel().fit(votes, gold)"

    def no_gold(self) -> str:
        return "LabelModel().fit(votes)"

    def tells_apart(self, one: str, other: str, taken: Collection[str] = ()) -> str:
        """A labeler of two classes, with a name that is not taken. It votes once its words are written."""
        name = re.sub(r"\W+", "_", f"{one}_or_{other}".lower()).strip("_")
        name = free_name(name if name.isidentifier() else f"is_{name}", taken)
        lines = [f"@labeler(says=[{quoted(one)}, {quoted(other)}])", f"def {name}(text):"]
        for said in (one, other):
            lines += [f"    if {quoted(f'<a word of {said}>')} in text:", f"        return {quoted(said)}"]
        return "\n".join(lines)


def each_share(shares: Mapping[str, float], sign: str) -> str:
    """What stands in a dictionary, or in a table of TOML. A balance need not have the sum 1 to the last digit."""
    return ", ".join(f"{json.dumps(name, ensure_ascii=False)}{sign}{share:.3g}" for name, share in shares.items())


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number behind it where it is taken."""
    return next(one for i in count(1) if (one := name if i == 1 else f"{name}_{i}") not in taken)
