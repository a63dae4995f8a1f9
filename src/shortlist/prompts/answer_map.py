"""AnswerMap: the choices of a prompt and the shortlist of each. Turns scores into votes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.errors import BadLabeler
from shortlist.labelers.answers import Said, checked_answer
from shortlist.labelspace import Not, Shortlist
from shortlist.models.protocols import plain

Meaning = Shortlist | Not | None  # None abstains


@dataclass(frozen=True)
class AnswerMap:
    """Choice → meaning, in order. Several choices may mean the same."""

    choices: tuple[str, ...]
    meanings: tuple[Meaning, ...]

    @classmethod
    def of(cls, answers: Any, name: str) -> AnswerMap:
        """Check a mapping of choices to shortlists."""
        if not isinstance(answers, Mapping) or len(answers) < 2:
            raise _wrong(name, f"answers map at least two choices to shortlists; got {answers!r}")
        words: dict[str, str] = {}
        for choice in answers:
            word = plain(choice) if isinstance(choice, str) else ""
            if not word:
                raise _wrong(name, f"a choice is a text, such as ' yes'; got {choice!r}")
            if word in words:
                raise _wrong(name, f"the choices {words[word]!r} and {choice!r} differ in blanks or capitals only")
            words[word] = choice
        meanings = tuple(None if m is None else checked_answer(m, name, "answers") for m in answers.values())
        if len(set(meanings) - {None}) == 0 or len(set(meanings)) == 1:
            raise _wrong(name, "all choices mean the same: at least two of them must differ")
        return cls(tuple(answers), meanings)

    @cached_property
    def outcomes(self) -> tuple[Meaning, ...]:
        """The different meanings."""
        return tuple(dict.fromkeys(self.meanings))

    def says(self, widen: bool) -> Said:
        """All possible answers: the shortlists of the map and, widened, the unions of two of them."""
        pairs = [self._union(a, b) for a in range(len(self.outcomes)) for b in range(a)] if widen else []
        return tuple(dict.fromkeys(one for one in [*self.outcomes, *pairs] if one is not None))

    def decide(
        self, scores: Floats, margin: float, widen: bool, offsets: Floats | None = None
    ) -> npt.NDArray[np.int64]:
        """(n,): the place of the answer in `says`, from 1; 0 abstains."""
        says = self.says(widen)
        shares = self.shares(scores, offsets)
        answered = ~np.isnan(shares).any(axis=1)
        order = np.argsort(-np.where(np.isnan(shares), 0.0, shares), axis=1, kind="stable")
        best, second = order[:, 0], order[:, 1]
        at = np.arange(len(shares))
        lead = shares[at, best] - shares[at, second]
        sure = (lead >= margin) & (lead > 1e-9)  # a tie abstains
        place: dict[Meaning, int] = {one: i for i, one in enumerate((None, *says))}
        alone = np.array([place[one] for one in self.outcomes])
        some = range(len(self.outcomes))
        pairs = np.array([[place[self._union(a, b)] if widen and a != b else 0 for b in some] for a in some])
        votes = np.where(sure, alone[best], pairs[best, second])
        return np.where(answered, votes, 0).astype(np.int64)

    def shares(self, scores: Floats, offsets: Floats | None = None) -> Floats:
        """(n, outcomes): the probability of each meaning among them; NaN where there is no answer."""
        shifted = scores if offsets is None else scores - offsets
        lost = np.isnan(shifted)
        none = lost.all(axis=1)
        usable = np.where(lost, -np.inf, shifted)
        usable[none] = 0.0
        odds = np.exp(usable - usable.max(axis=1, keepdims=True))
        member = np.array([[m == outcome for outcome in self.outcomes] for m in self.meanings], np.float64)
        shares: Floats = (odds / odds.sum(axis=1, keepdims=True)) @ member
        shares[none] = np.nan
        return shares

    def _union(self, a: int, b: int) -> Meaning:
        """The union of two meanings; None if it holds every class of the map."""
        union = either(self.outcomes[a], self.outcomes[b])
        return None if union == self._everything else union

    @cached_property
    def _everything(self) -> Meaning:
        """All classes of the map, if no choice means Not(…)."""
        sets = [outcome for outcome in self.outcomes if outcome is not None]
        named = [one for one in sets if isinstance(one, frozenset)]
        return frozenset().union(*named) if len(named) == len(sets) else None


def either(a: Meaning, b: Meaning) -> Meaning:
    """The union of two answers; None if one abstains, or if the union holds every class."""
    if a is None or b is None:
        return None
    if isinstance(a, Not) and isinstance(b, Not):
        left_out = a.classes & b.classes
    elif isinstance(a, Not) or isinstance(b, Not):
        negated, other = (a, b) if isinstance(a, Not) else (b, a)
        assert isinstance(negated, Not)
        assert isinstance(other, frozenset)
        left_out = negated.classes - other
    else:
        return a | b
    return Not(*sorted(left_out)) if left_out else None


def _wrong(name: str, message: str) -> BadLabeler:
    return BadLabeler(f"labeler {name!r}: {message}", labeler=name, option=("answers",))


def checked_margin(margin: Any, name: str) -> float:
    """Check a margin: a lead in probability, from 0 to below 1."""
    if isinstance(margin, bool) or not isinstance(margin, (int, float)) or not 0 <= margin < 1:
        raise BadLabeler(
            f"labeler {name!r}: margin is how much likelier the best answer must be than the next, from 0 to below 1; "
            f"got {margin!r}", labeler=name, option=("margin",),
        )  # fmt: skip
    return float(margin)


def mean_scores(scores: Sequence[Floats]) -> Floats | None:
    """(c,): the mean score of each choice over all rows with an answer; None if there are none."""
    together = np.concatenate(list(scores)) if scores else np.zeros((0, 0))
    usable = together[np.isfinite(together).all(axis=1)] if together.size else together
    if not len(usable):
        return None
    normal = usable - np.logaddexp.reduce(usable, axis=1, keepdims=True)
    mean: Floats = normal.mean(axis=0)
    return mean
