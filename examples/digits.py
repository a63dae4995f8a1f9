"""Labelers that look at pictures: `python -m examples.digits`.

Handwritten digits (they ship with scikit-learn) are labelled without a single gold label. No rule here can name
a digit by itself with any certainty; each narrows it down: a digit without a closed loop is one of 1, 2, 3, 5
and 7; one with a broad foot is a 2, 3 or 6. Gold labels are read at the very end, to score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from shortlist.labelers import apply, feature, labeler
from shortlist.labelspace import LabelSpace

if TYPE_CHECKING:
    import numpy.typing as npt

SPACE = LabelSpace([str(digit) for digit in range(10)])


@feature
def loops(image: npt.NDArray[np.float64]) -> list[tuple[int, float]]:
    """The closed loops of a digit: how many cells each encloses, and its mean row (0 is the top)."""
    from scipy.ndimage import label

    paper = np.pad(image < 6, 1, constant_values=True)
    regions, count = label(paper)
    enclosed = [np.nonzero(regions == region)[0] for region in range(1, count + 1) if region != regions[0, 0]]
    return [(len(rows), float(rows.mean()) - 1) for rows in enclosed]


@feature
def ink(image: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return image / 16


@labeler(says=[set("12357"), set("0469"), "8"])
def count_loops(loops: list[Any]) -> Any:
    return {0: set("12357"), 1: set("0469"), 2: "8"}.get(len(loops))


@labeler(says=["0", set("489"), set("68")])
def where_is_the_loop(loops: list[Any]) -> Any:
    if len(loops) != 1:
        return None
    ((size, row),) = loops
    return "0" if size >= 5 else set("489") if row < 3 else set("68") if row > 4 else None


@labeler(says=["0", set("123456789")])
def hollow(ink: npt.NDArray[np.float64]) -> Any:
    return "0" if ink[3:5, 3:5].mean() < 0.2 else set("123456789")


@labeler(says=[set("1467"), set("023589")])
def broad_top(ink: npt.NDArray[np.float64]) -> Any:
    width = int((ink[:2].max(axis=0) > 0.4).sum())
    return set("1467") if width <= 2 else set("023589") if width == 4 else None


@labeler(says=[set("147"), set("236")])
def broad_foot(ink: npt.NDArray[np.float64]) -> Any:
    width = int((ink[6:].max(axis=0) > 0.4).sum())
    return set("147") if width <= 2 else set("236") if width >= 5 else None


@labeler(says=[set("256"), set("04789")])
def upper_right(ink: npt.NDArray[np.float64]) -> Any:
    amount = ink[1:4, 5:7].mean()
    return set("256") if amount < 0.1 else set("04789") if amount > 0.4 else None


@labeler(says=[set("1359"), set("046")])
def lower_left(ink: npt.NDArray[np.float64]) -> Any:
    amount = ink[4:7, 1:3].mean()
    return set("1359") if amount < 0.1 else set("046") if amount > 0.4 else None


@labeler(says=[set("1257"), set("03469")])
def lower_right(ink: npt.NDArray[np.float64]) -> Any:
    amount = ink[4:7, 5:7].mean()
    return set("1257") if amount < 0.1 else set("03469") if amount > 0.45 else None


@labeler(says=[set("467"), set("0239")])
def bar_across(ink: npt.NDArray[np.float64]) -> Any:
    amount = ink[4, 1:7].mean()
    return set("467") if amount > 0.55 else set("0239") if amount < 0.3 else None


@labeler(says=["5", set("137")])
def upper_left(ink: npt.NDArray[np.float64]) -> Any:
    amount = ink[1:4, 1:3].mean()
    return "5" if amount > 0.6 else set("137") if amount < 0.2 else None


LABELERS = [
    count_loops,
    where_is_the_loop,
    hollow,
    broad_top,
    broad_foot,
    upper_right,
    lower_left,
    lower_right,
    bar_across,
    upper_left,
]


def main() -> None:
    """Vote, fit, and score against gold, beside two ways of counting votes."""
    from rich.console import Console
    from rich.table import Table
    from sklearn.datasets import load_digits

    from shortlist.labelmodel import LabelModel, MajorityVote, NearestClass

    say = Console().print
    digits = load_digits()
    votes = apply(LABELERS, list(digits.images), space=SPACE)
    say(votes)
    gold = [str(digit) for digit in digits.target]
    table = Table("without any gold label", "right", title="\n1,797 handwritten digits, 10 partial labelers")
    models = {"counting votes (nearest class)": NearestClass(), "votes weighted by 1/size": MajorityVote()}
    for name, model in {**models, "LabelModel": LabelModel()}.items():
        table.add_row(name, f"{model.fit(votes).score(votes, gold):.1%}")
    say(table)


if __name__ == "__main__":
    main()
