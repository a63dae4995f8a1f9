"""suggest_rules(): a language model writes keyword and pattern rules once, for a person to accept or reject.

Asking a model about every row is dear; a few calls that write rules are not. Rules by models cover more and are right
less often than those by people, so look at what each covers and contradicts before it is used.
"""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from shortlist.errors import BadLabeler, ModelWarning, ShortlistError, SlowPattern
from shortlist.labelers import TextLabeler, apply, keywords, pattern
from shortlist.labelspace import LabelSpace
from shortlist.models import Model, as_model
from shortlist.rows import chunks
from shortlist.wording import some_of

RULE = re.compile(r"^[\W\d]*(keywords?|pattern)\s*:\s*(.+?)\s*(?:=>|->|→)\s*(.+?)\s*$", re.IGNORECASE)
PROMPT = """Each text below belongs to one of these classes: {classes}.

{texts}

Write rules that recognise classes by words in a text. Write one rule a line and nothing else, in one of these forms:
keywords: word, other word => class
pattern: regular expression => class
A rule may allow several classes: keywords: word => class or other class
"""


def suggest_rules(
    model: Any, rows: Any, classes: LabelSpace | Iterable[str], *, text: str | None = None, sample: int = 40
) -> list[TextLabeler]:
    """Have a model write rules: labelers that vote on some of these rows, the widest first.

    text     the column of text, where it is not the only one
    sample   number of rows that are shown to the model, 10 in a call
    """
    space = classes if isinstance(classes, LabelSpace) else LabelSpace(classes)
    texts = [one for chunk in chunks(rows)[0] for one in chunk.text(text)]
    rules: dict[str, TextLabeler] = {}
    rejected: list[str] = []
    for line in _written(as_model(model), texts, space, sample):
        try:
            rule = parse_rule(line, space)
            rules.setdefault(rule.name, rule)
        except ShortlistError as error:
            rejected.append(f"{line!r} ({error})")
    covers = apply(rules.values(), texts, space=space, progress=False).coverage.tolist() if rules else []
    wide = sorted(zip(covers, rules.values(), strict=True), key=lambda pair: -pair[0])
    rejected += [f"{rule.name!r} (it matches no row)" for cover, rule in wide if not cover]
    if rejected:
        message = f"{len(rejected)} rules that the model wrote are no use: {some_of(rejected, 3)}"
        warnings.warn(message, ModelWarning, stacklevel=2)
    return [replace(rule, on=text) for cover, rule in wide if cover]


def _written(model: Model, texts: Sequence[str | None], space: LabelSpace, sample: int) -> Iterable[str]:
    """The rules that the model writes, a line each."""
    present = [text for text in texts if text]
    drawn = random.Random(0).sample(present, min(sample, len(present)))
    lines: dict[str, None] = {}
    for start in range(0, len(drawn), 10):
        shown = "\n".join(f"- {' '.join(text[:300].split())}" for text in drawn[start : start + 10])
        said = model.write(PROMPT.format(classes=", ".join(space), texts=shown), max_tokens=400)
        lines |= dict.fromkeys(line.strip() for line in said.splitlines() if RULE.match(line.strip()))
    return lines


def parse_rule(line: str, space: LabelSpace) -> TextLabeler:
    """Make the rule that a line stands for. Classes are recognised in whatever case."""
    match = RULE.match(line)
    if match is None:
        raise BadLabeler("it is no rule")
    kind, what, classes = match.groups()
    folded = {name.casefold(): name for name in space}
    named = [word.strip(" .\"'`*{}[]") for word in re.split(r",|\bor\b|\band\b|\||/", classes)]
    says = space.shortlist({folded.get(word.casefold(), word) for word in named if word})
    if kind.lower().startswith("keyword"):
        words = [word.strip().strip("\"'`") for word in what.split(",")]
        return keywords([word for word in dict.fromkeys(words) if word], says=says)
    with warnings.catch_warnings(action="ignore", category=SlowPattern):
        rule = pattern(what.strip("`/"), yes=says, ignore_case=True)
    if rule.engine != "polars":
        raise BadLabeler("its expression may take very long on some texts")
    return rule
