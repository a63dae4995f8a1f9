"""What `shortlist watch` shows about a change."""

import re

from shortlist.cli.screen import Screen
from shortlist.cli.watch import tell
from shortlist.project.watch import Watch
from tests.project.news import edit, make


def test_an_accuracy_is_known_to_watch_where_it_is_known_to_fit(tmp_path, capfd):
    make(tmp_path)
    watch = Watch(tmp_path)
    watch.look()
    edit(tmp_path / "labelers.py", 'WORDS = ["goal", "match"]', 'WORDS = ["goal"]')
    edit(tmp_path / "labelers.py", 'name="polls"', 'name="votes"')
    assert tell(Screen(), watch, debug=True)
    out = capfd.readouterr().out
    assert re.search(r"sport +[\d.]+% → [\d.]+% +[\d.]+% → [\d.]+% +not known +[\d.]+% → ", out)
    assert re.search(r"votes +– → [\d.]+% +– → [\d.]+% +– → not known +– → ", out)
    assert re.search(r"power .*%", out)


def test_the_share_of_gold_rows_with_a_vote_stands_beside_how_many_are_right(tmp_path, capfd):
    """A labeler that fell silent where it was wrong seemed to set rows right."""
    make(tmp_path)
    watch = Watch(tmp_path)
    watch.look()
    edit(tmp_path / "labelers.py", 'WORDS = ["goal", "match"]', 'WORDS = ["nothing"]')
    assert tell(Screen(), watch, debug=True)
    out = capfd.readouterr().out
    voted = re.search(r"\ngold rows with a vote +([\d.]+)% +([\d.]+)%", out)
    assert float(voted[2]) < float(voted[1]) <= 100
    assert re.search(r"\nright on gold rows with a vote +[\d.]+% +[\d.]+% +[+-][\d.]+", out)
