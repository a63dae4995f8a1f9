"""Random input through everything: what goes wrong is a ShortlistError, and what comes out is a number.

A short run is part of `make test`, a long one of `make test-slow`. Kills are in tests/project/test_killed.py, full
disks and outputs in tests/cli/test_bad_input.py, hostile patterns in tests/labelers/test_regex.py.
"""

import io
import json
import random
import tomllib
import warnings
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from shortlist import Analysis, LabelModel, Votes, diagnose, report
from shortlist.errors import BadFile, ShortlistError
from shortlist.labelers.labeler import from_record
from shortlist.project import Project
from tests.cli.shell import call
from tests.project.news import TOML, make

SHORT, LONG = 12, 150
HOSTILE = [
    "<script>window.hacked = 1</script>", "\"'><img src=x onerror=alert(1)>", "{{ 7 * 7 }}", "{% raw %}",
    "\u202egnp.exe", "\x1b[2J", "[bold]x[/]", "=cmd|'/c calc'!A1", "'; DROP TABLE x; --", "\x00", "\U0001f600",
    "&lt;b&gt;", "]]>", "%s%n",
]  # fmt: skip


def runs(function):
    """Some seeds in every run of the tests, many in the slow ones."""
    seeds = [*range(SHORT), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(SHORT, LONG))]
    return pytest.mark.parametrize("seed", seeds)(function)


def some_votes(draw, names=None):
    """A table of any shape: few or many rows, labelers, classes and shortlists."""
    k, n, m = draw.randint(2, 6), draw.randint(1, 5), draw.choice([1, 2, 7, 40, 200])
    classes = names[:k] if names else [f"class {j}" for j in range(k)]
    codomains = []
    for _ in range(n):
        sets = {frozenset(draw.sample(classes, draw.randint(1, k - 1))) for _ in range(draw.randint(1, 4))}
        codomains.append(sorted(sets, key=sorted))
    silent = draw.random()
    codes = [[0 if draw.random() < silent else draw.randint(0, len(says)) for says in codomains] for _ in range(m)]
    return Votes(codes, codomains, classes)


@runs
@pytest.mark.filterwarnings("ignore::shortlist.errors.ShortlistWarning", "ignore::RuntimeWarning")
def test_any_votes_go_through_everything(seed, tmp_path):
    draw = random.Random(seed)
    votes = some_votes(draw)
    gold = {a: draw.choice(list(votes.space)) for a in range(len(votes)) if draw.random() < 0.1}
    for model in (LabelModel(), LabelModel(estimator="likelihood", balance="learn"), LabelModel.paper()):
        fitted = model.fit(votes, gold if draw.random() < 0.5 else None)
        beliefs = fitted.predict_proba(votes)
        assert np.isfinite(beliefs).all()
        np.testing.assert_allclose(beliefs.sum(axis=1), 1)
        fitted.save(tmp_path / "m.npz")
        np.testing.assert_array_equal(LabelModel.load(tmp_path / "m.npz").predict_proba(votes), beliefs)
        str(fitted.explain(votes, draw.randrange(len(votes))))
    Analysis(votes, fitted).labelers()
    diagnose(votes, time_limit=2)


@runs
@pytest.mark.filterwarnings("ignore::shortlist.errors.ShortlistWarning", "ignore::RuntimeWarning")
def test_hostile_text_in_every_place_of_the_report_stays_text(seed, tmp_path):
    pytest.importorskip("jinja2")
    draw = random.Random(seed)
    names = [f"{draw.choice(HOSTILE)} {j}" for j in range(6)]
    votes = some_votes(draw, names)
    labelers = [f"{draw.choice(HOSTILE)} {i}" for i in range(len(votes.names))]
    votes = Votes(votes.codes, votes.codomains, votes.space, labelers)
    rows = [draw.choice(HOSTILE) for _ in range(len(votes))]
    page = report(votes, LabelModel().fit(votes), rows, None, tmp_path / "r.html").read_text("utf-8")
    assert page.count("<script") == 1
    assert "<img" not in page
    assert not set(page) & set("\u202e\x1b\x00")


@runs
@pytest.mark.filterwarnings("ignore::shortlist.errors.ShortlistWarning")
def test_a_damaged_file_is_a_bad_file_or_can_be_used(seed, tmp_path):
    draw = random.Random(seed)
    votes = some_votes(draw)
    model = LabelModel().fit(votes)
    for thing, load in ((votes, Votes.load), (model, LabelModel.load)):
        path = tmp_path / "whole"
        thing.save(path)
        for damage in (truncated, flipped, other_header, other_array):
            (tmp_path / "damaged").write_bytes(damage(path.read_bytes(), draw))
            try:
                found = load(tmp_path / "damaged")
            except BadFile:
                continue
            if isinstance(found, LabelModel):
                assert np.isfinite(found.predict_proba(found.evidence_.votes)).all()


def truncated(content, draw):
    return content[: draw.randrange(len(content))]


def flipped(content, draw):
    changed = bytearray(content)
    for _ in range(draw.randint(1, 4)):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def rewritten(content, change):
    """The same archive, some members changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return out.getvalue()


def other_header(content, draw):
    junk = draw.choice([None, [], {}, "x", -1, 1e308, True, [[]], {"a": []}])

    def change(name, member):
        if not name.startswith("header.json"):
            return member
        header = json.loads(np.load(io.BytesIO(member)).tobytes())
        header[draw.choice(list(header))] = junk
        return packed(np.frombuffer(json.dumps(header).encode(), np.uint8))

    return rewritten(content, change)


def other_array(content, draw):
    junk = draw.choice(
        [np.zeros(0), np.zeros((1, 5)), np.full((3, 3), np.nan), np.array(["x"]), np.array(7), np.ones(9) > 0]
    )
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        chosen = draw.choice([name for name in file.namelist() if not name.startswith("header.json")])
    return rewritten(content, lambda name, member: packed(junk) if name == chosen else member)


def packed(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


JUNK = [None, 0, -1, 1e400, "", "x", True, [], [1], [[]], {}, {"kind": []}, {"not": {}}, "=1", "\u202e"]


@runs
def test_any_record_of_a_labeler_is_read_or_refused(seed):
    draw = random.Random(seed)
    record = {"kind": "keywords", "name": "a", "words": ["x"], "says": ["y"], "no": {"not": ["y"]}, "on": "t"}
    record[draw.choice([*record, "more"])] = draw.choice(JUNK)
    with suppress(ShortlistError):
        from_record(record if draw.random() > 0.1 else draw.choice(JUNK))


VALUES = [
    "1",
    "-1",
    "0.5",
    '"x"',
    '""',
    "true",
    "[]",
    '["a", 1]',
    "{}",
    "{ kind = 3 }",
    "1979-05-27",
    "inf",
    "nan",
    '";"',
    '"../x"',
]


MORE = "[labelers]\non_error = 'raise'\n[label_model]\ntol = 1e-6\nseed = 0\n"


@runs
def test_any_toml_is_run_or_told_in_one_line(seed, tmp_path, capfd, monkeypatch):
    draw = random.Random(seed)
    make(tmp_path, m=30)
    lines = (TOML + MORE).splitlines()
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(lines))
        key = lines[at].split("=")[0] if "=" in lines[at] else "x "
        lines[at] = draw.choice([f"{key}= {draw.choice(VALUES)}", "", lines[at][: len(lines[at]) // 2], lines[at] * 2])
    (tmp_path / "shortlist.toml").write_text("\n".join(lines) + "\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ended = call(capfd, "fit")
    assert ended.code in (0, 3, 4), ended.err
    assert "Traceback" not in ended.err
    assert "unexpected" not in ended.err


def test_the_toml_before_it_is_spoilt_is_fine(tmp_path):
    """So that the test above can fail."""
    tomllib.loads(TOML)
    assert len(make(tmp_path, m=30).votes) == 30
    assert isinstance(Project(tmp_path), Project)
