"""The demo does what it says: it labels real digits better than counting votes, without gold labels."""

import re

from shortlist.demo import main


def test_the_demo_beats_counting_votes(capsys):
    main()
    shown = capsys.readouterr().out
    scores = {name: float(share) for name, share in re.findall(r"│ (.+?) +│ +([\d.]+)% │", shown)}
    counted = max(score for name, score in scores.items() if name != "LabelModel")
    assert scores["LabelModel"] >= counted
    assert "count_loops" in shown
