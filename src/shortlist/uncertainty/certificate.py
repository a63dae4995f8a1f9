"""Certificate: rows of which, for example, at least 90 % are right, with 95 % certainty.

Rows are sorted by belief. The sets "all rows before the (j + 1)-th gold row", which hold j gold rows, are tested one
after the other, from a first j on: can more than 10 % of the set be wrong, if so few of its j gold rows are? The last
set that passes before one fails is certified. Why the certainty holds, whatever the model does:

- Beliefs, and so the order of rows and their labels, have not seen these gold rows; nor has the choice of the first j.
- Gold rows are drawn at random from all rows. So given its size, the gold rows of a set are a random sample of it, and
  the number of wrong ones is hypergeometric. The test takes the largest set with so many wrong rows that is still bad.
- Let b be the smallest bad set of all. If it holds at least the first j gold rows, the set that is tested with just
  these gold rows has to pass, else the sequence ends before anything bad: at most 5 %. If it holds fewer, the first set
  that is tested has to pass: at most 5 % again (fixed-sequence testing). So the number of sets costs nothing.
- If sets are bad, good and bad again, b is where they become bad after the first set. Where sets turn, just 10 % of
  their rows are wrong (to within a row), so it does not matter how many gold rows lie before the turn.

A first j that is too small cannot bear one wrong row; a first set that is too large may be bad. The first j is a third
of the gold rows, and so many more that the test bears one more wrong row: on 51 sets, that certifies as much as a first
j by beliefs, which are often too sure. A simulation says what further gold rows would bring.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import bdtr

from shortlist.arrays import Floats, Mask, Positions
from shortlist.errors import BadFit, BadRows
from shortlist.uncertainty.gold_sample import GoldSample, RandomGold
from shortlist.wording import number_of

DRAWS = 200  # simulated draws of gold rows
PLANS = (50, 100, 200, 300, 500, 1_000, 2_000)  # gold rows that a forecast is made for


@dataclass(frozen=True, eq=False)
class Certificate:
    """Rows that are right as often as was asked for.

    right, sure   what is promised: at least this share of `rows` is right, with this certainty
    rows          certified rows, the surest first; none if the gold rows do not suffice
    labels        (m,) class positions, those of gold rows included
    gold_rows     random gold rows; `checked` of them are among `rows`, of which `wrong` were labelled wrongly
    errors        expected errors of rows, the surest first, as the gold rows correct them
    """

    right: float
    sure: float
    rows: Positions
    labels: Positions
    gold_rows: int
    checked: int
    wrong: int
    errors: Floats

    @property
    def share(self) -> float:
        """Share of all rows that is certified."""
        return len(self.rows) / len(self.labels)

    @cached_property
    def forecast(self) -> dict[int, float]:
        """Gold rows in all → share of rows that is expected to be certified with them."""
        return forecasts(self.errors, self.right, self.sure, least=self.gold_rows + 1)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without the numbers of rows."""
        names = ("right", "sure", "gold_rows", "checked", "wrong", "forecast")
        return {"certified": len(self.rows), "rows": len(self.labels)} | {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        m, few = len(self.labels), fewest_gold(self.right, self.sure)
        promise = f"at least {100 * self.right:.4g} % right, with {100 * self.sure:.4g} % certainty"
        if len(self.rows):
            said = f"{len(self.rows):,} of {m:,} rows ({self.share:.0%}) are {promise}."
            said += f" Of their {self.checked} gold rows, {self.wrong} had a wrong label."
        else:
            rows = number_of(self.gold_rows, "random gold row")
            said = f"No rows can be certified as {promise}: {rows} cannot show it."
            said += f" At least {few} are needed." if self.gold_rows < few else ""
        return " ".join([said, *self._more()])

    def _more(self) -> list[str]:
        """The least number of further gold rows that is expected to certify ten points more."""
        better = [n for n, share in self.forecast.items() if n > self.gold_rows and share >= self.share + 0.1]
        if not better:
            return []
        more, share = better[0] - self.gold_rows, self.forecast[better[0]]
        return [f"With {more:,} more random gold rows, about {share:.0%} of the rows are expected."]


def certify(
    beliefs: Any,
    gold: RandomGold,
    *,
    right: float = 0.9,
    sure: float = 0.95,
    classes: Sequence[str] | None = None,
    unclear: Iterable[int] = (),
    among: Any = None,
) -> Certificate:
    """Certify rows: at least the share `right` of them is right, with certainty `sure`.

    beliefs   (m, k) from a model that was not fitted with this gold
    gold      row → class (position, or name if `classes` are given) of rows that were drawn at random
    unclear   rows that were drawn, but nobody could say their class: they count as wrong
    among     (m,) mask of the rows that gold was drawn from; None for all
    """
    check_promise(right, sure)
    sample = GoldSample.read(beliefs, gold, classes, unclear)
    order = surest_first(sample.beliefs)
    if among is not None:
        order = order[np.asarray(among, np.bool_)[order]]
    labels, n = sample.beliefs.argmax(axis=1), len(sample.rows)
    drawn = np.isin(order, sample.rows)
    if not n or drawn.sum() < n:
        raise BadRows("gold rows are not among those that gold was drawn from" if n else "there are no gold rows")
    missed = sample.rows[labels[sample.rows] != sample.gold]
    ranks, errors = np.flatnonzero(drawn), 1 - sample.beliefs.max(axis=1)[order]
    wrong = np.isin(order[ranks], missed)
    checked = checked_gold(ranks, wrong, len(order), right, sure)
    size = int(np.append(ranks, len(order))[checked]) if checked else 0
    labels[sample.rows] = np.where(sample.gold >= 0, sample.gold, labels[sample.rows])
    odds = (len(missed) + 1) / (float(errors[drawn].sum()) + 1)  # errors that were seen, over those expected
    return Certificate(right, sure, order[:size], labels, n, checked, int(wrong[:checked].sum()), errors * odds)


def plan_certificate(beliefs: Any, *, right: float = 0.9, sure: float = 0.95) -> dict[int, float]:
    """Random gold rows → share of rows that they would certify on average, if beliefs are calibrated."""
    check_promise(right, sure)
    return forecasts(np.sort(1 - GoldSample.read(beliefs, {}).beliefs.max(axis=1)), right, sure)


def surest_first(beliefs: Floats) -> Positions:
    """Rows by their largest belief. The order of equal ones is random, with a fixed seed."""
    return np.lexsort((np.random.default_rng(0).random(len(beliefs)), -np.round(beliefs.max(axis=1), 9)))


def fewest_gold(right: float, sure: float) -> int:
    """Gold rows that show it if all of them are right: the least n with right^n ≤ 1 − sure."""
    return int(np.ceil(np.log(1 - sure) / np.log(right) - 1e-9))


def check_promise(right: float, sure: float) -> None:
    """Raise unless both are shares that can be promised."""
    for name, value in (("right", right), ("sure", sure)):
        if not 0.5 <= value < 1:
            hint = f": for {value:g} %, write {value / 100:g}" if 1 < value <= 100 else ""
            raise BadFit(f"{name} is a share from 0.5 to below 1; got {value:g}{hint}")


def checked_gold(ranks: Positions, wrong: Mask, m: int, right: float, sure: float) -> int:
    """Number of gold rows in the certified set; 0 if none is certified.

    `ranks` (n,) are the places of gold rows among m rows, the surest first.
    """
    from scipy.stats import hypergeom  # slow to import, and `shortlist show` does not need it

    gold, misses, first = np.arange(1, len(ranks) + 1), np.cumsum(wrong), first_set(len(ranks), right, sure)
    sizes = np.append(ranks[1:], m)  # of the sets with 1, 2, … gold rows
    failed = bdtr(misses, gold, 1 - right) > 1 - sure  # where the binomial test passes, the exact one does, too
    for j in np.flatnonzero(failed[first - 1 :]) + first - 1:
        bad = int((1 - right) * sizes[j] + 1e-9) + 1  # the least number of wrong rows in a bad set
        largest = int(np.ceil(bad / (1 - right) - 1e-9)) - 1
        if hypergeom.cdf(misses[j], largest, bad, gold[j]) > 1 - sure + 1e-12:
            return int(j) if j >= first else 0
    return len(ranks)


def first_set(n: int, right: float, sure: float) -> int:
    """Number of gold rows in the set to begin with, of n: the least from n / 3 on that bear one more wrong row."""
    gold, bears = np.arange(1, n + 1), 0
    while (enough := np.flatnonzero(bdtr(bears, gold, 1 - right) <= 1 - sure)).size:
        if gold[enough[0]] >= n / 3:
            return int(gold[enough[0]])
        bears += 1
    return n


def expected_share(errors: Floats, n: int, right: float, sure: float) -> float:
    """Share of rows that n gold rows certify on average, if these errors (m,) of rows, the surest first, are right."""
    first, gold = first_set(n, right, sure), np.arange(1, n + 1)
    mean = np.minimum(errors, 1.0)[((gold - 0.5) / n * len(errors)).astype(np.int64)]
    wrong = (np.random.default_rng(0).random((DRAWS, n)) < mean).cumsum(axis=1)
    failed = (bdtr(wrong, gold, 1 - right) > 1 - sure)[:, first - 1 :]
    passed = np.where(failed.any(axis=1), failed.argmax(axis=1), failed.shape[1])  # sets before the first that fails
    return float(np.where(passed > 0, first - 1 + passed, 0).mean() / n)


def forecasts(errors: Floats, right: float, sure: float, least: int = 1) -> dict[int, float]:
    """Gold rows → expected share certified, if these errors (m,), the surest first, are right."""
    return {n: expected_share(errors, n, right, sure) for n in PLANS if least <= n < len(errors)}
