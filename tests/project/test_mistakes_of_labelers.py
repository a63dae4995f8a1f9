"""What a project tells of labelers that go wrong: whose fault it is, on which row, and what to do."""

import json
import re

import polars as pl
import pytest

from shortlist.errors import ShortlistError
from shortlist.labelers import regex
from shortlist.project import BadProject, Project
from shortlist.project.session import Listener
from shortlist.reporting.checkup import Checkup
from tests.cli.shell import run
from tests.project.news import TOML, edit, make

HEAD = "from shortlist import Not, feature, from_classifier, keywords, labeler, pattern\n\n"


def rule(body, parameter="text", name="rule"):
    return f'{HEAD}@labeler(says=["sports", Not("sports")])\ndef {name}({parameter}):\n    {body}\n'


def test_a_misspelt_column_is_told_at_its_line(tmp_path):
    """Newcomer M5: the labeler received the row, and said the same everywhere."""
    project = make(tmp_path, labelers=rule('return "sports" if "goal" in bdoy else Not("sports")', "bdoy"))
    with pytest.raises(BadProject, match="Did you mean 'body'") as error:
        project.run(["vote"])
    assert (error.value.file, error.value.line) == ("labelers.py", 4)


def test_a_crash_tells_id_text_and_how_to_go_on(tmp_path):
    project = make(tmp_path, labelers=rule('return text.split()[99] if "goal" in text else None'))
    texts = pl.read_csv(tmp_path / "news.csv")
    first = next(a for a, body in enumerate(texts["body"]) if "goal" in body)
    with pytest.raises(ShortlistError) as error:
        project.run(["vote"])
    told = str(error.value)
    assert f"failed on row {first}: IndexError" in told
    assert f"The row: id 'doc{first}', body '{texts['body'][first][:40]}" in told
    assert told.endswith(
        'To go on where a labeler fails, write on_error = "abstain" under [labelers] in shortlist.toml'
    )
    assert error.value.row == first


def test_two_functions_of_one_name_are_told(tmp_path):
    twice = rule('return "sports"') + rule('return Not("sports")').removeprefix(HEAD)
    with pytest.raises(BadProject, match=r"two functions are called 'rule', so that of line 4 is lost") as error:
        make(tmp_path, labelers=twice).run(["vote"])
    assert error.value.line == 7


def test_a_function_that_was_used_before_its_name_was_taken_is_not_lost(tmp_path):
    kept = rule('return "sports"') + "LABELERS = [rule]\n" + rule("return None").removeprefix(HEAD)
    assert make(tmp_path, labelers=kept).votes.names == ("money", "rule")


def test_a_model_reads_the_column_of_text_unless_told_otherwise(tmp_path):
    model = "def has_goal(texts):\n    return ['goal' in text for text in texts]\n\n"
    made = 'model = from_classifier(has_goal, {True: "sports", False: None}, name="model")\n'
    votes = make(tmp_path, labelers=HEAD + model + made).votes
    bodies = pl.read_csv(tmp_path / "news.csv")["body"]
    assert (votes.codes[:, 1] > 0).tolist() == bodies.str.contains("goal").to_list()


def test_a_labeler_that_changes_rows_is_told_in_clean_and_in_later_runs(tmp_path):
    """Attack L1."""
    spoils = rule('row["body"] = ""', "row", "spoils")
    reads = rule('return "sports" if "goal" in row["body"] else None', "row", "reads").removeprefix(HEAD)
    project = make(tmp_path, labelers=spoils + reads)
    with pytest.raises(ShortlistError, match="'spoils'"):
        project.run(["vote"])
    edit(tmp_path / "shortlist.toml", "[classifier]", '[labelers]\non_error = "abstain"\n[classifier]')
    clean = Project(tmp_path).votes.codes
    edit(tmp_path / "labelers.py", '"goal" in row["body"]', '("goal") in row["body"] and True')
    assert (Project(tmp_path).votes.codes == clean).all()


def test_a_failing_feature_is_told_once_with_its_name_its_line_and_a_row(tmp_path):
    """A newcomer was told to mend two labelers; what failed was the feature that both ask for."""
    made = f'{HEAD}@feature\ndef last(text):\n    return text.split()[99] if "goal" in text else text\n\n\n'
    pair = [rule('return "sports"', "last", name).removeprefix(HEAD) for name in ("food", "going")]
    project = make(tmp_path, labelers=made + "\n\n".join(pair))
    edit(tmp_path / "shortlist.toml", "[classifier]", '[labelers]\non_error = "abstain"\n[classifier]')
    goals = pl.read_csv(tmp_path / "news.csv")["body"].str.contains("goal")
    told = f"labelers.py, line 5: feature 'last' failed on row {goals.arg_max()}: IndexError: list index out of range"
    outcomes = {one.stage: one for one in project.run(["vote", "fit", "check"])}
    assert outcomes["vote"].notes == [
        f"labelers 'food', 'going' failed on {goals.sum()} rows and abstained there: {told}"
    ]
    first, *others = Checkup.from_dict(json.loads((tmp_path / "out" / "check.json").read_text())).advice
    assert first.what == f"Fix food, going: they failed on {goals.sum()} rows."
    assert first.why == f"They abstained there. The first error: {told}"
    assert first.code.startswith("# food (labelers.py, line ")  # why says that it is the feature, and its line
    assert "failed" not in [one.kind for one in others]


def test_a_labeler_that_fails_is_to_be_mended_at_its_line_and_row(tmp_path):
    """`run` advised on_error = "abstain", and then `check` to set it back to "raise", to see the first error."""
    project = make(tmp_path, labelers=rule('return text.split()[99] if "goal" in text else None'))
    edit(tmp_path / "shortlist.toml", "[classifier]", '[labelers]\non_error = "abstain"\n[classifier]')
    project.run(["vote", "fit", "check"])
    goals = pl.read_csv(tmp_path / "news.csv")["body"].str.contains("goal")
    first = Checkup.from_dict(json.loads((tmp_path / "out" / "check.json").read_text())).advice[0]
    where = f"labelers.py, line 5, row {goals.arg_max()}: IndexError: list index out of range"
    assert first.why == f"It abstained there. The first error: {where}"
    assert first.code == "# rule (labelers.py, line 4): return None on rows where it cannot answer"


def test_a_missing_text_is_empty_to_functions_as_it_is_in_apply(tmp_path):
    project = make(tmp_path, labelers=rule('return "sports" if text == "" else None'))
    edit(tmp_path / "shortlist.toml", 'name = "money"', 'name = "money"\nno = { not = "business" }')
    pl.DataFrame({"id": ["a", "b"], "body": ["shares", None], "label": [None, "sports"]}).write_csv(
        tmp_path / "news.csv"
    )
    assert project.votes.codes.tolist() == [[1, 0], [0, 1]]


SLOW = HEAD + 'bad = pattern(r"(?=a)(a+)+$", yes="sports", name="bad")\n'


class Told(Listener):
    def __init__(self):
        self.lines = []

    def note(self, line):
        self.lines.append(line)


@pytest.mark.parametrize("place", ["labelers.py", "shortlist.toml"])
def test_a_slow_pattern_is_named_before_it_is_waited_for_and_given_up(tmp_path, monkeypatch, place):
    """Attack S1 and S2: nothing was said, and nothing ended."""
    monkeypatch.setattr(regex, "TIME_LIMIT", 1.0)
    declared = "[[labeler]]\nkind = 'pattern'\nname = 'bad'\nregex = '(?=a)(a+)+$'\nyes = 'sports'\n"
    files = {"labelers": SLOW} if place == "labelers.py" else {"toml": TOML + declared}
    project = make(tmp_path, **files)
    pl.DataFrame({"id": ["x"], "body": ["a" * 40 + "!"], "label": ["sports"]}).write_csv(tmp_path / "news.csv")
    told = Told()
    with pytest.raises(ShortlistError, match="given up") as error:
        project.run(["vote"], listener=told)
    assert error.value.labeler == "bad"
    assert any("'bad'" in line and "look-around" in line for line in told.lines)


TWO = """
class Two(Exception):
    def __init__(self, what, why):
        super().__init__(what)


@labeler(says=["sports"])
def fails(text):
    raise Two("it", "is")
"""


def test_an_error_that_cannot_travel_between_processes_is_told_in_one_line(tmp_path):
    """Attack L2: a traceback of a thread stood before the error."""
    make(tmp_path, labelers=HEAD + TWO, toml=TOML.replace("[classifier]", "[labelers]\nworkers = 2\n[classifier]"))
    ended = run(tmp_path, "vote")
    assert ended.returncode == 3
    assert ended.stderr.startswith("error: labelers.py, line 11: labeler 'fails' failed on row 0: Two: it")
    assert len(ended.stderr.splitlines()) == 1


def test_labelers_that_end_the_process_are_named(tmp_path):
    """Attack 24: a crash said nothing."""
    make(tmp_path / "crash", labelers=rule("import ctypes; ctypes.string_at(0)", name="crash"))
    ended = run(tmp_path / "crash", "vote")
    assert ended.returncode != 0
    assert re.search(r'labelers.py", line 5 in crash', ended.stderr)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("body", "what"),
    [("import os; os._exit(0)", "SystemExit: os._exit(0)"), ("raise Odd", "Odd (its message cannot be shown)")],
)
def test_labelers_that_exit_or_cannot_say_why_are_named(tmp_path, workers, body, what):
    """Attack 24: `os._exit(0)` ended the run with exit code 0 and without a word."""
    odd = "class Odd(Exception):\n    def __str__(self):\n        raise ValueError\n\n\n"
    toml = TOML.replace("[classifier]", f"[labelers]\nworkers = {workers}\n[classifier]")
    make(tmp_path, labelers=HEAD + odd + rule(body, name="ends").removeprefix(HEAD), toml=toml, m=30)
    ended = run(tmp_path, "vote")
    assert ended.returncode == 3
    assert f"labeler 'ends' failed on row 0: {what}" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_forked_processes_may_exit(tmp_path):
    child = "import os\n    child = os.fork()\n    if not child: os._exit(7)\n"
    body = f"{child}    assert os.waitpid(child, 0)[1] == 7 << 8\n    return 'sports'"
    make(tmp_path, labelers=rule(body, name="forks"), m=3)
    assert run(tmp_path, "vote").returncode == 0


def test_an_output_folder_that_is_a_link_elsewhere(tmp_path):
    """Attack 24: it was followed out of the project."""
    make(tmp_path / "news")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "news" / "out").symlink_to(tmp_path / "elsewhere")
    ended = run(tmp_path / "news", "vote")
    assert ended.returncode == 3
    assert "link out of the project" in ended.stderr
    assert not list((tmp_path / "elsewhere").iterdir())
