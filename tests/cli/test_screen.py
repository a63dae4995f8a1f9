"""What is written on a terminal, and elsewhere."""

import io

import pytest
from rich.console import Console

from shortlist.cli.screen import Screen


@pytest.mark.parametrize(
    ("terminal", "lines"),
    [(True, ["   One reason and", "   [another] one."]), (False, ["   One reason and [another] one."])],
)
def test_a_long_line_keeps_its_indent_on_a_terminal_and_is_one_line_elsewhere(terminal, lines):
    """On a terminal, only the first line was indented."""
    screen = Screen()
    screen.out = Console(file=io.StringIO(), width=18, force_terminal=terminal, color_system=None)
    screen.text("   One reason and [another] one.")
    assert [line.rstrip() for line in screen.out.file.getvalue().splitlines()] == lines
