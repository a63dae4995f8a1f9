"""Random gold rows, and what they say about all rows: rates with an interval, and label sets that hold the class.

Gold rows must not have taught the beliefs that they test: give out-of-fold beliefs, or those of a fit without gold.

**Rates.** A few gold rows are unbiased; predictions for all rows are many, but biased. The estimate of a share

    mean of λ f over all rows  +  mean of y − λ f over gold rows,    λ = cov(y, f) / var(f)

is unbiased whatever the predictions f are, and its variance is that of y − λ f, never above that of y: so predictions
can only help (prediction-powered inference, PPI++; a regression estimator in survey sampling).

**Label sets.** A class is in the set of a row if it is believed at least as much as a threshold: with n gold rows, the
⌊(n + 1)(1 − coverage)⌋-th smallest belief in a true class. Then a further random row's class is in its set with at
least this coverage, since its belief has any rank among the gold rows' equally often (split conformal prediction).
Every frequent class has a threshold of its own; rare classes share one. Beliefs say which are frequent, not gold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.special import ndtri

from shortlist.arrays import Floats, Mask, Positions, wilson
from shortlist.beliefs import leading
from shortlist.errors import BadFit, BadRows
from shortlist.labelspace import LabelSpace
from shortlist.wording import number_of

RandomGold: TypeAlias = Mapping[int, Any] | Sequence[Any] | Positions
PSEUDO_ROWS = 4.0  # half of them right: without these, ten right rows would have an interval of length 0

ENOUGH = 2.0  # a class needs so many times the fewest gold rows that allow a threshold


@dataclass(frozen=True, eq=False)
class GoldSample:
    """Beliefs about all rows (m, k), and the classes of n random rows; −1 where nobody could tell."""

    beliefs: Floats
    rows: Positions  # (n,)
    gold: Positions  # (n,)

    @classmethod
    def read(
        cls, beliefs: Any, gold: RandomGold, classes: Sequence[str] | None = None, unclear: Iterable[int] = ()
    ) -> GoldSample:
        """From gold by row: positions of classes, or names of `classes`; −1 and None where a row was not drawn."""
        table = np.asarray(beliefs, np.float64)
        if table.ndim != 2 or table.shape[1] < 2 or not np.isfinite(table).all():
            raise BadFit(f"beliefs are a table (rows, classes) of numbers; got shape {table.shape}")
        m, k = table.shape
        if not isinstance(gold, Mapping) and len(gold) != m:
            raise BadRows(f"there are {m:,} rows of beliefs, but gold for {len(gold):,}")
        pairs = gold.items() if isinstance(gold, Mapping) else enumerate(gold)
        space = None if classes is None else LabelSpace(classes)
        known = {int(a): _position(name, k, space) for a, name in pairs if name is not None}
        known = {a: j for a, j in known.items() if j >= 0} | dict.fromkeys(map(int, unclear), -1)
        if wrong := [a for a in known if not 0 <= a < m]:
            raise BadRows(f"row {wrong[0]} has gold, but rows go from 0 to {m - 1}")
        rows = np.array(sorted(known), np.int64)
        return cls(table, rows, np.array([known[a] for a in rows.tolist()], np.int64))


def _position(name: Any, k: int, space: LabelSpace | None) -> int:
    if space is not None and not isinstance(name, (int, np.integer)):
        return space.position(name)
    if not isinstance(name, (int, np.integer)) or not -1 <= name < k:
        raise BadFit(f"gold holds {name!r}, which is no position of a class (0 to {k - 1}). For names, give classes=")
    return int(name)


@dataclass(frozen=True)
class Rate:
    """A share of all rows: estimate and interval with predictions, and the interval from gold rows alone.

    worth    number of random gold rows that would give such an interval without predictions
    """

    share: float
    lower: float
    upper: float
    gold_alone: tuple[float, float]
    worth: int

    def __str__(self) -> str:
        low, high = self.gold_alone
        return f"{self.share:.1%} ({self.lower:.1%} to {self.upper:.1%}; gold alone {low:.1%} to {high:.1%})"


def rate(true: Any, predicted: Any, rows: Positions, *, level: float = 0.95) -> Rate:
    """Share of all rows for which something holds: `true` (n,) of random `rows` (n,), `predicted` (m,) for all rows."""
    if not 0 < level < 1:
        raise BadFit(f"level is a share of times, between 0 and 1; got {level!r}")
    y, f, n, m = np.asarray(true, np.float64), np.asarray(predicted, np.float64), len(rows), len(predicted)
    if n < 2:
        raise BadRows(f"a rate needs at least two random gold rows; there {'is one' if n else 'are none'}")
    own, part = f[rows], (m - n) / max(m - 1, 1)  # the variance of a sample of a finite population
    spread = float(((own - own.mean()) ** 2).sum())
    power = float((y - y.mean()) @ (own - own.mean())) / spread if spread > 0 else 0.0
    left = y - y.mean() - power * (own - own.mean())
    gain = (float(((y - y.mean()) ** 2).sum()) + PSEUDO_ROWS / 4) / (float(left @ left) + PSEUDO_ROWS / 4)
    share = float(np.clip(y.mean() + power * (f.mean() - own.mean()), 0, 1))
    errors = float(ndtri((1 + level) / 2))
    (lower, upper), alone = wilson(share, n * gain, errors, part), wilson(float(y.mean()), n, errors, part)
    if upper - lower > alone[1] - alone[0]:  # predictions that say next to nothing, and a share that is nearer to 1/2
        return Rate(float(y.mean()), *alone, alone, n)
    return Rate(share, lower, upper, alone, round(n * gain))


def class_shares(
    beliefs: Any, gold: RandomGold, *, classes: Sequence[str] | None = None, level: float = 0.95
) -> dict[Any, Rate]:
    """Share of each class among all rows, with an interval. Gold rows were drawn at random and not learned from."""
    sample = GoldSample.read(beliefs, gold, classes)
    names = range(sample.beliefs.shape[1]) if classes is None else classes
    return {
        name: rate(sample.gold == j, sample.beliefs[:, j], sample.rows, level=level) for j, name in enumerate(names)
    }


def accuracy(
    labels: Any, beliefs: Any, gold: RandomGold, *, classes: Sequence[str] | None = None, level: float = 0.95
) -> Rate:
    """Share of all rows that `labels` (m,), by any method, has right, with an interval; beliefs only narrow it."""
    sample = GoldSample.read(beliefs, gold, classes)
    space = None if classes is None else LabelSpace(classes)
    m, k = sample.beliefs.shape
    given = np.array([-1 if name is None else _position(name, k, space) for name in labels], np.int64)
    if len(given) != m:
        raise BadRows(f"there are {number_of(m, 'row')} of beliefs, but {number_of(len(given), 'label')}")
    believed = np.where(given >= 0, sample.beliefs[np.arange(m), np.maximum(given, 0)], 0.0)
    return rate(given[sample.rows] == sample.gold, believed, sample.rows, level=level)


def gold_needed(beliefs: Any, within: float, *, level: float = 0.95) -> dict[str, int]:
    """Random gold rows for an accuracy ± `within`: from gold alone, and with beliefs if these are calibrated."""
    if not 0 < within < 0.5:
        raise BadFit(f"within is half of the interval's length, between 0 and 0.5: 0.04 for 4 points; got {within!r}")
    top = np.asarray(beliefs, np.float64).max(axis=1)
    z2, m = ndtri((1 + level) / 2) ** 2, len(top)

    def rows(variance: float) -> int:
        wanted = z2 * variance / within**2
        return min(int(np.ceil(wanted / (1 + (wanted - 1) / m))), m)

    alone, rest = float(top.mean() * (1 - top.mean())), float((top * (1 - top)).mean())
    return {"gold alone": rows(alone), "with beliefs": rows(rest)}


# -- label sets ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LabelSets:
    """Sets of classes, (m, k), that hold the true class with the coverage.

    thresholds   (k,): the least belief of a class in a set; 0 where gold rows are too few to leave the class out
    group        (k,): classes of one number share a threshold
    gold_rows    number of gold rows that the thresholds are from
    """

    sets: Mask
    coverage: float
    thresholds: Floats
    group: Positions
    gold_rows: int

    @property
    def by_class(self) -> bool:
        """Each class has a threshold of its own."""
        return len(set(self.group.tolist())) == len(self.group)

    def __str__(self) -> str:
        sizes = self.sets.sum(axis=1)
        kind = "for rows of each class" if self.by_class else "of the time"
        return (
            f"Label sets hold the class {100 * self.coverage:.4g} % {kind} ({self.gold_rows:,} gold rows): "
            f"{sizes.mean():.1f} classes on average, a single one for {(sizes == 1).mean():.0%} of the rows."
        )


def label_sets(
    beliefs: Any, gold: RandomGold, *, coverage: float = 0.9, classes: Sequence[str] | None = None
) -> LabelSets:
    """Sets of classes that hold the class of a random row with this coverage; by class where gold rows suffice."""
    if not 0 < coverage < 1:
        raise BadFit(f"coverage is a share of rows, between 0 and 1; got {coverage!r}")
    sample = GoldSample.read(beliefs, gold, classes)
    table, rows, known = sample.beliefs, sample.rows, sample.gold
    group = frequent_classes(table.mean(axis=0), len(rows), coverage)
    thresholds = np.zeros(table.shape[1])
    for g in np.unique(group):
        inside = group[known] == g
        thresholds[group == g] = threshold(table[rows[inside], known[inside]], coverage)
    return LabelSets((table >= thresholds) | leading(table), coverage, thresholds, group, len(rows))


def threshold(believed: Floats, coverage: float) -> float:
    """The threshold by beliefs (n,) in the true classes of gold rows; 0 if they are too few."""
    place = int(np.floor((len(believed) + 1) * (1 - coverage) + 1e-9))
    return float(np.sort(believed)[place - 1]) if place else 0.0


def frequent_classes(shares: Floats, n: int, coverage: float) -> Positions:
    """(k,): a number for every frequent class; rare classes share one, with the least frequent of the others."""
    order = np.argsort(shares, kind="stable")
    enough = ENOUGH / (1 - coverage) - 1e-6
    expected, together = n * np.cumsum(shares[order]), int((n * shares < enough).sum())
    while together and together < len(shares) and expected[together - 1] < enough:
        together += 1
    group = np.empty(len(shares), np.int64)
    group[order] = np.maximum(np.arange(len(shares)) - max(together - 1, 0), 0)
    return group
