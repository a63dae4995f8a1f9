"""The examples do what they say: digits are level with a vote count, and the picture shows what is believed."""

import re
from xml.etree import ElementTree

from examples.digits import main
from examples.picture import SENTENCE, draw, votes_on
from shortlist.demo.labelers import CLASSES


def test_digits_are_level_with_counting_votes(capsys):
    main()
    shown = capsys.readouterr().out
    scores = {name: float(share) for name, share in re.findall(r"│ (.+?) +│ +([\d.]+)% │", shown)}
    counted = max(score for name, score in scores.items() if name != "LabelModel")
    assert scores["LabelModel"] >= counted - 2  # ten weak rules, which all vote: level with counting, as it promises
    assert "count_loops" in shown


def test_the_picture_shows_what_is_believed():
    votes, beliefs = votes_on(SENTENCE)
    drawn = ElementTree.fromstring("\n".join(draw(SENTENCE, votes, beliefs)))
    texts = [element.text for element in drawn.iter() if element.tag.endswith("text")]
    assert CLASSES[beliefs.index(max(beliefs))] == "tech"
    assert f"{max(beliefs):.0%}" in texts
    assert "tech" not in votes.said(0)["power"]  # the rule about presidents is wrong, and outvoted
    filled = [element for element in drawn.iter() if element.get("class") == "on"]
    assert len(filled) == sum(len(shortlist) for shortlist in votes.said(0).values()) + len(CLASSES)
