"""The command line driven as a person does, at a terminal."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import time

import polars as pl
import pytest

from shortlist.browse.labeling import random_rows
from tests.cli.shell import COMMAND, environment, run
from tests.project.news import TOML, edit, make, rows

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")


class Terminal:
    """A program at a terminal of 120 columns: read what it shows until something appears, and type."""

    def __init__(self, folder, *arguments):
        self.screen, child = pty.openpty()
        env = {**environment(), "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
        self.program = subprocess.Popen([*COMMAND, *arguments], cwd=folder, env=env, stdin=child, stdout=child,
                                        stderr=child, start_new_session=True)  # fmt: skip
        os.close(child)
        self.shown = ""

    def until(self, what, seconds=60.0):
        """What is shown up to the first place where a pattern appears."""
        end = time.monotonic() + seconds
        while not (found := re.search(what, self.shown)):
            assert time.monotonic() < end, f"{what!r} did not appear in: {self.shown}"
            self._read(0.1)
        seen, self.shown = self.shown[: found.end()], self.shown[found.end() :]
        return seen

    def _read(self, seconds):
        if select.select([self.screen], [], [], seconds)[0]:
            try:
                piece = os.read(self.screen, 65536).decode("utf-8", "replace")
            except OSError:  # the program has ended
                piece = ""
            self.shown += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r", "", piece)

    def type(self, text):
        os.write(self.screen, text.encode())

    def end(self, seconds=60.0):
        """The exit code, and what was shown last."""
        code = self.program.wait(seconds)
        self._read(0.2)
        os.close(self.screen)
        return code


def test_init_asks_what_it_does_not_know(tmp_path):
    rows().with_columns(note=pl.lit("n")).write_csv(tmp_path / "news.csv")
    terminal = Terminal(tmp_path, "init", "news.csv")
    assert "body (String)" in terminal.until(r"Which column has the text\? \(- for none\) \[body\]: ")
    terminal.type("boddy\n")
    assert "there is no column 'boddy'. Did you mean 'body'?" in terminal.until(r"text\? \(- for none\) \[body\]: ")
    terminal.type("\n")
    terminal.until(r"the row id\? \(- for none\) \[id\]: ")
    terminal.type("\n")
    terminal.until(r"known classes, if any\? \(- for none\) \[label\]: ")
    terminal.type("-\n")
    terminal.until(r"Classes, separated by commas: ")
    terminal.type("business\n")
    assert "name at least two" in terminal.until(r"Classes, separated by commas: ")
    terminal.type("business, politics , sports\n")
    terminal.until("next: edit labelers.py")
    assert terminal.end() == 0
    text = (tmp_path / "shortlist.toml").read_text()
    assert 'classes = ["business", "politics", "sports"]' in text
    assert 'text = "body"' in text
    assert 'id = "id"' in text
    assert "\ngold" not in text


def test_who_says_that_no_column_holds_text_is_taken_at_his_word(tmp_path):
    """`-` was asked for, and the column that was offered was taken all the same."""
    rows().write_csv(tmp_path / "news.csv")
    terminal = Terminal(tmp_path, "init", "news.csv", "--classes", "a,b")
    for question in (r"\[body\]: ", r"\[id\]: ", r"\[label\]: "):
        terminal.until(question)
        terminal.type("-\n")
    terminal.until("text: none; id: none; gold: none; classes: a, b")
    assert terminal.end() == 0
    assert "# def my_rule(n):" in (tmp_path / "labelers.py").read_text()


def test_columns_of_numbers_are_offered_where_there_is_no_text(tmp_path):
    pl.DataFrame({"ash": [1.5, 2.5], "a, b": [3, 4], "target": [0, 1]}).write_csv(tmp_path / "wine.csv")
    terminal = Terminal(tmp_path, "init", "wine.csv")
    asked = (
        r"the text\? .*\[-\]: ",
        r'classifier \(- for none\) \[ash, "a, b"\]: ',
        r"\[-\]: ",
        r"\[target\]: ",
        r"\[0, 1\]: ",
    )
    for question in asked:
        terminal.until(question)
        terminal.type("\n")
    terminal.until('features: ash, "a, b"; classes: 0, 1')
    assert terminal.end() == 0


def test_classes_are_offered_from_gold(tmp_path):
    rows().write_csv(tmp_path / "news.csv")
    terminal = Terminal(tmp_path, "init", "news.csv", "--text", "body", "--id", "id")
    terminal.until(r"known classes, if any\? \(- for none\) \[label\]: ")
    terminal.type("id\n")  # ended the dialogue, and all answers were lost
    shown = terminal.until(r"known classes, if any\? \(- for none\) \[label\]: ")
    assert "column 'id' holds 300 different values" in shown
    terminal.type("\n")
    terminal.until(re.escape("Classes, separated by commas [business, politics, sports]: "))
    terminal.type("\n")
    terminal.until("next:")
    assert terminal.end() == 0


def test_ctrl_c_at_a_question_writes_nothing(tmp_path):
    rows().write_csv(tmp_path / "news.csv")
    terminal = Terminal(tmp_path, "init", "news.csv")
    terminal.until(r"\[body\]: ")
    for _ in range(20):  # one that comes just before the program begins to read is noticed with the next
        terminal.program.send_signal(2)
        time.sleep(0.5)
        if terminal.program.poll() is not None:
            break
    assert terminal.end() in (130, -2)  # −2: another came while it was ending
    assert not (tmp_path / "shortlist.toml").exists()


def test_a_terminal_sees_a_bar_and_a_table(tmp_path):
    make(tmp_path, m=2000)
    terminal = Terminal(tmp_path, "fit")
    shown = terminal.until(r"Labelers")
    assert "time left" in shown
    table = terminal.until(r"power +[\d.]+%")
    assert "━" in table or "─" in table
    terminal.until("sports +")
    assert terminal.end() == 0


def test_watch_shows_what_an_edit_changed(tmp_path):
    """Save a labeler, see the flips; save a mistake, see its line; mend it, see the flips."""
    make(tmp_path, m=600, toml=TOML.replace('["shares", "profit"]', '["president"]'))
    terminal = Terminal(tmp_path, "watch")
    first = terminal.until("watching; press Ctrl-C to stop")
    assert "600 rows, 4 labelers" in first
    time.sleep(0.3)
    edit(tmp_path / "labelers.py", 'yes="politics"', 'yes="business"')
    shown = terminal.until(r"rows changed their label")
    assert "polls edited" in shown
    for total in ("covered", "in conflict", "mean belief", "right on gold rows with a vote"):
        assert re.search(rf"{total} +[\d.]+% +[\d.]+% +[+-][\d.]+", shown)
    terminal.until(r"politics +→ business +\d+")
    terminal.until(r"  doc\d+: politics → business: .*(?:election|minister)")
    time.sleep(0.5)
    edit(tmp_path / "labelers.py", 'WORDS = ["goal", "match"]', 'WORDS = ["goal"]')
    shown = terminal.until(r"rows changed their label")
    coverage = re.search(r"sport +([\d.]+)% → ([\d.]+)%", shown)
    assert float(coverage[2]) < float(coverage[1])
    time.sleep(0.5)
    edit(tmp_path / "labelers.py", '@labeler(says=["sports"])', '@labeler(says=["sprots"])')
    assert "Did you mean 'sports'?" in terminal.until(r"labelers.py, line \d+: .*'sports'\?")
    edit(tmp_path / "labelers.py", '@labeler(says=["sprots"])', '@labeler(says=["sports"])')
    assert "no labeler changed" in terminal.until(r"0 of 600 rows changed their label")
    time.sleep(0.5)
    edit(tmp_path / "shortlist.toml", 'words = ["president"]', 'words = ["shares"]')
    assert "money edited" in terminal.until(r"rows changed their label")
    terminal.program.send_signal(2)
    assert terminal.end() == 130


def test_a_person_labels_rows(tmp_path):
    """One key a row; a shortlist; skip; undo; all of it on disk at once, and used by the next run."""
    make(tmp_path, toml=TOML.replace('gold = "label"\n', ""))
    terminal = Terminal(tmp_path, "label")
    assert "1 business  2 politics  3 sports" in terminal.until("q quit")
    terminal.type("1")
    terminal.until("→ business")
    terminal.until("q quit")
    assert len(labels(tmp_path)) == 1
    terminal.type("m13\r")
    terminal.until("→ business or sports")
    terminal.until("q quit")
    terminal.type("s")
    terminal.until("→ skipped")
    terminal.until("q quit")
    terminal.type("u")
    terminal.until("q quit")
    assert [line["classes"] for line in labels(tmp_path)] == [["business"], ["business", "sports"]]
    terminal.type("q")
    terminal.until("1 labelled, 1 with several classes → gold.jsonl. `shortlist run` uses rows")
    terminal.until("For a fair score: shortlist label --random")
    assert terminal.end() == 0
    assert "right on gold rows" in run(tmp_path, "fit").stdout
    assert {line["picked"] for line in labels(tmp_path)} == {"gain"}


def test_a_key_that_means_nothing_is_answered(tmp_path):
    """Nothing happened. The Delete key, which sends ESC [ 3 ~, named the third class; undone, 0 rows were "used"."""
    make(tmp_path, toml=TOML.replace('gold = "label"\n', ""))
    terminal = Terminal(tmp_path, "label")
    terminal.until("q quit")
    for key in ("9", "\n", "\x1b[3~", "\x1bOA"):
        terminal.type(key)
        terminal.until("no such key: press one of those above")
    terminal.type("mx")
    terminal.until("no such key: press one of those above, or Enter")
    terminal.type("\r1")
    terminal.until("→ business")
    terminal.until("q quit")
    terminal.type("u")
    terminal.until("q quit")
    terminal.type("q")
    shown = terminal.until("nothing labelled")
    assert "no such key" not in shown
    assert terminal.end() == 0
    assert "uses" not in terminal.shown
    assert not labels(tmp_path)


@pytest.mark.parametrize("several", [False, True])
def test_ctrl_c_ends_a_sitting_at_once_and_says_what_it_came_to(tmp_path, several):
    """Nothing happened until another key was pressed; then the program ended without a word."""
    make(tmp_path, toml=TOML.replace('gold = "label"\n', ""))
    terminal = Terminal(tmp_path, "label")
    terminal.until("q quit")
    terminal.type("1")
    terminal.until("→ business")
    terminal.until("q quit")
    if several:
        terminal.type("m")
        terminal.until("then Enter")
    terminal.program.send_signal(2)
    terminal.until("1 labelled → gold.jsonl", seconds=20)
    terminal.until("interrupted; finished work is kept", seconds=20)
    assert terminal.end() == 130
    assert len(labels(tmp_path)) == 1


def test_ctrl_c_in_a_run_is_answered_in_one_line(tmp_path):
    project = make(tmp_path)
    code = project.folder / "labelers.py"
    code.write_text(
        code.read_text().replace('    if "president"', '    import time; time.sleep(0.2)\n    if "president"')
    )
    terminal = Terminal(tmp_path, "run")
    terminal.until("vote")
    time.sleep(0.5)
    terminal.program.send_signal(2)
    shown = terminal.until("interrupted; finished work is kept")
    assert "Traceback" not in shown
    assert terminal.end() == 130


def test_a_person_labels_random_rows_in_two_sittings(tmp_path):
    """The second goes on with the rows after; nothing is said about hard rows, and `run` has nothing to say, too."""
    project = make(tmp_path, toml=TOML.replace('gold = "label"\n', ""))
    project.run(["fit"])
    order = [f"doc{row}" for row in random_rows(project.session, 4)]
    for keys in ("11", "s2u2"):
        terminal = Terminal(tmp_path, "label", "--random")
        for key in keys:
            terminal.until("q quit")
            terminal.type(key)
        terminal.until("q quit")
        terminal.type("q")
        terminal.until("2 labelled|1 labelled")
        assert "hard" not in terminal.until("uses (it|them)")
        assert terminal.end() == 0
        assert "hard" not in terminal.shown
    assert [line["id"] for line in labels(tmp_path)] == order
    assert {line["picked"] for line in labels(tmp_path)} == {"random"}
    assert "hard" not in run(tmp_path, "run").stdout


def test_who_labels_random_rows_is_not_told_what_is_believed_unless_asked_for(tmp_path):
    """The model's beliefs and all votes stood above the keys, while its score was to be fair."""
    make(tmp_path, toml=TOML.replace('gold = "label"\n', ""))
    terminal = Terminal(tmp_path, "label", "--random")
    shown = terminal.until("q quit")
    assert "? show votes" in shown
    said = r"doc\d+ {2}\w+ \d+%|(?:money|sport|power|polls): "
    assert re.search(r"\ndoc\d+\n.*\bw\d+", shown)
    assert not re.search(said, shown)
    terminal.type("?")
    terminal.until(said)
    terminal.type("q")
    assert terminal.end() == 0
    terminal = Terminal(tmp_path, "label")
    assert re.search(said, terminal.until("q quit"))
    terminal.type("?")
    terminal.until("no such key")
    terminal.type("q")
    assert terminal.end() == 0


def test_a_row_that_the_person_chose_is_not_called_picked(tmp_path):
    make(tmp_path, toml=TOML.replace('gold = "label"\n', ""))
    terminal = Terminal(tmp_path, "label", "doc12")
    for key in "11q":
        terminal.until("q quit")
        terminal.type(key)
    terminal.until("2 labelled")
    assert terminal.end() == 0
    first, second = labels(tmp_path)
    assert (first["id"], "picked" in first, second["picked"]) == ("doc12", False, "gain")
    assert "1 of the gold rows was picked because it is hard, so" in run(tmp_path, "run").stdout


def labels(folder):
    lines = (folder / "gold.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines[1:]]
