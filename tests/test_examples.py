"""The examples do what they say: digits are labelled better than by counting votes, without gold labels."""

import re

from examples.digits import main


def test_digits_beat_counting_votes(capsys):
    main()
    shown = capsys.readouterr().out
    scores = {name: float(share) for name, share in re.findall(r"│ (.+?) +│ +([\d.]+)% │", shown)}
    counted = max(score for name, score in scores.items() if name != "LabelModel")
    assert scores["LabelModel"] >= counted
    assert "count_loops" in shown
