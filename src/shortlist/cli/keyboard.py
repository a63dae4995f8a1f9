"""Keyboard: keys as they are pressed, without Enter. Keys that are pressed while the program works are not lost."""

from __future__ import annotations

import os
import re
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

OFTEN = 0.2  # seconds: a Ctrl-C that comes just before a wait begins is noticed after it
UNFINISHED = re.compile(rb"\x1b(\[[0-?]*|O)?")  # the beginning of what a key such as an arrow sends


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
        yield lambda: _pressed(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSANOW, before)


def _pressed(terminal: int) -> str:
    """One key. Arrows and the like send several signs, ESC [ … and a last one: these are one key, too."""
    while not select.select([terminal], [], [], OFTEN)[0]:  # a read would not end with Ctrl-C, once polars has worked
        pass
    key = os.read(terminal, 1)
    while UNFINISHED.fullmatch(key) and select.select([terminal], [], [], 0)[0]:
        key += os.read(terminal, 1)
    return key.decode("utf-8", "replace")
