"""Keyboard: keys as they are pressed, without Enter. Keys that are pressed while the program works are not lost."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer


@contextmanager
def keyboard() -> Iterator[Callable[[], str]]:
    """A function that waits for the next key; "" at the end of input. Ctrl-C works as ever."""
    if os.name == "nt":
        yield typer.getchar
        return
    import termios
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSANOW)
    try:
        yield lambda: os.read(terminal, 1).decode("utf-8", "replace")
    finally:
        termios.tcsetattr(terminal, termios.TCSANOW, before)
