"""labelers.py: which labelers it defines, and what they are called."""

import pytest

from shortlist import Project
from shortlist.project.code.load import _listening, _opened, load
from tests.project.news import edit, make

HEAD = "from shortlist import keywords, pattern\n\n"
RULE = 'pattern("goal|match", yes="sports")'


def names(tmp_path, text):
    path = tmp_path / "labelers.py"
    path.write_text(HEAD + text)
    return [one.name for one in load(path).labelers]


@pytest.mark.parametrize(
    ("text", "called"),
    [
        (f"play = {RULE}\n", ["play"]),
        ('play = keywords(["goal", "match"], says="sports")\n', ["play"]),
        (f'play = {RULE[:-1]}, name="goal|match")\n', ["goal|match"]),  # a name that was given stays
        (f"play = {RULE}\nagain = play\n", ["play"]),
        (f"play = {RULE}\n_aside = {RULE}\nLABELERS = [_aside, play]\n", ["goal|match", "play"]),
        (f"both = [{RULE}]\n", ["goal|match"]),
        (f'play = {RULE}\nother = keywords(["x"], says="sports", name="play")\n', ["goal|match", "play"]),
        (f'a = {RULE}\ngoal = {RULE}\nb = keywords(["goal"], says="sports")\n', ["a", "goal", "b"]),
    ],
)
def test_a_labeler_without_a_name_is_called_as_its_variable(tmp_path, text, called):
    assert names(tmp_path, text) == called


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ('def jump(row):\n    return "sports"\n', ["jump is no labeler: to let it vote, write @labeler above it"]),
        ("def helper(text):\n    return text.lower()\n\n\nhelped = [helper]\n", []),
        ("def _aside(row):\n    return None\n\n\ndef other(n):\n    return n\n", []),
        ("again = play\n", []),
        (
            'other = keywords(["x"], says="sports", name="play")\n',
            ["play is called 'goal|match' here: another labeler is named play"],
        ),
    ],
)
def test_what_is_no_labeler_or_has_another_name_is_told(tmp_path, text, note):
    (tmp_path / "labelers.py").write_text(f"{HEAD}play = {RULE}\n\n\n{text}")
    assert list(load(tmp_path / "labelers.py").notes) == note


COIN = """from shortlist import ask, pattern
from shortlist.models import Model


class Coin(Model):
    id = "coin"

    def scores(self, prompts, choices):
        return []


heads = ask("Is it? {text}", yes="sports", model=Coin())
play = pattern("goal", yes="sports")
"""


def test_a_question_is_called_as_its_variable_and_its_record_says_so(tmp_path):
    (tmp_path / "labelers.py").write_text(COIN)
    made, _ = load(tmp_path / "labelers.py").labelers
    assert (made.name, made.settings["name"]) == ("heads", "heads")


def test_an_edit_of_another_labeler_does_not_ask_it_again_and_its_line_is_found(tmp_path):
    """What a labeler with a model of its own depends on is found by the object that the file made."""
    roster = make(tmp_path, labelers=COIN).session.roster
    assert [roster.code.source.find_definition(name) for name in ("heads", "play")] == [12, 13]
    edit(tmp_path / "labelers.py", '"goal"', '"match"')
    later = Project(tmp_path).session.roster
    before, after = (dict(zip(one.names, one.fingerprints, strict=True)) for one in (roster, later))
    assert before["heads"] == after["heads"]
    assert before["play"] != after["play"]


def test_a_file_may_be_opened_by_another_thread_as_the_reading_of_code_ends(tmp_path, monkeypatch):
    (tmp_path / "words.txt").write_text("goal")
    with _opened() as reads:
        monkeypatch.setattr("shortlist.project.code.load._of_users", lambda path: _listening.remove(reads) is None)
        assert (tmp_path / "words.txt").read_text() == "goal"
        _listening.append(reads)
