"""The pictures of docs/zero-shot.md: digits that no detector was trained on, what each said, and what was believed.

    python -m experiments.zeroshot.pictures --to docs/images

One picture a split of the digits, seed 0, two rows of each unseen class: the first ones that the sample holds.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from experiments.zeroshot.comparison import sample, splits
from experiments.zeroshot.data import digits
from shortlist.zeroshot import AttributeDetectors, ZeroShotClassifier

SHOWN = 2  # of each unseen class
LEFT, COLUMN, LINE, TOP = 190, 84, 21, 96
INK, RIGHT, WRONG, FAINT = "#1b1b1b", "#1d6f42", "#c2410c", "#9a9a9a"


def cell(x, y, size, shade):
    return f'<rect x="{x:g}" y="{y:g}" width="{size:g}" height="{size:g}" fill="rgb({shade},{shade},{shade})"/>'


def picture(image, x, y, size=64):
    """An image of 8 × 8 pixels, ink dark."""
    step = size / 8
    frame = f'<rect x="{x}" y="{y}" width="{size}" height="{size}" fill="#fff" stroke="#ccc"/>'
    inked = [(r, c) for r in range(8) for c in range(8) if image[r, c]]
    return frame + "".join(cell(x + c * step, y + r * step, step, 255 - int(image[r, c] * 15)) for r, c in inked)


def text(x, y, words, colour=INK, *, anchor="start", bold=False):
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" fill="{colour}" text-anchor="{anchor}"{weight}>{words}</text>'


def said(vote, has):
    """(word, colour) of a vote: 1 yes, 2 no, 0 nothing."""
    if not vote:
        return "–", FAINT
    return ("yes" if vote == 1 else "no"), (RIGHT if (vote == 1) == has else WRONG)


def believed(x, y, names, beliefs, truth):
    """Bars of belief, one a class."""
    parts = []
    for j, (name, belief) in enumerate(zip(names, beliefs, strict=True)):
        top = y + 16 * j
        colour = RIGHT if name == truth else WRONG
        parts.append(text(x, top + 10, name, INK))
        parts.append(
            f'<rect x="{x + 14}" y="{top + 1}" width="{max(50 * belief, 0.5):.1f}" height="10" fill="{colour}"/>'
        )
    return "".join(parts)


def page(images, gold, model, rows, answers, table):
    """The whole picture as SVG."""
    names, votes = model.votes_.names, model.votes_
    below = TOP + LINE * len(names) + 14
    height, width = below + 16 * len(model.unseen_) + 54, LEFT + COLUMN * len(rows) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for i, name in enumerate(names):
        parts.append(text(10, TOP + LINE * i + 14, name))
        parts.append(f'<path d="M10 {TOP + LINE * i + 19}H{width - 10}" stroke="#eee"/>')
    parts += [text(10, below + 12, "believed"), text(10, below + 16 * len(model.unseen_) + 24, "answered", bold=True)]
    for column, a in enumerate(rows):
        x = LEFT + COLUMN * column
        parts.append(picture(images[a], x, 14))
        for i, name in enumerate(names):
            word, colour = said(votes.codes[a, i], table.rows([gold[a]])[0, table.attributes.index(name)])
            parts.append(text(x + 32, TOP + LINE * i + 14, word, colour, anchor="middle"))
        parts.append(believed(x, below, model.unseen_, model.beliefs_[a], gold[a]))
        colour = RIGHT if answers[a] == gold[a] else WRONG
        parts.append(text(x + 32, below + 16 * len(model.unseen_) + 24, answers[a], colour, anchor="middle", bold=True))
    return "\n".join([*parts, "</svg>"]) + "\n"


def draw(unseen):
    data, images = digits(), load_digits().images
    train, _, new = sample(data, unseen, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        detectors = AttributeDetectors(data.table)
        model = ZeroShotClassifier(data.table, detectors=detectors)
        model.fit(data.X[train], data.y[train], unlabelled=data.X[new], unseen=unseen)
    gold, answers = data.y[new], model.predict(data.X[new])
    rows = np.concatenate([np.flatnonzero(gold == name)[:SHOWN] for name in unseen])
    return page(images[new], gold, model, rows.tolist(), answers, data.table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--to", type=Path, default=Path("docs/images"))
    folder = parser.parse_args().to
    folder.mkdir(parents=True, exist_ok=True)
    for unseen in splits(digits().table.classes)[:2]:
        (folder / f"zero-shot-digits-{''.join(unseen)}.svg").write_text(draw(unseen))


if __name__ == "__main__":
    main()
