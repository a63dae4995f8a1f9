"""The picture in the README: `python -m examples.picture > docs/_assets/shortlists.svg`.

What the ten labelers of the demo say about one sentence, and what the label model, fitted on the demo's articles, makes
of it. The sentence is ours; the votes and the beliefs are what the library gives.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from html import escape

from shortlist import LabelModel, Votes, apply
from shortlist.demo.articles import read_articles
from shortlist.demo.labelers import CLASSES, LABELERS
from shortlist.errors import OneSided

SENTENCE = "Mr Lee, president of the firm, said that sales of its video games rose by 12%."
NAME, CELL, ROW, TOP = 110, 112, 27, 92  # widths and heights, in pixels
WIDTH = NAME + CELL * len(CLASSES) + 20
STYLE = """
text { font: 14px system-ui, sans-serif; fill: #1d2b2a } .small { font-size: 12px; fill: #5b6b6a }
.on { fill: #14807a } .off { fill: #e8eeed } .sure { font-weight: 600 }
@media (prefers-color-scheme: dark) {
  text { fill: #e3eceb } .small { fill: #9fb0ae } .off { fill: #2a3736 } .on { fill: #35b3a9 }
}
"""


def votes_on(sentence: str) -> tuple[Votes, list[float]]:
    """The votes on a sentence, and the beliefs of a model fitted on the demo's training articles."""
    rows = [article.row() for article in read_articles() if not article.test]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OneSided)  # the demo shows and explains it
        model = LabelModel().fit(apply(LABELERS, rows, space=CLASSES, progress=False))
    votes = apply(LABELERS, [{"text": f" {sentence}", "opening": sentence}], space=CLASSES, progress=False)
    return votes, model.predict_proba(votes)[0].tolist()


def draw(sentence: str, votes: Votes, beliefs: list[float]) -> Iterator[str]:
    said = votes.said(0)
    height = TOP + ROW * (len(said) + 1) + 96
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
    yield f"<title>{escape(sentence)} No labeler names its topic; together they do.</title><style>{STYLE}</style>"
    yield f'<text x="10" y="26">“{escape(sentence)}”</text>'
    yield '<text x="10" y="48" class="small">Each line is a labeler; filled are the topics on its shortlist.</text>'
    for j, name in enumerate(CLASSES):
        yield f'<text x="{_left(j)}" y="{TOP - 10}">{escape(name)}</text>'
    for i, (name, shortlist) in enumerate(said.items()):
        yield from _line(name, shortlist, TOP + ROW * i)
    yield from _beliefs(beliefs, TOP + ROW * len(said) + 22)
    yield "</svg>"


def _left(j: int) -> int:
    return NAME + CELL * j


def _line(name: str, shortlist: tuple[str, ...], y: int) -> Iterator[str]:
    yield f'<text x="10" y="{y + 16}">{escape(name)}</text>'
    for j, topic in enumerate(CLASSES):
        fill = "on" if topic in shortlist else "off"
        yield f'<rect class="{fill}" x="{_left(j)}" y="{y}" width="{CELL - 6}" height="{ROW - 5}" rx="4"/>'


def _beliefs(beliefs: list[float], y: int) -> Iterator[str]:
    """A bar under each topic, as high as it is believed."""
    yield f'<text x="10" y="{y + 40}" class="sure">believed</text>'
    for j, belief in enumerate(beliefs):
        size = 46 * belief
        x = _left(j)
        yield f'<rect class="off" x="{x}" y="{y}" width="{CELL - 6}" height="46" rx="4"/>'
        yield f'<rect class="on" x="{x}" y="{y + 46 - size:.1f}" width="{CELL - 6}" height="{size:.1f}" rx="3"/>'
        weight = "sure" if belief == max(beliefs) else "small"
        yield f'<text x="{x}" y="{y + 66}" class="{weight}">{belief:.0%}</text>'


if __name__ == "__main__":
    sys.stdout.write("\n".join(draw(SENTENCE, *votes_on(SENTENCE))) + "\n")
