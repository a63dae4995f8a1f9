"""Progress: a bar on a terminal, none elsewhere, or a function that is told instead."""

import io
import sys

import pytest

from shortlist.progress import progress_count, progress_lines, progress_share


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("stream", "progress", "shown"),
    [
        (Terminal, None, True),
        (io.StringIO, None, False),
        (Terminal, False, False),
        (io.StringIO, True, True),
    ],
)
def test_where_a_bar_is_shown(stream, progress, shown, monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream())
    with progress_count(progress, "voting", total=3) as advance:
        advance(2)
        advance(1)
    assert ("3/3" in sys.stderr.getvalue()) == shown


def test_a_function_is_told_instead(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    told = []
    with progress_count(told.append, "voting", total=3) as advance:
        advance(2)
        advance(1)
    assert told == [2, 1]
    assert sys.stderr.getvalue() == ""


def test_a_line_of_shares(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress_share(False) as tick:
        tick(1.0)
    assert sys.stderr.getvalue() == ""
    with progress_share(True, "images") as tick:
        tick(1.0)
    assert "images" in sys.stderr.getvalue()
    assert "100%" in sys.stderr.getvalue()


@pytest.mark.parametrize(
    ("stream", "progress", "shown"),
    [(Terminal, None, True), (io.StringIO, None, False), (Terminal, False, False), (io.StringIO, True, True)],
)
def test_where_lines_are_shown(stream, progress, shown, monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream())
    with progress_lines(progress) as tell:
        tell("step 1")
    assert ("step 1" in sys.stderr.getvalue()) == shown


def test_a_function_is_told_lines_and_shares(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    told = []
    with progress_lines(told.append) as tell, progress_share(told.append, "training") as tick:
        tell("step 1")
        tick(0.5)
    assert told == ["step 1", "training: 50%"]
    assert sys.stderr.getvalue() == ""
