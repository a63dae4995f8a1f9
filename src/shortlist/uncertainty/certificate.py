"""Certificate: rows of which, for example, at least 90 % are right, with 95 % certainty.

Rows are sorted by belief. The sets "the first N rows" are tested one after the other, from a first size to all rows:
can more than 10 % of the set be wrong, if so few of its gold rows are? The last set that passes before one fails is
certified. Why the certainty holds, whatever the model does, for a finite number of rows:

- Gold rows are drawn at random from all rows, so those in a set are a random sample of it: the number of wrong ones is
  hypergeometric, and the test is exact.
- Beliefs, and so sets and labels, have not seen these gold rows; nor has the choice of the first size.
- Sets are tested in a fixed order (fixed-sequence testing): to certify a bad set, the first bad set of the order must
  pass, and each passes with at most 5 %. So the number of sets costs nothing.

Too small a first set cannot bear one wrong row, too large a one may be bad. So the first size is the one that
certifies most on average if beliefs are calibrated, or errors are half or twice as frequent as beliefs say. The same
simulation says what further gold rows would bring.
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

STEPS, DRAWS = 100, 100  # sets that are tested; simulated draws of gold rows
ERRORS = (0.5, 1.0, 2.0)  # as multiples of the errors that beliefs expect
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
    test, errors = FixedSequence(len(order), right, sure), 1 - sample.beliefs.max(axis=1)[order]
    gold_in, wrong_in = (np.cumsum(each, dtype=np.int64)[test.sizes - 1] for each in (drawn, np.isin(order, missed)))
    place = int(test.last_passed(test.passed(gold_in, wrong_in)[None], test.first(errors, n))[0])
    size, checked, wrong = (int(each[place]) if place >= 0 else 0 for each in (test.sizes, gold_in, wrong_in))
    labels[sample.rows] = np.where(sample.gold >= 0, sample.gold, labels[sample.rows])
    odds = (len(missed) + 1) / (float(errors[drawn].sum()) + 1)  # errors that were seen, over those expected
    return Certificate(right, sure, order[:size], labels, n, checked, wrong, errors * odds)


def plan_certificate(beliefs: Any, *, right: float = 0.9, sure: float = 0.95) -> dict[int, float]:
    """Random gold rows → share of rows that they would certify on average, if beliefs are calibrated."""
    check_promise(right, sure)
    table = GoldSample.read(beliefs, {}).beliefs
    return forecasts(np.sort(1 - table.max(axis=1)), right, sure)


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


class FixedSequence:
    """The sizes of the sets, and the exact test of each: can more than 1 − right of its rows be wrong?"""

    def __init__(self, m: int, right: float, sure: float) -> None:
        self.level, self.error = 1 - sure, 1 - right
        self.sizes: Positions = np.unique(np.ceil(m * np.arange(1, STEPS + 1) / STEPS - 1e-9).astype(np.int64))
        self.too_many = np.floor((1 - right) * self.sizes + 1e-9).astype(np.int64) + 1  # the least number of wrong rows

    def passed(self, gold: Positions, wrong: Positions) -> Mask:
        """(sizes,): so few wrong gold rows are too unlikely in a bad set, P(X ≤ wrong) ≤ 1 − sure."""
        from scipy.stats import hypergeom  # slow to import, and `shortlist show` does not need it

        return np.asarray(hypergeom.cdf(wrong, self.sizes, self.too_many, gold) <= self.level + 1e-12)

    def last_passed(self, passed: Mask, first: int) -> Positions:
        """(draws,): place of the last set that passes before one fails, from the place `first` on; −1 for none."""
        tested = passed[:, first:]
        count = np.where(tested.all(axis=1), tested.shape[1], (~tested).argmax(axis=1))
        return np.where(count > 0, first + count - 1, -1)

    def first(self, errors: Floats, n: int) -> int:
        """Place of the set to begin with, by what beliefs expect (errors (m,) of rows, the surest first)."""
        return int(np.mean([self.shares(errors * c, n) for c in ERRORS], axis=0).argmax())

    def shares(self, errors: Floats, n: int) -> Floats:
        """(sizes,): expected share of rows that is certified from n gold rows, by the set to begin with."""
        gold, wrong = self._simulated(np.minimum(errors, 1.0), n)
        passed = bdtr(wrong, gold, self.error) <= self.level  # binomial: faster, and near enough for a plan
        places = np.stack([self.last_passed(passed, first) for first in range(len(self.sizes))], axis=1)
        shares: Floats = np.where(places >= 0, self.sizes[np.maximum(places, 0)], 0).mean(axis=0) / self.sizes[-1]
        return shares

    def _simulated(self, errors: Floats, n: int) -> tuple[Positions, Positions]:
        """(draws, sizes) twice: gold rows in each set, and wrong ones among them."""
        rng, steps = np.random.default_rng(0), np.diff(self.sizes, prepend=0)
        mean = np.add.reduceat(errors, self.sizes - steps) / steps
        gold = rng.multivariate_hypergeometric(steps, min(n, int(self.sizes[-1])), DRAWS, method="marginals")
        return gold.cumsum(axis=1), rng.binomial(gold, mean).cumsum(axis=1)


def forecasts(errors: Floats, right: float, sure: float, least: int = 1) -> dict[int, float]:
    """Gold rows → expected share certified, if these errors (m,), the surest first, are right."""
    test = FixedSequence(len(errors), right, sure)
    plans = [n for n in PLANS if least <= n < len(errors)]
    return {n: float(test.shares(errors, n)[test.first(errors, n)]) for n in plans}
