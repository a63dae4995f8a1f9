"""What `shortlist watch` shows about a change."""

import re

from shortlist.cli.screen import Screen
from shortlist.cli.watch import first, tell
from shortlist.project.watch import Watch
from tests.project.news import TOML, edit, make


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


def test_labelers_that_fail_are_told_for_as_long_as_they_do(tmp_path, capfd):
    """With `on_error = "abstain"`, watch said nothing about them; `run` and `check` did."""
    make(tmp_path, toml=f'{TOML}\n[labelers]\non_error = "abstain"\n')
    watch = Watch(tmp_path)
    watch.look()
    first(Screen(), watch.last, watch.failed)
    assert "failed on" not in capfd.readouterr().out
    power = '    if "president" in text:'
    edit(tmp_path / "labelers.py", power, f'    if "team" in text:\n        1 / 0\n{power}')
    assert tell(Screen(), watch, debug=True)
    told = (
        r"! labeler 'power' failed on \d+ rows and abstained there: labelers.py, line 22, row \d+: ZeroDivisionError: "
    )
    assert re.search(told, capfd.readouterr().out)
    edit(tmp_path / "labelers.py", 'name="polls"', 'name="votes"')
    assert tell(Screen(), watch, debug=True)
    assert re.search(told, capfd.readouterr().out)
    edit(tmp_path / "labelers.py", "        1 / 0\n", "        return None\n")
    assert tell(Screen(as_json=True), watch, debug=True)
    assert '"failed": []' in capfd.readouterr().out
