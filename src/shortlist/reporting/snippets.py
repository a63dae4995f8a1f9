"""Snippets: code that follows an advice. It can be pasted as it is, or is a comment that says what to change.

Here it is Python. A project has its own, for labelers in shortlist.toml and in labelers.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import count

from shortlist.identifiability.findings import quoted, show_not
from shortlist.wording import number_of, some_of

MOST_LINES = 12  # labelers with a line each


class Snippets:
    """Code for users of the Python library."""

    def second_answers(self, said: Mapping[str, Sequence[str]]) -> str:
        """A line for each of the first labelers that should also say what a row is not, the others by name."""
        lines = [self.second_answer(name, classes) for name, classes in list(said.items())[:MOST_LINES]]
        others = some_of(list(said)[MOST_LINES:])
        return "\n".join([*lines, f"# and so on for {others}"] if others else lines)

    def second_answer(self, name: str, said: Sequence[str]) -> str:
        no = show_not(said)
        return f"# add no={no} to {name}; in a function: add {no} to says=, and return it where nothing matches"

    def silence(self, names: Sequence[str], m: int) -> str:
        """A guess why labelers never voted on m rows."""
        they, look = ("It", "it looks") if len(names) == 1 else ("They", "they look")
        return f"{they} gave no answer on all {number_of(m, 'row')}. If {look} for words, is one misspelt?"

    def left_out(self, *names: str) -> str:
        return f"del {', '.join(names)}"

    def abstains(self, name: str) -> str:
        return f"# {name}: remove no=Not(...); in a function: return None where nothing matches"

    def by_counting(self) -> str:
        return 'JointModel(by="counting")'

    def failing(self, *names: str) -> str:
        it = "it" if len(names) == 1 else "they"
        return f"# in {some_of(names)}: return None on rows where {it} cannot answer"

    def longer_fit(self, steps: int) -> str:
        return f"LabelModel(max_iter={steps})"

    def balance(self, shares: Mapping[str, float]) -> str:
        """The balance as it was tried."""
        if len(shares) > MOST_LINES:
            return self.any_balance(list(shares))
        return f"model.set_params(balance={{{each_share(shares, ': ')}}})    # as in the votes; write what you know"

    def any_balance(self, names: Sequence[str]) -> str:
        """A balance to fill in."""
        first = json.dumps(names[0], ensure_ascii=False)
        return f"# model.set_params(balance={{{first}: ..., ...}}), with a share for each class"

    def tells_apart(self, one: str, other: str, taken: Collection[str] = ()) -> str:
        """A labeler of two classes, with a name that is not taken, to fill in."""
        name = identifier(f"{one}_or_{other}", taken)
        lines = [f"@labeler(says=[{quoted(one)}, {quoted(other)}])", f"def {name}(text):"]
        for said in (one, other):
            lines += [f"    if {quoted(f'<a word of {said}>')} in text:", f"        return {quoted(said)}"]
        return "\n".join(lines)

    def names(self, name: str, taken: Collection[str] = ()) -> str:
        """A labeler of one class, to fill in."""
        return f"{identifier(name, taken)} = keywords([{quoted(f'<a word of {name}>')}], says={quoted(name)})"


def identifier(text: str, taken: Collection[str]) -> str:
    """A name of a labeler that is not taken, after a text."""
    name = re.sub(r"\W+", "_", text.lower()).strip("_")
    return free_name(name if name.isidentifier() else f"is_{name}", taken)


def each_share(shares: Mapping[str, float], sign: str) -> str:
    """Items of a dictionary, or of a TOML table. A balance need not add up to 1 to the last digit."""
    return ", ".join(f"{json.dumps(name, ensure_ascii=False)}{sign}{share:.3g}" for name, share in shares.items())


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number behind it where it is taken."""
    return next(one for i in count(1) if (one := name if i == 1 else f"{name}_{i}") not in taken)
