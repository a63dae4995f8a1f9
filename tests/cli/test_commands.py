"""The commands as people and programs call them: what they print, write and return."""

import io
import json
import os
import re
import subprocess
import sys
import time

import polars as pl
import pytest

import shortlist
from shortlist.project.stages.run import STAGES
from tests.cli.shell import COMMAND, call, environment, run
from tests.project.news import edit, make, rows


@pytest.fixture
def folder(tmp_path, monkeypatch):
    home = tmp_path / "news"
    make(home)
    monkeypatch.chdir(home)
    return home


def test_from_a_data_file_to_labels(tmp_path, monkeypatch, capfd):
    """The five minutes of a new user, by options."""
    monkeypatch.chdir(tmp_path)
    rows().write_csv("news.csv")
    ended = call(capfd, "init", "news.csv", "--text", "body", "--gold", "label", "--id", "id")
    assert ended.code == 0
    assert "wrote shortlist.toml" in ended.out
    assert 'classes = ["business", "politics", "sports"]' in (tmp_path / "shortlist.toml").read_text()
    edit(tmp_path / "labelers.py", 'keywords(["sports"]', 'keywords(["goal", "match", "team"]')
    ended = call(capfd, "run")
    assert ended.code == 0, ended.err
    for stage in STAGES:
        assert re.search(rf"✓ +{stage}", ended.out), ended.out
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["check.json", "classifier.npz", "joint.npz", "label_model.npz", "labels.parquet",
                     "report.html", "votes", "votes.json"]  # fmt: skip
    labels = pl.read_parquet("out/labels.parquet")
    joined = rows().join(labels, on="id")
    said = joined.filter(pl.col("body").str.contains(r"\b(?:goal|match|team)\b"))
    assert set(said["class"]) == {"sports"}


def test_init_takes_what_the_columns_suggest(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    rows().write_parquet("news.parquet")
    assert json.loads(call(capfd, "init", "news.parquet", "--json").out) == {
        "written": ["shortlist.toml", "labelers.py"],
        **{"text": "body", "id": "id", "gold": "label", "classes": ["business", "politics", "sports"]},
        "features": [],
        "not_classes": {},
    }
    text = (tmp_path / "shortlist.toml").read_text()
    for line in ('text = "body"', 'id = "id"', 'gold = "label"', 'files = ["news.parquet"]'):
        assert line in text


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ((), "text: body; id: id; gold: label; classes: business, politics, sports (from label)\n"),
        (("--text", "body", "--classes", "x,y"), "text: body; id: none; gold: none; classes: x, y\n"),
        (("--features", "n", "--classes", "x,y"), "text: none; id: none; gold: none; features: n; classes: x, y\n"),
    ],
)
def test_init_says_what_it_took(tmp_path, monkeypatch, capfd, options, line):
    """Without a terminal it asked nothing, and did not say what it took."""
    monkeypatch.chdir(tmp_path)
    rows().write_csv("news.csv")
    assert line in call(capfd, "init", "news.csv", *options).out


def test_init_says_why_a_column_is_not_the_id(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"id": [1, 1], "text": ["a", "b"]}).write_csv("rows.csv")
    assert (
        "'id' is not used as the row id: its values repeat" in call(capfd, "init", "rows.csv", "--classes", "a,b").err
    )
    pl.DataFrame({"id": [1, 2], "text": ["a", "b"]}).write_csv("rows.csv")
    assert "repeat" not in call(capfd, "init", "rows.csv", "--classes", "a,b", "--force").err


def test_init_says_which_gold_values_are_no_classes(tmp_path, monkeypatch, capfd):
    """A misspelt class was taken in silence, though the gold column shows the right one."""
    rows(60).write_csv(tmp_path / "news.csv")
    monkeypatch.chdir(tmp_path)
    count = rows(60)["label"].to_list().count("politics")
    options = ("--text", "body", "--gold", "label", "--classes")
    told = call(capfd, "init", "news.csv", *options, "business,polotics,sports")
    assert f"'politics' on {count} rows (the nearest class is 'polotics')" in " ".join(told.err.split())
    found = json.loads(call(capfd, "init", "news.csv", *options, "business,polotics,sports", "--force", "--json").out)
    assert found["not_classes"] == {"politics": count}
    assert "not classes" not in call(capfd, "init", "news.csv", *options, "business,politics,sports", "--force").err


def test_init_is_told_how_a_csv_file_is_written(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_bytes("text#k\nfür; alle#1\nb#2\n".encode("latin-1"))
    named = ["--text", "text", "--classes", "a,b", "--separator", "#", "--encoding", "latin-1"]
    assert call(capfd, "init", "x.csv", *named).code == 0
    assert shortlist.Project(tmp_path).rows.take([0], ["text"])["text"][0] == "für; alle"
    assert "separator is one character" in call(capfd, "init", "x.csv", "--separator", "##", "--force").err
    assert "is an encoding" in call(capfd, "init", "x.csv", "--encoding", "klingon", "--force").err


def test_init_elsewhere_finds_the_data(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    rows().write_csv("news.csv")
    assert call(capfd, "init", "news.csv", "-C", "project").code == 0
    assert 'files = ["../news.csv"]' in (tmp_path / "project" / "shortlist.toml").read_text()
    assert call(capfd, "vote", "-C", "project").code == 0


def test_awkward_names_survive(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    odd = 'it\'s "odd" \\ é #'
    frame = rows(40).with_columns(label=pl.when(pl.col("label") == "sports").then(pl.lit(odd)).otherwise("label"))
    frame.rename({"body": odd}).write_parquet("odd [1].parquet")
    assert call(capfd, "init", "odd [1].parquet", "--text", odd, "--gold", "label").code == 0
    ended = call(capfd, "export", "--json")
    assert ended.code == 0, ended.out
    assert odd in json.loads(ended.out)["classes"]


def test_nothing_to_do_is_said_at_once(folder, capfd):
    assert call(capfd, "run").code == 0
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")
              if path.is_file() and path.name not in ("lock", "digests.json")}  # fmt: skip
    ended = call(capfd, "run", "--json")
    found = json.loads(ended.out)
    assert found["did"] == []
    assert found["seconds"] < 0.5  # what is done after the imports
    assert {one["status"] for one in found["stages"]} == {"up to date"}
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert "Everything is up to date: vote, fit, train, check, export, report" in call(capfd, "run").out


def test_nothing_to_do_brings_nothing_heavy_in(folder, capfd):
    for path in folder.iterdir():  # a file of this very moment is read again, however fast this machine is
        os.utime(path, (time.time() - 60, time.time() - 60))
    call(capfd, "run")
    code = (
        "import sys\nfrom shortlist.cli.app import app\n"
        "try:\n    app(['run'])\nexcept SystemExit:\n    print(*sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True).stdout
    assert "Everything is up to date" in out
    assert not {"polars", "sklearn", "scipy", "numpy"} & set(out.split())


def test_each_stage_and_its_json(folder, capfd):
    for stage in STAGES:
        ended = call(capfd, stage, "--json")
        assert ended.code == 0, ended.err
        assert ended.err == ""
        found = json.loads(ended.out)
        assert found["stage"] == stage
        assert found["status"] == "done"
        assert all(os.path.exists(path) for path in found["outputs"])
        assert json.loads(call(capfd, stage, "--json").out)["status"] == "up to date"


def test_tables_are_plain_text_in_a_pipe(folder):
    ended = run(folder, "fit")
    assert ended.returncode == 0, ended.stderr
    assert "\x1b" not in ended.stdout + ended.stderr
    line = next(line for line in ended.stdout.splitlines() if line.startswith("money"))
    assert re.fullmatch(r"money +[\d.]+% +[\d.]+% +[\d.]+% +1\.0 +[\d.]+% +~\d+%, unsure\s*", line)  # as in the report
    line = next(line for line in ended.stdout.splitlines() if line.startswith("power"))
    assert re.fullmatch(r"power +[\d.]+% +[\d.]+% +[\d.]+% +2\.0 +[\d.]+% +[\d.]+%\s*", line)


def test_vote_tells_who_was_asked(folder, capfd):
    assert "asked money, sport, power, polls" in call(capfd, "vote").out
    edit(folder / "labelers.py", '"president" in text', '"premier" in text')
    assert "asked power" in call(capfd, "vote").out
    ended = call(capfd, "vote")
    assert "asked" not in ended.out
    assert "(up to date)" in ended.out


def test_export_and_predict_elsewhere(folder, capfd):
    assert "rows are labelled → labels.csv" in call(capfd, "export", "--to", "labels.csv").out
    assert pl.read_csv("labels.csv").height == 300
    rows(30, seed=3).write_parquet("new.parquet")
    ended = call(capfd, "predict", "new.parquet", "--to", "new.jsonl")
    assert ended.out.startswith("30 rows, ")
    assert "right on 10 gold rows → new.jsonl" in ended.out
    ended = call(capfd, "predict", "news.csv", "--to", "own.csv", "--min-belief", "0.9")
    assert ended.out == f"{pl.read_csv('own.csv').height} of 300 rows → own.csv\n"  # no score: it learned from them
    assert call(capfd, "export", "--to", "labels.xlsx").code == 3


def test_export_of_columns_and_of_rows_believed_enough(folder, capfd):
    asked = ["--to", "labels.csv", "--columns", "body, n", "--min-belief", "0.8"]
    ended = call(capfd, "export", *asked)
    assert ended.code == 0, ended.err
    found = pl.read_csv("labels.csv")
    assert found.columns[:4] == ["id", "body", "n", "class"]
    assert found["belief"].min() >= 0.8
    assert f"{len(found)} of 300 rows are labelled with a belief of at least 0.8 → labels.csv" in ended.out
    told = json.loads(call(capfd, "export", *asked, "--json").out)
    assert told["labelled"] == len(found)
    assert told["classes"] == {name: (found["class"] == name).sum() for name in told["classes"]}
    assert pl.read_parquet("out/labels.parquet").height == 300


def test_check_is_strict_when_asked(folder, capfd):
    assert call(capfd, "check").code == 0
    ended = call(capfd, "check", "--strict")
    assert ended.code == 5
    assert ended.out.startswith("No") or "identifiable" in ended.out


def test_what_labelers_print_does_not_mix_with_results(folder, capfd):
    file = folder / "labelers.py"
    file.write_text(file.read_text() + '\nprint("hello from labelers.py")\n')
    ended = call(capfd, "vote", "--json")
    assert json.loads(ended.out)["rows"] == 300
    assert "hello from labelers.py" in ended.err


def test_demo_is_the_demo(monkeypatch, capfd):
    import shortlist.demo

    told = []
    monkeypatch.setattr(shortlist.demo, "main", lambda *arguments: told.append([str(a) for a in arguments]))
    assert call(capfd, "demo").code == 0
    assert call(capfd, "demo", "elsewhere").code == 0
    assert told == [[], ["elsewhere"]]


@pytest.mark.parametrize(("typed", "offered"), [("ch", ["check"]), ("export --mi", ["--min-belief"])])
def test_the_shell_completes_commands_and_options(typed, offered):
    words = f"shortlist {typed}"
    asked = {"_SHORTLIST_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    program = "from shortlist.cli import main; main()"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment() | asked, capture_output=True, text=True, check=False)
    assert done.stdout.split() == offered, done.stderr


def test_version_and_help(capfd):
    lines = call(capfd, "--version").out.splitlines()
    assert lines[0] == f"shortlist {shortlist.__version__}"
    assert lines[1].startswith("Python 3.")
    assert f"polars {pl.__version__}" in lines
    assert not any(line.startswith(("pytest", "ruff")) for line in lines)  # only what the code uses
    ended = call(capfd, "--help")
    for command in ("init", *STAGES, "run", "watch", "demo"):
        assert re.search(rf"^  {command} +[A-Z]", ended.out, re.MULTILINE)
    assert "..." not in ended.out.split("Commands:")[1]  # every line is a whole sentence


def test_help_answers_at_once(tmp_path):
    """Processor time, the best of several: the machine may be busy with something else."""
    code = (
        "import os, subprocess, sys\nsubprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n"
        "t = os.times()\nprint(t.children_user + t.children_system)"
    )
    took = [
        float(subprocess.check_output([sys.executable, "-c", code, *COMMAND, "--help"], env=environment()))
        for _ in range(5)
    ]
    assert min(took) < 0.3


def test_ctrl_c_ends_it_quietly(folder):
    with subprocess.Popen([*COMMAND, "watch"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env=environment()) as watching:  # fmt: skip
        for line in watching.stdout:
            if "watching" in line:
                break
        time.sleep(0.3)
        watching.send_signal(2)
        _, err = watching.communicate(timeout=20)
    assert watching.returncode == 130
    assert "Traceback" not in err


def test_a_reader_that_has_seen_enough(folder):
    """`shortlist check | head -0`"""
    run(folder, "check")
    with subprocess.Popen([*COMMAND, "check"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environment()) as writing:  # fmt: skip
        writing.stdout.close()
        err = writing.stderr.read()
    assert b"Traceback" not in err


def test_the_folder_may_be_given_before_the_command(folder, monkeypatch, capfd):
    monkeypatch.chdir(folder.parent)
    for before in (["-C", "news"], ["--project", str(folder)]):
        assert call(capfd, *before, "vote").out.startswith("4 labelers on 300 rows")
    assert call(capfd, "-C", "nowhere", "vote", "-C", "news").code == 0  # the nearest counts
    assert "no folder nowhere" in call(capfd, "-C", "nowhere", "vote").err


COMPUTE = ["run", "vote", "fit", "check", "export", "report", "train"]


@pytest.mark.parametrize("name", COMPUTE)
def test_every_command_that_computes_takes_an_engine(folder, capfd, name):
    """Only `run` did: no command voted, fitted and exported on a cluster without training."""
    ended = call(capfd, name, "--engine", "dusk")
    assert ended.code == 3
    assert "'dusk'" in ended.err
    assert "'dask'" in ended.err


@pytest.mark.slow
def test_votes_and_fit_of_a_cluster_by_command(folder):
    ended = run(folder, "fit", "--engine", "dask")
    assert ended.returncode == 0, ended.stderr
    assert "Dask with" in ended.stderr
    assert "up to date" in run(folder, "fit").stdout  # the result does not depend on the engine


def test_fewer_rows_to_label_than_asked_for_are_explained(folder, capfd):
    """It wrote 24 rows of 3,000 instead of 50, and did not say why."""
    ended = call(capfd, "label", "--export", "t.json", "--limit", "150")
    written = len(json.loads((folder / "t.json").read_text()))
    assert written < 150
    assert "fewer than 150: one row for each combination of votes" in ended.out
    assert "--random" in ended.out
    assert "fewer" not in call(capfd, "label", "--export", "t.json", "--limit", str(written)).out


@pytest.mark.parametrize("command", ["show money", "show --unsure", "why 7"])
def test_looking_at_rows_does_not_wait_for_scikit_learn(folder, command):
    """`show` and `why` took 3.6 s for one row of 3,000, most of them to import what they did not use."""
    assert run(folder, "fit").returncode == 0
    code = f"import sys; sys.argv[1:] = {command.split()!r}\nfrom shortlist.cli import main\ntry: main()\n"
    code += "finally: print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, env=environment())
    assert ended.returncode == 0, ended.stderr
    assert not {"sklearn", "pandas", "scipy.stats"} & set(ended.stdout.splitlines()[-1].split())


POSTS = "id,post,group\n" + "".join(f"{a},a text of length {a},{'autos' if a % 2 else 'space'}\n" for a in range(12))
POSTS += "\n12,one more text, Space \n13,the last text of them,n/a\n14,and no class at all,\n"


def test_init_takes_a_folder_and_tells_what_it_makes_of_dirty_values(tmp_path, monkeypatch, capfd):
    """`init posts.csv p1` was an unexpected argument; ' Space ' and 'n/a' were found, and then `run` failed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "posts.csv").write_text(POSTS)
    ended = call(capfd, "init", "posts.csv", "p1", "--yes", "--text", "post", "--gold", "group")
    assert ended.code == 0, ended.err
    assert "gold: group; classes: autos, space (from group)" in ended.out
    assert "' Space ' is read as 'space'" in ended.err
    assert "'n/a' is read as unknown" in ended.err
    assert (tmp_path / "p1" / "labelers.py").exists()
    ended = call(capfd, "vote", "-C", "p1")
    assert (ended.code, "on 15 rows" in ended.out) == (0, True), ended.err  # the blank line is no row


def test_enter_at_the_classes_is_answered(tmp_path, monkeypatch, capfd):
    """It asked again, wordless."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "posts.csv").write_text("post\nsome text about a car\nother text about the moon\n")
    answers = io.StringIO("\n".join(["post", "-", "-", "", "autos, space", ""]))
    answers.isatty = lambda: True
    monkeypatch.setattr("sys.stdin", answers)
    ended = call(capfd, "init", "posts.csv")
    assert ended.code == 0, ended.err
    assert ended.out.count("name at least two, for example: business, sports, world") == 1
    assert 'classes = ["autos", "space"]' in (tmp_path / "shortlist.toml").read_text()


def test_a_labeler_is_also_an_option_of_show(folder, capfd):
    assert call(capfd, "show", "--labeler", "money", "--json").out == call(capfd, "show", "money", "--json").out
