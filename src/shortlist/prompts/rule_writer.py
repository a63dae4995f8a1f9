"""suggest_rules(): a language model writes keyword and pattern rules once, for a person to accept or reject.

Asking a model about every row is dear; a few calls that write rules are not. Rules by models cover more and are right
less often than those by people, so each comes with what it covers and contradicts, and none is used by itself.
"""

from __future__ import annotations

import json
import random
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shortlist.arrays import Mask
from shortlist.errors import BadLabeler, BadRows, ShortlistError, SlowPattern
from shortlist.labelers import Keywords, Pattern, apply, keywords, pattern
from shortlist.labelers.records import to_record
from shortlist.labelspace import LabelSpace, Shortlist
from shortlist.models import as_model
from shortlist.rows import chunks
from shortlist.votes import Votes
from shortlist.wording import some_of

RULE = re.compile(r"^[\W\d]*(keywords?|pattern)\s*:\s*(.+?)\s*(?:=>|->|→)\s*(.+?)\s*$", re.IGNORECASE)
Rule = Keywords | Pattern
PROMPT = """Each text below belongs to one of these classes: {classes}.

{texts}

Write rules that recognise classes by words in a text. Write one rule a line and nothing else, in one of these forms:
keywords: word, other word => class
pattern: regular expression => class
A rule may allow several classes: keywords: word => class or other class
"""


@dataclass(frozen=True)
class SuggestedRule:
    """A rule that a model wrote.

    labeler    the rule, ready to be used
    says       its shortlist
    coverage   the share of rows that it votes on
    conflict   the share of these on which some labeler said a shortlist without a class in common; None without votes
    examples   the first rows that it votes on
    """

    labeler: Rule
    says: Shortlist
    coverage: float
    conflict: float | None
    examples: tuple[int, ...]

    def toml(self) -> str:
        """The rule for shortlist.toml."""
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in to_record(self.labeler).items()]
        return "\n".join(["[[labeler]]", *lines]) + "\n"

    def __str__(self) -> str:
        against = "" if self.conflict is None else f", {self.conflict:.1%} of these in conflict"
        return f"{self.labeler!r}: {self.coverage:.1%} of the rows{against}"


@dataclass(frozen=True)
class SuggestedRules:
    """Rules that can be used, the widest first, and lines that cannot, each with the reason."""

    rules: tuple[SuggestedRule, ...]
    rejected: tuple[tuple[str, str], ...]
    calls: int

    def __str__(self) -> str:
        left = some_of([f"{line!r} ({reason})" for line, reason in self.rejected], 3)
        tail = [f"{len(self.rejected)} lines are no use: {left}"] if self.rejected else []
        return "\n".join([*map(str, self.rules), *tail])


def suggest_rules(
    model: Any,
    rows: Any,
    classes: LabelSpace | Iterable[str],
    *,
    votes: Votes | None = None,
    on: str | None = None,
    sample: int = 40,
    batch: int = 10,
    seed: int = 0,
) -> SuggestedRules:
    """Have a model write rules from a sample of rows: about `sample / batch` calls, whatever the number of rows.

    votes    of labelers about the same rows, to count how often each rule contradicts them
    on       the column of text, where it is not the only one
    sample   rows that are shown to the model, drawn with `seed`, `batch` of them in a call
    """
    space = classes if isinstance(classes, LabelSpace) else LabelSpace(classes)
    texts = [text for chunk in chunks(rows)[0] for text in chunk.text(on)]
    if votes is not None and len(votes) != len(texts):
        raise BadRows(f"the votes are about {len(votes):,} rows, and {len(texts):,} rows were given")
    lines, calls = _written(as_model(model), texts, space, sample, batch, seed)
    by_name: dict[str, Rule] = {}
    rejected: list[tuple[str, str]] = []
    for line in lines:
        try:
            rule = parse_rule(line, space, on)
            by_name.setdefault(rule.name, rule)
        except ShortlistError as error:
            rejected.append((line, str(error)))
    rules = [_measured(rule, texts, space, votes) for rule in by_name.values()]
    rejected += [(rule.labeler.name, "it matches no row") for rule in rules if not rule.coverage]
    useful = sorted((rule for rule in rules if rule.coverage), key=lambda rule: -rule.coverage)
    return SuggestedRules(tuple(useful), tuple(rejected), calls)


def _written(
    model: Any, texts: Sequence[str | None], space: LabelSpace, sample: int, batch: int, seed: int
) -> tuple[list[str], int]:
    """The lines that the model writes, and the number of calls."""
    present = [text for text in texts if text]
    drawn = random.Random(seed).sample(present, min(sample, len(present)))
    lines: dict[str, None] = {}
    starts = range(0, len(drawn), batch)
    for start in starts:
        shown = "\n".join(f"- {' '.join(text[:300].split())}" for text in drawn[start : start + batch])
        said = model.write(PROMPT.format(classes=", ".join(space), texts=shown), max_tokens=400)
        lines |= dict.fromkeys(line.strip() for line in said.splitlines() if RULE.match(line.strip()))
    return list(lines), len(starts)


def parse_rule(line: str, space: LabelSpace, on: str | None) -> Rule:
    """Make the rule that a line stands for."""
    match = RULE.match(line)
    if match is None:
        raise BadLabeler("it is no rule")
    kind, what, classes = match.groups()
    says = space.shortlist(set(_named(classes, space)))
    if kind.lower().startswith("keyword"):
        words = [word.strip().strip("\"'`") for word in what.split(",")]
        return keywords([word for word in dict.fromkeys(words) if word], says=says, on=on)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlowPattern)
        rule = pattern(what.strip("`/"), yes=says, on=on, ignore_case=True)
    if rule.engine != "polars":
        raise BadLabeler("its expression may take very long on some texts")
    return rule


def _named(classes: str, space: LabelSpace) -> Iterator[str]:
    """The classes that a model names, in whatever case."""
    folded = {name.casefold(): name for name in space}
    for word in re.split(r",|\bor\b|\band\b|\||/", classes):
        plain = word.strip(" .\"'`*{}[]")
        if plain:
            yield folded.get(plain.casefold(), plain)


def _measured(rule: Rule, texts: Sequence[str | None], space: LabelSpace, votes: Votes | None) -> SuggestedRule:
    own = apply(replace(rule, on=None), list(texts), space=space, progress=False)
    voted: Mask = own.codes[:, 0] != 0
    (said,) = own.codomains[0].says
    conflict = None
    if votes is not None and voted.any():
        conflict = float((voted & contradicted(said, votes)).sum() / voted.sum())
    examples = tuple(int(a) for a in np.flatnonzero(voted)[:3])
    return SuggestedRule(rule, said, float(voted.mean()) if len(voted) else 0.0, conflict, examples)


def contradicted(said: Shortlist, votes: Votes) -> Mask:
    """(m,): the rows on which some labeler says a shortlist without a class in common."""
    rows = np.zeros(len(votes), np.bool_)
    for i, codomain in enumerate(votes.codomains):
        codes = [code for code, shortlist in enumerate(codomain.shortlists, start=1) if not shortlist & said]
        rows |= np.isin(votes.codes[:, i], codes)
    return rows
